/**
 * Unit vectors as small integers, and how far a product of two such can be off: the ground on which a scan over a
 * quarter of the bytes still gives exact answers.
 *
 * A row x is kept as integers q and a scale s, its image being x' = s q; a query y as integers p and a scale t, with
 * y' = t p. The kernel computes I = q · p exactly, hence x' · y' = s t I. With r = |x - x'| and u = |y - y'|:
 *
 *     y · x  =  y' · x'  +  (y - y') · x'  +  y · (x - x')
 *
 *     |y · x - s t I|  <=  u |x'|  +  |y| r                        Cauchy and Schwarz, once for each term
 *                      <=  u (|x| + r)  +  |y| r                   triangle inequality on x' = x - (x - x')
 *                      <=  (L + u) r  +  L u                       L = UNIT_LENGTH_MAX bounds |x| and |y|
 *
 * What the computer adds to that, with w columns of at most 2^16 and f64 rounding by at most 2^-53 of a result:
 * - s q and t p are exact in f64, as s and t are f32 (24 bits) and integers have at most 15; each difference rounds
 *   once, the sum of their squares at most w + 1 times, all of one sign. So r and u come out too small by a fraction
 *   below 2^-36, and rounding them to f32 takes at most 2^-24 more: adding 2^-22 of each and 2^-100 (for those so small
 *   that f32 rounds absolutely) makes them upper bounds.
 * - the exact score is itself a sum in f64: off by at most w 2^-53 |x| |y| < 2^-36.9.
 * - s t I and the bound take fewer than ten roundings, each by at most 2^-53 of what ends below 8: less than 2^-46.
 * The last two stay below ROUNDING_SLACK together.
 */
import { invariant } from '../model/memory-error.ts'
import { isUnitVector, UNIT_LENGTH_MAX, WIDTH_MAX } from '../model/unit-vector.ts'

export const ROUNDING_SLACK = 2 ** -36

const ROW_LEVEL_MAX = 127

/** What to remember of a vector beside its integers. Both are f32. */
export interface Quantization {
  /** Times an integer it gives the number that the integer stands for. */
  readonly scale: number
  /** At least the distance between the vector and its image. */
  readonly residual: number
}

/** @param levels receives the row's integers, -127 to 127; as long as `vector`, which has length 1 */
export function quantizeRow(vector: Float32Array, levels: Int8Array): Quantization {
  return quantize(vector, levels, ROW_LEVEL_MAX)
}

export interface QuantizedQuery extends Quantization {
  readonly levels: Int16Array
}

/**
 * A query's integers are as fine as 16 bits allow while products with a row fit 32: they cost the scan nothing, and
 * leave the bound to the rows alone.
 */
export function quantizeQuery(vector: Float32Array): QuantizedQuery {
  const levels = new Int16Array(vector.length)
  const levelMax = Math.min(2 ** 15 - 1, Math.floor((2 ** 31 - 1) / (ROW_LEVEL_MAX * vector.length)))
  return { ...quantize(vector, levels, levelMax), levels }
}

/** Between the product of the images and the exact score of a row lie at most `perResidual * residual + constant`. */
export interface ErrorBound {
  readonly perResidual: number
  readonly constant: number
}

export function errorBoundOf(query: Quantization): ErrorBound {
  return {
    perResidual: UNIT_LENGTH_MAX + query.residual,
    constant: UNIT_LENGTH_MAX * query.residual + ROUNDING_SLACK,
  }
}

function quantize(vector: Float32Array, levels: Int8Array | Int16Array, levelMax: number): Quantization {
  invariant(vector.length <= WIDTH_MAX, `a vector of ${vector.length} numbers`)
  invariant(levels.length === vector.length, `${levels.length} levels for ${vector.length} numbers`)
  invariant(isUnitVector(vector), 'a vector to be quantised is not of length 1')
  const scale = Math.fround(largestMagnitude(vector) / levelMax)
  let squares = 0
  for (let column = 0; column < vector.length; column += 1) {
    const value = vector[column] ?? 0
    const level = Math.round(value / scale)
    const rest = value - scale * level
    levels[column] = level
    squares += rest * rest
  }
  return { scale, residual: Math.fround(Math.sqrt(squares) * (1 + 2 ** -22) + 2 ** -100) }
}

function largestMagnitude(vector: Float32Array): number {
  let largest = 0
  for (let column = 0; column < vector.length; column += 1) largest = Math.max(largest, Math.abs(vector[column] ?? 0))
  return largest
}
