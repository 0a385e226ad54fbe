import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { nextSegment, type Segment } from '../../src/importer/segmenter.ts'
import type { Tokenizer } from '../../src/ports.ts'
import { wordTokenizer } from '../fakes/word-tokenizer.ts'

const PARTS = [
  '\n',
  'word ',
  'two words',
  ' and',
  '😀',
  '\ud83d',
  'x'.repeat(50),
  '  \n',
  'end.\n{"a": 1}',
  '文'.repeat(9),
]
const anyTrajectory = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...PARTS)), { maxLength: 80, size: 'max' })
  .map((parts) => parts.join(''))
const anyBudget = fc.integer({ min: 8, max: 64 })

const unsureTokenizer: Tokenizer = { ...wordTokenizer, addsUp: false }
/** Its counts neither add up nor grow with the text: what it sees alone is no sign of what it will see. */
const moodyTokenizer: Tokenizer = {
  ...unsureTokenizer,
  count: (text) => wordTokenizer.count(text) % 23 || Math.min(8, text.length),
}

/** Of up to 64 equal characters it makes one token, as vocabularies do of spaces and rules. */
const runTokenizer: Tokenizer = {
  ...unsureTokenizer,
  count: (text) => [...text.matchAll(/(.)\1{0,63}/gs)].length,
}

function segmentsOf(text: string, budget: number, tokenizer: Tokenizer): Segment[] {
  const segments: Segment[] = []
  for (let last: Segment | null = null; ; ) {
    last = nextSegment(text, last, budget, tokenizer)
    if (last === null) return segments
    segments.push(last)
  }
}

describe.each([
  ['whose counts add up', wordTokenizer],
  ['whose counts may not', unsureTokenizer],
  ['that makes one token of a run', runTokenizer],
  ['that counts as it likes', moodyTokenizer],
])('by a tokenizer %s', (_, tokenizer) => {
  test('cuts lose nothing, never exceed the budget, and split no surrogate pair', () => {
    fc.assert(
      fc.property(anyTrajectory, anyBudget, (text, budget) => {
        const segments = segmentsOf(text, budget, tokenizer)
        expect(segments.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
        for (const [index, { start, end, tokens, ...segment }] of segments.entries()) {
          expect(segment.index).toBe(index)
          expect(end).toBeGreaterThan(start)
          expect(tokens).toBe(tokenizer.count(text.slice(start, end)))
          expect(tokens).toBeLessThanOrEqual(budget)
          expect(/[\ud800-\udbff]$/.test(text.slice(start, end)) && /^[\udc00-\udfff]/.test(text.slice(end))).toBe(
            false,
          )
        }
      }),
    )
  })

  test('a resumed import cuts as the interrupted one would have', () => {
    fc.assert(
      fc.property(anyTrajectory, anyBudget, (text, budget) => {
        const segments = segmentsOf(text, budget, tokenizer)
        for (const [index, segment] of segments.entries())
          expect(nextSegment(text, segments[index - 1] ?? null, budget, tokenizer)).toEqual(segment)
      }),
    )
  })
})

test.each([
  ['whose counts add up', wordTokenizer],
  ['whose counts may not', unsureTokenizer],
])('by a tokenizer %s a cut falls behind a line end when there is one in the latter half', (_, tokenizer) => {
  const text = `${'a '.repeat(30)}\n`.repeat(40)
  const segments = segmentsOf(text, 100, tokenizer)
  expect(segments.length).toBeGreaterThan(1)
  for (const { end } of segments) expect(text[end - 1]).toBe('\n')
})

/** Prose, then eight times as many tokens a character, and again. */
const UNEVEN = `${'plenty of longer words of several letters each\n'.repeat(40)}${'a b c d e f g h i j k l m n o p\n'.repeat(40)}`

test('segments are filled although the text becomes denser all at once', () => {
  const segments = segmentsOf(UNEVEN.repeat(5), 200, wordTokenizer)
  // 200 less what is aimed below it, and less a line.
  for (const { tokens } of segments.slice(0, -1)) expect(tokens).toBeGreaterThanOrEqual(200 * 0.95 - 16)
})

/** Counts the units it is given. */
function watched(tokenizer: Tokenizer) {
  const seen = { units: 0 }
  const count = (text: string) => {
    seen.units += text.length
    return tokenizer.count(text)
  }
  return { seen, tokenizer: { ...tokenizer, count } }
}

describe('runs of one character', () => {
  // 1,000 tokens; a sixteenth of each budget is one token too, so that a run looks far denser than it is.
  const run = ' '.repeat(64_000)

  test.each([20, 50, 100, 300, 1_000])('fill segments of %i tokens', (budget) => {
    const { seen, tokenizer } = watched(runTokenizer)
    const segments = segmentsOf(run, budget, tokenizer)
    for (const { tokens } of segments.slice(0, -1)) expect(tokens).toBeGreaterThanOrEqual(0.9 * budget)
    expect(seen.units).toBeLessThan(3 * run.length)
  })

  test('between words fill them too, at a cost that grows as the text does', () => {
    const text = `${' '.repeat(6_400)}${'words of several kinds and so on '.repeat(30)}`
    const [once, four] = [20, 80].map((times) => {
      const { seen, tokenizer } = watched(runTokenizer)
      const segments = segmentsOf(text.repeat(times), 100, tokenizer)
      const tokens = segments.reduce((sum, segment) => sum + segment.tokens, 0)
      expect(tokens / segments.length).toBeGreaterThan(85)
      return seen.units
    })
    expect(four).toBeLessThan(4.4 * (once ?? 0))
  })
})

test('a text whose counts add up is counted hardly more than once, in pieces much smaller than a segment', () => {
  const text = UNEVEN.repeat(200)
  const lengths: number[] = []
  const counting: Tokenizer = {
    ...wordTokenizer,
    count(part) {
      lengths.push(part.length)
      return wordTokenizer.count(part)
    },
  }
  const segments = segmentsOf(text, 4_000, counting)
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(1.1 * text.length)
  expect(Math.max(...lengths)).toBeLessThan(text.length / segments.length / 10)
})

test('what fits into one segment is one', () => {
  const text = 'word '.repeat(99)
  expect(segmentsOf(text, 100, wordTokenizer)).toEqual([{ index: 0, start: 0, end: text.length, tokens: 99 }])
})

test('a budget that one character exceeds is refused', () => {
  for (const addsUp of [true, false]) {
    const greedy = { ...wordTokenizer, addsUp, count: (text: string) => text.length * 5 }
    expect(() => nextSegment('abc', null, 4, greedy)).toThrow(expect.objectContaining({ code: 'budget_too_small' }))
    expect(segmentsOf('abc', 5, greedy)).toHaveLength(3)
  }
})
