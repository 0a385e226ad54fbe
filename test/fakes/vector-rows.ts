/** Vectors quantised into a matrix, for tests and benchmarks. */
import type { Kernel } from '../../src/ports.ts'
import type { NearestRowsOptions, QuantizedRows } from '../../src/search/nearest-rows.ts'
import { quantizeRow } from '../../src/search/quantized-vector.ts'
import { RowMatrix } from '../../src/search/row-matrix.ts'

/** Rows as a view would keep them, and how often one was read in full. */
export interface VectorRows extends Pick<NearestRowsOptions, 'readRow'> {
  readonly rows: QuantizedRows & { readonly matrix: RowMatrix }
  readonly readCount: number
}

/** @param vectors of length 1, all of one width */
export function vectorRows(kernel: Kernel, vectors: readonly Float32Array[]): VectorRows {
  const width = vectors[0]?.length ?? 1
  const matrix = new RowMatrix(kernel, vectors.length, width)
  const scales = new Float32Array(vectors.length)
  const residuals = new Float32Array(vectors.length)
  for (const [row, vector] of vectors.entries()) {
    const levels = new Int8Array(width)
    const { scale, residual } = quantizeRow(vector, levels)
    matrix.set(row, levels)
    scales[row] = scale
    residuals[row] = residual
  }
  let readCount = 0
  return {
    rows: { matrix, scales, residuals },
    get readCount() {
      return readCount
    },
    readRow: (row) => {
      readCount += 1
      return vectors[row] ?? new Float32Array(0)
    },
  }
}
