/**
 * What @huggingface/tokenizers would count wrongly, and nothing given to it mends, in words that repeat nothing of the file
 * but names of the format. What `library-json.ts` and `library-tokenizer.ts` put right is not refused.
 */
import { type Fields, fieldsOf, isGiven, itemsOf } from '../model/json-values.ts'
import { BYTE_LETTERS, BYTE_TOKENS } from './byte-level-bpe.ts'
import { charsmapNormalizer } from './charsmap.ts'
import { modelKind } from './tokenizer-faults.ts'

/** Tokens that stand for one byte each where a file falls back to bytes. */
export const BYTE_NAMES: readonly string[] = Array.from(
  { length: BYTE_TOKENS },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
)

const BEHAVIORS: ReadonlySet<unknown> = new Set([
  ...['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'],
])
const SCHEMES: ReadonlySet<unknown> = new Set(['always', 'first', 'never'])
const STARTS_WITH_SPACE = /^\s/u
const ENDS_WITH_SPACE = /\s$/u

/** @param json of a tokenizer.json without fault. Null for one that the library counts rightly. */
export function libraryFault(json: Fields): string | null {
  const preTokenizers = partsOf(json.pre_tokenizer, 'pretokenizers')
  return (
    firstFault(partsOf(json.normalizer, 'normalizers'), normalizerFault) ??
    firstFault(preTokenizers, preTokenizerFault) ??
    firstPrependFault(json, preTokenizers) ??
    modelFault(json) ??
    addedTokensFault(itemsOf(json.added_tokens).map(fieldsOf))
  )
}

/** Whether a character of a text may be none that a BPE has a token for. */
export function mayMeetUnknown(json: Fields): boolean {
  const { vocab, byte_fallback, end_of_word_suffix: suffix } = fieldsOf(json.model)
  const vocabulary = fieldsOf(vocab)
  const has = (token: string) => Object.hasOwn(vocabulary, token)
  if (byte_fallback === true && BYTE_NAMES.every(has)) return false
  const kinds = partsOf(json.pre_tokenizer, 'pretokenizers').map(({ type }) => type)
  const last = kinds.lastIndexOf('ByteLevel')
  if (last === -1 || kinds.slice(last).some((kind) => kind === 'Metaspace' || kind === 'Replace')) return true
  const ends = typeof suffix === 'string' ? BYTE_LETTERS.map((letter) => letter + suffix) : []
  return ![...BYTE_LETTERS, ...ends].every(has)
}

/** Without the sequences around them. */
function partsOf(part: unknown, inner: string): readonly Fields[] {
  if (!isGiven(part)) return []
  const fields = fieldsOf(part)
  return fields.type === 'Sequence' ? itemsOf(fields[inner]).flatMap((one) => partsOf(one, inner)) : [fields]
}

function firstFault(parts: readonly Fields[], faultOf: (part: Fields) => string | null): string | null {
  return parts.map(faultOf).find((fault) => fault !== null) ?? null
}

function normalizerFault({ type, pattern, precompiled_charsmap: charsmap }: Fields): string | null {
  if (type === 'Precompiled' && (typeof charsmap !== 'string' || charsmapNormalizer(charsmap) === null))
    return 'the Precompiled of its normalizer has no precompiled_charsmap that is whole'
  return type === 'Replace' && isEmptyPattern(pattern) ? 'the Replace of its normalizer looks for an empty text' : null
}

function preTokenizerFault(part: Fields): string | null {
  const { type, pattern, behavior, length } = part
  const owner = `the ${String(type)} of its pre_tokenizer`
  if (type === 'Split' && !BEHAVIORS.has(behavior)) return `${owner} has no behavior that is known`
  if (type === 'Punctuation' && isGiven(behavior) && !BEHAVIORS.has(behavior))
    return `${owner} has no behavior that is known`
  if ((type === 'Split' || type === 'Replace') && isEmptyPattern(pattern)) return `${owner} looks for an empty text`
  if (type === 'FixedLength' && !(Number.isInteger(length) && (length as number) > 0))
    return `${owner} has no length above 0`
  return type === 'Metaspace' ? metaspaceFault(owner, part) : null
}

