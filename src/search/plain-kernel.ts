/** The kernel in plain TypeScript, for machines without SIMD in WASM. Answers as wasm/vector-kernel.ts does, slower. */
import { invariant, MemoryError } from '../model/memory-error.ts'
import type { Int8Matrix, Kernel } from '../ports.ts'

const STRIDE_STEP = 16
/** Of one matrix: engines differ in how long an array may be, and none refuses this. */
const MATRIX_BYTES_MAX = 2 ** 30

export const plainKernel: Kernel = {
  rowsMax(width) {
    return Math.max(1, Math.floor(MATRIX_BYTES_MAX / strideOf(width)))
  },

  openInt8Matrix(rowCount, width) {
    invariant(Number.isSafeInteger(rowCount) && rowCount >= 0, `a matrix of ${rowCount} rows`)
    invariant(Number.isSafeInteger(width) && width > 0, `a matrix of ${width} columns`)
    try {
      return new PlainInt8Matrix(rowCount, width)
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      const bytes = rowCount * strideOf(width)
      const sentence = `no memory for ${bytes} bytes of vectors; free some and try again`
      throw new MemoryError('file_too_large', sentence, { cause, bytes })
    }
  },
}

function strideOf(width: number): number {
  return Math.ceil(width / STRIDE_STEP) * STRIDE_STEP
}

class PlainInt8Matrix implements Int8Matrix {
  readonly rowCount: number
  readonly width: number
  readonly stride: number
  #rows: Int8Array
  #dots: Int32Array
  #isDisposed = false

  constructor(rowCount: number, width: number) {
    this.rowCount = rowCount
    this.width = width
    this.stride = strideOf(width)
    this.#rows = new Int8Array(rowCount * this.stride)
    this.#dots = new Int32Array(rowCount)
  }

  get rows(): Int8Array {
    return this.#rows
  }

  dots(query: Int16Array): Int32Array {
    invariant(!this.#isDisposed, 'a disposed matrix was asked')
    invariant(query.length === this.width, `a query of ${query.length} columns to a matrix of ${this.width}`)
    const padded = new Int16Array(this.stride)
    padded.set(query)
    const rows = this.#rows
    const stride = this.stride
    for (let row = 0; row < this.rowCount; row += 1) {
      const start = row * stride
      // Sums of 32 bits wrap as the kernel's do. Two of them, because each addition waits for the one before.
      let even = 0
      let odd = 0
      for (let column = 0; column < stride; column += 2) {
        even = (even + (rows[start + column] ?? 0) * (padded[column] ?? 0)) | 0
        odd = (odd + (rows[start + column + 1] ?? 0) * (padded[column + 1] ?? 0)) | 0
      }
      this.#dots[row] = (even + odd) | 0
    }
    return this.#dots
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#rows = new Int8Array(0)
    this.#dots = new Int32Array(0)
  }
}
