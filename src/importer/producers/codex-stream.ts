/**
 * The stream of `codex exec --json`: events about items of a thread, each begun and completed by its id. It holds neither
 * what was asked nor the folder.
 */
import { asRecord, contentText, fieldOf, listField, stableJson, textField } from './json-records.ts'
import type { Run } from './run.ts'
import { RunBuilder, type ToolAnswer } from './run-builder.ts'
import { screenText } from './screen-text.ts'
import { type RunReader, runsSplitAt } from './split-runs.ts'
import { type Call, describeCall, inOwnShell } from './tool-call.ts'

/** Whether a record tells that an item was begun or completed, as no rollout does. */
export function isStreamed(record: unknown): boolean {
  return /^item\.(?:started|completed)$/.test(textField(record, 'type') ?? '') && itemType(record) !== ''
}

function itemType(record: unknown): string {
  const item = fieldOf(record, 'item')
  return textField(item, 'type', 'item_type') ?? ''
}

/** A run a thread. */
export function readStream(records: readonly unknown[]): readonly Run[] {
  return runsSplitAt(records, (record) => textField(record, 'type') === 'thread.started', openThread)
}

function openThread(): RunReader {
  const builder = new RunBuilder()
  return { builder, add: (record) => readEvent(record, builder) }
}

function readEvent(record: unknown, builder: RunBuilder): void {
  if (!isStreamed(record)) return
  const item = fieldOf(record, 'item')
  const isCompleted = textField(record, 'type') === 'item.completed'
  if (/^(?:agent|assistant)_message$/.test(itemType(record))) {
    if (isCompleted) builder.reply()
    return
  }
  const key = textField(item, 'id') ?? ''
  const call = callOf(item, itemType(record), key)
  if (call === null) return
  if (!isCompleted) builder.call(call, [key])
  else if (!builder.answer(key, answerOf(item))) builder.answered(call, answerOf(item))
}

function callOf(item: unknown, type: string, id: string): Call | null {
  switch (type) {
    case 'command_execution':
      return inOwnShell(describeCall('shell', { command: scriptOf(textField(item, 'command') ?? '') }))
    case 'file_change':
      return changeOf(listField(item, 'changes'), id)
    case 'mcp_tool_call':
      return describeCall(
        `${textField(item, 'server') ?? 'mcp'}.${textField(item, 'tool') ?? 'tool'}`,
        fieldOf(item, 'arguments'),
      )
    case 'web_search':
      return describeCall('web_search', { query: textField(item, 'query') ?? '' })
    default:
      return null
  }
}

const VERBS: Readonly<Record<string, string>> = { add: 'create', delete: 'delete' }

/** Of files it is told which, not how they changed: two changes of one file are two calls. */
function changeOf(changes: readonly unknown[], id: string): Call {
  const shown = changes.map((change) => {
    const kind = textField(change, 'kind') ?? textField(fieldOf(change, 'kind'), 'type') ?? ''
    return `${VERBS[kind] ?? 'edit'} ${textField(change, 'path') ?? 'a file'}`
  })
  const command = `file_change ${id} ${stableJson(changes)}`
  return { kind: 'edit', shell: false, command, shown: `${shown.join(', ')} (what was changed is not in the log)` }
}

const WRAPPED = /^(?:\S*\/)?(?:ba|z|da)?sh -\w*c (.+)$/s
const QUOTED = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\;&|<>()$`]+)/gsy

/** `/bin/bash -lc 'make test'` is `make test`; what is more than one word behind the option is left as it stands. */
function scriptOf(command: string): string {
  const words = WRAPPED.exec(command)?.[1]
  if (words === undefined) return command
  let script = ''
  QUOTED.lastIndex = 0
  for (let end = 0; end < words.length; end = QUOTED.lastIndex) {
    const match = QUOTED.exec(words)
    if (match === null) return command
    const [, single, double, escaped, bare] = match
    script += single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? bare ?? ''
  }
  return script
}

function answerOf(item: unknown): ToolAnswer {
  const status = textField(item, 'status')
  const code = fieldOf(item, 'exit_code')
  const exitCode = typeof code === 'number' && Number.isInteger(code) ? code : null
  const error = fieldOf(item, 'error')
  const isFailed = status === 'failed' || asRecord(error) !== null
  return {
    output: screenText(outputOf(item, error)),
    exitCode,
    errorFlag: isFailed ? true : status === 'completed' ? false : null,
    isFinished: status !== 'in_progress' && status !== 'declined',
  }
}

function outputOf(item: unknown, error: unknown): string {
  const printed =
    textField(item, 'aggregated_output', 'output') ?? contentText(listField(fieldOf(item, 'result'), 'content'))
  return [printed, textField(error, 'message') ?? ''].filter((part) => part !== '').join('\n')
}
