/** What a model server's refusal means: a conversation or text too long, a thing to correct, or a moment to wait out. */
import { isContextOverflow } from './context-overflow.ts'
import { faultWordsIn } from './fault-words.ts'
import type { Scrub } from './key-scrubber.ts'

export interface ProviderFault {
  readonly kind: 'overflow' | 'refused' | 'passing'
  /** HTTP status; null when no answer came, and when a gateway's tells nothing. */
  readonly status: number | null
  /** Without the key; at most a few lines. */
  readonly text: string
  /** What the server asked for; null when it did not. */
  readonly retryAfterMs: number | null
  /** What the person does about it, where that is known better than by kind and status. */
  readonly advice?: string
}

/** Bun's to whoever wrote the program: the person who runs it cannot follow it. */
const RUNTIME_ADVICE = /\.? For more information, pass `verbose: true` in the second argument to fetch\(\)/

const TEXT_UNITS_MAX = 300
const SEARCHED_UNITS_MAX = 10_000
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 429])
/** What a busy server or the gateway before it says, whatever it was asked. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([...RETRIED_STATUSES, 502, 503, 504, 529])

const RATE_LIMIT = /\brate[ _-]?limit|\btoo many requests\b|\bthrottl|请求(?:过于|太|过)频繁|速率限制|限流/i

/** @param body the parsed JSON of the answer, or its text */
export function statusFault(status: number, body: unknown, retryAfterMs: number | null, scrub: Scrub): ProviderFault {
  const { code, text } = faultWordsIn(body)
  const quoted = shown(text, scrub)
  if (status !== 401 && isContextOverflow(status, code, text.slice(0, SEARCHED_UNITS_MAX)))
    return { kind: 'overflow', status, text: quoted, retryAfterMs }
  const isPassing = RETRIED_STATUSES.has(status) || status >= 500
  return { kind: isPassing ? 'passing' : 'refused', status, text: quoted, retryAfterMs }
}

/** What an answer under status 200 tells of a fault instead of answering; null when it tells of none. */
export function bodyFault(body: unknown, scrub: Scrub): ProviderFault | null {
  const { code, text, toldStatus, isError } = faultWordsIn(body)
  if (toldStatus !== null) return statusFault(toldStatus, body, null, scrub)
  // A page says nothing of the request: it comes from whoever sits at the address.
  if (typeof body === 'string') return null
  const fault = statusFault(400, body, null, scrub)
  if (fault.kind === 'overflow') return { ...fault, status: 200 }
  if (RATE_LIMIT.test(`${code} ${text}`)) return statusFault(429, body, null, scrub)
  // Without a status the gateway's trouble is taken for a passing one of its own.
  return isError ? { ...fault, kind: 'passing', status: null } : null
}

/** An answer that says that what was asked is too long. */
export function overflowFault(text: string, scrub: Scrub): ProviderFault {
  return { kind: 'overflow', status: 200, text: shown(text, scrub), retryAfterMs: null }
}

/** No answer, or one that is not a model's. */
export function passingFault(text: string, status: number | null, scrub: Scrub): ProviderFault {
  return { kind: 'passing', status, text: shown(text.replace(RUNTIME_ADVICE, ''), scrub), retryAfterMs: null }
}

/** Whether the server is asked too often or is not up to it: then it says the same for a while. */
export function isBusy({ kind, status }: ProviderFault): boolean {
  return kind === 'passing' && status !== null && BUSY_STATUSES.has(status)
}

/** Whether a fault that came back however often it was tried may still be about what was asked: the server did answer. */
export function mayBeOfContent(fault: ProviderFault): boolean {
  return fault.kind === 'passing' && fault.status !== null && !isBusy(fault)
}

// Scrubbed before it is cut: half a key would no longer be found.
function shown(text: string, scrub: Scrub): string {
  const clean = scrub(text).replace(/\s+/g, ' ').trim()
  return clean.length > TEXT_UNITS_MAX ? `${clean.slice(0, TEXT_UNITS_MAX).toWellFormed()}…` : clean
}
