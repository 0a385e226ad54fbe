/** What a model server's refusal means: a conversation or text too long, a thing to correct, or a moment to wait out. */
import { isContextOverflow } from './context-overflow.ts'
import type { Scrub } from './key-scrubber.ts'
import { field } from './provider-answer.ts'

export interface ProviderFault {
  readonly kind: 'overflow' | 'refused' | 'passing'
  /** HTTP status; null when no answer came, and when a gateway's tells nothing. */
  readonly status: number | null
  /** Without the key; at most a few lines. */
  readonly text: string
  /** What the server asked for; null when it did not. */
  readonly retryAfterMs: number | null
}

/** Bun's to whoever wrote the program: the person who runs it cannot follow it. */
const RUNTIME_ADVICE = /\.? For more information, pass `verbose: true` in the second argument to fetch\(\)/

const TEXT_UNITS_MAX = 300
const SEARCHED_UNITS_MAX = 10_000
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 429])
/** What a busy server or the gateway before it says, whatever it was asked. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([...RETRIED_STATUSES, 502, 503, 504, 529])

/** @param body the parsed JSON of the answer, or its text */
export function statusFault(status: number, body: unknown, retryAfterMs: number | null, scrub: Scrub): ProviderFault {
  const { code, text } = errorWords(body)
  const quoted = shown(text, scrub)
  if (status !== 401 && isContextOverflow(status, code, text.slice(0, SEARCHED_UNITS_MAX)))
    return { kind: 'overflow', status, text: quoted, retryAfterMs }
  const isPassing = RETRIED_STATUSES.has(status) || status >= 500
  return { kind: isPassing ? 'passing' : 'refused', status, text: quoted, retryAfterMs }
}

/** A gateway's `{"error": {…}}` under status 200; null when the body holds none. */
export function bodyFault(body: unknown, scrub: Scrub): ProviderFault | null {
  const error = field(body, 'error')
  if (error === undefined || error === null) return null
  const code = Number(field(error, 'code') ?? field(error, 'status'))
  if (code >= 400 && code < 600) return statusFault(code, body, null, scrub)
  const fault = statusFault(400, body, null, scrub)
  if (fault.kind === 'overflow') return { ...fault, status: 200 }
  // Without a status the gateway's trouble is taken for a passing one of its own.
  return { ...fault, kind: 'passing', status: null }
}

/** No answer, or one that is not a model's. */
export function passingFault(text: string, status: number | null, scrub: Scrub): ProviderFault {
  return { kind: 'passing', status, text: shown(text.replace(RUNTIME_ADVICE, ''), scrub), retryAfterMs: null }
}

/** Whether a fault that came back however often it was tried may still be about what was asked: the server did answer. */
export function mayBeOfContent({ kind, status }: ProviderFault): boolean {
  return kind === 'passing' && status !== null && !BUSY_STATUSES.has(status)
}

/** The server's own sentence. Never the rest of its answer, which may repeat the request. */
function errorWords(body: unknown): { readonly code: string; readonly text: string } {
  if (typeof body === 'string') return { code: '', text: pageWords(body) }
  // Google wraps its answer in a list.
  const answer: unknown = Array.isArray(body) ? body[0] : body
  const error = field(answer, 'error') ?? answer
  const detail = field(answer, 'detail')
  const candidates = [
    error,
    field(error, 'message'),
    field(field(error, 'metadata'), 'raw'),
    field(answer, 'message'),
    detail,
    field(detail, 'message'),
    field(Array.isArray(detail) ? detail[0] : undefined, 'msg'),
    field(error, 'type'),
  ]
  const texts = candidates.filter((each) => typeof each === 'string' && each !== '')
  const code = [field(error, 'code'), field(error, 'type')].find((each) => typeof each === 'string') ?? ''
  return { code, text: [...new Set(texts)].join(' · ') }
}

/** Of a page its title, of other text the first line. */
function pageWords(body: string): string {
  const start = body.slice(0, 4_000)
  const title = /<title[^>]*>([^<]*)</i.exec(start)?.[1]
  if (title !== undefined) return `a web page "${title.trim()}"`
  if (/^\s*</.test(start)) return 'a web page'
  return start.trim().split('\n')[0] ?? ''
}

// Scrubbed before it is cut: half a key would no longer be found.
function shown(text: string, scrub: Scrub): string {
  const clean = scrub(text).replace(/\s+/g, ' ').trim()
  return clean.length > TEXT_UNITS_MAX ? `${clean.slice(0, TEXT_UNITS_MAX).toWellFormed()}…` : clean
}
