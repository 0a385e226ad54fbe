/**
 * What makes a tokenizer.json unusable, in words that repeat nothing of it. @huggingface/tokenizers reads what it
 * needs and takes the rest for something else: it would count wrongly, by a kind of model or of pattern that it guessed.
 */
import { type Fields, fieldsOf, isGiven, isRecord } from '../model/json-values.ts'

export type ModelKind = 'BPE' | 'WordPiece' | 'Unigram' | 'WordLevel'

const MODEL_KINDS: ReadonlySet<unknown> = new Set<ModelKind>(['BPE', 'WordPiece', 'Unigram', 'WordLevel'])
/** The parts that change a text, the kinds of them that the library knows, and where those hold others. */
const PARTS = [
  {
    name: 'normalizer',
    inner: 'normalizers',
    kinds: new Set<unknown>([
      ...['BertNormalizer', 'Precompiled', 'Sequence', 'Replace', 'NFC', 'NFD', 'NFKC', 'NFKD', 'Strip'],
      ...['StripAccents', 'Lowercase', 'Prepend'],
    ]),
  },
  {
    name: 'pre_tokenizer',
    inner: 'pretokenizers',
    kinds: new Set<unknown>([
      ...['BertPreTokenizer', 'Sequence', 'Whitespace', 'WhitespaceSplit', 'Metaspace', 'ByteLevel', 'Split'],
      ...['Punctuation', 'Digits', 'Replace', 'FixedLength'],
    ]),
  },
  {
    name: 'post_processor',
    inner: 'processors',
    kinds: new Set<unknown>(['TemplateProcessing', 'ByteLevel', 'BertProcessing', 'RobertaProcessing', 'Sequence']),
  },
] as const
/** Real ones are nested twice. */
const DEPTH_MAX = 16
const PATTERN_KINDS: ReadonlySet<unknown> = new Set(['Split', 'Replace'])
/** What the library takes for true when it is neither. */
const FLAGS = [
  ...['fuse_unk', 'byte_fallback', 'ignore_merges', 'add_prefix_space', 'use_regex', 'invert', 'individual_digits'],
  ...['lstrip', 'rstrip', 'single_word', 'normalized', 'special'],
]

/** Thrown for a file that contradicts itself. */
export class InconsistentTokenizer extends Error {}

/** @param json of a tokenizer.json. Null for a usable one, but for its merges. */
export function tokenizerFault(json: unknown): string | null {
  if (!isRecord(json)) return 'it is no object'
  const { model, added_tokens } = json
  if (!isRecord(model)) return 'it has no model'
  const kind = modelKind(model)
  if (kind === null) return 'its model is of an unknown kind'
  return (
    partsFault(json) ??
    flagsFault('its model', model) ??
    (kind === 'Unigram' ? unigramFault(model) : vocabularyFault(model)) ??
    (kind === 'BPE' && !Array.isArray(model.merges) ? 'the merges of its model are no list' : null) ??
    (kind === 'WordPiece' && typeof model.continuing_subword_prefix !== 'string'
      ? 'its model has no continuing_subword_prefix'
      : null) ??
    addedTokensFault(added_tokens)
  )
}

/** As the library guesses it for files from the time when none was named. Null for none of those it knows. */
export function modelKind(model: Fields): ModelKind | null {
  if (MODEL_KINDS.has(model.type)) return model.type as ModelKind
  if (isGiven(model.type)) return null
  if (Array.isArray(model.vocab)) return 'Unigram'
  if (!Object.hasOwn(model, 'continuing_subword_prefix') || !Object.hasOwn(model, 'unk_token')) return null
  return Object.hasOwn(model, 'merges') ? 'BPE' : 'WordPiece'
}

/** @param rank of the merge, from 0; @param first of all merges: the library takes the others to be written like it */
export function mergedPair(merge: unknown, rank: number, first: unknown): readonly [left: string, right: string] {
  if (Array.isArray(merge) !== Array.isArray(first))
    throw new InconsistentTokenizer(`merge ${rank + 1} is written in another way than the first`)
  const [left, right, ...rest]: readonly unknown[] =
    typeof merge === 'string' ? merge.split(' ') : Array.isArray(merge) ? merge : []
  if (typeof left !== 'string' || typeof right !== 'string' || rest.length > 0 || left === '' || right === '')
    throw new InconsistentTokenizer(`merge ${rank + 1} is no pair of tokens`)
  return [left, right]
}

