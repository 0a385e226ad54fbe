/** One file of the Hugging Face hub over HTTP: redirects, limits, faults. Knows no cache. */
import { createHash } from 'node:crypto'
import { connectionFault } from './connection-fault.ts'
import { HubFault } from './hub-fault.ts'
import type { Scrub } from './key-scrubber.ts'
import { outboundProxy } from './outbound-proxy.ts'
import { parsedOrText } from './provider-answer.ts'
import { passingFault, statusFault } from './provider-fault.ts'
import { retryAfterMs } from './retry-delay.ts'
import { SilenceWatch } from './silence-watch.ts'

const REDIRECTS_MAX = 5
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Of an answer that says why there is no file. */
const REFUSAL_BYTES_MAX = 64 * 1024

/** Of a body: a person has begun to wonder. */
const SLOW_MS = 20_000

export type FetchAnswer = (address: string, init: RequestInit) => Promise<Response>

export interface HubRequest {
  readonly address: string
  /** Sent to the origin of `address` alone. */
  readonly token: string | undefined
  readonly bytesMax: number
  /** Longest wait for an answer, and for the next bytes of it. */
  readonly silenceMs: number
  /** Told once of an answer that takes long. */
  readonly onSlow: (progress: string) => void
  readonly fetch: FetchAnswer
  readonly scrub: Scrub
  readonly now: () => number
  readonly signal: AbortSignal
}

export interface HubFile {
  readonly bytes: Uint8Array
  /** What the revision stands for, as the hub says; null when it does not. */
  readonly commit: string | null
  /** Without quotes; null when the hub sent none. */
  readonly etag: string | null
}

interface FileFacts {
  readonly commit: string | null
  readonly etag: string | null
  /** The ETag of what a redirect leads to: for large files their SHA-256. */
  readonly linkedEtag: string | null
}

/** An answer and where it came from. */
interface Answer {
  readonly response: Response
  readonly url: URL
  /** Whether no redirect has led to another origin. */
  readonly isHome: boolean
  readonly facts: FileFacts
}

/** A JSON object, whole. Throws `HubFault`, and the reason of `signal` once that is aborted. */
export async function downloadJsonFile(request: HubRequest): Promise<HubFile> {
  using watch = new SilenceWatch(request.silenceMs, request.signal)
  try {
    const answer = await lastAnswer(request, watch)
    if (answer.response.status !== 200) throw await refusal(request, answer, watch)
    const bytes = await bodyOf(request, answer, watch)
    requireWhole(request, answer, bytes)
    const { commit, etag, linkedEtag } = answer.facts
    return { bytes, commit, etag: linkedEtag ?? etag }
  } catch (error) {
    if (error instanceof HubFault) throw error
    request.signal.throwIfAborted()
    if (watch.isSilent)
      throw new HubFault(`no answer for ${request.silenceMs / 1000} s`, { kind: 'broken', isPassing: true })
    throw unreachable(request, new URL(request.address), error)
  }
}

async function lastAnswer(request: HubRequest, watch: SilenceWatch): Promise<Answer> {
  let url = new URL(request.address)
  const { origin } = url
  let isHome = true
  let facts: FileFacts = { commit: null, etag: null, linkedEtag: null }
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await ask(request, url, isHome, watch)
    // What another server says of the file is not the hub's word.
    if (isHome) facts = factsOf(response.headers, facts)
    if (!REDIRECT_STATUSES.has(response.status)) return { response, url, isHome, facts }
    url = redirectTarget(url, response.headers.get('location'), request.scrub)
    // What cannot be cancelled has ended.
    response.body?.cancel().catch(() => {})
    isHome &&= url.origin === origin
  }
  throw lasting('redirect', `it redirects more than ${REDIRECTS_MAX} times`)
}

async function ask(request: HubRequest, url: URL, isHome: boolean, watch: SilenceWatch): Promise<Response> {
  // A length that can be checked is that of the bytes as they are.
  const headers = new Headers({ accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'knowhow' })
  if (isHome && request.token !== undefined) headers.set('authorization', `Bearer ${request.token}`)
  // Bun's own limit of five minutes is the caller's business, and what it prints for BUN_CONFIG_VERBOSE_FETCH holds the
  // token.
  const own = { timeout: false, verbose: false }
  const init = { headers, redirect: 'manual' as const, signal: watch.signal, ...own }
  try {
    return await watch.heard(request.fetch(url.href, init))
  } catch (error) {
    throw watch.signal.aborted ? error : unreachable(request, url, error)
  }
}

function factsOf(headers: Headers, before: FileFacts): FileFacts {
  return {
    commit: headers.get('x-repo-commit') ?? before.commit,
    etag: plainEtag(headers.get('etag')) ?? before.etag,
    linkedEtag: plainEtag(headers.get('x-linked-etag')) ?? before.linkedEtag,
  }
}

