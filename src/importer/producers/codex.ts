/**
 * Rollouts of the Codex CLI: one item a line, in an envelope with `type` and `payload`, or bare as older versions wrote
 * them. Items are those of OpenAI's Responses API. What `codex exec --json` prints is read in codex-stream.ts.
 */

import { type CodexAnswer, RunningCommands } from './codex-running.ts'
import { isStreamed, readStream } from './codex-stream.ts'
import { contentText, fieldOf, listField, parsedValue, textField } from './json-records.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/codex.txt' with { type: 'text' }
import type { Run } from './run.ts'
import { RunBuilder } from './run-builder.ts'
import { type RunReader, runsSplitAt } from './split-runs.ts'
import { type Call, describeCall, inOwnShell } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

const ENVELOPES = new Set(['session_meta', 'response_item', 'turn_context', 'event_msg', 'compacted'])
const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call'])
const ANSWERS = new Set(['function_call_output', 'custom_tool_call_output', 'local_shell_call_output'])
/** What the program itself puts under the role `user`. */
const INSERTED =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|permissions|skill|subagent|collaboration|user_shell_command|INSTRUCTIONS)\b|# AGENTS\.md instructions)/

export const codex: Producer = {
  name: 'codex',
  title: 'Codex',
  recordShape,
  recognises: ({ records }) => records.some(isOwn) || records.some(isStreamed),
  read: ({ records }) => (records.some(isOwn) ? readSessions : readStream)(records),
}

function isOwn(record: unknown): boolean {
  const type = textField(record, 'type') ?? ''
  if (ENVELOPES.has(type)) return fieldOf(record, 'payload') !== undefined
  return (CALLS.has(type) || ANSWERS.has(type)) && textField(record, 'call_id') !== null
}

/** Several rollouts may stand one behind the other. */
function readSessions(records: readonly unknown[]): readonly Run[] {
  return runsSplitAt(
    records,
    (record) => textField(record, 'type') === 'session_meta',
    () => new Session(),
  )
}

class Session implements RunReader {
  readonly builder = new RunBuilder()
  readonly #running = new RunningCommands(this.builder)
  /** Where commands run that name no folder. */
  #folder: string | null = null

  add(record: unknown): void {
    const type = textField(record, 'type')
    const isWrapped = type !== null && ENVELOPES.has(type)
    const item = isWrapped ? fieldOf(record, 'payload') : record
    if (type === 'session_meta' || type === 'turn_context') {
      this.#folder = textField(item, 'cwd') ?? this.#folder
      this.builder.folder ??= this.#folder
    } else if (!isWrapped || type === 'response_item') this.#addItem(item)
  }

  #addItem(item: unknown): void {
    const type = textField(item, 'type')
    const key = textField(item, 'call_id') ?? textField(item, 'id') ?? ''
    if (type !== null && CALLS.has(type)) {
      if (textField(item, 'name') === 'write_stdin' && this.#running.isPolled(key, givenTo(item))) return
      const { call, place } = callOf(item)
      this.builder.call(inOwnShell(call), [key], place ?? this.#folder)
    } else if (type !== null && ANSWERS.has(type)) this.#running.answer(key, answerOf(fieldOf(item, 'output')))
    else if (type === 'message' || type === null) readMessage(item, this.builder)
  }

  end(): void {
    this.#running.leave()
  }
}

function readMessage(item: unknown, builder: RunBuilder): void {
  const role = textField(item, 'role')
  if (role === 'assistant') builder.reply()
  else if (role === 'user') {
    const content = fieldOf(item, 'content')
    const parts = (typeof content === 'string' ? [content] : listField(item, 'content')).map((part) =>
      contentText([part]),
    )
    builder.ask(parts.filter((part) => !INSERTED.test(part)).join('\n'))
  }
}

function callOf(item: unknown): { readonly call: Call; readonly place: string | null } {
  const action = fieldOf(item, 'action')
  if (action !== undefined)
    return { call: describeCall('shell', action), place: textField(action, 'working_directory', 'workdir') }
  const given = fieldOf(item, 'arguments') ?? fieldOf(item, 'input')
  const arguments_ = givenTo(item)
  const name = textField(item, 'name') ?? 'tool'
  const [program, patch] = listField(arguments_, 'command')
  if (program === 'apply_patch' && typeof patch === 'string') return { call: describeCall(program, patch), place: null }
  return { call: describeCall(name, given), place: textField(arguments_, 'workdir', 'cwd') }
}

function givenTo(item: unknown): unknown {
  const given = fieldOf(item, 'arguments') ?? fieldOf(item, 'input')
  return typeof given === 'string' ? (parsedValue(given)[0] ?? given) : given
}

// Written in front of what a command printed. Groups 1 and 2 are the exit code, missing while the command still runs;
// group 3 then names what is running.
const HEADING =
  /^(?:Chunk ID: [^\n]*\n)?(?:Exit code: (-?\d{1,10})\n)?Wall time: [^\n]*\n(?:Process (?:exited with code (-?\d{1,10})|running with session ID (\S+))\n)?(?:(?:Original token count|Total output lines): \d+\n)*Output:\n?/

function answerOf(output: unknown): CodexAnswer {
  const text = typeof output === 'string' ? output : contentText(fieldOf(output, 'content') ?? output)
  const heading = HEADING.exec(text)
  if (heading === null) return readToolOutput(output)
  const code = heading[1] ?? heading[2]
  const read = readToolOutput(text.slice(heading[0].length))
  const exitCode = code === undefined ? read.exitCode : Number(code)
  const runsAs = exitCode === null ? heading[3] : undefined
  return { ...read, exitCode, isFinished: exitCode !== null, ...(runsAs === undefined ? {} : { runsAs }) }
}
