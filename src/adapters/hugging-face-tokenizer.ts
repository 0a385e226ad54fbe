/**
 * Exact token counts: by the kernel where a tokenizer is of a kind that it counts as the library does, by
 * @huggingface/tokenizers itself elsewhere. Finds tokenizers inside the binary, on disk, and by their names on the hub.
 */
import { readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf } from '../model/json-values.ts'
import { MemoryError } from '../model/memory-error.ts'
import { BUILTIN_TOKENIZER, TOKENIZER_SOURCES } from '../model/tokenizer-source.ts'
import type { OpenTokenizer, OpenTokenizerOptions, Tokenizer } from '../ports.ts'
import { countByParts, countsAddUp } from './additivity.ts'
import { type ByteLevelBpe, byteLevelBpe, type Unfit } from './byte-level-bpe.ts'
import { systemClock } from './clock-and-ids.ts'
import { qwen3Merges } from './qwen3-merges.ts'
import { qwen3Bpe, qwen3TokenizerJson } from './qwen3-tokenizer-json.ts'
import { checkMerges, InconsistentTokenizer, tokenizerFault } from './tokenizer-faults.ts'
import { openWasmTokenCounter } from './wasm-token-counter.ts'

export const TOKENIZER_FILE_BYTES_MAX = 256 * 1024 * 1024
/** Looked at for the start and the end of what a file holds. */
const EDGE_BYTES = 64

/** Of a tokenizer.json: smaller ones are read as fast as what was made of them. */
const COMPILED_BYTES_MIN = 256 * 1024

const NEXT_STEP = `give ${TOKENIZER_SOURCES}`
const CHECK_PATH = `check the path and who may read it, or ${NEXT_STEP}`
/** UTF-16 units that the library is given at once where counts add up: it holds some 300 bytes for each. */
const PART_UNITS = 1 << 18

/** `source`: `builtin:qwen3`, the path of a tokenizer.json or of the folder that holds one, or else a name of the hub. */
export const openHuggingFaceTokenizer: OpenTokenizer = async (source, options) => {
  if (source === BUILTIN_TOKENIZER) return openBuiltin()
  if (source.startsWith('builtin:')) throw unavailable(source, `the only one built in is ${BUILTIN_TOKENIZER}`)
  const bytes = await tokenizerBytes(source, options)
  // It brings Node's streams along, which the built-in tokenizer does without.
  const { createHash } = await import('node:crypto')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const id = `sha256:${sha256}`
  const cache = bytes.length < COMPILED_BYTES_MIN ? null : await compiledCache(sha256, options)
  const cached = cache?.read() ?? null
  if (cached !== null) return fitTokenizer({ id, source, bpe: cached, jsonOf: () => parseJson(bytes, source) })
  const json = parseJson(bytes, source)
  const bpe = bpeOf(json, source)
  if (!('unfit' in bpe)) return fitTokenizer({ id, source, bpe, jsonOf: () => json, keep: cache?.keep })
  const count = await libraryCount(json, source)
  // What a tokenizer.json describes may do anything, such as put text in.
  return { id, engine: 'js', isByteLevel: false, addsUp: false, notice: noticeOf(source, bpe.unfit), count }
}

/** What was made of the same bytes before, and a place for it; null where the environment names none. */
async function compiledCache(sha256: string, { environment }: OpenTokenizerOptions) {
  const { cacheBpe, cachedBpe, compiledFolder } = await import('./compiled-bpe-cache.ts')
  const folder = compiledFolder(environment)
  if (folder === null) return null
  return {
    read: () => cachedBpe(folder, sha256),
    keep: (bpe: ByteLevelBpe) => cacheBpe(folder, sha256, bpe, systemClock.now()),
  }
}

function bpeOf(json: unknown, source: string): ByteLevelBpe | Unfit {
  const fault = tokenizerFault(json)
  if (fault !== null) throw unusable(source, fault)
  try {
    const bpe = byteLevelBpe(json)
    if ('unfit' in bpe) checkMerges(json)
    return bpe
  } catch (cause) {
    if (!(cause instanceof InconsistentTokenizer)) throw cause
    throw unavailable(source, `it contradicts itself: ${cause.message}; ${NEXT_STEP}`, cause)
  }
}

let builtin: Promise<Tokenizer> | undefined

/** The process does it once. */
function openBuiltin(): Promise<Tokenizer> {
  builtin ??= builtinTokenizer()
  return builtin
}

async function builtinTokenizer(): Promise<Tokenizer> {
  const merges = await qwen3Merges()
  const jsonOf = () => qwen3TokenizerJson(merges)
  return fitTokenizer({ id: BUILTIN_TOKENIZER, source: BUILTIN_TOKENIZER, bpe: qwen3Bpe(merges), jsonOf })
}

interface FitTokenizer {
  readonly id: string
  readonly source: string
  readonly bpe: ByteLevelBpe
  /** The same tokenizer as the library takes it. */
  readonly jsonOf: () => unknown
  /** Takes what is worth keeping for the next process. */
  readonly keep?: ((bpe: ByteLevelBpe) => void) | undefined
}

