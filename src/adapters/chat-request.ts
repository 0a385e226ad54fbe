/** Our messages and tools as the body of a chat completion. Repairs what servers choke on. */
import type { ChatCompletionCreateParamsNonStreaming, ChatCompletionMessageParam } from 'openai/resources/chat'
import type { ChatMessage, ToolCall, ToolSchema } from '../ports.ts'

export function requestBody(
  model: string,
  messages: readonly ChatMessage[],
  tools: readonly ToolSchema[],
): ChatCompletionCreateParamsNonStreaming {
  const body: ChatCompletionCreateParamsNonStreaming = { model, messages: messages.map(messageParam) }
  // An empty list is an error for some servers.
  if (tools.length > 0)
    body.tools = tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description: description.toWellFormed(), parameters },
    }))
  return body
}

/** Lone surrogates become U+FFFD: as `\ud800` they are JSON that servers refuse. */
function messageParam(message: ChatMessage): ChatCompletionMessageParam {
  const content = message.content.toWellFormed()
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content }
  if (message.role !== 'assistant') return { role: message.role, content }
  if (message.toolCalls.length === 0) return { role: 'assistant', content }
  const tool_calls = message.toolCalls.map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: sentName(call), arguments: sentArguments(call) },
  }))
  // Gateways to Anthropic refuse an empty text beside tool calls.
  return { role: 'assistant', content: content === '' ? null : content, tool_calls }
}

const NAME_UNITS_MAX = 64

/** Servers refuse the whole request over an earlier name that no tool could have. */
function sentName({ name }: ToolCall): string {
  return name.replace(/[^\w-]/g, '_').slice(0, NAME_UNITS_MAX) || 'unnamed'
}

/**
 * Servers parse the arguments of earlier calls again, and some refuse the whole request over one that is no JSON
 * object. So what is none is wrapped in one, as the model wrote it; an object is sent letter for letter, but for lone
 * surrogates.
 */
function sentArguments(call: ToolCall): string {
  const text = call.arguments.trim()
  if (text === '') return '{}'
  const kind = jsonKind(text)
  if (kind === 'none') return JSON.stringify({ not_json: call.arguments.toWellFormed() })
  const sent = wellFormedJson(text)
  // Set in as text: parsing and writing anew would change long numbers and drop repeated keys.
  return kind === 'object' ? sent : `{"not_an_object":${sent}}`
}

function jsonKind(text: string): 'object' | 'other' | 'none' {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? 'object' : 'other'
  } catch {
    // Not JSON is an ordinary thing for a model to write; the caller answers it.
    return 'none'
  }
}

// A whole pair, half of one, or any other escape, so that the `u` behind an escaped backslash begins none.
const ESCAPES = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./gs
const HALF_UNITS = 6

/** @param text valid JSON, in which a surrogate may stand alone as a character or as an escape, in keys too */
function wellFormedJson(text: string): string {
  return text.toWellFormed().replace(ESCAPES, (found) => (found.length === HALF_UNITS ? '\ufffd' : found))
}
