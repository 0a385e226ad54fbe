/**
 * From a text to its vector by the rows of its words: what the built-in embedder does. In float32 and in a fixed order, so
 * that every runtime gets the same bits; scripts/embedder/README.md defines them, and scripts/embedder/reference-embedder.ts
 * is the plain twin.
 */
import { invariant } from '../model/memory-error.ts'
import type { Embedding } from '../ports.ts'
import { analyzeDocument } from './analyzer.ts'
import { naturalLogarithm } from './logarithm.ts'
import { isStopWord } from './stop-words.ts'
import { unitHash } from './unit-hash.ts'
import type { WordTable } from './word-table.ts'

/** A word without a row borrows from the longest known one that it begins with, and from what is left. UTF-16 units. */
const PREFIX_UNITS_MIN = 4
const REST_UNITS_MIN = 3
/** What is borrowed counts so much of what a row of its own would. */
const BORROWED_SHARE = 0.7
/** A word is known by what it borrows from when that is so much of it. */
const KNOWN_SHARE_MIN = 0.6
const LETTERS = /^[a-z]+$/
/** Terms whose parts are remembered; then all are forgotten. */
const REMEMBERED_MAX = 65_536

/** What a term adds to a text's vector, in this order. */
interface TermParts {
  readonly isKnown: boolean
  readonly rows: readonly { readonly row: number; readonly share: number }[]
  /** Of a direction of the term's own, which is added last; null for a term with a row. */
  readonly ownHash: number | null
}

interface WeighedTerms {
  readonly parts: readonly TermParts[]
  /** Of each term, float32. */
  readonly weights: readonly number[]
}

export class TextVectors {
  readonly #table: WordTable
  readonly #width: number
  /** Float32. */
  readonly #ownScale: number
  readonly #remembered = new Map<string, TermParts>()

  constructor(table: WordTable, { width, unknownLength }: { readonly width: number; readonly unknownLength: number }) {
    this.#table = table
    this.#width = width
    this.#ownScale = Math.fround(unknownLength / Math.sqrt(width))
  }

  /** At once when all rows that it takes are there. @param text not blank */
  embeddingOf(text: string): Embedding | Promise<Embedding> {
    const terms = this.#weighed(text)
    const { levels } = this.#table
    if (terms.parts.every(({ rows }) => rows.every(({ row }) => levels.has(row)))) return this.#embedding(terms, text)
    const rows = terms.parts.flatMap((parts) => parts.rows.map(({ row }) => row))
    return levels.load(rows).then(() => this.#embedding(terms, text))
  }

  #embedding(terms: WeighedTerms, text: string): Embedding {
    const whole = { parts: [{ isKnown: false, rows: [], ownHash: unitHash(text) }], weights: [1] }
    const vector = this.#direction(terms) ?? this.#direction(whole)
    invariant(vector !== null, 'a direction of one text alone is not zero')
    let unknown = 0
    for (const { isKnown } of terms.parts) if (!isKnown) unknown += 1
    const isVague = terms.parts.length === 0 || 2 * unknown > terms.parts.length
    return isVague ? { vector, parts: 1, isVague } : { vector, parts: 1 }
  }

  /** Stop words only when there is nothing else. */
  #weighed(text: string): WeighedTerms {
    const { terms } = analyzeDocument(text)
    const telling = terms.filter((term) => !isStopWord(term))
    const frequencies = new Map<string, number>()
    for (const term of telling.length > 0 ? telling : terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
    const parts: TermParts[] = []
    const weights: number[] = []
    // A map keeps the order in which its keys came: that of the terms in the text.
    for (const [term, frequency] of frequencies) {
      parts.push(this.#partsOf(term))
      weights.push(frequency === 1 ? 1 : Math.fround(1 + naturalLogarithm(frequency)))
    }
    return { parts, weights }
  }

  #partsOf(term: string): TermParts {
    const remembered = this.#remembered.get(term)
    if (remembered !== undefined) return remembered
    const row = this.#table.rowOf(term)
    const parts = row === -1 ? this.#borrowed(term) : { isKnown: true, rows: [{ row, share: 1 }], ownHash: null }
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear()
    this.#remembered.set(term, parts)
    return parts
  }

  /** Of `dockerfil` the rows of `docker` and `fil`, as far as there are any. */
  #borrowed(term: string): TermParts {
    const ownHash = unitHash(term)
    if (!LETTERS.test(term)) return { isKnown: false, rows: [], ownHash }
    const shareOf = (units: number) => Math.fround((BORROWED_SHARE * units) / term.length)
    for (let end = term.length - 1; end >= PREFIX_UNITS_MIN; end -= 1) {
      const row = this.#table.rowOf(term.slice(0, end))
      if (row === -1) continue
      const units = term.length - end
      const rest = units < REST_UNITS_MIN ? -1 : this.#table.rowOf(term.slice(end))
      const prefix = { row, share: shareOf(end) }
      const rows = rest === -1 ? [prefix] : [prefix, { row: rest, share: shareOf(units) }]
      const known = rest === -1 ? end : term.length
      return { isKnown: known >= KNOWN_SHARE_MIN * term.length, rows, ownHash }
    }
    return { isKnown: false, rows: [], ownHash }
  }

  #direction({ parts, weights }: WeighedTerms): Float32Array | null {
    const { levels } = this.#table
    const sum = new Float32Array(this.#width)
    for (const [at, { rows, ownHash }] of parts.entries()) {
      const weight = weights[at] ?? 0
      for (const { row, share } of rows)
        levels.addTo(sum, row, Math.fround(Math.fround(weight * share) * this.#table.scaleOf(row)))
      if (ownHash !== null) addOwn(sum, ownHash, Math.fround(weight * this.#ownScale))
    }
    return normalised(sum)
  }
}

/** A direction that a term without a row has to itself, so that it finds itself: signs from its hash, all of one size. */
function addOwn(sum: Float32Array, hash: number, size: number): void {
  for (let column = 0; column < sum.length; column += 1)
    sum[column] = (sum[column] ?? 0) + (isMinus(hash, column) ? -size : size)
}

/** Vigna's splitmix of 32 bits: the top bit of its output number `column`. */
function isMinus(hash: number, column: number): boolean {
  let mixed = (hash + Math.imul(column + 1, 0x9e3779b9)) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  mixed ^= mixed >>> 15
  return mixed < 0
}

/** Squares are summed in doubles, from the first column on; each quotient is rounded once. */
function normalised(sum: Float32Array): Float32Array | null {
  let squares = 0
  for (const component of sum) squares += component * component
  if (squares === 0) return null
  const length = Math.sqrt(squares)
  return sum.map((component) => component / length)
}
