/** What makes the kernel faster changes no count: windows of ASCII, characters taken whole, counts remembered. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BYTE_LETTERS, type ByteLevelBpe } from '../../src/adapters/byte-level-bpe.ts'
import type { Speedup } from '../../src/adapters/token-memory.ts'
import { bpeOf, kernelCount } from '../fakes/kernel-counter.ts'
import {
  byteLetters,
  libraryCount,
  type PatternName,
  preTokenizer,
  qwen3With,
  smallTokenizer,
} from '../fakes/tokenizer-json.ts'

const TIMEOUT_MS = 60_000
const SPEEDUPS: readonly Speedup[] = ['windows', 'folds', 'caches']

/** Of each kind that the pattern tells apart, and of contractions. */
const ASCII = ['a', 'S', 'll', "'", "'re", '7', '42', ' ', '  ', '\t', '\n', '\r\n', '\v', '.', '--', '/', '\x1f']
/** A character outside ASCII ends what is certain of a window. */
const WIDE = ['é', '文', '\u00a0', '👍', 'ſ', '\u0301', '\u0085']
/** Text that a window is sure of. */
const ORDINARY = ' in some other words, of which there are more than a window has'

/** By the pattern; any two characters of a piece are one token, so that a count shows where pieces begin. */
function pairing(name: PatternName): ByteLevelBpe {
  const letters = [...new Set(ASCII.flatMap(byteLetters))]
  const merges = letters.flatMap((left) => letters.map((right): [string, string] => [left, right]))
  return bpeOf(smallTokenizer(merges, { pre_tokenizer: preTokenizer(name) }))
}

describe.each(['qwen3', 'llama3', 'marks'] as PatternName[])('windows of the pattern of %s', (name) => {
  test(
    'begin pieces where the walker does, whatever four parts follow each other',
    () => {
      const bpe = pairing(name)
      const [count, walk] = [kernelCount(bpe), kernelCount(bpe, { without: ['windows'] })]
      const pairs = ASCII.flatMap((first) => ASCII.map((second) => first + second))
      for (const first of pairs)
        for (const second of pairs) {
          const text = `${first}${second}${ORDINARY}`
          if (count(text) !== walk(text)) expect([text, count(text)]).toEqual([text, walk(text)])
        }
    },
    TIMEOUT_MS,
  )

  test(
    'do so at every place of a window',
    () => {
      const bpe = pairing(name)
      const [count, walk] = [kernelCount(bpe), kernelCount(bpe, { without: SPEEDUPS })]
      const part = fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...ASCII) },
        { weight: 1, arbitrary: fc.constantFrom(...WIDE) },
        { weight: 1, arbitrary: fc.constantFrom('x'.repeat(70), ' '.repeat(70), '\n'.repeat(66), '8'.repeat(67)) },
      )
      const texts = fc.array(part, { minLength: 30, maxLength: 120 }).map((parts) => parts.join(''))
      fc.assert(
        fc.property(texts, fc.nat(63), (text, shift) => {
          const shifted = `${'x'.repeat(shift)} ${text}`
          expect(count(shifted)).toBe(walk(shifted))
        }),
        { numRuns: 4_000 },
      )
    },
    TIMEOUT_MS,
  )
})

