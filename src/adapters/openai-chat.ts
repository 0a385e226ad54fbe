/** A chat model behind any OpenAI-compatible server: retries, time-outs, and faults in our words. */
import type { OpenAI } from 'openai'
import { withoutCredentials } from '../model/address.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { ChatMessage, ChatModel, ChatReply, Clock, ReplyOptions, ToolSchema } from '../ports.ts'
import { parseReply } from './chat-reply.ts'
import { requestBody } from './chat-request.ts'
import { isOverflowComplaint } from './context-overflow.ts'
import { keyScrubber, type Scrub, withoutUnmistakableKey } from './key-scrubber.ts'
import { bodyFault, type ProviderFault, passingFault, statusFault } from './provider-fault.ts'
import { providerFetch, RefusedAnswer } from './provider-fetch.ts'
import { retryAfterMs, retryDelayMs, sleep } from './retry-delay.ts'

// A longer timer fires at once.
const TIMER_MS_MAX = 2 ** 31 - 1
const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

export interface OpenChatOptions {
  /** Undefined or empty: OpenAI's own. */
  readonly baseUrl: string | undefined
  /** Undefined or empty: no Authorization header is sent. */
  readonly apiKey: string | undefined
  readonly model: string
  /** For one request, its answer's last byte included. */
  readonly timeoutMs: number
  /** How often a request is repeated after its first failure. */
  readonly retries: number
  readonly clock: Clock
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly chance?: () => number
}

/** Throws `invalid_config` for an address or a key that no request can carry. */
export function openChatModel(options: OpenChatOptions): ChatModel {
  const baseUrl = options.baseUrl || DEFAULT_BASE_URL
  requireHttpAddress(baseUrl)
  const apiKey = sentKey(options.apiKey)
  return new OpenAIChat({ ...options, baseUrl, apiKey, scrub: keyScrubber(apiKey) })
}

type Settings = OpenChatOptions & { readonly baseUrl: string; readonly scrub: Scrub }
type Outcome = { readonly reply: ChatReply } | { readonly fault: ProviderFault }

class OpenAIChat implements ChatModel {
  readonly model: string
  #settings: Settings
  #client: Promise<{ readonly client: OpenAI; readonly sdk: typeof OpenAI }> | null = null

  constructor(settings: Settings) {
    this.model = settings.model
    this.#settings = settings
  }

  async reply(
    messages: readonly ChatMessage[],
    tools: readonly ToolSchema[],
    { signal, beforeRequest }: ReplyOptions = {},
  ): Promise<ChatReply> {
    const { retries, chance = Math.random } = this.#settings
    const wait = this.#settings.sleep ?? sleep
    for (let attempt = 0; ; attempt += 1) {
      requireRunning(signal)
      beforeRequest?.()
      const outcome = await this.#ask(messages, tools, signal)
      if ('reply' in outcome) return outcome.reply
      if (outcome.fault.kind !== 'passing' || attempt >= retries) throw this.#error(outcome.fault, attempt + 1)
      await wait(retryDelayMs(attempt, outcome.fault.retryAfterMs, chance()), signal)
    }
  }

