/**
 * The rows of a view for scans over small integers, read from their packs into the memory of a kernel. The first scan goes
 * through a small window, the second keeps all rows: most processes scan once, and fresh memory for all rows costs them
 * more than the scan.
 */
import type { Kernel } from '../ports.ts'
import { BLOCK_ROWS } from './pack-format.ts'
import { type DotRows, type RowDots, RowMatrix } from './row-matrix.ts'
import type { VectorPlace } from './vector-cache.ts'
import type { RowStretch, VectorPack } from './vector-pack.ts'

/** Stays in the cache of a processor core. */
const WINDOW_BYTES = 2 ** 18

export interface RowPlaces {
  /** Of the rows, ascending, none twice, all of vectors of `width` numbers. */
  readonly places: Int32Array
  /** Above 0. */
  readonly width: number
  /** Which row of which pack a place is. */
  readonly placeAt: (place: number) => VectorPlace
}

export class ScannedRows implements DotRows {
  /** By row; see `quantizeRow`. */
  readonly scales: Float32Array
  readonly residuals: Float32Array
  readonly #kernel: Kernel
  readonly #rows: RowPlaces
  /** The window, or all rows. */
  #matrix: RowMatrix
  #isFilled = false
  #scanCount = 0

  /** Throws `file_too_large` when the machine has no memory for the window. */
  constructor(kernel: Kernel, rows: RowPlaces) {
    const { places, width } = rows
    this.#kernel = kernel
    this.#rows = rows
    const windowRows = Math.max(1, Math.floor(WINDOW_BYTES / (width * BLOCK_ROWS))) * BLOCK_ROWS
    this.#matrix = new RowMatrix(kernel, Math.min(places.length, windowRows), width)
    const runs = runsOf(rows)
    this.scales = joined(runs.map(({ pack, start, end }) => pack.scales.subarray(start, end)))
    this.residuals = joined(runs.map(({ pack, start, end }) => pack.residuals.subarray(start, end)))
  }

  get rowCount(): number {
    return this.#rows.places.length
  }

  /** Throws `RowDamage`, and `file_too_large` when the machine has no memory for all rows. */
  *dots(query: Int16Array): Iterable<RowDots> {
    if (this.#scanCount === 1 && this.#matrix.rowCount < this.rowCount) this.#makeRoom()
    this.#scanCount += 1
    for (let from = 0; from < this.rowCount; ) {
      const to = this.#isFilled ? this.rowCount : this.#fill(from)
      this.#isFilled = from === 0 && to === this.rowCount
      for (const { start, dots } of this.#matrix.dots(query))
        yield { start: from + start, dots: dots.subarray(0, to - from - start) }
      from = to
    }
  }

  #makeRoom(): void {
    const all = new RowMatrix(this.#kernel, this.rowCount, this.#rows.width)
    this.#matrix[Symbol.dispose]()
    this.#matrix = all
  }

  /** Reads rows, by whole blocks and as many as there is room for. @returns where the next begin */
  #fill(start: number): number {
    const { places, placeAt } = this.#rows
    let at = start
    while (at < places.length) {
      const place = places[at] ?? 0
      const { pack, row } = placeAt(place)
      const block = pack.blockOf(row)
      const end = endBefore(places, at, place - row + block.end)
      if (end - start > this.#matrix.rowCount) break
      const count = block.end - block.start
      const target = this.#matrix.stretch(at - start, count)
      const levels = target ?? new Uint8Array(count * this.#matrix.stride)
      pack.readLevels(block, levels)
      if (target === null || end - at < count) this.#copy(levels, place - row + block.start, { at, end, start })
      at = end
    }
    return at
  }

  /**
   * Puts the rows that are the view's one behind the other, also where they were read to: each moves towards the start.
   * @param firstPlace of the levels. @param rows from `at` to `end` of those that the matrix has from `start` on
   */
  #copy(levels: Uint8Array, firstPlace: number, { at, end, start }: { at: number; end: number; start: number }): void {
    const { places } = this.#rows
    const { stride } = this.#matrix
    for (let row = at; row < end; ) {
      const from = (places[row] ?? 0) - firstPlace
      const length = runLength(places, row, end)
      this.#matrix.set(row - start, levels.subarray(from * stride, (from + length) * stride))
      row += length
    }
  }

  [Symbol.dispose](): void {
    this.#matrix[Symbol.dispose]()
  }
}

/** The rows of packs that follow each other without a gap. */
function runsOf({ places, placeAt }: RowPlaces): readonly (RowStretch & { readonly pack: VectorPack })[] {
  const runs: (RowStretch & { pack: VectorPack })[] = []
  for (let at = 0; at < places.length; ) {
    const place = places[at] ?? 0
    const { pack, row } = placeAt(place)
    const length = runLength(places, at, endBefore(places, at, place - row + pack.rowCount))
    runs.push({ pack, start: row, end: row + length })
    at += length
  }
  return runs
}

/** One behind the other; a single one as it is. */
export function joined(parts: readonly Float32Array[]): Float32Array {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Of the places from `start` on the first that is not below `placeEnd`. */
function endBefore(places: Int32Array, start: number, placeEnd: number): number {
  // No place comes twice, so all up to there follow each other when the last of them is where it must be.
  const whole = start + placeEnd - (places[start] ?? 0)
  if (places[whole - 1] === placeEnd - 1) return whole
  let end = start + 1
  while (end < places.length && (places[end] ?? 0) < placeEnd) end += 1
  return end
}

/** How many places from `start` on follow each other without a gap. */
function runLength(places: Int32Array, start: number, end: number): number {
  const first = places[start] ?? 0
  if (places[end - 1] === first + end - 1 - start) return end - start
  let at = start + 1
  while (places[at] === first + at - start) at += 1
  return at - start
}
