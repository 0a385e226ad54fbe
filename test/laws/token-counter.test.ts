/** The kernel, the library and the plainest counter agree, whatever the tokenizer and the text. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { bpeOf, kernelCount } from '../fakes/kernel-counter.ts'
import { NASTY_KINDS, nastyTexts } from '../fakes/nasty-texts.ts'
import { plainTokenCounter } from '../fakes/plain-token-counter.ts'
import {
  byteLetters,
  libraryCount,
  PATTERNS,
  type PatternName,
  preTokenizer,
  smallTokenizer,
} from '../fakes/tokenizer-json.ts'

const RUNS = 400
/** More than is counted at once. */
const LONG_UNITS = 70_000
const LONG_RUNS = 40
/** A few seconds alone, several times that beside other work. */
const TIMEOUT_MS = 60_000

const ADDED = ['<|a|>', '<|', '|>', '<|a|><|b|>', "'s", 'é', '文字', '\n\n', ' ']
const PARTS = [
  ...[
    "'",
    's',
    "'S",
    "'ll",
    'a',
    'B',
    'ab',
    'ABa',
    'é',
    'e\u0301',
    '\u0301',
    '文',
    '文字',
    '한',
    'ǅ',
    'ſ',
    '\u093f',
    '🙂',
  ],
  ...['1', '23', '٣', ' ', '  ', '\n', '\r\n', '\t', '/', '-', '--', '.', '\0', '\u0085', '\u3000', '\ufeff', '\ud800'],
  ...['<|', 'a|>', '<|a|>', 'ab'.repeat(12), '-'.repeat(40), '文'.repeat(30), ' '.repeat(9), 'aB'.repeat(90)],
]
const anyText = fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((parts) => parts.join(''))

/** Each merges what is there by then: bytes of what the texts hold, and what was made of them. */
const anyMerges = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60 }).map((choices) => {
  const tokens = [...new Set(byteLetters(PARTS.join('')))]
  const merges = new Map<string, readonly [string, string]>()
  for (const [first, second] of choices) {
    const [left = '', right = ''] = [tokens[first % tokens.length], tokens[second % tokens.length]]
    if (merges.has(`${left} ${right}`) || left.length + right.length > 40) continue
    merges.set(`${left} ${right}`, [left, right])
    // What was made is chosen again more often, so that merges build upon each other.
    for (let times = 0; times < 4; times += 1) tokens.push(left + right)
  }
  return [...merges.values()]
})

const anyTokenizer = fc
  .record({
    pattern: fc.constantFrom(...(Object.keys(PATTERNS) as PatternName[])),
    merges: anyMerges,
    added: fc.subarray(ADDED),
    isNormalized: fc.boolean(),
    wholes: fc.option(fc.subarray(['ab', 'ABa', ' ab', '文字', '--', "'ll", '\n\n', ' '.repeat(9)])),
  })
  .map(({ pattern, merges, added, isNormalized, wholes }) => {
    const json = smallTokenizer(merges, {})
    const vocab: Record<string, number> = { ...json.model.vocab }
    for (const whole of wholes ?? []) vocab[byteLetters(whole).join('')] ??= Object.keys(vocab).length
    return {
      regex: PATTERNS[pattern],
      json: {
        ...json,
        pre_tokenizer: preTokenizer(pattern),
        added_tokens: added.map((content, at) => ({ id: 5_000 + at, content, special: true, normalized: false })),
        normalizer: isNormalized ? ({ type: 'NFC' } as const) : null,
        model: { ...json.model, vocab, ignore_merges: wholes !== null },
      },
    }
  })

test(
  'by any tokenizer any text counts the same, the first time and again',
  () => {
    fc.assert(
      fc.property(anyTokenizer, fc.array(anyText, { minLength: 1, maxLength: 12 }), ({ json, regex }, texts) => {
        const expected = texts.map(plainTokenCounter(json, regex))
        const count = kernelCount(bpeOf(json))
        expect(texts.map(count)).toEqual(expected)
        expect(texts.map(count)).toEqual(expected)
        expect(texts.map(libraryCount(json))).toEqual(expected)
      }),
      { numRuns: RUNS },
    )
  },
  TIMEOUT_MS,
)

test(
  'so does a text that is counted in several windows',
  () => {
    const anyLines = fc.array(fc.oneof(anyText, fc.constantFrom('\n', 'x\n', '\n\nx')), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(anyTokenizer, anyLines, ({ json, regex }, lines) => {
        const part = `${lines.join('')}.`
        const text = part.repeat(Math.ceil(LONG_UNITS / part.length))
        expect(kernelCount(bpeOf(json))(text)).toBe(plainTokenCounter(json, regex)(text))
      }),
      { numRuns: LONG_RUNS },
    )
  },
  TIMEOUT_MS,
)

test.each(Object.keys(PATTERNS) as PatternName[])(
  'by the pattern of %s every nasty text counts the same',
  (pattern) => {
    const merges = ["' s", 'a b', 'Ġ a', 'ab ab', 'Ċ Ċ', 'à Ń', '- -', '-- --', 'Ġ Ġ', 'e Ì', 'ð Ł'].map(
      (pair) => pair.split(' ') as [string, string],
    )
    const json = smallTokenizer(merges, { pre_tokenizer: preTokenizer(pattern) })
    const [count, plain] = [
      kernelCount(bpeOf(json)),
      plainTokenCounter({ ...json, normalizer: null }, PATTERNS[pattern]),
    ]
    const wrong = NASTY_KINDS.flatMap((kind) => nastyTexts(kind, 500)).filter((text) => count(text) !== plain(text))
    expect(wrong).toEqual([])
  },
  TIMEOUT_MS,
)
