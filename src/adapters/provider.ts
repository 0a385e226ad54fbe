/**
 * A server that speaks OpenAI's protocol: one request with its retries and time-outs, and its faults in our words.
 * Knows nothing of what is asked and answered.
 */
import { withoutCredentials } from '../model/address.ts'
import { sentKey } from '../model/api-key.ts'
import { type ErrorCode, MemoryError } from '../model/memory-error.ts'
import type { Clock } from '../ports.ts'
import { connectionFault, loginAdvice, proxyAdvice } from './connection-fault.ts'
import { keyScrubber, type Scrub } from './key-scrubber.ts'
import { type OutboundProxy, outboundProxy } from './outbound-proxy.ts'
import { httpAddress, type VariablePrefix } from './provider-address.ts'
import { faultAdvice } from './provider-advice.ts'
import { parsedOrText } from './provider-answer.ts'
import { isBusy, type ProviderFault, passingFault, statusFault } from './provider-fault.ts'
import { RefusedAnswer } from './provider-fetch.ts'
import { NoAnswer, type Send, type SendingOptions } from './provider-sending.ts'
import { retryAfterMs, retryDelayMs, sleep, TIMER_MS_MAX } from './retry-delay.ts'

/** Of a request that somebody waits for: a hiccup passes within that, an outage does not. */
const URGENT_RETRIES = 1
const URGENT_DELAY_MS_MAX = 3_000
const WAIT_NOTICE_MS = 10_000
/** How to go on with a model is for the caller to say: the same request serves an import, a consolidation and doctor. */
const INTERRUPTED: Readonly<Record<VariablePrefix, string>> = {
  LLM: 'interrupted while waiting for the model',
  EMBEDDING: 'interrupted while waiting for the embedder; run the command again',
}

export interface ProviderOptions {
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
  /** Undefined: 64 MiB. */
  readonly answerBytesMax?: number
  /** How long a request may take before it is told that it is waited for, and again after as long; 10 s when not given. */
  readonly waitNoticeMs?: number
}

/** Variations of a request that are tried while the same bad answer comes. */
const VARIATIONS_MAX = 2

export type Reading<T> = { readonly value: T } | { readonly fault: ProviderFault }

export interface ProviderFailure {
  /** The last one. */
  readonly fault: ProviderFault
  readonly attempts: number
}

export interface ProviderRequest<T> {
  /** Behind the base address, as `/embeddings`. */
  readonly path: string
  readonly body: object
  /** The same request in other bytes, for a gateway that replays a bad answer. @param variation from 1 */
  readonly variedBody?: (variation: number) => object
  /** Judges the text of an answer with status 2xx. */
  readonly read: (text: string) => Reading<T>
  /** Whether a fault that looks passing comes back however often the request is sent. */
  readonly isLasting?: (fault: ProviderFault) => boolean
  readonly signal: AbortSignal | undefined
  /** Called before each request that goes out; what it throws is thrown. */
  readonly beforeRequest?: (() => void) | undefined
  /** See `EmbedOptions`. */
  readonly isUrgent?: boolean | undefined
  readonly onWait?: ((sentence: string) => void) | undefined
}

export class Provider {
  readonly model: string
  /** Without the key. */
  readonly place: string
  readonly apiKey: string | undefined
  readonly scrub: Scrub
  #options: ProviderOptions
  #prefix: VariablePrefix
  #address: URL
  #proxy: OutboundProxy | null
  #send: Send

  /** Throws `invalid_config` for an address or a key that no request can carry. */
  constructor(options: ProviderOptions, prefix: VariablePrefix, sending: (options: SendingOptions) => Send) {
    this.model = options.model
    this.#options = options
    this.#prefix = prefix
    const baseUrl = httpAddress(options.baseUrl, prefix)
    this.place = withoutCredentials(baseUrl)
    this.#address = new URL(baseUrl)
    this.#proxy = outboundProxy(this.#address)
    this.apiKey = sentKey(options.apiKey, `${prefix}_API_KEY`)
    this.scrub = keyScrubber(this.apiKey)
    const { apiKey } = this
    const timeoutMs = Math.min(options.timeoutMs, TIMER_MS_MAX)
    this.#send = sending({ baseUrl, apiKey, timeoutMs, answerBytesMax: options.answerBytesMax })
  }

  /** Throws what `signal` is aborted with when that is a MemoryError, else `interrupted`. */
  async request<T>(request: ProviderRequest<T>): Promise<{ readonly value: T } | ProviderFailure> {
    const { retries, chance = Math.random } = this.#options
    const wait = this.#options.sleep ?? sleep
    const replayed = new ReplayedAnswers()
    for (let attempt = 0; ; attempt += 1) {
      requireRunning(request.signal, this.#prefix)
      request.beforeRequest?.()
      const { reading, answer } = await this.#ask(request, replayed.count)
      if ('value' in reading) return reading
      replayed.note(isBusy(reading.fault) ? null : answer)
      const isReplayed = replayed.count > VARIATIONS_MAX
      const fault = isReplayed ? replayedFault(reading.fault) : reading.fault
      const isLasting = isReplayed || fault.kind !== 'passing' || request.isLasting?.(fault) === true
      if (isLasting || attempt >= retries) return { fault, attempts: attempt + 1 }
      const delayMs = retryDelayMs(attempt, fault.retryAfterMs, chance())
      if (request.isUrgent === true && (attempt >= URGENT_RETRIES || delayMs > URGENT_DELAY_MS_MAX))
        return { fault, attempts: attempt + 1 }
      this.#tellOfRepeat(request, fault, delayMs)
      await wait(delayMs, request.signal)
      // A time limit that ends the waiting is not the reason why there is no answer.
      if (request.signal?.reason instanceof MemoryError) return { fault, attempts: attempt + 1 }
    }
  }

  #tellOfRepeat<T>({ onWait }: ProviderRequest<T>, fault: ProviderFault, delayMs: number): void {
    const { model, place } = this
    onWait?.(
      this.scrub(`${faultSentence(fault)}; ${model} at ${place} is asked again in ${Math.ceil(delayMs / 1000)} s`),
    )
  }

