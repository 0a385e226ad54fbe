/** The kernel counts what the library counts: every grammar, every length of a piece, every way to cut a text. */
import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ByteLevelBpe } from '../../src/adapters/byte-level-bpe.ts'
import { bpeOf, kernelCount, kernelMemory } from '../fakes/kernel-counter.ts'
import { symbolsLeft } from '../fakes/plain-token-counter.ts'
import {
  libraryCount,
  PATTERNS,
  type PatternName,
  preTokenizer,
  qwen3With,
  smallTokenizer,
} from '../fakes/tokenizer-json.ts'

const RUNS = 3_000
/** Some seconds alone, several times that beside other work. */
const TIMEOUT_MS = 60_000

/** What rules turn on, and what has broken others. */
const NASTY = [
  ...[
    "'",
    "'s",
    "'S",
    "'ll",
    "'RE",
    "'ve",
    'ſ',
    "'ſ",
    ' ',
    '  ',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '/',
    '//',
    '-',
    '.',
    '_',
    '==',
  ],
  ...[
    'a',
    'B',
    'word',
    'Hello',
    'AB',
    'Ab',
    'aB',
    '1',
    '23',
    '٣',
    '①',
    'Ⅷ',
    '文',
    '字',
    'é',
    'e\u0301',
    '\u0301',
    'ß',
    'İ',
  ],
  ...[
    'ǅ',
    'ʰ',
    'ª',
    'क',
    '\u093f',
    '한',
    '각',
    '\u1161',
    '\u11ab',
    '\u00a0',
    '\u0085',
    '\u2028',
    '\u3000',
    '\ufeff',
    '\u200d',
  ],
  ...[
    '😀',
    '👩‍👩‍👧',
    '\0',
    '\ud800',
    '\udc00',
    '<|im_start|>',
    '<|endoftext|>',
    '<|im_',
    '<',
    '<think>',
    '\u0338',
    'Å',
    '\u212b',
  ],
  ...['x'.repeat(40), ' '.repeat(20), '-'.repeat(70), 'ab'.repeat(150)],
]
const nasty = fc.array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...NASTY) }, fc.string({ unit: 'binary' })), {
  maxLength: 14,
})
const anyText = nasty.map((parts) => parts.join(''))

describe.each(Object.keys(PATTERNS) as PatternName[])('by the pattern of %s', (name) => {
  test.each([
    ['as it is', {}],
    ['without a normalizer', { normalizer: null }],
  ])(
    '%s every text counts what the library counts',
    async (_, changes) => {
      const json = await qwen3With(name, changes)
      const count = kernelCount(bpeOf(json))
      const expected = libraryCount(json)
      fc.assert(
        fc.property(anyText, (text) => {
          expect(count(text)).toBe(expected(text))
        }),
        { numRuns: RUNS },
      )
    },
    TIMEOUT_MS,
  )
})

