import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { naturalLogarithm } from '../../src/search/logarithm.ts'

test('the logarithm grows with its argument and turns products into sums', () => {
  const number = fc.double({ min: 1, max: 1e9, noNaN: true })
  fc.assert(
    fc.property(number, number, (a, b) => {
      if (a < b) expect(naturalLogarithm(a)).toBeLessThanOrEqual(naturalLogarithm(b))
      const sum = naturalLogarithm(a) + naturalLogarithm(b)
      expect(Math.abs(naturalLogarithm(a * b) - sum)).toBeLessThanOrEqual(1e-13)
    }),
  )
})
