/** Directions of vectors, in doubles: what servers send and what averages need before they become 32-bit floats. */

/** The vector of length 1; null for one that has no direction: empty, zero, NaN or infinite. */
export function directionOf(values: Float64Array): Float64Array | null {
  let largest = 0
  for (let column = 0; column < values.length; column += 1) {
    const value = values[column] ?? Number.NaN
    if (!Number.isFinite(value)) return null
    largest = Math.max(largest, Math.abs(value))
  }
  if (largest === 0) return null
  const direction = new Float64Array(values.length)
  let squares = 0
  for (let column = 0; column < values.length; column += 1) {
    // Divided first: squares of very large or small numbers are infinite or zero.
    const scaled = (values[column] ?? 0) / largest
    direction[column] = scaled
    squares += scaled * scaled
  }
  const length = Math.sqrt(squares)
  for (let column = 0; column < values.length; column += 1) direction[column] = (direction[column] ?? 0) / length
  return direction
}

/** @param vectors at least one, all of one width; @param weights positive, one a vector */
export function weightedMean(vectors: readonly Float64Array[], weights: readonly number[]): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const mean = new Float64Array(vectors[0]?.length ?? 0)
  for (const [row, vector] of vectors.entries()) {
    const share = (weights[row] ?? 0) / total
    for (const [column, value] of vector.entries()) mean[column] = (mean[column] ?? 0) + value * share
  }
  return mean
}
