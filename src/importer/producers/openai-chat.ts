/**
 * Chats in the form of OpenAI's chat completions: one message a line, `{"messages":[…]}` a line, one array of messages,
 * or an array of such runs. Tool calls by `tool_calls` and role `tool`, or by the older `function_call` and role `function`.
 */
import { contentText, fieldOf, listField, textField } from './json-records.ts'
import { judgeOutcome } from './outcome.ts'
import type { Producer } from './producer.ts'
import { nextTask } from './request-text.ts'
import type { Run, Step } from './run.ts'
import { type Call, describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'
import { withPlaces } from './working-place.ts'

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
/** Fields under which a record keeps its messages; `traj` is how tau-bench names them. */
const CHAT_FIELDS = ['messages', 'traj', 'conversation'] as const
const NESTED_LISTS_MAX = 3

export const openaiChat: Producer = {
  name: 'openai-chat',
  read({ records }) {
    const runs = chatsOf(records, NESTED_LISTS_MAX).map(readChat)
    return runs.length === 0 ? null : runs
  },
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

interface NamedCall extends Call {
  readonly tool: string
  readonly id: string | null
}

interface OpenCall extends NamedCall {
  readonly task: string | null
  /** Where its step belongs. */
  readonly position: number
}

function readChat(messages: readonly unknown[]): Run {
  let task: string | null = null
  let firstTask: string | null = null
  let turns = 0
  const steps: (Step | OpenCall)[] = []
  const open = new Map<string, Set<OpenCall>>()
  for (const message of messages) {
    const role = fieldOf(message, 'role')
    if (role === 'user') {
      turns++
      task = nextTask(task, contentText(fieldOf(message, 'content')))
      firstTask ??= task
    } else if (role === 'assistant') {
      turns++
      for (const call of callsOf(message)) {
        const opened: OpenCall = { ...call, task, position: steps.length }
        steps.push(opened)
        for (const key of callKeys(opened.id, opened.tool)) open.set(key, (open.get(key) ?? new Set()).add(opened))
      }
    } else if (role === 'tool' || role === 'function') {
      const call = answeredCall(open, message)
      if (call !== null) steps[call.position] = finishedStep(call, message)
    }
  }
  const answered = steps.map((step) => ('position' in step ? unanswered(step) : step))
  const placed = withPlaces(answered, { folder: null, linesStay: false, named: [] })
  return { task: firstTask, folder: null, turns, steps: placed }
}

function callsOf(message: unknown): readonly NamedCall[] {
  const legacy = fieldOf(message, 'function_call')
  const calls = [...listField(message, 'tool_calls'), ...(legacy === undefined || legacy === null ? [] : [legacy])]
  return calls.flatMap((call) => {
    const body = fieldOf(call, 'function') ?? fieldOf(call, 'custom') ?? call
    const tool = textField(body, 'name')
    if (tool === null) return []
    const described = describeCall(tool, fieldOf(body, 'arguments') ?? fieldOf(body, 'input'))
    return [{ ...described, tool, id: textField(call, 'id') }]
  })
}

/** Answers name the call's id, older ones the function alone. */
function callKeys(id: string | null, tool: string): readonly string[] {
  return id === null ? [`name ${tool}`, 'any'] : [`id ${id}`, `name ${tool}`, 'any']
}

/** The oldest call without an answer that this message can be the answer of. */
function answeredCall(open: ReadonlyMap<string, Set<OpenCall>>, message: unknown): OpenCall | null {
  const id = textField(message, 'tool_call_id')
  const name = textField(message, 'name')
  const key = id !== null ? `id ${id}` : name !== null ? `name ${name}` : 'any'
  const call = open.get(key)?.values().next().value
  if (call === undefined) return null
  for (const other of callKeys(call.id, call.tool)) open.get(other)?.delete(call)
  return call
}

function finishedStep(call: OpenCall, message: unknown): Step {
  const { output, exitCode, errorFlag } = readToolOutput(fieldOf(message, 'content'))
  const status = textField(message, 'status')
  const flag = fieldOf(message, 'is_error') === true || status === 'error' ? true : errorFlag
  const { kind, shell, command, shown, task } = call
  const verdict = judgeOutcome({ shell: shell ? command : null, exitCode, errorFlag: flag, output })
  return { kind, shell, command, shown, output, ...verdict, finished: true, task }
}

function unanswered({ kind, shell, command, shown, task }: OpenCall): Step {
  return { kind, shell, command, shown, output: '', outcome: 'unknown', evidence: 'none', finished: false, task }
}
