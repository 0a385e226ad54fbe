/** Transcripts of Claude Code: one record a line, tool calls and results inside `message.content`, side chains of subagents. */

import { asRecord, contentText, fieldOf, type JsonRecord, listField, textField } from './json-records.ts'
import { judgeOutcome } from './outcome.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/claude-code.txt' with { type: 'text' }
import { tellsRefusal } from './refused-call.ts'
import { nextTask } from './request-text.ts'
import type { Run, Step } from './run.ts'
import { type Call, describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'
import { withPlaces } from './working-place.ts'

export const claudeCode: Producer = {
  name: 'claude-code',
  title: 'Claude Code',
  recordShape,
  read({ records }) {
    const turns = records.flatMap((record) => (isTurn(record) ? [record] : []))
    return turns.length === 0 ? null : readChains(turns)
  },
}

/** A record that wraps a message; others (summaries, snapshots, what a broken writer left) are skipped. */
function isTurn(record: unknown): record is JsonRecord {
  const type = fieldOf(record, 'type')
  if (type !== 'user' && type !== 'assistant') return false
  const message = asRecord(fieldOf(record, 'message'))
  // The streamed form leaves the role out.
  return message !== null && (fieldOf(message, 'role') ?? type) === type
}

interface OpenCall extends Call {
  readonly task: string | null
  readonly chain: Chain
  readonly position: number
  readonly calledAt: number
}

/** What all chains of a log share. */
interface Log {
  readonly open: Map<string, OpenCall>
  /** Calls and answers so far. */
  events: number
}

interface Chain {
  folder: string | null
  firstTask: string | null
  task: string | null
  turns: number
  /** The record's folder, by step, where it is another than before. */
  readonly named: (string | null)[]
  lastFolder: string | null
  readonly steps: (Step | null)[]
}

function readChains(records: readonly JsonRecord[]): readonly Run[] {
  const chains = new Map<string, Chain>()
  const log: Log = { open: new Map(), events: 0 }
  const seen = new Set<string>()
  const roots = new Map<string, string>()
  for (const record of records) {
    const uuid = textField(record, 'uuid')
    const key = chainKey(record, uuid, roots)
    // A resumed session repeats the records it goes on from. Only whole repetitions are skipped.
    const repeated = uuid === null ? null : `${key} ${uuid} ${textField(record, 'timestamp') ?? ''}`
    if (repeated !== null && seen.has(repeated)) continue
    if (repeated !== null) seen.add(repeated)
    const chain = chains.get(key) ?? {
      folder: null,
      firstTask: null,
      task: null,
      turns: 0,
      named: [],
      lastFolder: null,
      steps: [],
    }
    chains.set(key, chain)
    chain.folder ??= textField(record, 'cwd')
    readTurn(record, chain, log)
  }
  for (const call of log.open.values()) call.chain.steps[call.position] = stepOf(call, null, null)
  return [...chains.values()].map(({ firstTask, folder, turns, steps, named }) => ({
    task: firstTask,
    folder,
    turns,
    steps: withPlaces(
      steps.filter((step) => step !== null),
      { folder, linesStay: false, named },
    ),
  }))
}

/** The main conversation is one run a session; each side chain is a run of its own, found by its agent or its first record. */
function chainKey(record: JsonRecord, uuid: string | null, roots: Map<string, string>): string {
  const session = textField(record, 'sessionId') ?? ''
  if (fieldOf(record, 'isSidechain') !== true) return `main ${session}`
  const agent = textField(record, 'agentId')
  if (agent !== null) return `agent ${session} ${agent}`
  const parent = textField(record, 'parentUuid')
  const root = (parent === null ? undefined : roots.get(parent)) ?? uuid ?? ''
  if (uuid !== null) roots.set(uuid, root)
  return `side ${session} ${root}`
}

/** The calls of one message may stand in several records, and an answer between them: the order of records tells which calls came after it. */
function readTurn(record: JsonRecord, chain: Chain, log: Log): void {
  const { open } = log
  const message = fieldOf(record, 'message')
  const parts = listField(message, 'content')
  const results = parts.filter((part) => fieldOf(part, 'type') === 'tool_result')
  for (const result of results) {
    const id = textField(result, 'tool_use_id') ?? ''
    const call = open.get(id)
    if (call === undefined) continue
    open.delete(id)
    const step = stepOf(call, result, fieldOf(record, 'toolUseResult'))
    call.chain.steps[call.position] = { ...step, answeredAt: log.events++ }
  }
  for (const part of parts) {
    if (fieldOf(part, 'type') !== 'tool_use') continue
    const call = describeCall(textField(part, 'name') ?? 'tool', fieldOf(part, 'input'))
    const opened = { ...call, task: chain.task, chain, position: chain.steps.length, calledAt: log.events++ }
    open.set(textField(part, 'id') ?? '', opened)
    chain.steps.push(null)
    const folder = textField(record, 'cwd')
    chain.named.push(folder === chain.lastFolder ? null : folder)
    chain.lastFolder = folder ?? chain.lastFolder
  }
  if (fieldOf(record, 'type') === 'assistant') chain.turns++
  else if (results.length === 0) {
    const request = requestOf(record, contentText(fieldOf(message, 'content')))
    if (request === '') return
    chain.turns++
    chain.task = nextTask(chain.task, request)
    chain.firstTask ??= chain.task
  }
}

/** What a person typed; empty for what the program itself put under the role `user`. */
function requestOf(record: JsonRecord, text: string): string {
  if (fieldOf(record, 'isMeta') === true || fieldOf(record, 'isCompactSummary') === true) return ''
  const typed = withoutInsertions(text).trim()
  if (/^(?:Caveat: The messages below|\[Request interrupted|This session is being continued from)/.test(typed))
    return ''
  const command = /<command-name>([^<]*)<\/command-name>/.exec(typed)?.[1]
  if (command === undefined) return typed
  return `${command} ${/<command-args>([^<]*)/.exec(typed)?.[1] ?? ''}`.trim()
}

const INSERTION = /<(system-reminder|local-command-\w{1,20}|bash-\w{1,20})>/g

/** Without what the program put into a person's message between tags. Each closing tag is sought once onwards: linear. */
function withoutInsertions(text: string): string {
  const kept: string[] = []
  let end = 0
  for (const match of text.matchAll(INSERTION)) {
    if (match.index < end) continue
    const closing = `</${match[1] ?? ''}>`
    const close = text.indexOf(closing, match.index)
    if (close < 0) break
    kept.push(text.slice(end, match.index))
    end = close + closing.length
  }
  return kept.join('') + text.slice(end)
}

// A person's no is not a failure of the call, and what still runs has no outcome.
const REFUSED =
  /^(?:<tool_use_error>)?(?:The user doesn't want|The user rejected|Claude requested permissions|Permission to use|\[Request interrupted|Command running in background)/

/** `result` null: the call was never answered. A result without `is_error` is a good one, for errors are always flagged. */
function stepOf(call: OpenCall, result: unknown, details: unknown): Step {
  const { kind, shell, command, shown, task, calledAt } = call
  const called = { kind, shell, command, shown, task, calledAt }
  const read = readToolOutput(fieldOf(result, 'content'))
  const output = read.output.replace(/^<tool_use_error>/, '').replace(/<\/tool_use_error>$/, '')
  const interrupted = fieldOf(details, 'interrupted') === true || textField(details, 'backgroundTaskId') !== null
  if (result === null || interrupted || REFUSED.test(read.output) || tellsRefusal(output)) {
    return { ...called, output, outcome: 'unknown', evidence: 'none', finished: false }
  }
  const errorFlag = fieldOf(result, 'is_error') === true
  const verdict = judgeOutcome({
    shell: shell ? command : null,
    isEdit: kind === 'edit',
    exitCode: null,
    errorFlag,
    output,
  })
  return { ...called, output, ...verdict, finished: true }
}
