/** What @huggingface/tokenizers would count wrongly is refused by the name of the part, and what it counts rightly is not. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHuggingFaceTokenizer } from '../../src/adapters/hugging-face-tokenizer.ts'
import { byteLetters, smallTokenizer, type TokenizerJson } from '../fakes/tokenizer-json.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-faults-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NOTHING = { added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null }
const WORDS = { type: 'WordPiece', unk_token: '?', continuing_subword_prefix: '##', vocab: { '?': 0, a: 1 } }
const words = (changes: TokenizerJson = {}) => ({ version: '1.0', ...NOTHING, model: WORDS, ...changes })
const wordModel = (changes: TokenizerJson) => words({ model: { ...WORDS, ...changes } })
const normalizedBy = (normalizer: TokenizerJson) => words({ normalizer })
const cutBy = (pre_tokenizer: TokenizerJson) => words({ pre_tokenizer })
const token = (changes: TokenizerJson) => ({ id: 900, content: '<x>', normalized: false, ...changes })
const BPE = { type: 'BPE', unk_token: '?', vocab: { '?': 0, a: 1, b: 2, ab: 3 }, merges: ['a b'] }
const bpe = (changes: TokenizerJson) => words({ model: { ...BPE, ...changes } })
const UNIGRAM = {
  type: 'Unigram',
  unk_id: 0,
  vocab: [
    ['?', 0],
    ['a', -1],
  ],
}
const unigram = (changes: TokenizerJson) => words({ model: { ...UNIGRAM, ...changes } })
const DIGITS = { type: 'Digits', individual_digits: true }
const FIRST = { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'first' }
const BYTES = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
const small = (changes: TokenizerJson) => smallTokenizer([['a', 'b']], changes)
/** Byte-level, and of a normalizer that leaves it to the library. */
const byLibrary = (changes: TokenizerJson) =>
  small({ normalizer: { type: 'NFKC' }, model: { ...small({}).model, ...changes } })

function open(json: TokenizerJson) {
  const path = join(folder, 'tokenizer.json')
  writeFileSync(path, JSON.stringify(json))
  return openHuggingFaceTokenizer(path, { environment: {} })
}

