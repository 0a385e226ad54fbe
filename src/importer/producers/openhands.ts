/**
 * Event streams of OpenHands: a list of actions and observations that name what they answer (`cause`), as a file of its
 * own or as the `history` of an evaluation; and the later form, with `kind` and ids of tool calls.
 */

import { contentText, fieldOf, listField, textField } from './json-records.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/openhands.txt' with { type: 'text' }
import { askedIn } from './request-text.ts'
import type { Run } from './run.ts'
import { RunBuilder, type ToolAnswer } from './run-builder.ts'
import { type Call, describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

const SOURCES = new Set(['agent', 'user', 'environment'])

export const openhands: Producer = {
  name: 'openhands',
  title: 'OpenHands',
  recordShape,
  recognises: ({ records }) => streamsOf(records).length > 0,
  read: ({ records }) => streamsOf(records).map(readEvents),
}

function streamsOf(records: readonly unknown[]): readonly (readonly unknown[])[] {
  const lists = [records, ...records.flatMap(eventLists)]
  return lists.map((list) => list.filter(isEvent)).filter((events) => events.some(isTelling))
}

function eventLists(record: unknown): readonly (readonly unknown[])[] {
  // Older evaluations keep pairs of an action and its observation.
  return [Array.isArray(record) ? record : [], listField(record, 'history').flat(), listField(record, 'trajectory')]
}

function isEvent(event: unknown): boolean {
  return SOURCES.has(textField(event, 'source') ?? '') && (isTelling(event) || textField(event, 'kind') !== null)
}

function isTelling(event: unknown): boolean {
  return (
    textField(event, 'action') !== null ||
    textField(event, 'observation') !== null ||
    /^(?:Action|Observation|Message)Event$/.test(textField(event, 'kind') ?? '')
  )
}

function readEvents(events: readonly unknown[]): Run {
  const builder = new RunBuilder()
  for (const event of events) {
    if (textField(event, 'kind') !== null) readLater(event, builder)
    else if (textField(event, 'observation') !== null) readObservation(event, builder)
    else readAction(event, builder)
  }
  return builder.run()
}

/** Messages of the program itself, and what only changes its state. */
const SILENT = new Set(['system', 'change_agent_state', 'recall', 'null', 'pause', 'resume', 'stop', 'start', 'reject'])

function readAction(event: unknown, builder: RunBuilder): void {
  const action = textField(event, 'action') ?? ''
  const args = fieldOf(event, 'args')
  if (SILENT.has(action)) return
  if (action === 'message' && textField(event, 'source') === 'user')
    builder.ask(askedIn(textField(args, 'content') ?? ''))
  else builder.reply()
  if (action !== 'message') builder.call(callOf(action, args), [eventKey(fieldOf(event, 'id'))])
}

function eventKey(id: unknown): string {
  return `event ${typeof id === 'number' || typeof id === 'string' ? String(id) : ''}`
}

function callOf(action: string, args: unknown): Call {
  if (action === 'run') return describeCall('bash', args)
  if (action === 'run_ipython') return describeCall('ipython', { code: fieldOf(args, 'code') })
  if (action === 'finish' || action === 'think') return describeCall(action, {})
  return describeCall(action, args)
}

function readObservation(event: unknown, builder: RunBuilder): void {
  const extras = fieldOf(event, 'extras')
  const code = fieldOf(fieldOf(extras, 'metadata'), 'exit_code') ?? fieldOf(extras, 'exit_code')
  const folder = textField(fieldOf(extras, 'metadata'), 'working_dir')
  builder.folder ??= folder
  builder.answer(eventKey(fieldOf(event, 'cause')), {
    ...withCode(readToolOutput(textField(event, 'content') ?? ''), code),
    errorFlag: textField(event, 'observation') === 'error' ? true : null,
  })
}

/** A code of -1 says that the command still runs. */
function withCode(read: ToolAnswer, code: unknown): ToolAnswer {
  if (typeof code !== 'number' || !Number.isInteger(code)) return read
  return code === -1 ? { ...read, isFinished: false } : { ...read, exitCode: code }
}

function readLater(event: unknown, builder: RunBuilder): void {
  const kind = textField(event, 'kind')
  const key = `call ${textField(event, 'tool_call_id') ?? ''}`
  if (kind === 'MessageEvent') {
    const message = fieldOf(event, 'llm_message')
    if (textField(event, 'source') === 'user') builder.ask(askedIn(contentText(fieldOf(message, 'content'))))
    else builder.reply()
  } else if (kind === 'ActionEvent') {
    builder.reply()
    const name = textField(event, 'tool_name') ?? textField(fieldOf(event, 'action'), 'kind') ?? 'tool'
    builder.call(describeCall(name, withoutKind(fieldOf(event, 'action'))), [key])
  } else if (kind === 'ObservationEvent') {
    const observation = fieldOf(event, 'observation')
    const read = readToolOutput(contentText(fieldOf(observation, 'content') ?? fieldOf(observation, 'output')))
    const isError = fieldOf(observation, 'is_error') === true || textField(observation, 'error') !== null
    builder.answer(key, { ...withCode(read, fieldOf(observation, 'exit_code')), errorFlag: isError ? true : null })
  }
}

function withoutKind(action: unknown): unknown {
  return typeof action === 'object' && action !== null
    ? Object.fromEntries(Object.entries(action).filter(([name]) => name !== 'kind'))
    : action
}