/** Counted by the kernel, and by the library where the machine has no SIMD for it. */
async function fitTokenizer({ id, source, bpe, jsonOf, keep }: FitTokenizer): Promise<Tokenizer> {
  // Not of what counts, so that an import that goes on elsewhere is cut alike.
  const addsUp = countsAddUp(bpe)
  const counter = openWasmTokenCounter(bpe)
  if (counter !== null) {
    keep?.(counter.bpe)
    return { id, engine: 'wasm', isByteLevel: true, addsUp, count: (text) => counter.count(text) }
  }
  const countWhole = await libraryCount(jsonOf(), source)
  const count = addsUp ? (text: string) => countByParts(text, countWhole, PART_UNITS) : countWhole
  const notice = noticeOf(source, 'this machine has no SIMD for WASM')
  return { id, engine: 'js', isByteLevel: true, addsUp, notice, count }
}

function noticeOf(source: string, why: string): string {
  return `the tokenizer ${source} is counted by a slow library, as ${why}`
}

/** Throws `tokenizer_unavailable` for JSON that describes no tokenizer of a kind the library knows, or would count wrongly. */
async function libraryCount(json: unknown, source: string): Promise<(text: string) => number> {
  const fields = fieldsOf(json)
  const [{ libraryFault }, { openLibrary, refusedPart }] = await Promise.all([
    import('./library-faults.ts'),
    import('./library-tokenizer.ts'),
  ])
  const fault = libraryFault(fields)
  if (fault !== null) throw unusable(source, `${fault}, by which the library would count wrongly`)
  try {
    const count = await openLibrary(fields)
    // Some parts of the description are looked at only when a text comes.
    if (count('Probe 1: a,b.') > 0) return count
  } catch (cause) {
    const part = (await refusedPart(fields)) ?? 'description'
    throw unusable(source, `the library that is to count by it refuses its ${part}`, cause)
  }
  throw unusable(source, 'it makes no tokens of a text')
}

function unusable(source: string, fault: string, cause?: unknown): MemoryError {
  return unavailable(source, `its JSON does not describe a usable tokenizer: ${fault}; ${NEXT_STEP}`, cause)
}

async function tokenizerBytes(source: string, options: OpenTokenizerOptions): Promise<Uint8Array> {
  const found = statOf(source)
  if (found !== null) return readTokenizerFile(source, found)
  const [{ hubNameOf }, { hubTokenizerFile }] = await Promise.all([
    import('./hub-name.ts'),
    import('./hub-tokenizer.ts'),
  ])
  if (hubNameOf(source) === null) throw unavailable(source, `there is no such file or folder: ${NEXT_STEP}`)
  const { bytes } = await hubTokenizerFile(source, { ...options, bytesMax: TOKENIZER_FILE_BYTES_MAX })
  return bytes
}

async function readTokenizerFile(source: string, found: Stats): Promise<Uint8Array> {
  const path = found.isDirectory() ? join(source, 'tokenizer.json') : source
  const file = found.isDirectory() ? statOf(path) : found
  if (file === null) throw unavailable(source, await emptyFolder(source))
  if (!file.isFile()) throw unavailable(source, `${path} is not a regular file; ${NEXT_STEP}`)
  if (file.size > TOKENIZER_FILE_BYTES_MAX)
    throw unavailable(source, `the file has ${file.size} bytes, more than ${TOKENIZER_FILE_BYTES_MAX}; ${NEXT_STEP}`)
  try {
    return readFileSync(path)
  } catch (cause) {
    throw unavailable(source, `the file cannot be read (${messageOf(cause)}); ${CHECK_PATH}`, cause)
  }
}

/** A folder of one's own may have the name of a hub's tokenizer by chance. */
async function emptyFolder(source: string): Promise<string> {
  const { hubNameOf } = await import('./hub-name.ts')
  if (hubNameOf(source) === null) return `the folder holds no tokenizer.json; ${NEXT_STEP}`
  return (
    `the folder ${source} lies in the current folder, is taken before a name of the hub, and holds no tokenizer.json; ` +
    `rename it or run elsewhere to have the tokenizer of the hub, or ${NEXT_STEP}`
  )
}

/** Null when nothing is there; every other fault is `tokenizer_unavailable`. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch (cause) {
    throw unavailable(path, `it cannot be looked at (${messageOf(cause)}); ${CHECK_PATH}`, cause)
  }
}

/** What a parser says is not repeated: settings that someone else wrote may name a file that is none of their business. */
function parseJson(bytes: Uint8Array, source: string): unknown {
  if (bytes.length === 0) throw unavailable(source, `the file is empty; ${NEXT_STEP}`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw unavailable(source, `the file is not valid JSON${whyNoJson(bytes)}; ${NEXT_STEP}`, cause)
  }
}

function whyNoJson(bytes: Uint8Array): string {
  const decoder = new TextDecoder('latin1')
  // Maybe behind a byte order mark.
  const isObject = /^(?:\xef\xbb\xbf)?\s*\{/.test(decoder.decode(bytes.subarray(0, EDGE_BYTES)))
  if (!isObject) return ', as it does not begin with a brace: it is another kind of file'
  const isOpen = !/\}\s*$/.test(decoder.decode(bytes.subarray(-EDGE_BYTES)))
  return isOpen ? ', as it does not end with its last brace: it may have been cut off' : ''
}

function unavailable(source: string, reason: string, cause?: unknown): MemoryError {
  return new MemoryError('tokenizer_unavailable', `tokenizer ${JSON.stringify(source)}: ${reason}`, { cause })
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