function plainEtag(header: string | null): string | null {
  return header?.replace(/^W\//, '').replaceAll('"', '') || null
}

function redirectTarget(from: URL, location: string | null, scrub: Scrub): URL {
  if (location === null) throw lasting('redirect', 'it redirects without saying where to')
  const to = URL.parse(location, from.href)
  if (to === null) throw lasting('redirect', 'it redirects to what is no address')
  if (to.protocol !== 'https:' && to.protocol !== 'http:')
    throw lasting('redirect', `it redirects to an address that begins with ${scrub(to.protocol)}`)
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw lasting('redirect', 'it redirects from https to http, where anybody could answer')
  to.username = ''
  to.password = ''
  return to
}

async function refusal(request: HubRequest, answer: Answer, watch: SilenceWatch): Promise<HubFault> {
  const { scrub } = request
  const { headers, status } = answer.response
  const words = headers.get('x-error-message') ?? parsedOrText(await startOfBody(answer.response, watch))
  const { kind, text } = statusFault(status, words, null, scrub)
  const what = text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`
  return new HubFault(`${what}${elsewhere(answer, scrub)}`, {
    kind: 'refused',
    isPassing: kind === 'passing',
    status,
    code: headers.get('x-error-code'),
    retryAfterMs: retryAfterMs(headers, request.now()),
    isElsewhere: !answer.isHome,
  })
}

/** Words are worth having, not worth a fault of their own. */
async function startOfBody({ body }: Response, watch: SilenceWatch): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of watch.chunks(body)) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > REFUSAL_BYTES_MAX) break
    }
  } catch {
    // The status tells enough.
  }
  return text
}

async function bodyOf(
  { bytesMax, now, onSlow }: HubRequest,
  { response }: Answer,
  watch: SilenceWatch,
): Promise<Uint8Array> {
  const declared = declaredBytes(response.headers)
  if (declared !== null && declared > bytesMax) throw tooLarge(`${declared} bytes, more`, bytesMax)
  const chunks: Uint8Array[] = []
  const startMs = now()
  let length = 0
  let isTold = false
  for await (const chunk of watch.chunks(response.body)) {
    length += chunk.length
    if (length > bytesMax) throw tooLarge('more', bytesMax)
    chunks.push(chunk)
    const elapsedMs = now() - startMs
    if (isTold || elapsedMs < SLOW_MS) continue
    isTold = true
    onSlow(`${length}${declared === null ? '' : ` of ${declared}`} bytes in ${Math.round(elapsedMs / 1000)} s`)
  }
  if (declared !== null && length !== declared)
    throw new HubFault(`the answer broke off after ${length} of ${declared} bytes`, { kind: 'broken', isPassing: true })
  return Buffer.concat(chunks, length)
}

/** Null when it is not told, or told of compressed bytes. */
function declaredBytes(headers: Headers): number | null {
  const length = headers.get('content-length')
  const encoding = headers.get('content-encoding') ?? 'identity'
  return length !== null && /^\d+$/.test(length) && encoding === 'identity' ? Number(length) : null
}

function tooLarge(found: string, bytesMax: number): HubFault {
  return lasting('too_large', `the file has ${found} than the ${bytesMax} bytes allowed`)
}

/** An answer without a length may end early, and one of a gateway may be anything. */
function requireWhole({ scrub }: HubRequest, answer: Answer, bytes: Uint8Array): void {
  const { linkedEtag } = answer.facts
  const text = new TextDecoder().decode(bytes)
  if (/^\s*</.test(text.slice(0, 1_000))) {
    const page = passingFault(pageTitle(text), null, scrub).text
    throw lasting('misplaced', `it sent ${page} instead of a tokenizer.json${elsewhere(answer, scrub)}`)
  }
  const isAsLinked = linkedEtag === null || !/^[0-9a-f]{64}$/.test(linkedEtag) || sha256(bytes) === linkedEtag
  if (isAsLinked && isJsonObject(text)) return
  const what = isAsLinked ? 'is no whole JSON object' : 'is not what the hub says it has'
  throw new HubFault(`what it sent ${what}${elsewhere(answer, scrub)}`, { kind: 'misplaced', isPassing: true })
}

function pageTitle(text: string): string {
  const title = /<title[^>]*>([^<]*)</i.exec(text.slice(0, 4_000))?.[1]?.trim()
  return title === undefined || title === '' ? 'a web page' : `a web page "${title}"`
}

function isJsonObject(text: string): boolean {
  const value = parsedOrText(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Another server's name comes from outside, and may repeat anything. */
function elsewhere({ isHome, url }: Answer, scrub: Scrub): string {
  return isHome ? '' : `, from ${scrub(url.host)}`
}

function unreachable({ scrub }: HubRequest, url: URL, error: unknown): HubFault {
  const reason = error instanceof Error ? error : new Error(String(error))
  const { text, advice, isLasting } = connectionFault(reason, url, outboundProxy(url))
  const shown = passingFault(text, null, scrub).text
  return new HubFault(shown, { kind: 'unreachable', isPassing: isLasting !== true, advice })
}

function lasting(kind: HubFault['kind'], message: string): HubFault {
  return new HubFault(message, { kind, isPassing: false })
}
