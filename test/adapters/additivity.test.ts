/** Counts add up at safe cuts: under every known pattern, by the kernel and by the library that is its reference. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countByParts, countsAddUp } from '../../src/adapters/additivity.ts'
import { nextSafeCut } from '../../src/model/safe-cut.ts'
import { bpeOf, kernelCount } from '../fakes/kernel-counter.ts'
import {
  libraryCount,
  PATTERNS,
  type PatternName,
  preTokenizer,
  smallTokenizer,
  type TokenizerJson,
} from '../fakes/tokenizer-json.ts'

/** Letters of bytes: U+0120 is the space, U+010A LF, U+010D CR. A piece that ends elsewhere counts otherwise. */
const MERGES = [
  ...['ĊĊ', 'ĠĠ', 'čĊ', 'ĠĊ', 'ĊĠ', 'Ġa', 'Ġb', 'aa', 'ab', 'ba', 'bb', 'Ċa', 'aĊ', 'Ċ/', '/Ċ', './', "'s", '11', '--'],
  ...[
    '-Ċ',
    'Ċ-',
    'aĠ',
    'ĠB',
    'Ba',
    'aB',
    'Ċ1',
    '1Ċ',
    '1Ġ',
    'Ġ1',
    'Ġ-',
    '-Ġ',
    '.Ċ',
    'a"',
    '"a',
    '",',
    '1,',
    ',1',
    '/a',
    '//',
    '>Ċ',
    'Ċ<',
    '<a',
    'a>',
  ],
].map((pair): readonly [string, string] => [pair.slice(0, 1), pair.slice(1)])

const NASTY = [
  ...[
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    ' ',
    '  ',
    '\t',
    '\u0085',
    '\ufeff',
    '\u2028',
    '\u00a0',
    '/',
    '//',
    '.',
    '-',
    '--',
    "'s",
  ],
  ...[
    'a',
    'b',
    'B',
    'aB',
    'ab',
    ' a',
    ' b',
    ' B',
    '1',
    '11',
    '文',
    'あ',
    'が',
    'か\u3099',
    'é',
    'e\u0301',
    '\u0301',
    '😀',
  ],
  ...['<a>', '<', 'a>', '"', '","', ',', '<aé>', '<ae\u0301>', '\ud83d', 'K', '\u212a', '<K>', '<\u212a>'],
]
const text = fc.array(fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...NASTY) }, fc.string({ unit: 'binary' })), {
  minLength: 4,
  maxLength: 24,
  size: 'max',
})

function tokenizer(pattern: PatternName, added: readonly string[] = []): TokenizerJson {
  const added_tokens = added.map((content, at) => ({ id: 1000 + at, content, special: true, normalized: false }))
  return smallTokenizer(MERGES, { pre_tokenizer: preTokenizer(pattern), normalizer: { type: 'NFC' }, added_tokens })
}

function* safeCuts(text: string): Generator<number> {
  for (let from = 1; from < text.length; ) {
    const cut = nextSafeCut(text, from, text.length)
    if (cut === null) return
    yield cut
    from = cut + 1
  }
}

describe.each(Object.keys(PATTERNS) as PatternName[])('the pattern %s', (pattern) => {
  const json = tokenizer(pattern, ['<a>'])
  test.each([
    ['kernel', kernelCount(bpeOf(json)), 4_000],
    ['library', libraryCount(json), 1_500],
  ] as const)('makes counts that add up at every safe cut, by the %s', (_, count, numRuns) => {
    expect(countsAddUp(bpeOf(json))).toBe(true)
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join('')
        for (const cut of safeCuts(whole))
          expect(`${count(whole.slice(0, cut)) + count(whole.slice(cut))} at ${cut}`).toBe(`${count(whole)} at ${cut}`)
      }),
      { numRuns },
    )
  })

  test('counts the same by parts of any length', () => {
    const count = libraryCount(json)
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 6 }), (parts, partUnits) => {
        const whole = parts.join('')
        const counted: string[] = []
        const tokens = countByParts(whole, (part) => counted.push(part) && count(part), partUnits)
        expect(counted.join('')).toBe(whole)
        expect(tokens).toBe(count(whole))
      }),
      { numRuns: 400 },
    )
  })
})

test.each([
  ['line ends', ['<a\nb>'], false],
  ['spaces', ['a b'], false],
  ['commas', ['a,b'], false],
  ['quotation marks', ['a"'], false],
  ['letters that NFC may put together', ['<aé>'], false],
  ['a letter that NFC makes of another', ['<K>'], false],
  ['neither', ['<|end|>', '[INST]'], true],
])('of added tokens with %s', (_, added, isSo) => {
  expect(countsAddUp(bpeOf(tokenizer('qwen3', added)))).toBe(isSo)
})

test('a cut beside an added token that is spelled otherwise changes its count', () => {
  const count = libraryCount(tokenizer('qwen3', ['<aé>']))
  const [before, behind] = ['a\n', '<ae\u0301>']
  expect(count(before) + count(behind)).toBeLessThan(count(before + behind))
})

describe('the next safe cut', () => {
  test.each([
    ['a\nb', 1, 2],
    ['one two', 1, 3],
    ['1 a', 1, 1],
    ['{"a":1,"b":2}', 1, 3],
    ['{"a":1,"b":2}', 4, 6],
    ["it's,", 1, 4],
    ['。\n文', 1, 2],
    ['a\n\nb', 1, null],
    ['a\r\nb', 1, null],
    ['a\n/b', 1, null],
    ['a\n b', 1, null],
    ['a  b', 1, null],
    ['a 1', 1, null],
    ['one two six', 4, 7],
    ['one\ntwo', 4, 4],
    ['one\ntwo', 5, null],
  ])('of %j from %d on is %p', (text, from, cut) => {
    expect(nextSafeCut(text, from, text.length)).toBe(cut)
  })

  test('lies before the limit', () => {
    expect(nextSafeCut('one two', 1, 4)).toBeNull()
    expect(nextSafeCut('one two', 1, 5)).toBe(3)
  })
})
