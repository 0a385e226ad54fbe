/** How one request gets to a model server and its answer back: by `fetch` alone. */
import { providerFetch, RefusedAnswer } from './provider-fetch.ts'

export interface SendingOptions {
  /** With its query, such as Azure's `api-version`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** For the whole answer; at most what a timer takes. */
  readonly timeoutMs: number
  readonly answerBytesMax: number | undefined
}

export interface SentRequest {
  /** Behind the base address, as `/embeddings`. */
  readonly path: string
  readonly body: object
  readonly signal: AbortSignal | undefined
}

/** @returns the answer's text. Throws `RefusedAnswer` and `NoAnswer`, and anything once `signal` is aborted. */
export type Send = (request: SentRequest) => Promise<string>

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  /** Whether the time was up. */
  readonly isLate: boolean

  constructor(cause: unknown, isLate: boolean) {
    super('no answer', { cause })
    this.isLate = isLate
  }
}

/** Costs a search 3 ms less than loading the OpenAI client does. */
export function plainSending({ baseUrl, apiKey, timeoutMs, answerBytesMax }: SendingOptions): Send {
  const fetchText = providerFetch(apiKey, answerBytesMax)
  return async ({ path, body, signal }) => {
    const init = { method: 'POST', body: JSON.stringify(body) }
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    const signals = signal === undefined ? [limit.signal] : [signal, limit.signal]
    try {
      return await fetchText(addressOf(baseUrl, path), { ...init, signal: AbortSignal.any(signals) })
    } catch (error) {
      if (error instanceof RefusedAnswer) throw error
      throw new NoAnswer(error, limit.signal.aborted || isTimeOut(error))
    } finally {
      clearTimeout(timer)
    }
  }
}

function addressOf(baseUrl: string, path: string): string {
  const { origin, pathname, search } = new URL(baseUrl)
  return `${origin}${pathname.replace(/\/$/, '')}${path}${search}`
}

/** The connection's own, of which runtimes have many. */
function isTimeOut(error: unknown): boolean {
  return error instanceof Error && /timed? ?out/i.test(`${error} ${String(error.cause)}`)
}
