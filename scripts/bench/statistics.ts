/** Numbers that say something about a list of measurements without being moved by a few wild ones. */

/** @param share 0…1; between two values the nearer one. NaN for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** How many times as long `a` took as `b` in the same round. */
export function pairwiseRatios(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((value, round) => value / (b[round] ?? Number.NaN))
}
