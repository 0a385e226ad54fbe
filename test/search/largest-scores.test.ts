import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LargestScores } from '../../src/search/largest-scores.ts'

test('the least of the largest is the one that sorting puts at the limit', () => {
  const score = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true }))
  fc.assert(
    fc.property(fc.array(score, { maxLength: 100 }), fc.integer({ min: 1, max: 20 }), (scores, limit) => {
      const largest = new LargestScores(limit)
      for (const [index, one] of scores.entries()) {
        largest.add(one)
        const sorted = scores.slice(0, index + 1).sort((a, b) => b - a)
        expect(largest.least === (sorted[limit - 1] ?? Number.NEGATIVE_INFINITY)).toBe(true)
      }
    }),
  )
})
