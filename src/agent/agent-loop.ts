/** One talk with the model: tool calls until a closing message, every way of going wrong bounded. */
import { type ErrorCode, MemoryError } from '../model/memory-error.ts'
import { acceptedTokens, type TokenLimits } from '../model/token-limits.ts'
import type { ChatMessage, ChatModel, ChatReply, TimeLimit, Tokenizer, ToolCall, ToolSchema } from '../ports.ts'
import { type AgentTool, answerToolCall } from './agent-tool.ts'
import { Conversation } from './conversation.ts'
import type { LoopWords } from './loop-words.ts'
import { orderedArguments } from './tool-arguments.ts'
import { writtenCall } from './written-call.ts'

/** No sane reply is longer; a model that loops writes megabytes, and counting them would hang the run. UTF-16 units. */
const REPLY_UNITS_MAX = 1 << 17
/** What OpenAI allows; the names of our own tools are far shorter. UTF-16 units. */
const TOOL_NAME_UNITS_MAX = 64
/** Of a request: the model's server knows of no run that could go on. */
const GOING_ON: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['llm_unavailable', 'interrupted'])
const ARGUMENTS_LEFT_OUT = '{"note":"left out: too long"}'

export interface LoopBounds {
  readonly iterations_max: number
  readonly summary_repairs_max: number
  readonly identical_failures_max: number
}

export interface LoopSetup {
  readonly chat: ChatModel
  readonly tools: readonly AgentTool[]
  readonly tokenizer: Tokenizer
  readonly limits: TokenLimits
  readonly bounds: LoopBounds
  readonly opening: readonly ChatMessage[]
  readonly words: LoopWords
  /** Hides secrets in whatever goes to the model or into a log. */
  readonly mask: (text: string) => string
  /** Whether a text must not be written. */
  readonly hasSecret: (text: string) => boolean
  /** Called before each request, repeated ones included; throws `budget_reached` when there must be no further one. */
  readonly beforeRequest: () => void
  /** Called with each reply before anything is done with it. */
  readonly afterReply: (reply: ChatReply) => void
  /** See `ReplyOptions`. */
  readonly onWait: (sentence: string) => void
  /** What is left for a request that is about to be made; throws `llm_unavailable` when nothing is. */
  readonly timeLimit: () => TimeLimit
  readonly signal: AbortSignal
}

/**
 * @returns the closing message, masked, within the accepted tokens of a summary
 * Throws `context_too_small`, `context_exhausted`, `iterations_exhausted`, `identical_failures`, `summary_rejected`,
 * `budget_reached`, `llm_unavailable`, `interrupted`: all resumable; and what a tool throws beyond its own call.
 */
export async function runAgentLoop(setup: LoopSetup): Promise<string> {
  const { limits, bounds } = setup
  const schemas = setup.tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
  const conversation = new Conversation(setup.tokenizer, schemas, limits.context - limits.reserve, setup.words)
  conversation.begin(setup.opening)
  const failures = new FailureStreak(bounds.identical_failures_max, setup.words.again)
  let repairs = 0
  for (let iteration = 0; iteration < bounds.iterations_max; iteration++) {
    const reply = await ask(setup, conversation, schemas)
    if (reply.toolCalls.length > 0) {
      conversation.add(...(await answerCalls(setup, reply, failures)))
      continue
    }
    const content = reply.content.slice(0, REPLY_UNITS_MAX)
    const closing = setup.mask(content.trim()).toWellFormed()
    const complaint = complaintOf(closing, reply, setup)
    if (complaint === null) return closing
    if (repairs++ === bounds.summary_repairs_max)
      throw new MemoryError(
        'summary_rejected',
        `the model's closing message was still not usable after ${bounds.summary_repairs_max} repairs; ${setup.words.again} to try again`,
      )
    conversation.add({ role: 'assistant', content: closing, toolCalls: [] }, { role: 'user', content: complaint })
  }
  throw new MemoryError(
    'iterations_exhausted',
    `the model had not finished after ${bounds.iterations_max} replies; ${setup.words.again}, or raise extraction.iterations_max`,
  )
}