  async #ask(
    messages: readonly ChatMessage[],
    tools: readonly ToolSchema[],
    signal: AbortSignal | undefined,
  ): Promise<Outcome> {
    const { client, sdk } = await this.#open()
    let answer: unknown
    try {
      // A signal of its own: the client never takes its listener off a signal that outlives the request.
      const request = signal === undefined ? {} : { signal: AbortSignal.any([signal]) }
      answer = await client.chat.completions.create(requestBody(this.model, messages, tools), request)
    } catch (error) {
      requireRunning(signal)
      return { fault: this.#faultOf(error, sdk) }
    }
    const text = withoutUnmistakableKey(String(answer), this.#settings.apiKey)
    return this.#outcome(parsedOrText(text), messages)
  }

  #outcome(body: unknown, messages: readonly ChatMessage[]): Outcome {
    const { scrub } = this.#settings
    const reply = parseReply(body, messages)
    const words = reply?.toolCalls.length === 0 ? reply.content : body
    if (typeof words === 'string' && isOverflowComplaint(words)) return { fault: statusFault(413, words, null, scrub) }
    if (reply !== null) return { reply }
    return { fault: bodyFault(body, scrub) ?? passingFault('it sent no chat completion', 200, scrub) }
  }

  #faultOf(error: unknown, sdk: typeof OpenAI): ProviderFault {
    const { scrub, timeoutMs, clock } = this.#settings
    if (error instanceof sdk.APIConnectionTimeoutError)
      return passingFault(`no answer within ${timeoutMs / 1000} s`, null, scrub)
    const cause = error instanceof sdk.APIConnectionError ? error.cause : undefined
    if (cause instanceof RefusedAnswer)
      return statusFault(cause.status, parsedOrText(cause.body), retryAfterMs(cause.headers, clock.now()), scrub)
    if (error instanceof sdk.APIConnectionError) return passingFault(connectionWords(error), null, scrub)
    throw scrubbedBug(error, scrub)
  }

  /** Loaded at the first request: most commands never talk to a model. */
  #open() {
    this.#client ??= this.#load()
    return this.#client
  }

  async #load() {
    const { OpenAI: sdk } = await import('openai')
    const { apiKey, timeoutMs } = this.#settings
    const url = new URL(this.#settings.baseUrl)
    // Each value is given, null included, because the client takes what is missing from OPENAI_* variables.
    const client = new sdk({
      baseURL: url.origin + url.pathname,
      // Such as Azure's `api-version`: the client would put its path behind it.
      defaultQuery: Object.fromEntries(url.searchParams),
      apiKey: 'added-by-fetch',
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: 'off',
      maxRetries: 0,
      timeout: Math.min(timeoutMs, TIMER_MS_MAX),
      fetch: providerFetch(apiKey),
    })
    return { client, sdk }
  }

  #error(fault: ProviderFault, attempts: number): MemoryError {
    const { scrub, apiKey } = this.#settings
    const place = withoutCredentials(this.#settings.baseUrl)
    const status = fault.status === null ? [] : [`HTTP ${fault.status}`]
    const text = [...status, fault.text].filter((part) => part !== '').join(': ')
    const details = { status: fault.status, attempts, cause: new Error(scrub(text)) }
    if (fault.kind === 'overflow')
      return new MemoryError(
        'context_too_small',
        scrub(`the conversation does not fit ${this.model} (${text}); lower token_limits.context to what it takes`),
        details,
      )
    const times = attempts === 1 ? '' : ` after ${attempts} attempts`
    const next = nextStep(fault, apiKey !== undefined)
    return new MemoryError(
      'llm_unavailable',
      scrub(`no answer from ${this.model} at ${place}${times} (${text}); ${next}`),
      details,
    )
  }
}

function nextStep(fault: ProviderFault, hasKey: boolean): string {
  if (fault.kind === 'passing') return 'check that the server runs and can be reached, then resume'
  if (fault.status === 401 && !hasKey) return 'it wants a key: set LLM_API_KEY'
  if (fault.status === 401 || fault.status === 403) return 'it refuses the key: check LLM_API_KEY and what it may use'
  if (fault.status === 404) return 'check LLM_MODEL_NAME and LLM_BASE_URL'
  if (fault.status !== null && fault.status < 400) return 'it redirects: set LLM_BASE_URL to the final address'
  return 'it refuses the request: check that the model takes chat messages and tools'
}

function requireRunning(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new MemoryError('interrupted', 'interrupted while waiting for the model; resume to go on where it stopped')
}

function requireHttpAddress(baseUrl: string): void {
  const url = URL.parse(baseUrl)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return
  throw new MemoryError('invalid_config', 'LLM_BASE_URL is no http or https address; set one such as http://host/v1')
}

/** A key pasted with its line end is meant without it. */
function sentKey(apiKey: string | undefined): string | undefined {
  const key = apiKey?.trim() ?? ''
  if (key === '') return undefined
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new MemoryError(
    'invalid_config',
    'LLM_API_KEY holds white space or characters no header can carry; set it anew',
  )
}

/** The innermost reason, with its code. */
function connectionWords(error: Error): string {
  let reason = error
  while (reason.cause instanceof Error && reason.cause !== reason) reason = reason.cause
  const code = 'code' in reason && typeof reason.code === 'string' ? reason.code : ''
  // Bun's own advice would stand in the way of ours.
  const words = reason.message.replace(/ Is the computer able to access the url\?$/, '')
  return code === '' || words.includes(code) ? words : `${code}: ${words}`
}

/** Not the server's fault but ours; even so without the key. */
function scrubbedBug(error: unknown, scrub: Scrub): Error {
  return new Error(`chat request: ${scrub(error instanceof Error ? `${error.name}: ${error.message}` : String(error))}`)
}

/** The text itself where it is not JSON: pages of proxies, single words. */
function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Many answers are no JSON; what they mean is decided by who reads them.
    return text
  }
}
