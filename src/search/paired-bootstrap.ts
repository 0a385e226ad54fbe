/**
 * How sure is a mean difference between two rankings of the same queries? Draws the queries anew, again and again, and
 * looks how far the mean wanders (Efron's percentile interval). Pure: the same differences give the same interval.
 */
import { invariant } from '../model/memory-error.ts'

const RESAMPLE_COUNT = 5_000
/** Share of the resamples that lies beyond each end: 95 % lie between. */
const TAIL = 0.025
const SEED = 20_261_130

export interface MeanInterval {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** @param differences one a query, of the two rankings' measures; one at least */
export function pairedBootstrap(differences: readonly number[]): MeanInterval {
  const { length } = differences
  invariant(length > 0, 'there is no mean of nothing')
  const draw = drawIndexes(length)
  const means = new Float64Array(RESAMPLE_COUNT)
  for (let resample = 0; resample < RESAMPLE_COUNT; resample += 1) {
    let sum = 0
    for (let drawn = 0; drawn < length; drawn += 1) sum += differences[draw()] ?? 0
    means[resample] = sum / length
  }
  means.sort()
  const beyond = RESAMPLE_COUNT * TAIL
  return {
    mean: differences.reduce((sum, difference) => sum + difference, 0) / length,
    low: means[beyond - 1] ?? 0,
    high: means[RESAMPLE_COUNT - beyond] ?? 0,
  }
}

/** Draws from 0 to `count` - 1, each as likely. Vigna's splitmix, of 32 bits: whole numbers alone, so alike everywhere. */
function drawIndexes(count: number): () => number {
  let state = SEED
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    mixed ^= mixed >>> 15
    return Math.floor(((mixed >>> 0) / 2 ** 32) * count)
  }
}
