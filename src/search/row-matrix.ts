/** Rows of small integers in as many matrices of a kernel as they need, numbered through. */
import { invariant } from '../model/memory-error.ts'
import type { Int8Matrix, Kernel } from '../ports.ts'

/** Sums of one matrix' rows: those from `start` on. */
export interface RowDots {
  readonly start: number
  readonly dots: Int32Array
}

/** Rows that can be multiplied with a query. */
export interface DotRows extends Disposable {
  readonly rowCount: number
  /** Of every row with `query`, in order; the sums are overwritten by the next ones. */
  dots(query: Int16Array): Iterable<RowDots>
}

export class RowMatrix implements DotRows {
  readonly rowCount: number
  /** Bytes from the start of a row to the start of the next, see `Int8Matrix`. */
  readonly stride: number
  /** In order; all but the last have `#blockRows` rows. */
  readonly blocks: readonly Int8Matrix[]
  readonly #blockRows: number

  /** All zeros at first. @param width above 0. Throws `file_too_large` when the machine has no memory for them. */
  constructor(kernel: Kernel, rowCount: number, width: number) {
    this.rowCount = rowCount
    this.#blockRows = kernel.rowsMax(width)
    const blocks: Int8Matrix[] = []
    try {
      for (let start = 0; start < rowCount; start += this.#blockRows)
        blocks.push(kernel.openInt8Matrix(Math.min(this.#blockRows, rowCount - start), width))
    } catch (error) {
      for (const block of blocks) block[Symbol.dispose]()
      throw error
    }
    this.blocks = blocks
    this.stride = blocks[0]?.stride ?? width
  }

  /** Where rows lie one behind the other, for one who fills them; null when they lie in several matrices. */
  stretch(start: number, count: number): Uint8Array | null {
    const block = this.blocks[Math.floor(start / this.#blockRows)]
    const from = start % this.#blockRows
    if (block === undefined || from + count > block.rowCount) return null
    const { buffer, byteOffset } = block.rows
    return new Uint8Array(buffer, byteOffset + from * this.stride, count * this.stride)
  }

  /** @param levels of one row or of several behind it, `stride` by row; the last may lack what is behind its width */
  set(row: number, levels: Int8Array | Uint8Array): void {
    const count = Math.ceil(levels.length / this.stride)
    const target = this.stretch(row, count)
    if (target !== null) target.set(levels)
    else {
      invariant(count > 1, `no row ${row}`)
      const half = count >> 1
      this.set(row, levels.subarray(0, half * this.stride))
      this.set(row + half, levels.subarray(half * this.stride))
    }
  }

  *dots(query: Int16Array): Iterable<RowDots> {
    for (const [at, block] of this.blocks.entries()) yield { start: at * this.#blockRows, dots: block.dots(query) }
  }

  [Symbol.dispose](): void {
    for (const block of this.blocks) block[Symbol.dispose]()
  }
}
