/** Transcripts of Claude Code: one record a line, tool calls and results inside `message.content`, side chains of subagents. */

import { asRecord, contentText, fieldOf, type JsonRecord, listField, textField } from './json-records.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/claude-code.txt' with { type: 'text' }
import type { Run } from './run.ts'
import { RunBuilder, type ToolAnswer } from './run-builder.ts'
import { describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

export const claudeCode: Producer = {
  name: 'claude-code',
  title: 'Claude Code',
  recordShape,
  recognises: ({ records }) => turnsOf(records).length > 0,
  read: ({ records }) => readChains(turnsOf(records)),
}

/** Of records one a line, or of a whole run in one list, as `--output-format json` prints it. */
function turnsOf(records: readonly unknown[]): readonly JsonRecord[] {
  return records.flatMap((record): readonly unknown[] => (Array.isArray(record) ? record : [record])).filter(isTurn)
}

/** A record that wraps a message; others (summaries, snapshots, what a broken writer left) are skipped. */
function isTurn(record: unknown): record is JsonRecord {
  const type = fieldOf(record, 'type')
  if (type !== 'user' && type !== 'assistant') return false
  const message = asRecord(fieldOf(record, 'message'))
  // The streamed form leaves the role out.
  return message !== null && (fieldOf(message, 'role') ?? type) === type
}

interface Chain {
  readonly builder: RunBuilder
  /** Of the call before. */
  folder: string | null
}

function readChains(records: readonly JsonRecord[]): readonly Run[] {
  const chains = new Map<string, Chain>()
  // An answer may stand in another chain than its call.
  const open = new Map<string, RunBuilder>()
  const seen = new Set<string>()
  const roots = new Map<string, string>()
  for (const record of records) {
    const uuid = textField(record, 'uuid')
    const key = chainKey(record, uuid, roots)
    // A resumed session repeats the records it goes on from. Only whole repetitions are skipped.
    const repeated = uuid === null ? null : `${key} ${uuid} ${textField(record, 'timestamp') ?? ''}`
    if (repeated !== null && seen.has(repeated)) continue
    if (repeated !== null) seen.add(repeated)
    const chain = chains.get(key) ?? { builder: new RunBuilder(), folder: null }
    chains.set(key, chain)
    readTurn(record, chain, open)
  }
  return [...chains.values()].map(({ builder }) => builder.run())
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
function readTurn(record: JsonRecord, chain: Chain, open: Map<string, RunBuilder>): void {
  const { builder } = chain
  const folder = textField(record, 'cwd')
  builder.folder ??= folder
  const message = fieldOf(record, 'message')
  const parts = listField(message, 'content')
  const results = parts.filter((part) => fieldOf(part, 'type') === 'tool_result')
  for (const result of results) {
    const id = textField(result, 'tool_use_id') ?? ''
    open.get(id)?.answer(id, answerOf(result, fieldOf(record, 'toolUseResult')))
  }
  for (const part of parts) {
    if (fieldOf(part, 'type') !== 'tool_use') continue
    const id = textField(part, 'id') ?? ''
    // A folder that stays the same does not say that the shell went back to it.
    const place = folder === chain.folder ? null : folder
    builder.call(describeCall(textField(part, 'name') ?? 'tool', fieldOf(part, 'input')), [id], place)
    open.set(id, builder)
    chain.folder = folder ?? chain.folder
  }
  if (fieldOf(record, 'type') === 'assistant') builder.reply()
  else if (results.length === 0) builder.ask(requestOf(record, contentText(fieldOf(message, 'content'))))
}

/** What a person typed; empty for what the program itself put under the role `user`. */
function requestOf(record: JsonRecord, text: string): string {
  if (fieldOf(record, 'isMeta') === true || fieldOf(record, 'isCompactSummary') === true) return ''
  const typed = withoutInsertions(text).trim()
  if (/^(?:Caveat: The messages below|\[Request interrupted|This session is being continued from)/.test(typed))
    return ''
  const command = /<command-name>([^<]*)<\/command-name>/.exec(typed)?.[1]
  if (command === undefined) return typed
  if (OWN_COMMANDS.has(command.trim().replace(/^\//, ''))) return ''
  return `${command} ${/<command-args>([^<]*)/.exec(typed)?.[1] ?? ''}`.trim()
}

/** Commands to the program itself: they ask the model for nothing. Others, such as `/init` and a person's own, do. */
const OWN_COMMANDS = new Set(
  'add-dir agents allowed-tools bashes bug clear color compact config context copy cost doctor effort exit export extra-usage fast feedback fork help hooks ide install-github-app keybindings login logout mcp memory migrate-installer mobile model new output-style passes permissions plan plugin privacy-settings quit rate-limit-options release-notes reload-plugins remote-env rename reset resume rewind sandbox settings skills stats status statusline stickers tasks terminal-setup theme todos upgrade usage vim'.split(
    ' ',
  ),
)

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

/** What still runs has no outcome. */
const RUNS_ON = /^Command running in background/

/** A result without `is_error` is a good one, for errors are always flagged. */
function answerOf(result: unknown, details: unknown): ToolAnswer {
  const read = readToolOutput(fieldOf(result, 'content'))
  const { output } = read
  const isInterrupted = fieldOf(details, 'interrupted') === true || textField(details, 'backgroundTaskId') !== null
  return {
    output,
    exitCode: null,
    errorFlag: fieldOf(result, 'is_error') === true,
    isErrorRecord: read.isErrorRecord === true,
    isFinished: !isInterrupted && !RUNS_ON.test(output),
  }
}
