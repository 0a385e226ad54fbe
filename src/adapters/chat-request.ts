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
    function: { name: call.name.toWellFormed(), arguments: sentArguments(call) },
  }))
  // Gateways to Anthropic refuse an empty text beside tool calls.
  return { role: 'assistant', content: content === '' ? null : content, tool_calls }
}

/** Servers parse the arguments of earlier calls again: what a model left unfinished is wrapped, not dropped. */
function sentArguments(call: ToolCall): string {
  if (call.arguments.trim() === '') return '{}'
  let value: unknown
  try {
    value = JSON.parse(call.arguments)
  } catch {
    // Not JSON is an ordinary thing for a model to write; the caller answers it.
    return JSON.stringify({ not_json: call.arguments.toWellFormed() })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) value = { not_an_object: value }
  else if (!/\\u[dD][89a-fA-F]/.test(call.arguments)) return call.arguments.toWellFormed()
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? inner.toWellFormed() : inner))
}
