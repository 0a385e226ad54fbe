// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: the digits are what is tested
import { expect, test } from 'bun:test'
import { naturalLogarithm } from '../../src/search/logarithm.ts'

test.each([
  // Rounded from 60 digits (Python's decimal).
  [1, 0],
  [2, 0.6931471805599453],
  [10, 2.302585092994046],
  [1.5, 0.4054651081081644],
  [0.5, -0.6931471805599453],
  [1.0000001, 9.999999505838704e-8],
  [71.428, 4.268689949334878],
  [1000001, 13.815511557963774],
  [1e300, 690.7755278982137],
])('the logarithm of %d is %d to the last bit', (x, expected) => {
  expect(naturalLogarithm(x)).toBe(expected)
})

test.each([
  [3, 1.0986122886681098],
  [1.0986, 0.09403664192638299],
])('the logarithm of %d is within one unit in the last place of %d', (x, expected) => {
  expect(Math.abs(naturalLogarithm(x) - expected) / expected).toBeLessThanOrEqual(2 ** -52)
})

test('differs from Math.log by less than 1e-15 of it over 200,000 values', () => {
  let worst = 0
  for (let n = 1; n <= 200_000; n += 1) {
    const x = 1 + (n * n) / 7919
    worst = Math.max(worst, Math.abs(naturalLogarithm(x) / Math.log(x) - 1))
  }
  expect(worst).toBeLessThan(1e-15)
})