describe('of the built-in tokenizer', () => {
  let bpe: ByteLevelBpe
  let count: (text: string) => number
  beforeAll(async () => {
    bpe = bpeOf(await qwen3With('qwen3'))
    count = kernelCount(bpe)
  })

  test.each([1, 2, 3, 7, 16, 61])(
    'a count does not depend on what is counted at once: %d bytes',
    (inputBytes) => {
      const text = fc.array(anyText, { maxLength: 6 }).map((parts) => parts.join(''))
      fc.assert(
        fc.property(text, (whole) => {
          expect(kernelCount(bpe, { inputBytes })(whole)).toBe(count(whole))
        }),
        { numRuns: 25 },
      )
    },
    TIMEOUT_MS,
  )

  test('nor on what was counted before', () => {
    const texts = fc.array(anyText, { minLength: 1, maxLength: 40 })
    const fresh = kernelCount(bpe)
    fc.assert(
      fc.property(texts, (all) => {
        const first = all.map(count)
        expect(all.toReversed().map(count).toReversed()).toEqual(first)
        expect(all.map(fresh)).toEqual(first)
      }),
      { numRuns: 100 },
    )
  })

  test('bytes that are no UTF-8 lead nowhere, whatever lies behind them', () => {
    const memory = kernelMemory(bpe, 4096)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.boolean(), (bytes, isWhole) => {
        const counted = (behind: number) => {
          memory.input().fill(behind)
          memory.input().set(bytes)
          return memory.count(bytes.length, { isWholeText: isWhole, hasAdded: true })
        }
        const found = counted(0)
        expect(found.used).toBeLessThanOrEqual(bytes.length)
        expect(found.tokens).toBeLessThanOrEqual(found.used)
        expect(counted(0xe3)).toEqual(found)
        expect(counted(0x61)).toEqual(found)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('merges', () => {
  const plainBpe = (text: string, merges: readonly (readonly [string, string])[]) =>
    symbolsLeft(text.split(''), new Map(merges.map((pair, rank) => [pair.join(' '), rank])))

  /** Each merges what is there by then; several may make the same token. */
  const anyMerges = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 40 }).map((choices) => {
    const tokens = ['a', 'b', 'c']
    const merges = new Map<string, readonly [string, string]>()
    for (const [first, second] of choices) {
      const pair = [tokens[first % tokens.length] ?? 'a', tokens[second % tokens.length] ?? 'a'] as const
      if (merges.has(pair.join(' ')) || pair.join('').length > 60) continue
      merges.set(pair.join(' '), pair)
      if (!tokens.includes(pair.join(''))) tokens.push(pair.join(''))
    }
    return [...merges.values()]
  })

  test.each([
    [2, 32],
    [33, 256],
    [257, 600],
  ])(
    'of a piece of %d to %d bytes are done in the order of their ranks',
    (minLength, maxLength) => {
      const word = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength, maxLength }).map((letters) => letters.join(''))
      fc.assert(
        fc.property(anyMerges, fc.array(word, { minLength: 1, maxLength: 5 }), (merges, words) => {
          const count = kernelCount(bpeOf(smallTokenizer(merges)))
          for (const one of [...words, ...words]) expect(count(one)).toBe(plainBpe(one, merges))
        }),
        { numRuns: 40 },
      )
    },
    TIMEOUT_MS,
  )

  test('do not count for a whole piece that is a token where the file says so', () => {
    const merges = [['a', 'b']] as const
    const model = { type: 'BPE', vocab: { ...smallTokenizer(merges).model.vocab, abc: 900, cab: 901 }, merges }
    const count = kernelCount(bpeOf(smallTokenizer(merges, { model: { ...model, ignore_merges: true } })))
    expect(['abc', 'cab', 'bca', 'abcabc'].map(count)).toEqual([1, 1, 3, 4])
    const merging = kernelCount(bpeOf(smallTokenizer(merges, { model })))
    expect(['abc', 'cab'].map(merging)).toEqual([2, 2])
  })
})

test('of added tokens the longest that begins first is one token, before anything is normalized', () => {
  const added = ['<a>', '<a><b>', 'é', '\n\n'].map((content, id) => ({ id: 900 + id, content, normalized: false }))
  const json = smallTokenizer([], { added_tokens: added, normalizer: { type: 'NFC' } })
  const [count, expected] = [kernelCount(bpeOf(json)), libraryCount(json)]
  const parts = fc.constantFrom('<a>', '<b>', '<', 'a', '>', 'é', 'e\u0301', '\u0301', '\n', '\n\n', 'x ')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (chosen) => {
      expect(count(chosen.join(''))).toBe(expected(chosen.join('')))
    }),
    { numRuns: 2_000 },
  )
})

/** Of more than is counted at once; counts of parts do not add up where that ends. */
test.each([
  ['a line end of several in the pattern of GPT-2', 'gpt2', [], `e\u0301${'\n\nx'.repeat(80_000)}`],
  ['an added token that NFC makes of other letters', 'qwen3', ['é'], `${'a\n'.repeat(98_303)}\ne\u0301`],
] as const)('a text is cut at no %s', (_, pattern, contents, text) => {
  const added = contents.map((content, at) => ({ id: 900 + at, content, normalized: false, special: true }))
  const merges = [['Ċ', 'Ċ']] as const
  const normalizer = { type: 'NFC' }
  const json = smallTokenizer(merges, { pre_tokenizer: preTokenizer(pattern), normalizer, added_tokens: added })
  expect(kernelCount(bpeOf(json))(text)).toBe(libraryCount(json)(text))
})

test('a piece for which no memory is large enough is refused', () => {
  const memory = kernelMemory(bpeOf(smallTokenizer([])), 4096)
  const growing = () => {
    for (;;) memory.grow(2 ** 32)
  }
  expect(growing).toThrow(expect.objectContaining({ code: 'file_too_large' }))
  const text = 'some words, again and again. '.repeat(100)
  memory.input().set(new TextEncoder().encode(text))
  expect(memory.count(text.length, { isWholeText: true, hasAdded: true }).tokens).toBe(
    libraryCount(smallTokenizer([]))(text),
  )
})

/** What a mark that follows does to a piece shows only when what is counted at once ends before it. */
test('a text is cut nowhere in a contraction whose last letter NFC changes', () => {
  const merges = ['l l', "' ll", 'r e', "' re", 'v e', "' ve", "' s", "' D"].map((pair) => pair.split(' '))
  const json = smallTokenizer(merges as [string, string][], {
    pre_tokenizer: preTokenizer('qwen3'),
    normalizer: { type: 'NFC' },
  })
  const [bpe, expected] = [bpeOf(json), libraryCount(json)]
  for (const contraction of ["'ll", "'re", "'ve", "'s", "'D"])
    for (const mark of ['\u0323', '\u0301', '\u0300']) {
      const text = `. x${contraction}${mark}b c`
      for (let bytes = 1; bytes <= Buffer.byteLength(text) + 1; bytes += 1)
        expect([text, bytes, kernelCount(bpe, { inputBytes: bytes * 3 })(text)]).toEqual([text, bytes, expected(text)])
    }
  const long = `${'. '.repeat(32_766)}x'll\u0323b c`
  expect(kernelCount(bpe)(long)).toBe(expected(long))
})
