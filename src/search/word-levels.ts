/** The rows of a word table: read one by one for a few texts, all at once for many. */
import { invariant } from '../model/memory-error.ts'
import type { ReadRange } from '../ports.ts'

/** Who has asked for so many one by one will ask for many more. */
const SINGLE_ROWS_MAX = 512

export interface LevelFacts {
  readonly rowCount: number
  /** Columns of a row. */
  readonly width: number
  /** Of a level: 8, or 4, two in a byte. */
  readonly bits: number
  /** Byte at which the first row begins. */
  readonly levelsStart: number
}

export class WordLevels {
  readonly #facts: LevelFacts
  readonly #readBytes: ReadRange
  readonly #single = new Map<number, Int8Array>()
  /** One row behind the other; null while they are read one by one. */
  #all: Int8Array | null = null

  constructor(facts: LevelFacts, readBytes: ReadRange) {
    this.#facts = facts
    this.#readBytes = readBytes
  }

  has(row: number): boolean {
    return this.#all !== null || this.#single.has(row)
  }

  /** Afterwards `has` is true of these rows. */
  async load(rows: readonly number[]): Promise<void> {
    const missing = [...new Set(rows)].filter((row) => !this.has(row))
    if (missing.length === 0) return
    if (this.#single.size + missing.length > SINGLE_ROWS_MAX) {
      this.#all ??= await this.#read(0, this.#facts.rowCount)
      this.#single.clear()
      return
    }
    await Promise.all(missing.map(async (row) => this.#single.set(row, await this.#read(row, row + 1))))
  }

  /** Adds a row that was loaded, times a factor, to a sum: each product is rounded to float32, then each sum. */
  addTo(sum: Float32Array, row: number, factor: number): void {
    const { width } = this.#facts
    const single = this.#single.get(row)
    const levels = single ?? this.#all
    invariant(levels !== null, `row ${row} was not loaded`)
    const start = single === undefined ? row * width : 0
    for (let column = 0; column < width; column += 1)
      sum[column] = (sum[column] ?? 0) + Math.fround(factor * (levels[start + column] ?? 0))
  }

  async #read(start: number, end: number): Promise<Int8Array> {
    const { width, bits, levelsStart } = this.#facts
    const rowBytes = (width * bits) / 8
    const bytes = await this.#readBytes(levelsStart + start * rowBytes, levelsStart + end * rowBytes)
    return bits === 8 ? new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) : unpacked(bytes)
  }
}

/** Each level plus 8 in half a byte, that of the even column in the low one. */
function unpacked(bytes: Uint8Array): Int8Array {
  const levels = new Int8Array(bytes.length * 2)
  for (const [at, byte] of bytes.entries()) {
    levels[at * 2] = (byte & 0xf) - 8
    levels[at * 2 + 1] = (byte >> 4) - 8
  }
  return levels
}
