/** Unit vectors for tests and benchmarks, the same for the same seed on every machine. */
import { unitVector } from '../../src/model/unit-vector.ts'

/** Numbers in [0, 1), by Marsaglia's xorshift of 32 bits. */
export function randomNumbers(seed: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) | 1) >>> 0
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 2 ** 32
  }
}

/** In no preferred direction, nearly: each column is a sum of four even distributions. */
export function randomUnitVector(width: number, random: () => number): Float32Array<ArrayBuffer> {
  const column = () => random() + random() + random() + random() - 2 || 1e-3
  return unitVector(Float64Array.from({ length: width }, column), width)
}

/** @param distance about how far from `centre`, by length */
export function vectorNear(centre: Float32Array, distance: number, random: () => number): Float32Array<ArrayBuffer> {
  const away = randomUnitVector(centre.length, random)
  return unitVector(
    centre.map((value, column) => value + distance * (away[column] ?? 0)),
    centre.length,
  )
}
