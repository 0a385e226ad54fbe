/**
 * Rows for scans to which more come behind: those there were stay as they were read, the few that came are read anew
 * whenever others come. Knows places of vectors, and nothing of texts.
 */
import type { Kernel } from '../ports.ts'
import { plainKernel } from './plain-kernel.ts'
import type { DotRows, RowDots } from './row-matrix.ts'
import { joined, type RowPlaces, ScannedRows } from './scanned-rows.ts'

/** Rows that may have come before all are read as one again. */
const BEHIND_MIN = 1_024
/** Of the rows that there were. */
const BEHIND_SHARE = 1 / 16
const PLAIN_MAX = 512

export class GrowingRows implements DotRows {
  readonly #kernel: Kernel
  readonly #rows: Omit<RowPlaces, 'places'>
  readonly #stock: ScannedRows
  #places: Int32Array
  #behind: ScannedRows | null = null
  #scales: Float32Array
  #residuals: Float32Array

  /** Throws `file_too_large` when the machine has no memory for them. */
  constructor(kernel: Kernel, rows: RowPlaces) {
    this.#kernel = kernel
    this.#rows = rows
    this.#places = rows.places
    this.#stock = new ScannedRows(kernel, rows)
    this.#scales = this.#stock.scales
    this.#residuals = this.#stock.residuals
  }

  get rowCount(): number {
    return this.#places.length
  }

  /** By row; see `quantizeRow`. */
  get scales(): Float32Array {
    return this.#scales
  }

  get residuals(): Float32Array {
    return this.#residuals
  }

  /**
   * From here on these are the rows. Throws `file_too_large`.
   * @param places ascending, of the same packs
   * @returns false when they are not those there were with few behind: then it is of no use any more
   */
  become(places: Int32Array): boolean {
    const before = this.#places
    if (places.length === before.length && startsAlike(places, before, places.length)) return true
    const stockCount = this.#stock.rowCount
    const most = stockCount + Math.max(BEHIND_MIN, stockCount * BEHIND_SHARE)
    if (places.length < stockCount || places.length > most) return false
    if (!startsAlike(places, before, stockCount)) return false
    this.#behind?.[Symbol.dispose]()
    this.#behind = null
    const behind = places.length === stockCount ? null : this.#opened(places.subarray(stockCount))
    this.#places = places
    this.#behind = behind
    this.#scales = behind === null ? this.#stock.scales : joined([this.#stock.scales, behind.scales])
    this.#residuals = behind === null ? this.#stock.residuals : joined([this.#stock.residuals, behind.residuals])
    return true
  }

  /** Few rows are multiplied sooner than memory for them is had from a kernel that computes elsewhere. */
  #opened(places: Int32Array): ScannedRows {
    const kernel = places.length <= PLAIN_MAX ? plainKernel : this.#kernel
    return new ScannedRows(kernel, { ...this.#rows, places })
  }

  /** Throws `RowDamage`, and `file_too_large` when the machine has no memory for all rows. */
  *dots(query: Int16Array): Iterable<RowDots> {
    yield* this.#stock.dots(query)
    if (this.#behind === null) return
    for (const { start, dots } of this.#behind.dots(query)) yield { start: this.#stock.rowCount + start, dots }
  }

  [Symbol.dispose](): void {
    this.#stock[Symbol.dispose]()
    this.#behind?.[Symbol.dispose]()
  }
}

function startsAlike(some: Int32Array, others: Int32Array, count: number): boolean {
  for (let at = 0; at < count; at += 1) if (some[at] !== others[at]) return false
  return true
}
