/**
 * The native Hugging Face library, a program that shares no code with what is tested. It is no dependency of this
 * project: `npm install --prefix DIR tokenizers@0.23.2`.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface NativeLibrary {
  readonly Tokenizer: {
    fromFile(path: string): NativeTokenizer
    fromString(json: string): NativeTokenizer
  }
  nfcNormalizer(): NativeNormalizer
  nfkcNormalizer(): NativeNormalizer
}
interface NativeNormalizer {
  normalizeString(text: string): string
}
interface NativeTokenizer {
  encodeBatch(texts: readonly string[], options: { addSpecialTokens: boolean }): Promise<{ getLength(): number }[]>
  getPreTokenizer(): { preTokenizeString(text: string): [piece: string, place: [start: number, end: number]][] } | null
}

/** UTF-16 units that are given to the library at once, about. */
const BATCH_UNITS = 1_000_000
/** What a text costs beside its units. */
const TEXT_UNITS = 100

/** @param folder in which the npm package `tokenizers` is installed */
export function nativeLibrary(folder: string): NativeLibrary {
  return createRequire(join(folder, 'package.json'))('tokenizers') as NativeLibrary
}

/** By text how many tokens it has. */
export type Counts = (texts: readonly string[]) => Promise<readonly number[]>

/** @param path of a tokenizer.json */
export function nativeCounts(library: NativeLibrary, path: string): Counts {
  const tokenizer = library.Tokenizer.fromFile(path)
  return async (texts) => {
    const counts: number[] = []
    for (const batch of batches(texts))
      for (const encoding of await tokenizer.encodeBatch(batch, { addSpecialTokens: false }))
        counts.push(encoding.getLength())
    return counts
  }
}

function* batches(texts: readonly string[]): Generator<readonly string[]> {
  let start = 0
  let units = 0
  for (const [at, { length }] of texts.entries()) {
    units += length + TEXT_UNITS
    if (units < BATCH_UNITS) continue
    yield texts.slice(start, at + 1)
    start = at + 1
    units = 0
  }
  if (start < texts.length) yield texts.slice(start)
}

/** Of some characters those that the library takes for members. @param regex of one character, as in a tokenizer.json */
export function nativeMembers(library: NativeLibrary, regex: string): (characters: readonly string[]) => Set<string> {
  const split = { type: 'Split', pattern: { Regex: regex }, behavior: 'Removed', invert: false }
  const model = { type: 'WordLevel', vocab: { '?': 0 }, unk_token: '?' }
  const nothing = { truncation: null, padding: null, normalizer: null, post_processor: null, decoder: null }
  const json = { version: '1.0', added_tokens: [], pre_tokenizer: split, model, ...nothing }
  const preTokenizer = library.Tokenizer.fromString(JSON.stringify(json)).getPreTokenizer()
  if (preTokenizer === null) throw new Error('the native library has dropped its pre-tokenizer')
  return (characters) => {
    const rest = new Set(preTokenizer.preTokenizeString(characters.join('')).flatMap(([piece]) => Array.from(piece)))
    return new Set(characters.filter((character) => !rest.has(character)))
  }
}
