/**
 * From a text to its vector, the plain way: the definition that a fast embedder is proven against. Float32 throughout and
 * in a fixed order, so that every runtime gets the same bits. Pure: reads no file. README.md says the same in words.
 */
import { analyzeDocument } from '../../src/search/analyzer.ts'
import { naturalLogarithm } from '../../src/search/logarithm.ts'
import { isStopWord } from '../../src/search/stop-words.ts'
import { HASH_SEED, withUnit } from '../../src/search/unit-hash.ts'

export interface EmbeddingModel {
  readonly width: number
  /** How long the vector of a term without a row is. Float32. */
  readonly unknownLength: number
  /** Null for a term without a row. */
  rowOf(term: string): EmbeddingRow | null
}

/** A component of the row is `levels[column] * scale`. */
export interface EmbeddingRow {
  readonly scale: number
  readonly levels: Int8Array
}

/** A word that has no row borrows from the longest known one it begins with, and from what is left. UTF-16 units. */
const PREFIX_UNITS_MIN = 4
const REST_UNITS_MIN = 3
/** What is borrowed counts so much of what a row of its own would. */
const BORROWED_SHARE = 0.7
const LETTERS = /^[a-z]+$/

/** What a text is embedded by: the analyzer's terms without stop words, which stand only where nothing else does. In text order with repeats. */
export function embeddedTerms(text: string): readonly string[] {
  const { terms } = analyzeDocument(text)
  const telling = terms.filter((term) => !isStopWord(term))
  return telling.length > 0 ? telling : terms
}

/** @returns of length 1; null for a blank text. One without terms, such as `!!!`, is a word that nobody knows. */
export function embed(text: string, model: EmbeddingModel): Float32Array | null {
  if (!/\S/.test(text)) return null
  const frequencies = new Map<string, number>()
  for (const term of embeddedTerms(text)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  const sum = new Float32Array(model.width)
  // A map keeps the order in which its keys came: that of the terms in the text.
  for (const [term, frequency] of frequencies) addTerm(sum, term, Math.fround(1 + naturalLogarithm(frequency)), model)
  return normalised(sum) ?? normalised(addRow(new Float32Array(model.width), hashedRow(text, model), 1))
}

function addTerm(sum: Float32Array, term: string, weight: number, model: EmbeddingModel): void {
  const row = model.rowOf(term)
  if (row !== null) {
    addRow(sum, row, weight)
    return
  }
  for (const [part, share] of knownParts(term, model)) addRow(sum, part, Math.fround(weight * share))
  addRow(sum, hashedRow(term, model), weight)
}

/** In float32: the factor is rounded once, then each product, then each sum. */
function addRow(sum: Float32Array, { scale, levels }: EmbeddingRow, weight: number): Float32Array {
  const factor = Math.fround(weight * scale)
  for (const [column, level] of levels.entries()) sum[column] = (sum[column] ?? 0) + Math.fround(factor * level)
  return sum
}

/** Of `dockerfil` the rows of `docker` and `fil`, as far as there are any, with the share of each. */
function knownParts(term: string, model: EmbeddingModel): readonly (readonly [EmbeddingRow, number])[] {
  if (!LETTERS.test(term)) return []
  for (let end = term.length - 1; end >= PREFIX_UNITS_MIN; end -= 1) {
    const prefix = model.rowOf(term.slice(0, end))
    if (prefix === null) continue
    const shareOf = (units: number) => Math.fround((BORROWED_SHARE * units) / term.length)
    const rest = term.length - end < REST_UNITS_MIN ? null : model.rowOf(term.slice(end))
    return rest === null
      ? [[prefix, shareOf(end)]]
      : [
          [prefix, shareOf(end)],
          [rest, shareOf(term.length - end)],
        ]
  }
  return []
}

/** A direction of the term's own, so that a word nobody trained still finds itself: signs from its hash, all of one size. */
export function hashedRow(term: string, { width, unknownLength }: EmbeddingModel): EmbeddingRow {
  let hash = HASH_SEED
  for (let at = 0; at < term.length; at += 1) hash = withUnit(hash, term.charCodeAt(at))
  const levels = new Int8Array(width)
  for (let column = 0; column < width; column += 1) levels[column] = signAt(hash, column)
  return { scale: Math.fround(unknownLength / Math.sqrt(width)), levels }
}

/** Vigna's splitmix of 32 bits: the top bit of its output number `column`. */
function signAt(hash: number, column: number): 1 | -1 {
  let mixed = (hash + Math.imul(column + 1, 0x9e3779b9)) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  mixed ^= mixed >>> 15
  return mixed < 0 ? -1 : 1
}

/** Squares are summed in doubles, from the first column to the last. */
function normalised(sum: Float32Array): Float32Array | null {
  let squares = 0
  for (const component of sum) squares += component * component
  if (squares === 0) return null
  const length = Math.sqrt(squares)
  return sum.map((component) => component / length)
}
