/** How the time of a work grows with its input. Only a ratio leaves here: a slow machine judges as a fast one does. */

const STEP = 8
const ROUNDS_MAX = 8
/** Linear work takes about 8 times as long for an input 8 times as long, quadratic work 64 times. */
export const GROWTH_MAX = 24

/**
 * @returns the time for eight times `size` by that for `size`, each the best of rounds in turn; a machine that is busy
 * with other things gets more rounds until the ratio is small enough, which work that is not linear never reaches
 */
export function growthOf<Input>(build: (size: number) => Input, work: (input: Input) => void, size: number): number {
  const small = build(size)
  const large = build(size * STEP)
  let smallMs = Number.POSITIVE_INFINITY
  let largeMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS_MAX; round++) {
    smallMs = Math.min(
      smallMs,
      elapsedMs(() => work(small)),
    )
    largeMs = Math.min(
      largeMs,
      elapsedMs(() => work(large)),
    )
    if (round > 0 && largeMs / smallMs < GROWTH_MAX) break
  }
  return largeMs / smallMs
}

function elapsedMs(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}
