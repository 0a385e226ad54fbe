/** A chat model that plays a script and remembers what it was asked. */
import { MemoryError } from '../../src/model/memory-error.ts'
import type { ChatMessage, ChatModel, ChatReply, ReplyOptions, ToolSchema } from '../../src/ports.ts'

export interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolSchema[]
}

/** A reply, an error to throw, or a function of the request that gives or throws one. */
export type ChatStep =
  | ChatReply
  | Error
  | ((messages: readonly ChatMessage[], tools: readonly ToolSchema[]) => ChatReply | Promise<ChatReply>)

export class ScriptedChat implements ChatModel {
  readonly model: string
  /** Copies, in order: what the caller does to its arrays afterwards does not show here. */
  readonly requests: ChatRequest[] = []
  /** Milliseconds that were left for each request. */
  readonly timeLimits: (number | undefined)[] = []
  #steps: ChatStep[]

  constructor(steps: readonly ChatStep[], model = 'scripted') {
    this.#steps = [...steps]
    this.model = model
  }

  /** Steps not played yet; a test that ends with some left over tested less than it says. */
  get stepsLeft(): number {
    return this.#steps.length
  }

  async reply(
    messages: readonly ChatMessage[],
    tools: readonly ToolSchema[],
    { signal, timeLimit, beforeRequest }: ReplyOptions = {},
  ): Promise<ChatReply> {
    if (signal?.aborted === true) throw new MemoryError('interrupted', 'interrupted; run it again to go on')
    beforeRequest?.()
    this.timeLimits.push(timeLimit?.ms)
    this.requests.push(structuredClone({ messages, tools }))
    const step = this.#steps.shift()
    if (step === undefined)
      throw new Error(`the script ended before request ${this.requests.length}: ${JSON.stringify(messages.at(-1))}`)
    if (step instanceof Error) throw step
    const reply = typeof step === 'function' ? await step(messages, tools) : step
    return withIds(reply, this.requests.length)
  }
}

/** A reply that calls one tool. @param args an object, or the text as a careless model would write it */
export function callTool(name: string, args: unknown): ChatReply {
  return callTools([name, args])
}

/** A reply that calls several tools at once. Ids are given when it is played: `call-<request>-<number>`. */
export function callTools(...calls: readonly (readonly [name: string, args: unknown])[]): ChatReply {
  return {
    content: '',
    toolCalls: calls.map(([name, args]) => ({
      id: '',
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    })),
    finish: 'tool_calls',
    promptTokens: 100,
    completionTokens: 10,
  }
}

/** A reply of text alone: in an extraction it ends the segment. */
export function say(content: string): ChatReply {
  return { content, toolCalls: [], finish: 'stop', promptTokens: 100, completionTokens: 10 }
}

function withIds(reply: ChatReply, request: number): ChatReply {
  const toolCalls = reply.toolCalls.map((call, index) =>
    call.id === '' ? { ...call, id: `call-${request}-${index + 1}` } : call,
  )
  return { ...reply, toolCalls }
}