function metaspaceFault(owner: string, { replacement, prepend_scheme: scheme, add_prefix_space }: Fields) {
  if (isGiven(replacement) && (typeof replacement !== 'string' || Array.from(replacement).length !== 1))
    return `the replacement of ${owner} is not one character`
  if (isGiven(scheme) && !SCHEMES.has(scheme)) return `${owner} has no prepend_scheme that is known`
  return isGiven(scheme) && scheme !== 'never' && add_prefix_space === false
    ? `the add_prefix_space of ${owner} contradicts its prepend_scheme`
    : null
}

/** The library takes each piece of the first section for the start of the text. */
function firstPrependFault({ normalizer, added_tokens }: Fields, preTokenizers: readonly Fields[]): string | null {
  const at = preTokenizers.findIndex(({ type, prepend_scheme }) => type === 'Metaspace' && prepend_scheme === 'first')
  if (at === -1) return null
  const owner = 'the Metaspace of its pre_tokenizer prepends to the first piece'
  if (at > 0) return `${owner}, which another part has cut before`
  const isCut = isGiven(normalizer) && itemsOf(added_tokens).some((token) => isNormalized(fieldsOf(token)))
  return isCut ? `${owner}, which added tokens cut that are looked for in normalized text` : null
}

function isNormalized({ normalized, special }: Fields): boolean {
  return (normalized ?? special !== true) === true
}

function isEmptyPattern(pattern: unknown): boolean {
  const { Regex: regex, String: text } = fieldsOf(pattern)
  return !isGiven(regex) && text === ''
}

function modelFault(json: Fields): string | null {
  const model = fieldsOf(json.model)
  const kind = modelKind(model)
  switch (kind) {
    case 'BPE':
      return bpeFault(json, model)
    case 'Unigram':
      return unigramFault(model)
    case 'WordPiece':
    case 'WordLevel':
      return hasToken(model, model.unk_token) ? null : 'the unk_token of its model is not in its vocabulary'
    case null:
      return 'its model is of an unknown kind'
    default:
      return kind satisfies never
  }
}

function bpeFault(json: Fields, model: Fields): string | null {
  const { unk_token, byte_fallback, continuing_subword_prefix: prefix, end_of_word_suffix: suffix } = model
  if (isGiven(prefix) && prefix !== '') return 'its model has a continuing_subword_prefix'
  const bytes = BYTE_NAMES.filter((name) => hasToken(model, name)).length
  if (byte_fallback === true && bytes > 0 && bytes < BYTE_TOKENS)
    return `its model falls back to bytes, of which its vocabulary has ${bytes} of ${BYTE_TOKENS}`
  if (!mayMeetUnknown(json)) return null
  if (isGiven(unk_token))
    return hasToken(model, unk_token) ? null : 'the unk_token of its model is not in its vocabulary'
  return isGiven(suffix) && suffix !== '' ? 'its model has an end_of_word_suffix, and no unk_token' : null
}

function hasToken({ vocab }: Fields, token: unknown): boolean {
  return typeof token === 'string' && Object.hasOwn(fieldsOf(vocab), token)
}

function unigramFault({ vocab, unk_id, byte_fallback }: Fields): string | null {
  if (isGiven(unk_id)) return null
  const tokens = new Set(itemsOf(vocab).map((entry) => itemsOf(entry)[0]))
  const isComplete = byte_fallback === true && BYTE_NAMES.every((name) => tokens.has(name))
  return isComplete ? null : 'its model has no unk_id'
}

function addedTokensFault(tokens: readonly Fields[]): string | null {
  const at = tokens.findIndex(({ single_word }) => single_word === true)
  if (at !== -1) return `added token ${at + 1} is one only as a single_word`
  // Those of the other kind are looked for in what is left, or in what was left, with the white space taken.
  const isTaken = [true, false].some((isLate) => losesSpace(tokens.filter((token) => isNormalized(token) === isLate)))
  return isTaken ? 'an added token takes along white space that another begins or ends with' : null
}

function losesSpace(tokens: readonly Fields[]): boolean {
  const contents = tokens.map(({ content }) => String(content))
  return (
    (tokens.some(({ lstrip }) => lstrip === true) && contents.some((content) => ENDS_WITH_SPACE.test(content))) ||
    (tokens.some(({ rstrip }) => rstrip === true) && contents.some((content) => STARTS_WITH_SPACE.test(content)))
  )
}
