/**
 * Exact token counts: by the kernel where a tokenizer is of a kind that it counts as the library does, by
 * @huggingface/tokenizers itself elsewhere. Finds tokenizers inside the binary, on disk, and by their names on the hub.
 */
import { createHash } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers'
import { MemoryError } from '../model/memory-error.ts'
import type { OpenTokenizer, OpenTokenizerOptions, Tokenizer } from '../ports.ts'
import { countsAddUp } from './additivity.ts'
import { byteLevelBpe } from './byte-level-bpe.ts'
import { systemClock } from './clock-and-ids.ts'
import { qwen3Merges } from './qwen3-merges.ts'
import { qwen3Bpe, qwen3TokenizerJson } from './qwen3-tokenizer-json.ts'
import { checkMerges, InconsistentTokenizer, tokenizerFault } from './tokenizer-faults.ts'
import { openWasmTokenCounter } from './wasm-token-counter.ts'

export const TOKENIZER_FILE_BYTES_MAX = 256 * 1024 * 1024
/** Looked at for the end of what a file holds. */
const TAIL_BYTES = 64

/** Of a tokenizer.json: smaller ones are read as fast as what was made of them. */
const COMPILED_BYTES_MIN = 256 * 1024

const BUILTIN = 'builtin:qwen3'
const NEXT_STEP = `give ${BUILTIN}, the path of a tokenizer.json, or a name of the Hugging Face hub such as Qwen/Qwen3-8B`

/** `source`: `builtin:qwen3`, the path of a tokenizer.json or of the folder that holds one, or else a name of the hub. */
export const openHuggingFaceTokenizer: OpenTokenizer = async (source, options) => {
  if (source === BUILTIN) return openBuiltin()
  if (source.startsWith('builtin:')) throw unavailable(source, `the only one built in is ${BUILTIN}`)
  const bytes = await tokenizerBytes(source, options)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const id = `sha256:${sha256}`
  const { bpe, counter } =
    bytes.length < COMPILED_BYTES_MIN
      ? withCounter(bpeOf(bytes, source))
      : await compiledBpe(bytes, sha256, source, options)
  // Not of what counts, so that an import that goes on elsewhere is cut alike.
  const addsUp = !('unfit' in bpe) && countsAddUp(bpe)
  if (counter !== null) return { id, engine: 'wasm', isByteLevel: true, addsUp, count: (text) => counter.count(text) }
  const engine = await engineOf(parseJson(bytes, source), source)
  const why = 'unfit' in bpe ? bpe.unfit : 'this machine has no SIMD for WASM'
  const notice = `the tokenizer ${source} is counted by a slow library, as ${why}`
  // What a tokenizer.json describes may do anything, such as put text in.
  return { id, engine: 'js', isByteLevel: false, addsUp, notice, count: (text) => countTokens(engine, text) }
}

/** As it was made of the same bytes before, else made of them and kept for the next process. */
async function compiledBpe(bytes: Uint8Array, sha256: string, source: string, { environment }: OpenTokenizerOptions) {
  const { cacheBpe, cachedBpe, compiledFolder } = await import('./compiled-bpe-cache.ts')
  const folder = compiledFolder(environment)
  const cached = folder === null ? null : cachedBpe(folder, sha256)
  if (cached !== null) return withCounter(cached)
  const made = withCounter(bpeOf(bytes, source))
  if (folder !== null && made.counter !== null) cacheBpe(folder, sha256, made.counter.bpe, systemClock.now())
  return made
}

function withCounter(bpe: ReturnType<typeof byteLevelBpe>) {
  return { bpe, counter: 'unfit' in bpe ? null : openWasmTokenCounter(bpe) }
}