  /** Says now and then that there is no answer yet. */
  #tellOfWaiting<T>({ onWait }: ProviderRequest<T>): Disposable {
    if (onWait === undefined) return { [Symbol.dispose]: () => {} }
    const { waitNoticeMs = WAIT_NOTICE_MS } = this.#options
    let waitedMs = 0
    const timer = setInterval(() => {
      waitedMs += waitNoticeMs
      onWait(this.scrub(`no answer from ${this.model} at ${this.place} for ${Math.round(waitedMs / 1000)} s`))
    }, waitNoticeMs)
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  /** The error of a request that failed for good. @param missing what did not come; @param refusedAdvice the next step when nothing better is known */
  unavailable(code: ErrorCode, missing: string, failure: ProviderFailure, refusedAdvice: string): MemoryError {
    const times = failure.attempts === 1 ? '' : ` after ${failure.attempts} attempts`
    const next = this.#nextStep(failure.fault) ?? refusedAdvice
    const { kind, status } = failure.fault
    // Who says no has answered.
    const what =
      kind === 'refused' && status !== null
        ? `${this.model} at ${this.place} refuses`
        : `no ${missing} from ${this.model} at ${this.place}`
    const sentence = `${what}${times} (${faultSentence(failure.fault)}); ${next}`
    return this.error(code, sentence, failure)
  }

  #nextStep(fault: ProviderFault): string | null {
    if (fault.advice !== undefined) return fault.advice
    const step = faultAdvice(fault, this.#prefix, this.apiKey !== undefined)
    // Through a tunnel nobody but the server answers.
    const isClear = fault.status === null || fault.status === 200 || this.#address.protocol === 'https:'
    if (step === null || isClear || this.#proxy === null) return step
    return `${step}; or it is the proxy that answers: ${proxyAdvice(this.#proxy, this.#address)}`
  }

  error(code: ErrorCode, sentence: string, { fault, attempts }: ProviderFailure): MemoryError {
    const cause = new Error(this.scrub(faultSentence(fault)))
    return new MemoryError(code, this.scrub(sentence), { status: fault.status, attempts, cause })
  }

  /** @param variation 0 for the request as it is. @returns with the answer's text, null where none came */
  async #ask<T>(
    request: ProviderRequest<T>,
    variation: number,
  ): Promise<{ readonly reading: Reading<T>; readonly answer: string | null }> {
    const { path, variedBody, read, signal } = request
    const body = variation > 0 && variedBody !== undefined ? variedBody(variation) : request.body
    let answer: string
    try {
      using _ = this.#tellOfWaiting(request)
      answer = await this.#send({ path, body, signal })
    } catch (error) {
      requireRunning(signal, this.#prefix)
      return { reading: { fault: this.#faultOf(error, path) }, answer: null }
    }
    return { reading: read(answer), answer }
  }

  #faultOf(error: unknown, path: string): ProviderFault {
    const { scrub } = this
    const { timeoutMs, clock } = this.#options
    if (error instanceof RefusedAnswer) {
      const fault = statusFault(error.status, parsedOrText(error.body), retryAfterMs(error.headers, clock.now()), scrub)
      return fault.status === 407 && this.#proxy !== null ? { ...fault, advice: loginAdvice(this.#proxy) } : fault
    }
    if (!(error instanceof NoAnswer)) throw scrubbedBug(error, path, scrub)
    const { text, advice, isLasting } = connectionFault(error, this.#address, this.#proxy)
    const fault = passingFault(error.isLate ? `no answer within ${timeoutMs / 1000} s` : text, null, scrub)
    return { ...fault, kind: isLasting === true ? 'refused' : 'passing', ...(advice === undefined ? {} : { advice }) }
  }
}

/** How often the same bad answer came one after the other, beyond the first time. */
class ReplayedAnswers {
  count = 0
  #last: string | null = null

  note(answer: string | null): void {
    this.count = answer !== null && answer === this.#last ? this.count + 1 : 0
    this.#last = answer
  }
}

function replayedFault(fault: ProviderFault): ProviderFault {
  return { ...fault, text: `${fault.text}; the same answer to varied requests too, as of a gateway that replays it` }
}

/** The status and the server's own sentence. */
export function faultSentence({ status, text }: ProviderFault): string {
  return [status === null ? '' : `HTTP ${status}`, text].filter((part) => part !== '').join(': ')
}

function requireRunning(signal: AbortSignal | undefined, prefix: VariablePrefix): void {
  if (signal?.aborted !== true) return
  if (signal.reason instanceof MemoryError) throw signal.reason
  throw new MemoryError('interrupted', INTERRUPTED[prefix])
}

/** Not the server's fault but ours; even so without the key. */
function scrubbedBug(error: unknown, path: string, scrub: Scrub): Error {
  return new Error(`${path}: ${scrub(error instanceof Error ? `${error.name}: ${error.message}` : String(error))}`)
}
