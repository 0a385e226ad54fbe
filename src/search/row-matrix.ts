/** Rows of small integers in as many matrices of a kernel as they need, numbered through. */
import type { Int8Matrix, Kernel } from '../ports.ts'

/** Sums of one matrix' rows: those from `start` on. */
export interface RowDots {
  readonly start: number
  readonly dots: Int32Array
}

export class RowMatrix implements Disposable {
  readonly rowCount: number
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
  }

  set(row: number, levels: Int8Array): void {
    const block = this.blocks[Math.floor(row / this.#blockRows)]
    block?.rows.set(levels, (row % this.#blockRows) * block.stride)
  }

  /** Of every row with `query`; the sums of a block are overwritten by the next call. */
  *dots(query: Int16Array): Iterable<RowDots> {
    for (const [at, block] of this.blocks.entries()) yield { start: at * this.#blockRows, dots: block.dots(query) }
  }

  [Symbol.dispose](): void {
    for (const block of this.blocks) block[Symbol.dispose]()
  }
}