async function ask(setup: LoopSetup, conversation: Conversation, schemas: readonly ToolSchema[]): Promise<ChatReply> {
  const { signal, beforeRequest, mask } = setup
  const onWait = (sentence: string) => setup.onWait(mask(sentence))
  try {
    const options = { signal, timeLimit: setup.timeLimit(), beforeRequest, onWait }
    const reply = await setup.chat.reply(conversation.messages, schemas, options)
    setup.afterReply(reply)
    return reply
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    // A server may quote what it was sent, and what a model has seen of it unmasked.
    const goOn = GOING_ON.has(error.code) ? `; ${setup.words.again} to go on where it stopped` : ''
    throw new MemoryError(error.code, mask(error.message) + goOn, {
      ...error.details,
      resumable: error.resumable,
      cause: error,
    })
  }
}

/** The assistant's message and the results of its calls, in order. */
async function answerCalls(setup: LoopSetup, reply: ChatReply, failures: FailureStreak): Promise<ChatMessage[]> {
  const calls: ToolCall[] = []
  const results: ChatMessage[] = []
  for (const asked of reply.toolCalls) {
    const call = { ...asked, id: shownName(asked.id, setup.mask), name: toolName(asked.name, setup.mask) }
    const outcome = await answerToolCall(call, setup.tools, isCutOff(call, reply), setup.hasSecret)
    const isSane = call.arguments.length <= REPLY_UNITS_MAX
    calls.push({ ...call, arguments: isSane ? setup.mask(call.arguments) : ARGUMENTS_LEFT_OUT })
    results.push({ role: 'tool', toolCallId: call.id, content: maskedJson(outcome.result, setup.mask) })
    failures.note(call, outcome.failed)
  }
  return [
    { role: 'assistant', content: setup.mask(reply.content.slice(0, REPLY_UNITS_MAX)), toolCalls: calls },
    ...results,
  ]
}

/** Masked before it is cut, for of a secret that was cut nobody can tell what it is. */
function toolName(name: string, mask: (text: string) => string): string {
  return shownName(name.slice(0, REPLY_UNITS_MAX), mask).slice(0, TOOL_NAME_UNITS_MAX).toWellFormed()
}

/** With the signs of a mask that servers refuse in a name replaced. */
function shownName(name: string, mask: (text: string) => string): string {
  const masked = mask(name)
  return masked === name ? name : masked.replace(/[^\w-]/g, '_')
}

/** A call longer than any sane one is as good as cut off. */
function isCutOff(call: ToolCall, reply: ChatReply): boolean {
  return reply.finish === 'length' || reply.finish === 'filtered' || call.arguments.length > REPLY_UNITS_MAX
}

/** Each text by itself, for JSON's escapes can hide a secret; then the whole, for a name can give a value away. */
function maskedJson(value: unknown, mask: (text: string) => string): string {
  return mask(JSON.stringify(value, (_, member) => (typeof member === 'string' ? mask(member) : member)))
}

/** What is wrong with a closing message, as a request to mend it; null when nothing is. */
function complaintOf(closing: string, reply: ChatReply, { tokenizer, limits, tools, words }: LoopSetup): string | null {
  const asked = words.closing
  if (reply.finish === 'length' || reply.content.length > REPLY_UNITS_MAX)
    return `Your closing message was cut off by its length limit. Answer with a shorter one: ${asked}, without a tool call.`
  if (reply.finish === 'filtered')
    return `Your closing message was stopped by a filter of the server. Answer with ${asked} in other words, without a tool call.`
  if (!/[\p{L}\p{N}]/u.test(closing) || closing === 'null')
    return `Your closing message was empty. Answer with ${asked}, as text, without a tool call.`
  const written = writtenCall(closing, tools)
  if (written !== null)
    return `You wrote a call of ${written} as text, so it was not made. Call the tool itself, or answer with ${asked}.`
  const tokens = tokenizer.count(closing)
  if (tokens <= acceptedTokens(limits.summary)) return null
  return `Your closing message has ${tokens} tokens, the target is ${limits.summary}. Answer with a shorter one: ${asked}, without a tool call.`
}

/** Counts failing calls that repeat each other, whatever the order of their arguments. */
class FailureStreak {
  readonly #max: number
  readonly #again: string
  #last = ''
  #count = 0

  constructor(max: number, again: string) {
    this.#max = max
    this.#again = again
  }

  note(call: ToolCall, failed: boolean): void {
    const what = `${call.name} ${orderedArguments(call.arguments)}`
    this.#count = !failed ? 0 : what === this.#last ? this.#count + 1 : 1
    this.#last = failed ? what : ''
    if (this.#count >= this.#max)
      throw new MemoryError(
        'identical_failures',
        `the model made the same failing call of ${JSON.stringify(call.name)} ${this.#max} times in a row; ${this.#again} to try again`,
      )
  }
}
