/**
 * The tokenizer.json that a name of the Hugging Face hub stands for: from the cache on this machine when it lies there,
 * without any request, else from the hub. Knows nothing of what a tokenizer.json means.
 */
import { type ErrorDetails, MemoryError } from '../model/memory-error.ts'
import type { Clock, OpenTokenizerOptions } from '../ports.ts'
import { systemClock } from './clock-and-ids.ts'
import { type CachedFile, cachedTokenizer, cacheTokenizer } from './hub-cache.ts'
import { downloadJsonFile, type FetchAnswer, type HubFile, type HubRequest } from './hub-download.ts'
import {
  type HubEndpoint,
  type HubToken,
  hubCacheFolder,
  hubEndpoint,
  hubToken,
  keepsTokenBack,
  offlineVariable,
  shownEndpoint,
  wantsNoLinks,
} from './hub-environment.ts'
import { type AdviceFacts, adviceFor, asksForLonger, HubFault } from './hub-fault.ts'
import { type HubName, hubNameOf } from './hub-name.ts'
import { keyScrubber } from './key-scrubber.ts'
import { retryDelayMs, sleep, TIMER_MS_MAX } from './retry-delay.ts'

/** For a large file over a slow line. */
const TIMEOUT_MS = 10 * 60_000
const SILENCE_MS = 30_000
const RETRIES = 3

/** `signal`: what it is aborted with is thrown when that is a MemoryError, else `interrupted`. */
export interface HubTokenizerOptions extends OpenTokenizerOptions {
  /** Most bytes of a tokenizer.json. */
  readonly bytesMax: number
  /** For all of it, repetitions and waiting included; 10 minutes when not given. */
  readonly timeoutMs?: number
  /** For the connection, and for each pause of an answer; 30 s when not given. */
  readonly silenceMs?: number
  /** How often a request is repeated after its first failure; 3 when not given. */
  readonly retries?: number
  readonly fetch?: FetchAnswer
  readonly clock?: Clock
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly chance?: () => number
}

export interface HubTokenizerFile {
  readonly bytes: Uint8Array
  readonly from: 'cache' | 'download'
}

/** What is told and asked of one tokenizer. */
interface Asked {
  readonly source: string
  readonly name: HubName
  readonly endpoint: HubEndpoint
  readonly token: HubToken | null
  readonly tokenKeptBackBy: AdviceFacts['tokenKeptBackBy']
  /** Of the file in the cache, which is there and of no use; null when none is there. */
  readonly cacheFault: string | null
}

const NOTHING_CACHED: CachedFile = { bytes: null, fault: null }

/** @param source `org/name` or `org/name@revision`. Throws `tokenizer_unavailable`. */
export async function hubTokenizerFile(source: string, options: HubTokenizerOptions): Promise<HubTokenizerFile> {
  const { environment, bytesMax } = options
  const name = hubNameOf(source)
  if (name === null)
    throw unavailable(source, 'it is no name of the Hugging Face hub; write org/name or org/name@revision')
  const folder = hubCacheFolder(environment)
  const cached = folder === null ? NOTHING_CACHED : cachedTokenizer(folder, name, bytesMax)
  if (cached.bytes !== null) return { bytes: cached.bytes, from: 'cache' }
  const offline = offlineVariable(environment)
  if (offline !== null) {
    const missing = cached.fault ?? `it is not in ${folder === null ? 'a cache' : `the cache ${folder}`}`
    const next = `unset ${offline} to download it, or give the path of a tokenizer.json`
    throw unavailable(source, `${missing}, and ${offline} forbids to ask the hub; ${next}`)
  }
  const file = await download(askedOf(source, name, cached.fault, options), options)
  if (folder !== null) keep(folder, name, file, options)
  return { bytes: file.bytes, from: 'download' }
}

function askedOf(
  source: string,
  name: HubName,
  cacheFault: string | null,
  { environment, namedBy }: HubTokenizerOptions,
): Asked {
  const endpoint = hubEndpoint(environment)
  if (endpoint === null)
    throw unavailable(
      source,
      `HF_ENDPOINT is ${shownEndpoint(environment)}, which is no http or https address without user and password; ` +
        'set one such as https://huggingface.co, ' +
        'and what it asks for in HF_TOKEN',
    )
  const tokenKeptBackBy = namedBy !== 'person' ? 'workspace' : keepsTokenBack(environment) ? 'environment' : null
  const token = tokenKeptBackBy === null ? hubToken(environment) : null
  if (token !== null && !/^[\x21-\x7e]+$/.test(token.value))
    throw unavailable(source, `${token.origin} holds white space or characters no header can carry; set it anew`)
  return { source, name, endpoint, token, tokenKeptBackBy, cacheFault }
}

