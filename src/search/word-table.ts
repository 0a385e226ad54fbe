/**
 * The words that the built-in embedder knows, and where their rows lie. Of the file, which scripts/embedder/README.md
 * describes, it reads the header at once, the words for the first text, and rows as texts ask for them.
 */
import { invariant } from '../model/memory-error.ts'
import type { ReadRange } from '../ports.ts'
import { unitHash } from './unit-hash.ts'
import { type LevelFacts, WordLevels } from './word-levels.ts'

const MAGIC = 'KHEMBED1'
const FORMAT_VERSION = 1
const HEADER_BYTES = 128
const DIGEST_START = 96
/** Byte offsets in the header. All are u32, little-endian, but the length. */
const FIELD = {
  version: 8,
  rows: 16,
  width: 20,
  bits: 24,
  unknownLength: 36,
  hashes: 40,
  scales: 44,
  levels: 48,
  starts: 52,
  words: 56,
} as const
const NUMBER_BYTES = 4

export class WordTable {
  readonly levels: WordLevels
  readonly #hashes: Uint32Array
  readonly #scales: Float32Array
  readonly #starts: Uint32Array
  readonly #words: Uint8Array
  readonly #encoder = new TextEncoder()

  constructor(head: Uint8Array<ArrayBuffer>, tail: Uint8Array<ArrayBuffer>, facts: WordFileFacts, read: ReadRange) {
    const { hashes, scales, starts, words } = facts.offsets
    this.#hashes = new Uint32Array(head.buffer, head.byteOffset + hashes, facts.rowCount)
    this.#scales = new Float32Array(head.buffer, head.byteOffset + scales, facts.rowCount)
    this.#starts = new Uint32Array(tail.buffer, tail.byteOffset, facts.rowCount + 1)
    this.#words = tail.subarray(words - starts)
    this.levels = new WordLevels(facts, read)
  }

  /** Number of a term's row, -1 if it has none. */
  rowOf(term: string): number {
    const row = this.#rowWith(unitHash(term) >>> 0)
    return row !== -1 && this.#hasWord(row, term) ? row : -1
  }

  /** What a row's levels are multiplied by. */
  scaleOf(row: number): number {
    return this.#scales[row] ?? 0
  }

  #rowWith(hash: number): number {
    let low = 0
    let high = this.#hashes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#hashes[middle] ?? 0) < hash) low = middle + 1
      else high = middle
    }
    return this.#hashes[low] === hash ? low : -1
  }

  /** Another word may have the same hash. */
  #hasWord(row: number, term: string): boolean {
    const word = this.#words.subarray(this.#starts[row], this.#starts[row + 1])
    const bytes = this.#encoder.encode(term)
    return bytes.length === word.length && bytes.every((byte, at) => byte === word[at])
  }
}

/** What the header tells. */
export interface WordFileFacts extends LevelFacts {
  /** How long the vector of a term without a row is. */
  readonly unknownLength: number
  /** SHA-256 of all that follows the header, in hex. */
  readonly digest: string
  readonly offsets: Readonly<Record<'hashes' | 'scales' | 'levels' | 'starts' | 'words', number>>
}

/** The file is part of the program: another one is a broken build. */
export async function readWordFacts(read: ReadRange): Promise<WordFileFacts> {
  const bytes = await read(0, HEADER_BYTES)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const numberAt = (field: keyof typeof FIELD) => view.getUint32(FIELD[field], true)
  const magic = new TextDecoder().decode(bytes.subarray(0, MAGIC.length))
  invariant(magic === MAGIC && numberAt('version') === FORMAT_VERSION, 'the built-in embedder is of another format')
  const digest = [...bytes.subarray(DIGEST_START)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const offsets = {
    hashes: numberAt('hashes'),
    scales: numberAt('scales'),
    levels: numberAt('levels'),
    starts: numberAt('starts'),
    words: numberAt('words'),
  }
  return {
    rowCount: numberAt('rows'),
    width: numberAt('width'),
    bits: numberAt('bits'),
    unknownLength: view.getFloat32(FIELD.unknownLength, true),
    digest,
    offsets,
    levelsStart: offsets.levels,
  }
}

/** Without the rows. */
export async function readWordTable(read: ReadRange, facts: WordFileFacts): Promise<WordTable> {
  const { levels, starts } = facts.offsets
  const [head, tail] = await Promise.all([read(0, levels), read(starts)])
  invariant(head.length === levels && tail.length > facts.rowCount * NUMBER_BYTES, 'the built-in embedder is cut short')
  return new WordTable(head, tail, facts, read)
}