function bpeOf(bytes: Uint8Array, source: string): ReturnType<typeof byteLevelBpe> {
  const json = parseJson(bytes, source)
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
  const bpe = qwen3Bpe(merges)
  const counter = openWasmTokenCounter(bpe)
  const known = { id: BUILTIN, isByteLevel: true, addsUp: countsAddUp(bpe) }
  if (counter !== null) return { ...known, engine: 'wasm', count: (text) => counter.count(text) }
  const engine = await engineOf(qwen3TokenizerJson(merges), BUILTIN)
  const count = (text: string) => countByPieces(text, (piece) => countTokens(engine, piece))
  const notice = 'tokens are counted by a slow library, as this machine has no SIMD for WASM'
  return { ...known, engine: 'js', notice, count }
}

/**
 * Sums the counts of pieces of at least `pieceLength` UTF-16 units, because the library holds about 300 bytes for
 * each one it is given. Exact for Qwen3 only: each piece ends with a line end before a visible ASCII character, and
 * no match of its pattern, no added token and no composition of NFC reaches across that.
 */
export function countByPieces(text: string, count: (piece: string) => number, pieceLength = 1 << 18): number {
  const cut = /\n(?=[!-~])/g
  let total = 0
  for (let start = 0; start < text.length; start = cut.lastIndex) {
    cut.lastIndex = start + pieceLength
    if (!cut.test(text)) return total + count(text.slice(start))
    total += count(text.slice(start, cut.lastIndex))
  }
  return total
}

function countTokens(engine: HuggingFaceTokenizer, text: string): number {
  return engine.encode(text, { add_special_tokens: false }).ids.length
}

/** Throws `tokenizer_unavailable` for JSON that describes no tokenizer of a kind the library knows. */
async function engineOf(json: unknown, source: string): Promise<HuggingFaceTokenizer> {
  try {
    const { Tokenizer: Library } = await import('@huggingface/tokenizers')
    const engine = new Library(json, {})
    // Some parts of the description are looked at only when a text comes.
    if (countTokens(engine, 'Probe 1: a,b.') > 0) return engine
  } catch (cause) {
    throw unusable(source, 'the library that is to count by it refuses it', cause)
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
  const { environment, signal, onWait } = options
  const watched = { ...(signal === undefined ? {} : { signal }), ...(onWait === undefined ? {} : { onWait }) }
  const { bytes } = await hubTokenizerFile(source, { environment, bytesMax: TOKENIZER_FILE_BYTES_MAX, ...watched })
  return bytes
}

function readTokenizerFile(source: string, found: Stats): Uint8Array {
  const path = found.isDirectory() ? join(source, 'tokenizer.json') : source
  const file = found.isDirectory() ? statOf(path) : found
  if (file === null) throw unavailable(source, 'the folder holds no tokenizer.json')
  if (!file.isFile()) throw unavailable(source, `${path} is not a regular file`)
  if (file.size > TOKENIZER_FILE_BYTES_MAX)
    throw unavailable(source, `the file has ${file.size} bytes, more than ${TOKENIZER_FILE_BYTES_MAX}`)
  try {
    return readFileSync(path)
  } catch (cause) {
    throw unavailable(source, `the file cannot be read (${messageOf(cause)})`, cause)
  }
}

/** Null when nothing is there; every other fault is `tokenizer_unavailable`. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch (cause) {
    throw unavailable(path, `it cannot be looked at (${messageOf(cause)})`, cause)
  }
}

/** What a parser says is not repeated: settings that someone else wrote may name a file that is none of their business. */
function parseJson(bytes: Uint8Array, source: string): unknown {
  if (bytes.length === 0) throw unavailable(source, `the file is empty; ${NEXT_STEP}`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    const isOpen = !/\}\s*$/.test(new TextDecoder('latin1').decode(bytes.subarray(-TAIL_BYTES)))
    const why = isOpen ? ', as it does not end with its last brace: it may have been cut off' : ''
    throw unavailable(source, `the file is not valid JSON${why}; ${NEXT_STEP}`, cause)
  }
}

function unavailable(source: string, reason: string, cause?: unknown): MemoryError {
  return new MemoryError('tokenizer_unavailable', `tokenizer ${JSON.stringify(source)}: ${reason}`, { cause })
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
