import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nextSegment, type Segment } from '../../src/importer/segmenter.ts'
import { wordTokenizer } from '../fakes/word-tokenizer.ts'

const anyTrajectory = fc
  .array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', 'word ', '😀', '\ud83d', 'x'.repeat(50), '  \n')),
    {
      maxLength: 80,
    },
  )
  .map((parts) => parts.join(''))

function segmentsOf(text: string, budget: number): Segment[] {
  const segments: Segment[] = []
  for (let last: Segment | null = null; ; ) {
    last = nextSegment(text, last, budget, wordTokenizer)
    if (last === null) return segments
    segments.push(last)
  }
}

test('cuts lose nothing, never exceed the budget, and split no surrogate pair', () => {
  fc.assert(
    fc.property(anyTrajectory, fc.integer({ min: 8, max: 64 }), (text, budget) => {
      const segments = segmentsOf(text, budget)
      expect(segments.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
      for (const [index, { start, end, tokens, ...segment }] of segments.entries()) {
        expect(segment.index).toBe(index)
        expect(end).toBeGreaterThan(start)
        expect(tokens).toBe(wordTokenizer.count(text.slice(start, end)))
        expect(tokens).toBeLessThanOrEqual(budget)
        expect(/[\ud800-\udbff]$/.test(text.slice(start, end)) && /^[\udc00-\udfff]/.test(text.slice(end))).toBe(false)
      }
    }),
  )
})

test('a resumed import cuts as the interrupted one would have', () => {
  fc.assert(
    fc.property(anyTrajectory, fc.integer({ min: 8, max: 64 }), (text, budget) => {
      const segments = segmentsOf(text, budget)
      for (const [index, segment] of segments.entries())
        expect(nextSegment(text, segments[index - 1] ?? null, budget, wordTokenizer)).toEqual(segment)
    }),
  )
})

test('a cut falls behind a line end when there is one in the latter half', () => {
  const text = `${'a '.repeat(30)}\n`.repeat(40)
  const segments = segmentsOf(text, 100)
  expect(segments.length).toBeGreaterThan(1)
  for (const { end } of segments) expect(text[end - 1]).toBe('\n')
})

test('a budget that one character exceeds is refused', () => {
  const greedy = { id: 'greedy', engine: 'js' as const, isByteLevel: false, count: (text: string) => text.length * 5 }
  expect(() => nextSegment('abc', null, 4, greedy)).toThrow(expect.objectContaining({ code: 'budget_too_small' }))
})
