/** What a server says of a fault, wherever in its answer it says it. Knows places; knows nothing of what words mean. */
import { field } from './provider-answer.ts'

export interface FaultWords {
  /** Of the API, as `rate_limit_exceeded`; empty where there is none. */
  readonly code: string
  /** The server's own sentences. Never the rest of its answer, which may repeat the request. */
  readonly text: string
  /** HTTP's, as the answer itself gives it; null where it gives none. */
  readonly toldStatus: number | null
  /** Whether the answer calls itself an error. */
  readonly isError: boolean
}

/** @param body the parsed JSON of the answer, or its text */
export function faultWordsIn(body: unknown): FaultWords {
  if (typeof body === 'string') return { code: '', text: pageWords(body), toldStatus: null, isError: false }
  // Google wraps its answer in a list.
  const answer: unknown = Array.isArray(body) ? body[0] : body
  const told = toldError(answer)
  const error = told ?? answer
  const codes = [field(error, 'code'), field(error, 'type')]
  return {
    code: codes.find((each) => typeof each === 'string') ?? '',
    text: sentences(answer, error),
    toldStatus: statusIn([...codes, field(error, 'status'), ...answerStatuses(answer)]),
    isError: told !== null || callsItselfError(answer),
  }
}

/** The first of `error`, that of the first choice, as OpenRouter has it, and `errors`; null where none says anything. */
function toldError(answer: unknown): unknown {
  const errors = field(answer, 'errors')
  const candidates = [field(answer, 'error'), choiceError(answer), Array.isArray(errors) ? errors[0] : errors]
  return candidates.find(saysSomething) ?? null
}

/** Of the first choice, whose message is then not to be trusted. */
export function choiceError(answer: unknown): unknown {
  const choices = field(answer, 'choices')
  const error = Array.isArray(choices) ? field(choices[0], 'error') : undefined
  return saysSomething(error) ? error : null
}

function callsItselfError(answer: unknown): boolean {
  const isNamed = field(answer, 'object') === 'error' || field(answer, 'type') === 'error'
  return isNamed || saysSomething(field(answer, 'detail')) || saysSomething(field(answer, 'error_msg'))
}

function saysSomething(error: unknown): boolean {
  if (typeof error === 'string') return error !== ''
  return error === true || (typeof error === 'object' && error !== null && Object.keys(error).length > 0)
}

function sentences(answer: unknown, error: unknown): string {
  const detail = field(answer, 'detail')
  const candidates = [
    error,
    field(error, 'message'),
    field(field(error, 'error'), 'message'),
    field(error, 'detail'),
    field(field(error, 'metadata'), 'raw'),
    field(answer, 'message'),
    field(answer, 'msg'),
    field(answer, 'error_msg'),
    // MiniMax
    field(field(answer, 'base_resp'), 'status_msg'),
    detail,
    field(detail, 'message'),
    field(detail, 'error'),
    field(Array.isArray(detail) ? detail[0] : undefined, 'msg'),
    field(error, 'type'),
  ]
  const texts = candidates.filter((each) => typeof each === 'string' && each !== '')
  return [...new Set(texts)].join(' · ')
}

function answerStatuses(answer: unknown): readonly unknown[] {
  const own = ['code', 'status', 'status_code', 'error_code'].map((name) => field(answer, name))
  return [...own, field(field(answer, 'base_resp'), 'status_code')]
}

function statusIn(values: readonly unknown[]): number | null {
  const numbers = values.filter((value) => typeof value === 'number' || typeof value === 'string').map(Number)
  return numbers.find((number) => number >= 400 && number < 600) ?? null
}

/** Of a page its title, of other text the first line. */
function pageWords(body: string): string {
  const start = body.slice(0, 4_000)
  const title = /<title[^>]*>([^<]*)</i.exec(start)?.[1]
  if (title !== undefined) return `a web page "${title.trim()}"`
  if (/^\s*</.test(start)) return 'a web page'
  return start.trim().split('\n')[0] ?? ''
}
