/**
 * How the time of a work grows with its input. Only a ratio leaves here, and of the processor's time alone: a slow or busy
 * machine judges as a fast one does.
 */

const STEP = 8
const ROUNDS_MAX = 12
/** Linear work takes about 8 times as long for an input 8 times as long, quadratic work 64 times. */
export const GROWTH_MAX = 24

/**
 * @returns the time for eight times `size` by that for `size`, each the best of rounds in turn; there are more of
 * them until the ratio is small enough, which work that is not linear never reaches
 */
export function growthOf<Input>(build: (size: number) => Input, work: (input: Input) => void, size: number): number {
  const small = build(size)
  const large = build(size * STEP)
  let smallMicros = Number.POSITIVE_INFINITY
  let largeMicros = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS_MAX; round++) {
    smallMicros = Math.min(
      smallMicros,
      spentMicros(() => work(small)),
    )
    largeMicros = Math.min(
      largeMicros,
      spentMicros(() => work(large)),
    )
    if (round > 0 && largeMicros / smallMicros < GROWTH_MAX) break
  }
  return largeMicros / smallMicros
}

function spentMicros(work: () => void): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  // What is too short to be counted is not nothing.
  return Math.max(1, user + system)
}