describe('characters taken as one symbol', () => {
  const LETTERS = ['中', '丬', '文', 'é', 'è', 'ж', '한', 'a', ' ', '，', '👍']

  /** As they are learned: each of two neighbours in a text, so that some take bytes from two characters. */
  function learnedMerges(text: string, choices: readonly number[]): [string, string][] {
    let symbols = byteLetters(text)
    const merges: [string, string][] = []
    for (const choice of choices) {
      if (symbols.length < 2) break
      const place = choice % (symbols.length - 1)
      const [left = '', right = ''] = symbols.slice(place, place + 2)
      merges.push([left, right])
      const merged: string[] = []
      for (let at = 0; at < symbols.length; at += 1) {
        const isPair = symbols[at] === left && symbols[at + 1] === right
        merged.push(isPair ? left + right : (symbols[at] ?? ''))
        if (isPair) at += 1
      }
      symbols = merged
    }
    return merges
  }

  /** Of few letters, so that their bytes are merged in many ways, and texts have what the merges were learned from. */
  const samples = fc.shuffledSubarray(LETTERS, { minLength: 1, maxLength: 3 }).chain((letters) => {
    const word = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 10 }).map((parts) => parts.join(''))
    return fc.record({
      text: word,
      choices: fc.array(fc.nat(), { minLength: 3, maxLength: 15, size: 'max' }),
      order: fc.option(fc.array(fc.nat(), { minLength: 15, maxLength: 15 }), { nil: null, freq: 3 }),
      texts: fc.array(word, { minLength: 8, maxLength: 8 }),
    })
  })

  test.each([['qwen3'], ['gpt2']] as const)(
    'merge as their bytes do, by the pattern of %s',
    (name) => {
      fc.assert(
        fc.property(samples, ({ text, choices, order, texts }) => {
          const learned = learnedMerges(text, choices)
          // In any order: what is merged late may be needed early.
          const places = new Map(learned.map((merge, rank) => [merge, order?.[rank] ?? rank]))
          const merges = learned.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
          const json = smallTokenizer(merges, { pre_tokenizer: preTokenizer(name) })
          const bpe = bpeOf(json)
          // Of small memory, which is made anew each time.
          const count = kernelCount(bpe, { inputBytes: 4096 })
          const plain = kernelCount(bpe, { inputBytes: 4096, without: SPEEDUPS })
          const expected = libraryCount(json)
          for (const one of [text, ...texts]) {
            expect(count(one)).toBe(expected(one))
            expect(plain(one)).toBe(expected(one))
          }
        }),
        { numRuns: 100 },
      )
    },
    TIMEOUT_MS,
  )

  /** One of each case in which they have to begin as bytes. */
  test.each([
    ['wait for what comes late', '中中', ['e4b8 ad', 'ad e4', 'e4 b8'], 4],
    ['lose a byte to what comes late', '👍中', ['918d e4', '91 8d', 'e4 b8', 'e4b8 ad'], 5],
    ['of two bytes lose the first one', '中é', ['ad c3', 'c3 a9', 'b8 adc3'], 3],
    ['of two bytes lose the last one', 'é中', ['a9 e4', 'c3 a9', 'a9e4 b8'], 3],
    ['lose the last one before two are merged', '中é', ['ad c3', 'b8 ad', 'e4 b8ad'], 4],
    ['lose the first one when the others are merged', 'é中', ['b8 ad', 'a9 e4', 'e4 b8ad', 'a9e4 b8ad'], 2],
    ['lose the last one when the others are merged', '中é', ['e4 b8', 'ad c3', 'e4b8 ad', 'adc3 a9'], 2],
    ['lose a byte to a letter of ASCII behind it', '中a', ['ad 61', 'b8 ad', 'e4 b8ad'], 3],
    ['lose a byte to a letter of ASCII before it', 'a中', ['61 e4', 'e4 b8', 'e4b8 ad'], 3],
    [
      'come later than a merge with what is behind',
      '中éé',
      ['c3 a9', 'e4b8ad c3a9', 'c3a9 c3a9', 'e4 b8', 'e4b8 ad', 'e4b8ad c3a9c3a9'],
      1,
    ],
    [
      'come later than a merge with what is before',
      'éé中',
      ['c3 a9', 'c3a9 e4b8ad', 'c3a9 c3a9', 'e4 b8', 'e4b8 ad', 'c3a9c3a9 e4b8ad'],
      1,
    ],
  ])('may %s', (_, text, pairs, tokens) => {
    const symbol = (hex = '') => Array.from(Buffer.from(hex, 'hex'), (byte) => BYTE_LETTERS[byte]).join('')
    const merges = pairs.map((pair): [string, string] => {
      const [left, right] = pair.split(' ')
      return [symbol(left), symbol(right)]
    })
    const json = smallTokenizer(merges, { pre_tokenizer: preTokenizer('qwen3') })
    expect(libraryCount(json)(text)).toBe(tokens)
    expect(kernelCount(bpeOf(json))(text)).toBe(tokens)
  })

  test('are those of whole languages in the built-in tokenizer, and no count changes', async () => {
    const bpe = bpeOf(await qwen3With('qwen3'))
    const [count, plain] = [kernelCount(bpe), kernelCount(bpe, { without: ['folds'] })]
    const letter = fc.oneof(
      fc.integer({ min: 0x4e00, max: 0x9fff }),
      fc.integer({ min: 0x3041, max: 0x30ff }),
      fc.integer({ min: 0xac00, max: 0xd7a3 }),
      fc.integer({ min: 0x80, max: 0x52f }),
      fc.integer({ min: 0x900, max: 0xe7f }),
      fc.constantFrom(0x20, 0x61, 0x3002, 0xff0c, 0x1f44d),
    )
    const text = fc.array(letter, { minLength: 1, maxLength: 150 }).map((codes) => String.fromCodePoint(...codes))
    fc.assert(
      fc.property(text, (one) => expect(count(one)).toBe(plain(one))),
      { numRuns: 3_000 },
    )
  })
})
