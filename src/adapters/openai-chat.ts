/** A chat model behind any OpenAI-compatible server. Its retries, time-outs and refusals are the provider's. */
import type { MemoryError } from '../model/memory-error.ts'
import type { ChatMessage, ChatModel, ChatReply, ReplyOptions, ToolSchema } from '../ports.ts'
import { isBeyondWindow, isBroken, parseReply } from './chat-reply.ts'
import { requestBody } from './chat-request.ts'
import { isOverflowComplaint } from './context-overflow.ts'
import { withoutUnmistakableKey } from './key-scrubber.ts'
import { openaiSending } from './openai-sending.ts'
import { faultSentence, Provider, type ProviderFailure, type ProviderOptions, type Reading } from './provider.ts'
import { parsedOrText } from './provider-answer.ts'
import { bodyFault, overflowFault, passingFault } from './provider-fault.ts'
import { sleep } from './retry-delay.ts'
import { withinLimits } from './time-limit.ts'

export interface OpenChatOptions extends ProviderOptions {
  /** Waits for the time limit of a call; `sleep` when not given. */
  readonly limitTimer?: typeof sleep
}

/** Throws `invalid_config` for an address or a key that no request can carry. */
export function openChatModel(options: OpenChatOptions): ChatModel {
  return new OpenAIChat(new Provider(options, 'LLM', openaiSending), options.limitTimer ?? sleep)
}

/** Blanks behind the first message, which mean nothing to a model. */
function varied(messages: readonly ChatMessage[], variation: number): readonly ChatMessage[] {
  return messages.map((message, at) =>
    at === 0 ? { ...message, content: message.content + ' '.repeat(variation) } : message,
  )
}

/** Beside an error that a gateway tells of, or what a model makes of an empty request. */
function isEmpty({ content, toolCalls }: ChatReply): boolean {
  return toolCalls.length === 0 && content.trim() === ''
}

class OpenAIChat implements ChatModel {
  readonly model: string
  #provider: Provider
  #limitTimer: typeof sleep

  constructor(provider: Provider, limitTimer: typeof sleep) {
    this.model = provider.model
    this.#provider = provider
    this.#limitTimer = limitTimer
  }

  async reply(
    messages: readonly ChatMessage[],
    tools: readonly ToolSchema[],
    { signal, timeLimit, beforeRequest, onWait }: ReplyOptions = {},
  ): Promise<ChatReply> {
    const outcome = await withinLimits({ signal, timeLimit }, this.#limitTimer, (limited) =>
      this.#provider.request({
        path: '/chat/completions',
        body: requestBody(this.model, messages, tools),
        variedBody: (variation) => requestBody(this.model, varied(messages, variation), tools),
        read: (text) => this.#read(text, messages),
        signal: limited,
        beforeRequest,
        onWait,
      }),
    )
    if ('value' in outcome) return outcome.value
    throw this.#error(outcome)
  }

  #read(text: string, messages: readonly ChatMessage[]): Reading<ChatReply> {
    const { scrub, apiKey } = this.#provider
    const body = parsedOrText(withoutUnmistakableKey(text, apiKey))
    const reply = parseReply(body, messages)
    const words = reply?.toolCalls.length === 0 ? reply.content : body
    if (typeof words === 'string' && isOverflowComplaint(words)) return { fault: overflowFault(words, scrub) }
    if (reply !== null && isEmpty(reply) && isBeyondWindow(body))
      return { fault: overflowFault('finish_reason: model_context_window_exceeded', scrub) }
    if (reply !== null && !isBroken(body) && !isEmpty(reply)) return { value: reply }
    const fault = bodyFault(body, scrub)
    if (fault !== null) return { fault }
    if (reply !== null && !isBroken(body)) return { value: reply }
    const what = reply === null ? 'it sent no chat completion' : 'it broke off its answer'
    return { fault: passingFault(what, 200, scrub) }
  }

  #error(failure: ProviderFailure): MemoryError {
    if (failure.fault.kind !== 'overflow')
      return this.#provider.unavailable(
        'llm_unavailable',
        'answer',
        failure,
        'it refuses the request: check that the model takes chat messages and tools',
      )
    const why = faultSentence(failure.fault)
    const sentence = `the conversation does not fit ${this.model} (${why}); lower token_limits.context to what it takes`
    return this.#provider.error('context_too_small', sentence, failure)
  }
}
