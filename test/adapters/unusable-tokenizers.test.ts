/** A tokenizer.json that is broken is refused by what is wrong with it, and one that is odd counts as the library counts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHuggingFaceTokenizer } from '../../src/adapters/hugging-face-tokenizer.ts'
import { libraryCount, smallTokenizer, type TokenizerJson } from '../fakes/tokenizer-json.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-unusable-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const MERGES = [
  ['a', 'b'],
  ['ab', 'c'],
] as const
const small = (changes: TokenizerJson = {}) => smallTokenizer(MERGES, changes)
const { vocab } = small().model
const model = (changes: TokenizerJson) => small({ model: { ...small().model, ...changes } })
const added = (changes: TokenizerJson) => small({ added_tokens: [{ id: 900, content: '<x>', ...changes }] })
const words = (changes: TokenizerJson) => ({
  ...small({ pre_tokenizer: { type: 'WhitespaceSplit' } }),
  model: { type: 'WordPiece', unk_token: '?', continuing_subword_prefix: '##', vocab: { '?': 0, a: 1 }, ...changes },
})
const template = (...single: unknown[]) => small({ post_processor: { type: 'TemplateProcessing', single, pair: [] } })
const TEXT = { Sequence: { id: 'A', type_id: 0 } }
/** Written by hand, as `JSON.stringify` is no match for it. */
const nested = (name: 'normalizer' | 'pre_tokenizer', list: string, depth: number) =>
  JSON.stringify({ ...small(), [name]: 'HERE' }).replace(
    '"HERE"',
    `${`{"type":"Sequence","${list}":[`.repeat(depth)}${']}'.repeat(depth)}`,
  )

function open(content: string) {
  const path = join(folder, 'tokenizer.json')
  writeFileSync(path, content)
  return openHuggingFaceTokenizer(path, { environment: {} })
}

describe('refused is', () => {
  test.each<[string, TokenizerJson | string, RegExp]>([
    ['an empty file', '', /the file is empty/],
    ['half a file', JSON.stringify(small()).slice(0, 1_000), /not valid JSON.* may have been cut off/],
    ['a file of brackets', '['.repeat(1_000_000), /not valid JSON/],
    ['a number', '7', /it is no object/],
    ['a list', '[]', /it is no object/],
    ['no model', {}, /it has no model/],
    ['a kind of model that there is not', model({ type: 'Psychic' }), /model is of an unknown kind/],
    ['a model of no kind', model({ type: null }), /model is of an unknown kind/],
    ['a normalizer that is text', small({ normalizer: 'NFC' }), /normalizer is of an unknown kind/],
    ['a normalizer that is unknown', small({ normalizer: { type: 'Psychic' } }), /normalizer is of an unknown kind/],
    ['a pre-tokenizer that is a number', small({ pre_tokenizer: 5 }), /pre_tokenizer is of an unknown kind/],
    ['an unknown post-processor', small({ post_processor: { type: 'Psychic' } }), /post_processor is of an unknown/],
    ['a sequence of no list', small({ normalizer: { type: 'Sequence', normalizers: 5 } }), /Sequence of nothing/],
    ['a deep normalizer', nested('normalizer', 'normalizers', 20_000), /normalizer is nested more than 16 deep/],
    ['a deep pre-tokenizer', nested('pre_tokenizer', 'pretokenizers', 20_000), /pre_tokenizer is nested more than 16/],
    ['a pattern of no kind', small({ pre_tokenizer: { type: 'Split', pattern: { Glob: '*' } } }), /no pattern/],
    ['no pattern', small({ normalizer: { type: 'Replace', content: 'x' } }), /normalizer has no pattern/],
    ['a blank before of neither', small({ pre_tokenizer: { type: 'ByteLevel', add_prefix_space: 1 } }), /add_prefix/],
    ['a vocabulary that is a list', model({ vocab: Object.keys(vocab) }), /vocabulary of its model is no object/],
    ['no vocabulary', model({ vocab: null }), /vocabulary of its model is no object/],
    ['an empty vocabulary', model({ vocab: {}, merges: [] }), /vocabulary of its model is empty/],
    ['an id that is text', model({ vocab: { a: '0' } }), /id of token 1 of its vocabulary is no whole number/],
    ['an id below 0', model({ vocab: { ...vocab, q2: -1 } }), /id of token 259 of its vocabulary/],
    ['no merges', model({ merges: null }), /merges of its model are no list/],
    ['merges of two kinds', model({ merges: [['a', 'b'], 'ab c'] }), /merge 2 is written in another way than/],
    ['a merge of nothing known', model({ merges: ['a b', 'zz c'] }), /merge 2 names "zz", which its vocabulary lacks/],
    [
      'such a merge where the library counts',
      { ...model({ merges: ['a b', 'zz c'] }), normalizer: { type: 'NFKC' } },
      /merge 2 names "zz"/,
    ],
    ['a flag of neither', model({ ignore_merges: 1 }), /ignore_merges of its model is neither true nor false/],
    ['a word piece of no prefix', words({ continuing_subword_prefix: undefined }), /no continuing_subword_prefix/],
    ['word pieces in a list', words({ vocab: ['?', 'a'] }), /vocabulary of its model is no object/],
    ['scores that are an object', words({ type: 'Unigram', vocab: { a: 1 } }), /vocabulary of its model is no list/],
    ['a score that is text', words({ type: 'Unigram', vocab: [['a', 'x']] }), /entry 1 of its vocabulary/],
    ['an unknown that is not there', words({ type: 'Unigram', unk_id: 2, vocab: [['a', -1]] }), /unk_id is not in/],
    ['added tokens that are an object', small({ added_tokens: { a: 1 } }), /added_tokens are no list/],
    ['no added tokens', small({ added_tokens: null }), /added_tokens are no list/],
    ['an added token without content', added({ content: undefined }), /added token 1 has no content/],
    ['an added token that is a number', added({ content: 5 }), /added token 1 has no content/],
    ['an added token without id', added({ id: undefined }), /id of added token 1/],
    ['an added token of neither', added({ lstrip: 'yes' }), /lstrip of added token 1 is neither/],
    ['a template without a text', template(), /makes no tokens of a text/],
  ])('%s', async (_, json, message) => {
    await expect(open(typeof json === 'string' ? json : JSON.stringify(json))).rejects.toMatchObject({
      code: 'tokenizer_unavailable',
      message: expect.stringMatching(message),
    })
  })
})

describe('counted by the library is', () => {
  const TEXTS = ['abc abcabc bca', '!! !', '<x>', 'e\u0301<x>', 'x<x\u0338>y', '\ud800 \ufffd', 'undefined', '']
  const normalized = { normalizer: { type: 'NFC' } }
  test.each<[string, TokenizerJson, RegExp]>([
    ['a merge that comes twice', model({ merges: [...MERGES, MERGES[0]] }), /merge 3 comes twice/],
    ['what fuses unknown tokens', model({ fuse_unk: true, unk_token: '!' }), /one token of several unknown/],
    ['an added token found in normalized text', { ...added({}), ...normalized }, /is looked for in normalized text/],
    ['half a character as an added token', added({ content: '\ud800' }), /a character that is none/],
    ['the replacement character as an added token', added({ content: '\ufffd' }), /a character that is none/],
    ['a template with the text twice', template(TEXT, TEXT), /post-processor/],
    ['a long added token', added({ content: 'x'.repeat(6_000_000) }), /longer than 262144/],
    [
      'many added tokens',
      small({ added_tokens: Array.from({ length: 40_000 }, (_, at) => ({ id: 900 + at, content: `<${at}-of>` })) }),
      /longer than 262144/,
    ],
    [
      'a long token that no merges make',
      model({ ignore_merges: true, vocab: { ...vocab, ['q'.repeat(300_000)]: 999 } }),
      /token of more than 65536 bytes/,
    ],
  ])('%s, which says why', async (_, json, why) => {
    const tokenizer = await open(JSON.stringify(json))
    expect(tokenizer).toMatchObject({ engine: 'js', notice: expect.stringMatching(why) })
    expect(TEXTS.map(tokenizer.count)).toEqual(TEXTS.map(libraryCount(json)))
  })
})

test('a file from the time when no kind was named is counted as the library guesses it', async () => {
  const json = model({ type: undefined, continuing_subword_prefix: '', unk_token: null })
  const tokenizer = await open(JSON.stringify(json))
  expect(tokenizer.engine).toBe('wasm')
  expect(tokenizer.count('abc abcabc bca')).toBe(libraryCount(json)('abc abcabc bca'))
})

test('a template around the text adds nothing, as no special tokens are asked for', async () => {
  const json = template({ SpecialToken: { id: 'a', type_id: 0 } }, TEXT)
  expect(await open(JSON.stringify(json))).toMatchObject({ engine: 'wasm' })
  expect((await open(JSON.stringify(json))).count('abc')).toBe(libraryCount(json)('abc'))
})
