/** Many terms without a string for each: most are written to a file, and never asked for as strings. */
import type { ByteSink } from './posting-codec.ts'
import { mixedHash } from './string-hash.ts'

export class TermTexts implements Iterable<string> {
  readonly length: number
  /** All terms, joined: UTF-16 code units. A term is `#starts[position]` to `#starts[position + 1]`. */
  readonly #units: Uint16Array
  readonly #starts: Uint32Array
  /** As `withUnit` makes them. */
  readonly #hashes: Int32Array

  /** The arrays may be longer. */
  constructor(length: number, units: Uint16Array, starts: Uint32Array, hashes: Int32Array) {
    this.length = length
    this.#units = units
    this.#starts = starts
    this.#hashes = hashes
  }

  textAt(position: number): string {
    return String.fromCharCode(...this.#units.subarray(this.#starts[position], this.#starts[position + 1]))
  }

  /** @returns `stringHash` of the term */
  hashAt(position: number): number {
    return mixedHash(this.#hashes[position] ?? 0)
  }

  /** Adds the term in UTF-8. */
  write(position: number, sink: ByteSink): void {
    sink.units(this.#units, this.#starts[position] ?? 0, this.#starts[position + 1] ?? 0)
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let position = 0; position < this.length; position += 1) yield this.textAt(position)
  }
}
