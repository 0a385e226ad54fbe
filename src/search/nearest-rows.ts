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
  const bound = { scale: quantized.scale, ...errorBoundOf(quantized) }
  const lowerBounds = new LargestScores(limit)
  const possible: PossibleRow[] = []
  const take = (row: number, estimate: number, error: number): number => {
    if (!isLeftOut(row)) {
      possible.push({ row, scoreMax: estimate + error })
      lowerBounds.add(estimate - error)
    }
    return lowerBounds.least
  }
  for (const { start, dots } of matrix.dots(quantized.levels)) {
    const end = start + dots.length
    const block = { start, dots, scales: scales.subarray(start, end), residuals: residuals.subarray(start, end) }
    takePossible(block, bound, lowerBounds.least, take)
  }
  const needed = lowerBounds.least
  return possible.filter(({ scoreMax }) => scoreMax >= needed).sort((a, b) => b.scoreMax - a.scoreMax || a.row - b.row)
}

interface ScannedBlock {
  /** Number of its first row. */
  readonly start: number
  readonly dots: Int32Array
  readonly scales: Float32Array
  readonly residuals: Float32Array
}

/**
 * Calls `take` for the rows that can be among the best. A loop of its own, over nothing but columns: it runs thousands of
 * times in code that is still interpreted.
 * @param take given a row, the estimate of its score and how far off that may be; returns the score that is needed now
 */
function takePossible(
  { start, dots, scales, residuals }: ScannedBlock,
  { scale, perResidual, constant }: { readonly scale: number; readonly perResidual: number; readonly constant: number },
  neededBefore: number,
  take: (row: number, estimate: number, error: number) => number,
): void {
  let needed = neededBefore
  for (let at = 0; at < dots.length; at += 1) {
    const estimate = (dots[at] ?? 0) * (scales[at] ?? 0) * scale
    const error = (residuals[at] ?? 0) * perResidual + constant
    if (estimate + error >= needed) needed = take(start + at, estimate, error)
  }
}
