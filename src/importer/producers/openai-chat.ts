/**
 * Chats in the form of OpenAI's chat completions: one message a line, `{"messages":[…]}` a line, one array of messages,
 * or an array of such runs. Tool calls by `tool_calls` and role `tool`, or by the older `function_call` and role `function`.
 */

import { contentText, fieldOf, listField, textField } from './json-records.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/openai-chat.txt' with { type: 'text' }
import { askedIn } from './request-text.ts'
import type { Run } from './run.ts'
import { RunBuilder, type ToolAnswer } from './run-builder.ts'
import { type Call, describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
/** Fields under which a record keeps its messages; `traj` is how tau-bench names them. */
const CHAT_FIELDS = ['messages', 'traj', 'conversation'] as const
const NESTED_LISTS_MAX = 3

export const openaiChat: Producer = {
  name: 'openai-chat',
  title: 'OpenAI-style chats',
  recordShape,
  recognises: ({ records }) =>
    chatsOf(records, NESTED_LISTS_MAX).length > 0 || records.some((record) => displayOf(record) !== null),
  read: ({ records }) => [...chatsOf(records, NESTED_LISTS_MAX).map(readChat), ...records.flatMap(displayedChat)],
}

/** Message lists in the order of the log. Messages that stand in a row belong to one chat; a system message after others opens the next. */
function chatsOf(records: readonly unknown[], levels: number): readonly (readonly unknown[])[] {
  const chats: unknown[][] = []
  let open: unknown[] | null = null
  let isUnderWay = false
  for (const record of records) {
    if (isMessage(record)) {
      const isSystem = fieldOf(record, 'role') === 'system'
      if (open === null || (isSystem && isUnderWay)) {
        open = []
        chats.push(open)
      }
      isUnderWay = !isSystem
      open.push(record)
      continue
    }
    const nested = Array.isArray(record) ? record : CHAT_FIELDS.flatMap((name) => listField(record, name))
    if (nested.length === 0 || levels === 0) continue
    open = null
    for (const chat of chatsOf(nested, levels - 1)) chats.push([...chat])
  }
  return chats
}

function isMessage(record: unknown): boolean {
  const role = textField(record, 'role')
  if (role === null || !ROLES.has(role)) return false
  return ['content', 'tool_calls', 'function_call'].some((name) => fieldOf(record, name) !== undefined)
}

export function readChat(messages: readonly unknown[]): Run {
  const builder = new RunBuilder()
  for (const message of messages) {
    const role = fieldOf(message, 'role')
    if (role === 'user') builder.ask(askedIn(contentText(fieldOf(message, 'content'))))
    else if (role === 'assistant') {
      builder.reply()
      for (const { call, id, tool } of callsOf(message)) builder.call(call, callKeys(id, tool))
    } else if (role === 'tool' || role === 'function') builder.answer(answerKey(message), answerOf(message))
  }
  return builder.run()
}

/** A chat that is kept as it was shown: who said what, and no word of the calls themselves. */
function displayOf(record: unknown): string | null {
  return textField(record, 'messages_display')
}

function displayedChat(record: unknown): readonly Run[] {
  const text = displayOf(record)
  if (text === null) return []
  const builder = new RunBuilder()
  let said: { readonly role: string; readonly lines: string[] } | null = null
  const close = () => {
    if (said?.role === 'user') builder.ask(said.lines.join('\n'))
    else if (said?.role === 'assistant') builder.reply()
  }
  for (const line of text.split('\n')) {
    const [heading, role] = /^(user|assistant|tool|system): /.exec(line) ?? []
    if (heading !== undefined && role !== undefined) {
      close()
      said = { role, lines: [line.slice(heading.length)] }
    } else said?.lines.push(line)
  }
  close()
  return [builder.run()]
}

interface NamedCall {
  readonly call: Call
  readonly tool: string
  readonly id: string | null
}

function callsOf(message: unknown): readonly NamedCall[] {
  const legacy = fieldOf(message, 'function_call')
  const calls = [...listField(message, 'tool_calls'), ...(legacy === undefined || legacy === null ? [] : [legacy])]
  return calls.flatMap((call) => {
    const body = fieldOf(call, 'function') ?? fieldOf(call, 'custom') ?? call
    const tool = textField(body, 'name')
    if (tool === null) return []
    const described = describeCall(tool, fieldOf(body, 'arguments') ?? fieldOf(body, 'input'))
    return [{ call: described, tool, id: textField(call, 'id') }]
  })
}

/** Answers name the call's id, older ones the function alone. */
function callKeys(id: string | null, tool: string): readonly string[] {
  return id === null ? [`name ${tool}`, 'any'] : [`id ${id}`, `name ${tool}`, 'any']
}

function answerKey(message: unknown): string {
  const id = textField(message, 'tool_call_id')
  const name = textField(message, 'name')
  return id !== null ? `id ${id}` : name !== null ? `name ${name}` : 'any'
}

function answerOf(message: unknown): ToolAnswer {
  const read = readToolOutput(fieldOf(message, 'content'))
  const isError = fieldOf(message, 'is_error') === true || textField(message, 'status') === 'error'
  return isError ? { ...read, errorFlag: true } : read
}
