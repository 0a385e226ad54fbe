/**
 * What @huggingface/tokenizers takes for something else is counted as the format means it. Expected numbers are sums by hand,
 * which the native library confirms.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHuggingFaceTokenizer } from '../../src/adapters/hugging-face-tokenizer.ts'
import { charsmap } from '../fakes/charsmap.ts'
import type { TokenizerJson } from '../fakes/tokenizer-json.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-library-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Every piece is one token. */
const PIECES = { type: 'WordLevel', vocab: { '?': 0 }, unk_token: '?' }
const NOTHING = { added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null }
const CHARACTERS = { type: 'FixedLength', length: 1 }
const METASPACE = { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always' }
const described = (changes: TokenizerJson) => ({ version: '1.0', ...NOTHING, model: PIECES, ...changes })
const cutBy = (pre_tokenizer: TokenizerJson) => described({ pre_tokenizer })
const changedBy = (...normalizers: TokenizerJson[]) =>
  described({ normalizer: { type: 'Sequence', normalizers }, pre_tokenizer: CHARACTERS })
const dash = (behavior: string, invert = false) => cutBy({ type: 'Split', pattern: { String: '-' }, behavior, invert })
const onlyA = cutBy({ type: 'Split', pattern: { String: 'a' }, behavior: 'Removed', invert: true })
const replaced = (content: string) => changedBy({ type: 'Replace', pattern: { String: 'e' }, content })
const replacedGroup = changedBy({ type: 'Replace', pattern: { Regex: '(e)' }, content: '$1' })
const vocabularyOf = (...tokens: string[]) => Object.fromEntries(tokens.map((token, id) => [token, id]))
const bpe = (tokens: readonly string[], merges: readonly string[], changes: TokenizerJson = {}) => ({
  model: {
    type: 'BPE',
    unk_token: null,
    fuse_unk: false,
    byte_fallback: false,
    vocab: vocabularyOf(...tokens),
    merges,
  },
  ...changes,
})
const unigram = (tokens: readonly string[], changes: TokenizerJson = {}) => ({
  type: 'Unigram',
  unk_id: 0,
  vocab: ['<unk>', ...tokens].map((token) => [token, -1]),
  ...changes,
})
const bert = (changes: TokenizerJson) => ({
  ...{ type: 'BertNormalizer', clean_text: false, handle_chinese_chars: false, strip_accents: false, lowercase: false },
  ...changes,
})
const added = (content: string, changes: TokenizerJson) => ({
  id: 900,
  content,
  lstrip: false,
  rstrip: false,
  ...changes,
})

async function count(json: TokenizerJson, text: string): Promise<number> {
  const path = join(folder, 'tokenizer.json')
  writeFileSync(path, JSON.stringify(json))
  const tokenizer = await openHuggingFaceTokenizer(path, { environment: {} })
  expect(tokenizer.engine).toBe('js')
  return tokenizer.count(text)
}

describe('pieces are cut as the format says, by', () => {
  test.each<[string, TokenizerJson, string, number]>([
    ['matches that stand alone', dash('Isolated'), 'a--b', 4],
    ['matches that are removed', dash('Removed'), 'a--b', 2],
    ['matches that join what is before', dash('MergedWithPrevious'), '-a-b-', 3],
    ['only the first match joining what is before', dash('MergedWithPrevious'), 'a--b', 3],
    ['matches that join what is behind', dash('MergedWithNext'), '-a-b-', 3],
    ['a match that joins what is behind at the start', dash('MergedWithNext'), '-a', 1],
    ['the last match joining what is behind', dash('MergedWithNext'), 'a--b', 3],
    ['matches in one', dash('Contiguous'), 'a--b', 3],
    ['all but matches, which are kept too', dash('Isolated', true), 'a--b', 4],
    ['all but matches, which are left', onlyA, 'ab-a', 2],
    ['all but matches, which they join', dash('MergedWithPrevious', true), '-a--b', 3],
    ['marks that stand alone', cutBy({ type: 'Punctuation', behavior: 'Isolated' }), 'a..b', 4],
    ['marks of which nothing is said', cutBy({ type: 'Punctuation' }), 'a..b', 4],
    ['marks that are removed', cutBy({ type: 'Punctuation', behavior: 'Removed' }), 'a..b', 2],
    ['marks in one', cutBy({ type: 'Punctuation', behavior: 'Contiguous' }), 'a..b', 3],
    ['marks that join what is behind', cutBy({ type: 'Punctuation', behavior: 'MergedWithNext' }), 'a.b', 2],
    ['digits of any script', cutBy({ type: 'Digits', individual_digits: true }), 'a½٣b', 4],
    ['numbers of any script', cutBy({ type: 'Digits', individual_digits: false }), 'a½٣b', 3],
    ['words of any script', cutBy({ type: 'Whitespace' }), 'né на', 2],
    ['white space of Unicode', cutBy({ type: 'WhitespaceSplit' }), 'a\ufeffb', 1],
    ['white space and marks, as BERT does', cutBy({ type: 'BertPreTokenizer' }), 'a\u0085b.c', 4],
    ['lengths in characters', cutBy({ type: 'FixedLength', length: 2 }), '😀😀a', 2],
    ['the signs that stand for spaces', cutBy(METASPACE), 'a b c', 3],
    ['no signs where they are only put in', cutBy({ ...METASPACE, split: false }), 'a b c', 1],
  ])('%s', async (_, json, text, tokens) => {
    expect(await count(json, text)).toBe(tokens)
  })
})

describe('a text is normalized as the format says, by', () => {
  test.each<[string, TokenizerJson, string, number]>([
    ['a content that looks like a match', replaced('$&'), 'e', 2],
    ['a content that looks like a group', replacedGroup, 'e', 2],
    ['a content of two dollars', replaced('$$'), 'e', 2],
    [
      'white space taken off both ends',
      changedBy({ type: 'Strip', strip_left: true, strip_right: true }),
      '\u0085a b\u0085',
      3,
    ],
    [
      'nothing put before nothing',
      changedBy({ type: 'Strip', strip_left: true, strip_right: false }, { type: 'Prepend', prepend: 'x' }),
      ' ',
      0,
    ],
    ['something put before something', changedBy({ type: 'Prepend', prepend: '$&' }), 'a', 3],
    ['marks taken off before letters change', changedBy(bert({ strip_accents: null, lowercase: true })), 'É', 1],
    ['marks that stay', changedBy(bert({ lowercase: true })), 'E\u0301', 2],
    [
      'the charsmap of the file, and no other rule',
      changedBy({ type: 'Precompiled', precompiled_charsmap: charsmap({ '①': 'one' }) }),
      '①②',
      4,
    ],
    [
      'blanks around Chinese characters beyond U+FFFF',
      described({ normalizer: bert({ handle_chinese_chars: true }), pre_tokenizer: { type: 'WhitespaceSplit' } }),
      'a\u{20000}\u{2b740}b',
      4,
    ],
    [
      'one small sigma wherever it stands',
      described(bpe(['a', 'α', 'σ', 'ς', 'ασ'], ['α σ'], { normalizer: { type: 'Lowercase' } })),
      'ΑΣ',
      1,
    ],
    [
      'one small sigma in the way of BERT',
      described(bpe(['a', 'α', 'σ', 'ς', 'ασ'], ['α σ'], { normalizer: bert({ lowercase: true }) })),
      'ΑΣ',
      1,
    ],
  ])('%s', async (_, json, text, tokens) => {
    expect(await count(json, text)).toBe(tokens)
  })
})

describe('what is unknown counts', () => {
  const bytes = (...names: string[]) => unigram(names, { byte_fallback: true })
  const fused = bpe(['?', 'x', 'n'], [])
  const fusedBy = (changes: TokenizerJson) =>
    described({ model: { ...fused.model, unk_token: '?', fuse_unk: true }, ...changes })
  test.each<[string, TokenizerJson, string, number]>([
    ['by its bytes', described({ model: bytes('<0xE4>', '<0xB8>', '<0xAD>') }), '中', 3],
    ['as one where a byte has no token', described({ model: bytes('<0xE4>', '<0xB8>') }), '中', 1],
    ['as one in each piece', fusedBy({ pre_tokenizer: { type: 'WhitespaceSplit' } }), 'zz yy', 2],
    ['as one in each word of a Unigram', described({ model: unigram([]), pre_tokenizer: METASPACE }), 'zz yy', 2],
    ['as nothing between what is then merged', described(bpe(['a', 'b', 'ab'], ['a b'])), 'a-b', 1],
    [
      'as such though an added token is written so',
      fusedBy({ normalizer: { type: 'Prepend', prepend: 'x' }, added_tokens: [added('k', { normalized: true })] }),
      'nzk',
      3,
    ],
  ])('%s', async (_, json, text, tokens) => {
    expect(await count(json, text)).toBe(tokens)
  })
})

test('added tokens of the text as it is are found before those of the normalized text', async () => {
  const json = described({ added_tokens: [added('ab', { normalized: true }), added('b', { normalized: false })] })
  expect(await count(json, 'ab')).toBe(2)
})

test('added tokens are looked for as the charsmap of the file makes them', async () => {
  const normalizer = { type: 'Precompiled', precompiled_charsmap: charsmap({ A: 'b' }) }
  const json = described({ normalizer, added_tokens: [added('A', { normalized: true })] })
  expect(await count(json, 'xbx')).toBe(3)
})

test('a rest of text is no added token that is looked for as it is normalized', async () => {
  const normalizer = { type: 'Prepend', prepend: 'x' }
  const json = described({ normalizer, pre_tokenizer: CHARACTERS, added_tokens: [added('ab', { normalized: true })] })
  expect(await count(json, 'abab')).toBe(3)
})

test('an added token of another id than the word of a Unigram leaves that its score', async () => {
  // The token is looked for as `xab`.
  const scores = { '<unk>': -1, x: -1, ab: -9, a: -1, b: -1 }
  const model = unigram([], { vocab: Object.entries(scores) })
  const normalizer = { type: 'Prepend', prepend: 'x' }
  const json = described({ normalizer, model, added_tokens: [added('ab', { normalized: true })] })
  expect(await count(json, 'aab')).toBe(4)
})

test('a decoder that the library does not know is no hindrance, as nothing is decoded', async () => {
  expect(await count(described({ decoder: { type: 'Psychic' } }), 'a')).toBe(1)
})

test('a long piece of a Unigram is counted', async () => {
  expect(await count(described({ model: unigram(['a']) }), 'a'.repeat(400_000))).toBe(400_000)
})

test('a text that the library cannot hold is refused by its length and what to do', async () => {
  const json = described({ normalizer: { type: 'Replace', pattern: { String: 'e' }, content: 'x'.repeat(1_000_000) } })
  await expect(count(json, 'e'.repeat(5_000))).rejects.toMatchObject({
    code: 'tokenizer_unavailable',
    message: expect.stringMatching(/a text of 5000 UTF-16 units.*divide the file/),
  })
})
