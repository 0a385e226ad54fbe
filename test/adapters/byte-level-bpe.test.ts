/** Which descriptions the kernel may count by, and which contradict themselves. */
import { describe, expect, test } from 'bun:test'
import { byteLevelBpe } from '../../src/adapters/byte-level-bpe.ts'
import { preTokenizer, smallTokenizer, type TokenizerJson } from '../fakes/tokenizer-json.ts'

const MERGES = [
  ['a', 'b'],
  ['ab', 'c'],
] as const
const small = (changes: TokenizerJson = {}) => smallTokenizer(MERGES, changes)
const model = (changes: TokenizerJson) => small({ model: { ...small().model, ...changes } })
const added = (changes: TokenizerJson) => small({ added_tokens: [{ id: 900, content: '<x>', ...changes }] })
/** Of two added tokens, one that is looked for in normalized text, and one that is before. */
const both = (late: string, early: string) => {
  const first = { id: 900, content: late, normalized: true }
  return small({ added_tokens: [first, { id: 901, content: early, normalized: false }] })
}
const { vocab } = small().model
const withoutByte = Object.fromEntries(Object.entries(vocab).filter(([token]) => token !== 'a'))

test('symbols are bytes and what merges make of them, whatever their ids', () => {
  expect(byteLevelBpe(small())).toMatchObject({
    left: Uint32Array.of(97, 256),
    right: Uint32Array.of(98, 99),
    symbols: 258,
    product: null,
    isNormalized: false,
    added: [],
    vocabulary: [],
  })
})

test('merges may stand as strings, and make a token in several ways or before its parts', () => {
  const merges = ['ab c', 'a b', 'a bc', 'b c']
  const tokens = { ...vocab, bc: 901 }
  expect(byteLevelBpe(model({ merges, vocab: tokens }))).toMatchObject({
    left: Uint32Array.of(256, 97, 97, 98),
    right: Uint32Array.of(99, 98, 258, 99),
    product: Uint32Array.of(257, 256, 257, 258),
  })
})

describe('unfit is', () => {
  const split = preTokenizer('qwen3')
  const [cut, byteLevel] = split.pretokenizers as [TokenizerJson, TokenizerJson]
  test.each<[string, TokenizerJson, RegExp]>([
    ['another model', model({ type: 'WordPiece' }), /model/],
    ['a fallback to bytes', model({ byte_fallback: true }), /falls back/],
    ['a dropout', model({ dropout: 0.1 }), /random/],
    ['a prefix', model({ continuing_subword_prefix: '##' }), /continuing_subword_prefix/],
    ['a suffix', model({ end_of_word_suffix: '</w>' }), /end_of_word_suffix/],
    ['a vocabulary without a byte', model({ vocab: withoutByte, merges: [] }), /no token for the byte 97/],
    ['a merge that comes twice', model({ merges: [...MERGES, MERGES[0]] }), /twice/],
    ['another normalizer', small({ normalizer: { type: 'NFKC' } }), /NFC/],
    ['another post-processor', small({ post_processor: { type: 'Psychic' } }), /post-processor/],
    ['truncation', small({ truncation: { max_length: 5 } }), /cuts/],
    ['no pre-tokenizer', small({ pre_tokenizer: null }), /pre-tokenizer/],
    ['a blank put before', small({ pre_tokenizer: { ...preTokenizer('gpt2'), add_prefix_space: true } }), /pre-tok/],
    [
      'another pattern',
      small({ pre_tokenizer: { ...split, pretokenizers: [{ ...cut, pattern: { Regex: 'a+' } }, byteLevel] } }),
      /pre-tok/,
    ],
    [
      'a pattern that is thrown away',
      small({ pre_tokenizer: { ...split, pretokenizers: [{ ...cut, behavior: 'Removed' }, byteLevel] } }),
      /pre-tok/,
    ],
    [
      'a second pattern',
      small({ pre_tokenizer: { ...split, pretokenizers: [cut, { ...byteLevel, use_regex: true }] } }),
      /pre-tok/,
    ],
    ['an added token that takes white space along', added({ lstrip: true }), /<x>/],
    ['one that must be a word', added({ single_word: true }), /<x>/],
    ['one that is within another that is looked for later', both('abc', 'b'), /may reach into another/],
    ['one that begins in another that is looked for later', both('ab', 'bc'), /may reach into another/],
    ['one that begins another that is looked for later', both('abc', 'ab'), /may reach into another/],
    ['one that is normalized', small({ ...added({ normalized: true }), normalizer: { type: 'NFC' } }), /<x>/],
  ])('%s', (_, json, why) => {
    const found = byteLevelBpe(json)
    expect('unfit' in found ? found.unfit : found).toMatch(why)
  })
})

test.each([
  ['apart', '<x>', '<y>'],
  ['the same', '<x>', '<x>'],
  ['one that ends where another begins that is looked for first', 'bc', 'ab'],
])('added tokens that are %s are fit', (_, late, early) => {
  expect(byteLevelBpe(both(late, early))).not.toHaveProperty('unfit')
})

test.each<[string, readonly unknown[], RegExp]>([
  ['names a token that there is not', [['a', 'q']], /merge 1 names "aq", which its vocabulary lacks/],
  [
    'has a part that there is not',
    [
      ['a', 'b'],
      ['zz', 'c'],
    ],
    /merge 2 names "zz"/,
  ],
  ['is no pair', [['a', 'b', 'c']], /merge 1 is no pair/],
  ['is no text', [7], /merge 1 is no pair/],
  ['has an empty part', ['a '], /merge 1 is no pair/],
  [
    'names what every object has',
    [
      ['a', 'b'],
      ['constructor', 'b'],
    ],
    /merge 2 names "constructor"/,
  ],
])('a merge that %s contradicts its file', (_, merges, message) => {
  expect(() => byteLevelBpe(model({ merges }))).toThrow(message)
})