/** Throws `InconsistentTokenizer` for merges of tokens that are not in the vocabulary. @param json without fault */
export function checkMerges(json: unknown): void {
  const model = fieldsOf(fieldsOf(json).model)
  const { merges, vocab, continuing_subword_prefix: prefix } = model
  if (modelKind(model) !== 'BPE' || !Array.isArray(merges) || !isRecord(vocab)) return
  const prefixLength = typeof prefix === 'string' ? prefix.length : 0
  for (const [rank, merge] of merges.entries()) {
    const [left, right] = mergedPair(merge, rank, merges[0])
    for (const token of [left, right, left + right.slice(prefixLength)]) checkToken(token, rank, vocab)
  }
}

export function checkToken(token: string, rank: number, vocabulary: Fields): void {
  if (!Object.hasOwn(vocabulary, token))
    throw new InconsistentTokenizer(`merge ${rank + 1} names ${JSON.stringify(token)}, which its vocabulary lacks`)
}

function partsFault(json: Fields): string | null {
  for (const { name, inner, kinds } of PARTS) {
    // Not by recursion, which a file could make as deep as it likes.
    const parts: [part: unknown, depth: number][] = isGiven(json[name]) ? [[json[name], 1]] : []
    for (const [part, depth] of parts) {
      if (depth > DEPTH_MAX) return `its ${name} is nested more than ${DEPTH_MAX} deep`
      if (!isRecord(part) || !kinds.has(part.type)) return `its ${name} is of an unknown kind`
      const fault = flagsFault(`its ${name}`, part)
      if (fault !== null) return fault
      if (PATTERN_KINDS.has(part.type) && !isPattern(part.pattern)) return `its ${name} has no pattern that is text`
      if (part.type !== 'Sequence') continue
      const others = part[inner]
      if (!Array.isArray(others)) return `its ${name} is a Sequence of nothing`
      for (const other of others) parts.push([other, depth + 1])
    }
  }
  return null
}

function isPattern(pattern: unknown): boolean {
  return isRecord(pattern) && typeof (pattern.Regex ?? pattern.String) === 'string'
}

function flagsFault(owner: string, fields: Fields): string | null {
  const flag = FLAGS.find((name) => isGiven(fields[name]) && typeof fields[name] !== 'boolean')
  return flag === undefined ? null : `the ${flag} of ${owner} is neither true nor false`
}

function vocabularyFault({ vocab }: Fields): string | null {
  if (!isRecord(vocab)) return 'the vocabulary of its model is no object'
  const ids = Object.values(vocab)
  if (ids.length === 0) return 'the vocabulary of its model is empty'
  const wrong = ids.findIndex((id) => !isId(id))
  if (wrong !== -1) return `the id of token ${wrong + 1} of its vocabulary is no whole number`
  return new Set(ids).size === ids.length ? null : 'two tokens of its vocabulary have one id'
}

function unigramFault({ vocab, unk_id }: Fields): string | null {
  if (!Array.isArray(vocab)) return 'the vocabulary of its model is no list'
  if (vocab.length === 0) return 'the vocabulary of its model is empty'
  const isScored = (entry: unknown) =>
    Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string' && typeof entry[1] === 'number'
  const wrong = vocab.findIndex((entry) => !isScored(entry))
  if (wrong !== -1) return `entry ${wrong + 1} of its vocabulary is no token with a score`
  return isGiven(unk_id) && !(isId(unk_id) && unk_id < vocab.length) ? 'its unk_id is not in its vocabulary' : null
}

function addedTokensFault(tokens: unknown): string | null {
  if (!Array.isArray(tokens)) return 'its added_tokens are no list'
  for (const [at, token] of tokens.entries()) {
    const name = `added token ${at + 1}`
    if (!isRecord(token) || typeof token.content !== 'string') return `${name} has no content`
    if (!isId(token.id)) return `the id of ${name} is no whole number`
    const fault = flagsFault(name, token)
    if (fault !== null) return fault
  }
  return null
}

function isId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}
