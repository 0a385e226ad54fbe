/** Vectors of length 1: made from what an embedder gives, and multiplied so that every runtime gets the same bits. */
import { invariant, MemoryError } from './memory-error.ts'

/** Most numbers of a vector. The error bounds of the vector search rest on it; no embedding comes near. */
export const WIDTH_MAX = 65_536

/** Rounding to 32 bits moves the length of a unit vector by at most 2^-24 of it; no f32 vector of ours is off by more. */
export const UNIT_LENGTH_MAX = 1 + 2 ** -20

/**
 * The vector of length 1 in the direction of `values`.
 * Throws `invalid_argument` for another number of columns than `width`, for NaN and infinities, and when all are zero:
 * such a vector has no direction, and would silently never be found.
 */
export function unitVector(values: ArrayLike<number>, width: number): Float32Array<ArrayBuffer> {
  invariant(Number.isSafeInteger(width) && width > 0 && width <= WIDTH_MAX, `vectors of ${width} numbers`)
  if (values.length !== width)
    throw new MemoryError(
      'invalid_argument',
      `the embedder gave a vector of ${values.length} numbers, expected ${width}; check its model and its dimensions`,
      { width, found: values.length },
    )
  const largest = largestMagnitude(values)
  // Divided by the largest first: squares of very large or small numbers would overflow or vanish.
  let squares = 0
  for (let column = 0; column < width; column += 1) {
    const part = (values[column] ?? 0) / largest
    squares += part * part
  }
  const length = Math.sqrt(squares)
  const unit = new Float32Array(width)
  for (let column = 0; column < width; column += 1) unit[column] = (values[column] ?? 0) / largest / length
  return unit
}

function largestMagnitude(values: ArrayLike<number>): number {
  let largest = 0
  for (let column = 0; column < values.length; column += 1) {
    const value = values[column] ?? Number.NaN
    if (!Number.isFinite(value))
      throw new MemoryError(
        'invalid_argument',
        `the embedder gave ${value} as number ${column + 1} of ${values.length} of a vector, expected a finite number`,
        { column },
      )
    largest = Math.max(largest, Math.abs(value))
  }
  if (largest === 0)
    throw new MemoryError(
      'invalid_argument',
      `the embedder gave a vector of ${values.length} zeros, which has no direction`,
    )
  return largest
}

export function isUnitVector(vector: Float32Array): boolean {
  const squares = dotProduct(vector, vector)
  return squares <= UNIT_LENGTH_MAX ** 2 && squares >= (2 - UNIT_LENGTH_MAX) ** 2
}

/**
 * The sum of products: the cosine, for unit vectors, off by no more than their rounding to f32 made it. A product of
 * two f32 is exact in f64, and they are summed from the first to the last, so the result is the same bits everywhere.
 */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  invariant(a.length === b.length, `a product of vectors of ${a.length} and ${b.length} numbers`)
  let sum = 0
  for (let column = 0; column < a.length; column += 1) sum += (a[column] ?? 0) * (b[column] ?? 0)
  return sum
}
