/** The body of a chat completion as our reply. Takes what the many servers send; drops what the model only thought. */
import type { ChatMessage, ChatReply, ToolCall } from '../ports.ts'
import { choiceError } from './fault-words.ts'
import { field } from './provider-answer.ts'
import { withoutThoughts } from './thoughts.ts'

/** Gateways put whole signatures into ids; a longer one is noise, and would go out with every request. UTF-16 units. */
const CALL_ID_UNITS_MAX = 1 << 14

/** @returns null when `body` holds no answer of a model */
export function parseReply(body: unknown, messages: readonly ChatMessage[]): ChatReply | null {
  const choice = firstChoice(body)
  const message = field(choice, 'message')
  if (typeof message !== 'object' || message === null) return null
  const toolCalls = parseCalls(message, messages)
  const usage = field(body, 'usage')
  return {
    content: withoutThoughts(parseContent(field(message, 'content'))),
    toolCalls,
    finish: parseFinish(field(choice, 'finish_reason'), toolCalls.length > 0),
    promptTokens: count(field(usage, 'prompt_tokens')),
    completionTokens: count(field(usage, 'completion_tokens')),
  }
}

/** Whether the server says that it stopped in the middle: what there is of the reply is not the model's. */
export function isBroken(body: unknown): boolean {
  return choiceError(body) !== null || field(firstChoice(body), 'finish_reason') === 'error'
}

/** Whether the server says that question and answer together are more than the model's window holds. */
export function isBeyondWindow(body: unknown): boolean {
  return field(firstChoice(body), 'finish_reason') === 'model_context_window_exceeded'
}

function firstChoice(body: unknown): unknown {
  const choices = field(body, 'choices')
  return Array.isArray(choices) ? choices[0] : undefined
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

/** Text, or a list of parts of which only those of type `text` were meant for the reader. */
function parseContent(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((part: unknown) => {
    const text = field(part, 'text')
    const type = field(part, 'type') ?? 'text'
    return type === 'text' && typeof text === 'string' ? text : ''
  })
  return texts.join('')
}

function parseFinish(reason: unknown, hasCalls: boolean): ChatReply['finish'] {
  switch (typeof reason === 'string' ? reason.toLowerCase() : reason) {
    case 'length':
    case 'max_tokens':
    case 'max_output_tokens':
    case 'model_length':
    case 'model_context_window_exceeded':
      return 'length'
    // OpenAI and Azure, Anthropic, Gemini, Zhipu
    case 'content_filter':
    case 'refusal':
    case 'safety':
    case 'recitation':
    case 'prohibited_content':
    case 'sensitive':
      return 'filtered'
    case 'tool_calls':
    case 'tool_use':
    case 'function_call':
      return 'tool_calls'
    case 'stop':
    case 'end_turn':
    case 'stop_sequence':
    case 'eos':
    case null:
    case undefined:
      return hasCalls ? 'tool_calls' : 'stop'
    default:
      return 'other'
  }
}

/** Ids that are missing, too long, or repeat within the conversation, are replaced by ones made from its length. */
function parseCalls(message: object, messages: readonly ChatMessage[]): readonly ToolCall[] {
  const used = new Set(
    messages.flatMap((each) => (each.role === 'assistant' ? each.toolCalls : []).map(({ id }) => id)),
  )
  return rawCalls(message).map(({ id, call }, index) => {
    const isFresh = typeof id === 'string' && id !== '' && id.length <= CALL_ID_UNITS_MAX && !used.has(id)
    const kept = isFresh ? id : `call-${messages.length}-${index + 1}`
    used.add(kept)
    const name = field(call, 'name')
    return { id: kept, name: typeof name === 'string' ? name : '', arguments: argumentsText(field(call, 'arguments')) }
  })
}

function rawCalls(message: object): readonly { readonly id: unknown; readonly call: unknown }[] {
  const calls = field(message, 'tool_calls')
  if (Array.isArray(calls) && calls.length > 0)
    return calls.map((each: unknown) => ({ id: field(each, 'id'), call: field(each, 'function') }))
  const legacy = field(message, 'function_call')
  return typeof legacy === 'object' && legacy !== null ? [{ id: undefined, call: legacy }] : []
}

/** Some servers send the arguments parsed. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
