import { expect, test } from 'bun:test'
import { changedFields } from '../../src/graph/delta.ts'

const SURE = { category: null, confidence_score: 1 }

test('a long text is cut between characters in what is said of a change', () => {
  const long = `${'a'.repeat(298)}😀😀`
  expect(changedFields({ ...SURE, content: long }, { ...SURE, content: 'short' })).toBe(
    `content: "${'a'.repeat(298)}… -> "short"`,
  )
})