describe('refused is', () => {
  test.each<[string, TokenizerJson, RegExp]>([
    [
      'an added token that must be a word',
      words({ added_tokens: [token({ single_word: true })] }),
      /token 1 .*single_word/,
    ],
    [
      'white space that two added tokens claim',
      words({ added_tokens: [token({ lstrip: true }), token({ id: 901, content: 'a ' })] }),
      /takes along white space that another begins or ends with/,
    ],
    ['an empty charsmap', normalizedBy({ type: 'Precompiled', precompiled_charsmap: '' }), /no precompiled_charsmap/],
    ['no charsmap', normalizedBy({ type: 'Precompiled', precompiled_charsmap: null }), /no precompiled_charsmap/],
    ['half a charsmap', normalizedBy({ type: 'Precompiled', precompiled_charsmap: 'AAAC' }), /charsmap that is whole/],
    [
      'nothing that is replaced',
      normalizedBy({ type: 'Replace', pattern: { String: '' }, content: 'x' }),
      /Replace of its normalizer looks for an empty text/,
    ],
    [
      'nothing that is cut at',
      cutBy({ type: 'Split', pattern: { String: '' }, behavior: 'Isolated' }),
      /Split of its pre_tokenizer looks for an empty text/,
    ],
    ['an unknown way to cut', cutBy({ type: 'Split', pattern: { String: 'a' }, behavior: 'Shredded' }), /no behavior/],
    ['an unknown way to cut marks', cutBy({ type: 'Punctuation', behavior: 'Shredded' }), /Punctuation .*no behavior/],
    ['a length of none', cutBy({ type: 'FixedLength', length: 0 }), /FixedLength .*no length above 0/],
    ['a sign of two characters', cutBy({ type: 'Metaspace', replacement: '__' }), /replacement .*not one character/],
    ['an unknown way to prepend', cutBy({ ...FIRST, prepend_scheme: 'often' }), /no prepend_scheme that is known/],
    ['two ways to prepend', cutBy({ ...FIRST, add_prefix_space: false }), /contradicts its prepend_scheme/],
    [
      'a sign before the first piece of a cut text',
      cutBy({ type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, FIRST] }),
      /prepends to the first piece, which another part has cut/,
    ],
    [
      'a sign before the first piece beside added tokens',
      words({ pre_tokenizer: FIRST, normalizer: { type: 'NFC' }, added_tokens: [token({ normalized: true })] }),
      /prepends to the first piece, which added tokens cut/,
    ],
    ['word pieces without their unknown', wordModel({ unk_token: 'nope' }), /unk_token .*not in its vocabulary/],
    ['words without their unknown', wordModel({ type: 'WordLevel', unk_token: 'nope' }), /unk_token .*not in its/],
    ['merges without their unknown', bpe({ unk_token: 'nope' }), /unk_token .*not in its vocabulary/],
    ['a prefix of merged tokens', bpe({ continuing_subword_prefix: '#', merges: [] }), /continuing_subword_prefix/],
    [
      'an end of words with nothing for the unknown',
      bpe({ unk_token: null, end_of_word_suffix: '.' }),
      /_suffix, and no/,
    ],
    [
      'a fallback to some bytes',
      bpe({ byte_fallback: true, vocab: { ...BPE.vocab, '<0x00>': 4 } }),
      /falls back to bytes, of which its vocabulary has 1 of 256/,
    ],
    ['scores with nothing for the unknown', unigram({ unk_id: null }), /model has no unk_id/],
    [
      'two tokens of one id',
      small({ model: { ...small({}).model, vocab: { ...small({}).model.vocab, zz: 0 } } }),
      /one id/,
    ],
    [
      'a pattern of the normalizer that is none',
      normalizedBy({ type: 'Replace', pattern: { Regex: '([' } }),
      /refuses its normalizer/,
    ],
    [
      'a pattern of the pre-tokenizer that is none',
      cutBy({ type: 'Split', pattern: { Regex: '\\R' }, behavior: 'Isolated' }),
      /refuses its pre_tokenizer/,
    ],
  ])('%s', async (_, json, message) => {
    await expect(open(json)).rejects.toMatchObject({
      code: 'tokenizer_unavailable',
      message: expect.stringMatching(message),
    })
  })
})

describe('counted is', () => {
  test.each<[string, TokenizerJson, string, number]>([
    ['an added token that takes white space along', words({ added_tokens: [token({ lstrip: true })] }), 'a  <x>', 2],
    [
      'white space that two added tokens claim, of which one is looked for later',
      words({ added_tokens: [token({ lstrip: true }), token({ id: 901, content: '  ', normalized: true })] }),
      'a  <x>  ',
      3,
    ],
    [
      'bytes that are cut again',
      {
        ...byLibrary({ unk_token: 'nope' }),
        pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'ByteLevel' }, DIGITS] },
      },
      'ab1',
      2,
    ],
    ['no fallback to bytes where there are none', bpe({ byte_fallback: true }), 'aé', 2],
    [
      'a fallback to all bytes',
      bpe({
        byte_fallback: true,
        unk_token: 'nope',
        vocab: Object.fromEntries(['a', 'b', 'ab', ...BYTES].map((name, id) => [name, id])),
      }),
      'aé',
      3,
    ],
    ['bytes without an unknown that is never met', byLibrary({ unk_token: 'nope' }), 'ab', 1],
    [
      'scores without an unknown that is never met',
      unigram({ unk_id: null, byte_fallback: true, vocab: ['a', ...BYTES].map((name) => [name, -1]) }),
      'aé',
      3,
    ],
    ['a sign before the first piece', words({ pre_tokenizer: FIRST, added_tokens: [token({})] }), 'a<x>', 2],
    ['merges that are dropped at random, as if none was', byLibrary({ dropout: 0.5 }), 'ab'.repeat(20), 20],
  ])('%s', async (_, json, text, tokens) => {
    expect((await open(json)).count(text)).toBe(tokens)
  })
})

test('a file of the kernel is none of the business of what the library does', async () => {
  const json = small({ model: { ...small({}).model, unk_token: 'nope' } })
  const tokenizer = await open(json)
  expect(tokenizer.engine).toBe('wasm')
  expect(tokenizer.count('é')).toBe(byteLetters('é').length)
})