/** A cache that cannot be written costs the next run a download, and this one nothing. */
function keep(folder: string, name: HubName, file: HubFile, options: HubTokenizerOptions): void {
  const { environment, onWait, clock = systemClock } = options
  const again = 'it is downloaded again by each run'
  try {
    const isKept = cacheTokenizer(folder, name, file, { wantsNoLinks: wantsNoLinks(environment), nowMs: clock.now() })
    if (!isKept)
      onWait?.(`tokenizer ${name.repository} came without a commit, by which the cache keeps files: ${again}`)
  } catch (cause) {
    // Read-only, full or another user's: the bytes are here all the same.
    const why = cause instanceof Error ? cause.message : String(cause)
    onWait?.(`tokenizer ${name.repository} cannot be kept in the cache ${folder} (${why}): ${again}`)
  }
}

async function download(asked: Asked, options: HubTokenizerOptions): Promise<HubFile> {
  const { signal, timeoutMs = TIMEOUT_MS } = options
  requireRunning(signal)
  options.onWait?.(`downloading tokenizer ${asked.source} from ${asked.endpoint.origin}`)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), Math.min(timeoutMs, TIMER_MS_MAX))
  const signals = signal === undefined ? [limit.signal] : [limit.signal, signal]
  try {
    return await downloadPatiently(asked, requestFor(asked, AbortSignal.any(signals), options), options)
  } finally {
    clearTimeout(timer)
  }
}

function requestFor({ name, endpoint, token }: Asked, signal: AbortSignal, options: HubTokenizerOptions): HubRequest {
  const { bytesMax, silenceMs = SILENCE_MS, clock = systemClock } = options
  const revision = encodeURIComponent(name.revision)
  return {
    address: `${endpoint.address}/${name.repository}/resolve/${revision}/tokenizer.json`,
    token: token?.value,
    bytesMax,
    silenceMs: Math.min(silenceMs, TIMER_MS_MAX),
    onSlow: (progress) => options.onWait?.(`tokenizer ${name.repository} is still coming: ${progress}`),
    fetch: options.fetch ?? fetch,
    scrub: keyScrubber(token?.value),
    now: () => clock.now(),
    signal,
  }
}

async function downloadPatiently(asked: Asked, request: HubRequest, options: HubTokenizerOptions): Promise<HubFile> {
  const { retries = RETRIES, timeoutMs = TIMEOUT_MS, chance = Math.random } = options
  const wait = options.sleep ?? sleep
  let last: HubFault | null = null
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await downloadJsonFile(request)
    } catch (error) {
      requireRunning(options.signal)
      if (request.signal.aborted) throw late(asked, timeoutMs, last)
      if (!(error instanceof HubFault)) throw error
      if (!error.isPassing || attempt >= retries || asksForLonger(error)) throw refused(asked, error, attempt + 1)
      last = error
    }
    const delayMs = retryDelayMs(attempt, last.retryAfterMs, chance())
    options.onWait?.(`${last.message}; ${asked.endpoint.origin} is asked again in ${Math.ceil(delayMs / 1000)} s`)
    await wait(delayMs, request.signal)
    requireRunning(options.signal)
    if (request.signal.aborted) throw late(asked, timeoutMs, last)
  }
}

function refused(asked: Asked, fault: HubFault, attempts: number): MemoryError {
  const { source, name, endpoint, token, tokenKeptBackBy, cacheFault } = asked
  const times = attempts === 1 ? '' : ` after ${attempts} attempts`
  const page = `${endpoint.address}/${name.repository}`
  const next = adviceFor(fault, { ...name, page, tokenOrigin: token?.origin ?? null, tokenKeptBackBy })
  const { status, message } = fault
  const before = cacheFault === null ? '' : `${cacheFault}, and `
  const reason = `${before}it cannot be had from ${endpoint.origin}${times} (${message}); ${next}`
  return unavailable(source, reason, { status, attempts, cause: fault })
}

function late({ source, endpoint, cacheFault }: Asked, timeoutMs: number, last: HubFault | null): MemoryError {
  const before = last === null ? '' : ` (before: ${last.message})`
  const what = `${cacheFault === null ? '' : `${cacheFault}, and `}it did not come from ${endpoint.origin} within ${timeoutMs / 1000} s${before}`
  return unavailable(
    source,
    `${what}; check the network, then try again, or give the path of a downloaded tokenizer.json`,
  )
}

function requireRunning(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  if (signal.reason instanceof MemoryError) throw signal.reason
  throw new MemoryError('interrupted', 'interrupted while downloading the tokenizer; nothing was changed')
}

function unavailable(source: string, reason: string, details: ErrorDetails = {}): MemoryError {
  return new MemoryError('tokenizer_unavailable', `tokenizer ${JSON.stringify(source)}: ${reason}`, details)
}
