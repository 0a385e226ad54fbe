/** The messages of one talk, kept within the model's context by giving up old tool results. */

import { MemoryError } from '../model/memory-error.ts'
import type { ChatMessage, Tokenizer, ToolSchema } from '../ports.ts'
import type { LoopWords } from './loop-words.ts'

/** What a chat template adds around each message and tool, generously. */
const MESSAGE_OVERHEAD_TOKENS = 16
const GIVEN_UP = '{"note":"this result was left out to save space; call the tool again if you need it"}'

export class Conversation {
  readonly #tokenizer: Tokenizer
  readonly #tokensMax: number
  readonly #toolTokens: number
  readonly #messages: ChatMessage[] = []
  readonly #tokens: number[] = []

  readonly #words: Pick<LoopWords, 'again' | 'smaller'>

  /** @param tokensMax for all messages and tool schemas together: the context without the reserve */
  constructor(
    tokenizer: Tokenizer,
    tools: readonly ToolSchema[],
    tokensMax: number,
    words: Pick<LoopWords, 'again' | 'smaller'>,
  ) {
    this.#words = words
    this.#tokenizer = tokenizer
    this.#tokensMax = tokensMax
    this.#toolTokens = tools.reduce(
      (sum, { name, description, parameters }) =>
        sum + MESSAGE_OVERHEAD_TOKENS + tokenizer.count(JSON.stringify({ name, description, parameters })),
      0,
    )
  }

  get messages(): readonly ChatMessage[] {
    return this.#messages
  }

  /** The messages that it begins with. Throws `context_too_small` when they do not fit. */
  begin(messages: readonly ChatMessage[]): void {
    for (const message of messages) this.#push(message)
    const tokens = this.#total()
    if (tokens > this.#tokensMax)
      throw new MemoryError(
        'context_too_small',
        `instructions, what is to be read and tools come to ${tokens} tokens, the context leaves ${this.#tokensMax}; raise token_limits.context to what the model takes, or ${this.#words.smaller}`,
      )
  }

  /** Adds messages; tool results are replaced by a note, oldest first, until all fits. Throws `context_exhausted`. */
  add(...messages: readonly ChatMessage[]): void {
    for (const message of messages) this.#push(message)
    for (let index = 0; this.#total() > this.#tokensMax; index++) {
      const message = this.#messages[index]
      if (message === undefined)
        throw new MemoryError(
          'context_exhausted',
          `the conversation has outgrown the ${this.#tokensMax} tokens that the context leaves; ${this.#words.again} with a larger token_limits.context`,
        )
      if (message.role !== 'tool') continue
      this.#messages[index] = { ...message, content: GIVEN_UP }
      this.#tokens[index] = this.#count({ ...message, content: GIVEN_UP })
    }
  }

  #push(message: ChatMessage): void {
    this.#messages.push(message)
    this.#tokens.push(this.#count(message))
  }

  #count(message: ChatMessage): number {
    const calls = message.role === 'assistant' ? message.toolCalls.map((call) => call.name + call.arguments) : []
    return MESSAGE_OVERHEAD_TOKENS + this.#tokenizer.count([message.content, ...calls].join('\n'))
  }

  #total(): number {
    return this.#tokens.reduce((sum, tokens) => sum + tokens, this.#toolTokens)
  }
}
