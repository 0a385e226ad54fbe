/**
 * Exact nearest vectors: a scan over all rows as small integers tells which can be among the best, and the f32 vectors
 * of these alone decide. Knows rows by number; knows nothing of files, paths or models.
 */
import { invariant } from '../model/memory-error.ts'
import { dotProduct } from '../model/unit-vector.ts'
import { LargestScores } from './largest-scores.ts'
import { errorBoundOf, quantizeQuery } from './quantized-vector.ts'
import type { DotRows } from './row-matrix.ts'

/** Unit vectors as `quantizeRow` made them. */
export interface QuantizedRows {
  readonly matrix: DotRows
  /** By row. */
  readonly scales: Float32Array
  readonly residuals: Float32Array
}

export interface NearestRowsOptions {
  /** Most rows wanted. */
  readonly limit: number
  /** The unit vector that the row was made from; looked at before the next call only. */
  readonly readRow: (row: number) => Float32Array
  /** Rows that do not count, such as those of removed files. */
  readonly isLeftOut?: (row: number) => boolean
  /** Order of two rows of equal score; by row unless given. Must be total for the answer to be one. */
  readonly compareTied?: (a: number, b: number) => number
}

export interface RowScore {
  readonly row: number
  /** `dotProduct` of the query and the row's f32 vector. */
  readonly score: number
}

/**
 * The `limit` rows of the highest score, best first: exactly what computing every score would give, negative scores
 * included.
 * @param query of length 1 and as wide as the rows
 */
export function nearestRows(query: Float32Array, rows: QuantizedRows, options: NearestRowsOptions): RowScore[] {
  const { limit, readRow, compareTied = (a, b) => a - b } = options
  if (limit < 1) return []
  const scored: RowScore[] = []
  const best = new LargestScores(limit)
  for (const { row, scoreMax } of possibleRows(query, rows, options)) {
    // A row that can only tie must be read: the order of ties may prefer it.
    if (scoreMax < best.least) break
    const score = dotProduct(query, readRow(row))
    scored.push({ row, score })
    best.add(score)
  }
  return scored.sort((a, b) => b.score - a.score || compareTied(a.row, b.row)).slice(0, limit)
}

interface PossibleRow {
  readonly row: number
  /** No less than its score. */
  readonly scoreMax: number
}

/**
 * Every row that can be among the best, highest bound first. At least `limit` rows score no less than the `limit`-th
 * largest lower bound, so a row whose upper bound stays below that is worse than all of these, however ties are broken.
 */
function possibleRows(
  query: Float32Array,
  { matrix, scales, residuals }: QuantizedRows,
  { limit, isLeftOut = () => false }: NearestRowsOptions,
): PossibleRow[] {
  const { rowCount } = matrix
  invariant(
    scales.length === rowCount && residuals.length === rowCount,
    `${rowCount} rows with ${scales.length} scales and ${residuals.length} residuals`,
  )
  const quantized = quantizeQuery(query)
  const { perResidual, constant } = errorBoundOf(quantized)
  const lowerBounds = new LargestScores(limit)
  let needed = Number.NEGATIVE_INFINITY
  const possible: PossibleRow[] = []
  for (const { start, dots } of matrix.dots(quantized.levels))
    for (let at = 0; at < dots.length; at += 1) {
      const row = start + at
      const estimate = (dots[at] ?? 0) * (scales[row] ?? 0) * quantized.scale
      const error = (residuals[row] ?? 0) * perResidual + constant
      const scoreMax = estimate + error
      if (scoreMax < needed || isLeftOut(row)) continue
      possible.push({ row, scoreMax })
      lowerBounds.add(estimate - error)
      needed = lowerBounds.least
    }
  return possible.filter(({ scoreMax }) => scoreMax >= needed).sort((a, b) => b.scoreMax - a.scoreMax || a.row - b.row)
}
