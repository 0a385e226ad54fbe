import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { jsonFault } from '../../src/model/json-grammar.ts'

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const jsonLike = fc.oneof(
  fc.json(),
  fc
    .json()
    .chain((text) => fc.integer({ min: 0, max: text.length }).map((at) => text.slice(0, at) + text.slice(at + 1))),
  fc
    .array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        'a',
        '\\',
        '\\u12',
        '1',
        '-',
        '.',
        'e5',
        'true',
        'null',
        ' ',
        '\n',
        '0',
      ),
    )
    .map((parts) => parts.join('')),
)

test('says yes to exactly what JSON.parse takes', () => {
  fc.assert(
    fc.property(jsonLike, (text) => {
      expect(jsonFault(text) === -1).toBe(parses(text))
    }),
    { numRuns: 2_000 },
  )
})

test('points at a place before which the text could still have become JSON', () => {
  fc.assert(
    fc.property(jsonLike, (text) => {
      const fault = jsonFault(text)
      if (fault === -1) return
      // Cut there, the same text fails at its end or not at all: the fault is not earlier.
      const earlier = jsonFault(text.slice(0, fault))
      expect(earlier === -1 || earlier === fault).toBe(true)
    }),
  )
})

describe('is not shaken by', () => {
  test.each([
    ['a million open arrays', '['.repeat(1_000_000), 1_000_000],
    ['numbers of any size', '[1e400,-1e-400,123456789012345678901234567890]', -1],
    ['repeated and hostile keys', '{"a":1,"a":2,"__proto__":{},"constructor":0}', -1],
    ['lone surrogate escapes', '"\\ud800"', -1],
    ['deep and whole', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, -1],
  ])('%s', (_, text, fault) => {
    expect(jsonFault(text)).toBe(fault)
  })
})
