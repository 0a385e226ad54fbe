import { expect, test } from 'bun:test'
import { pairedBootstrap } from '../../src/search/paired-bootstrap.ts'

/** `ones` queries that gain 1 among `count` that gain nothing else. */
function ones(count: number, ones: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => (at < ones ? 1 : 0))
}

/** P(X = k) for k from 0, X of B(count, share). */
function binomial(count: number, share: number): readonly number[] {
  const chances = [(1 - share) ** count]
  for (let k = 1; k <= count; k += 1)
    chances.push(((chances[k - 1] ?? 0) * (count - k + 1) * share) / (k * (1 - share)))
  return chances
}

/** Smallest k with P(X <= k) >= share. */
function quantile(chances: readonly number[], share: number): number {
  let sum = 0
  return chances.findIndex((chance) => {
    sum += chance
    return sum >= share
  })
}

// Drawing n queries of which a share p gains 1 is n throws of a coin: how many gain is binomial, and its quantiles are exact.
test.each([
  [5, 1, 0, 3],
  [10, 4, 1, 7],
  [40, 20, 14, 26],
])('of %d queries, %d of which gain 1, it has the ends of the binomial distribution', (count, gained, low, high) => {
  const chances = binomial(count, gained / count)
  expect([quantile(chances, 0.025), quantile(chances, 0.975)]).toEqual([low, high])
  const interval = pairedBootstrap(ones(count, gained))
  expect(interval.mean).toBeCloseTo(gained / count, 12)
  expect(interval.low).toBeCloseTo(low / count, 12)
  expect(interval.high).toBeCloseTo(high / count, 12)
})

test('of many queries it comes to the mean and 1.96 standard errors', () => {
  // -2, -1, 0, 1, 2 by turns: mean 0, variance (4 + 1 + 0 + 1 + 4) / 5 = 2.
  const { mean, low, high } = pairedBootstrap(Array.from({ length: 500 }, (_, at) => (at % 5) - 2))
  const error = Math.sqrt(2 / 500)
  expect(mean).toBe(0)
  expect(Math.abs(low + 1.96 * error)).toBeLessThan(0.1 * error)
  expect(Math.abs(high - 1.96 * error)).toBeLessThan(0.1 * error)
})

test('of equal differences it has no width, and so has that of one query', () => {
  expect(pairedBootstrap([0.25, 0.25, 0.25])).toEqual({ mean: 0.25, low: 0.25, high: 0.25 })
  expect(pairedBootstrap([-0.5])).toEqual({ mean: -0.5, low: -0.5, high: -0.5 })
})

test('is the same at every call, and mirrored when the legs change places', () => {
  const differences = [0.5, -0.25, 0.125, 0, 1, -0.75]
  const there = pairedBootstrap(differences)
  expect(pairedBootstrap(differences)).toEqual(there)
  const back = pairedBootstrap(differences.map((difference) => -difference))
  expect([back.low, back.high]).toEqual([-there.high, -there.low])
})
