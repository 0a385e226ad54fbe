/**
 * Rewrites the parts of a tokenizer.json that @huggingface/tokenizers takes for something else into parts that it does as
 * the format means them. Knows the library's ways; knows nothing of models. What cannot be rewritten is refused by
 * `library-faults.ts`.
 */
import { type Fields, fieldsOf, isGiven, itemsOf } from '../model/json-values.ts'

/** Of the format. Those of a text that matches, and with `invert` those of the others. */
export type SplitBehavior = 'Removed' | 'Isolated' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous'

/** The library's own pattern cuts between runs of them alone. */
const PUNCTUATION = '[\\p{P}!-/:-@\\[-`{-~]'
/** What `\w` is in the format; in the library's own pattern it is of ASCII alone. */
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d'
/** Those that BERT takes for words of their own; the library finds none beyond U+FFFF. */
const CHINESE = [
  ...['\\u4e00-\\u9fff', '\\u3400-\\u4dbf', '\\x{20000}-\\x{2a6df}', '\\x{2a700}-\\x{2b73f}', '\\x{2b740}-\\x{2b81f}'],
  ...['\\x{2b920}-\\x{2ceaf}', '\\uf900-\\ufaff', '\\x{2f800}-\\x{2fa1f}'],
].join('')
const SPACES: Fields = split('\\s+', 'Removed')
/** The library's lower case of the last one of a word is another; the format's has one for all. */
const LOWERCASE: readonly Fields[] = [replaced({ String: 'Σ' }, 'σ'), { type: 'Lowercase' }]
const NOTHING_DONE = { clean_text: false, handle_chinese_chars: false, strip_accents: false, lowercase: false }

/** @param json of a tokenizer.json without fault, for this library too */
export function libraryJson(json: Fields): Fields {
  const { normalizer, pre_tokenizer, post_processor = null } = json
  const pretokenizers = isGiven(pre_tokenizer) ? preTokenizersOf(pre_tokenizer) : []
  const normalizers = isGiven(normalizer) ? normalizersOf(normalizer) : []
  // Without a normalizer the library looks for all added tokens at once, and not first for those of the text as it is.
  // With one it takes the text behind a token for the first piece.
  const hasNone = !isGiven(normalizer) && pretokenizers.some(({ prepend_scheme }) => prepend_scheme === 'first')
  return {
    ...json,
    normalizer: hasNone ? null : { type: 'Sequence', normalizers },
    pre_tokenizer: { type: 'Sequence', pretokenizers },
    post_processor,
    // Nothing is made text again.
    decoder: null,
  }
}

function normalizersOf(normalizer: unknown): readonly Fields[] {
  const part = fieldsOf(normalizer)
  switch (part.type) {
    case 'Sequence':
      return itemsOf(part.normalizers).flatMap(normalizersOf)
    case 'BertNormalizer':
      return bertNormalizers(part)
    case 'Lowercase':
      return LOWERCASE
    case 'Strip':
      return [
        ...(part.strip_left === true ? [replaced({ Regex: '\\A\\s+' }, '')] : []),
        // Not from within white space, which would be looked through again from each of its characters.
        ...(part.strip_right === true ? [replaced({ Regex: '(?<!\\s)\\s+\\z' }, '')] : []),
      ]
    case 'Prepend':
      // Nothing before nothing.
      return [replaced({ Regex: '\\A(?=[\\s\\S])' }, String(part.prepend))]
    case 'Replace':
      return [replaced(part.pattern, typeof part.content === 'string' ? part.content : '')]
    default:
      return [part]
  }
}

/** In the order of the format: marks are taken off before the letters change. */
function bertNormalizers({ clean_text, handle_chinese_chars, strip_accents, lowercase }: Fields): readonly Fields[] {
  const type = 'BertNormalizer'
  return [
    ...(clean_text === true ? [{ type, ...NOTHING_DONE, clean_text }] : []),
    ...(handle_chinese_chars === true
      ? [{ type: 'Replace', pattern: { Regex: `[${CHINESE}]` }, content: ' $& ' }]
      : []),
    ...((strip_accents ?? lowercase) === true ? [{ type, ...NOTHING_DONE, strip_accents: true }] : []),
    ...(lowercase === true ? LOWERCASE : []),
  ]
}

function preTokenizersOf(preTokenizer: unknown): readonly Fields[] {
  const part = fieldsOf(preTokenizer)
  switch (part.type) {
    case 'Sequence':
      return itemsOf(part.pretokenizers).flatMap(preTokenizersOf)
    case 'Whitespace':
      return [split(`[${WORD}]+|[^${WORD}\\s]+`, 'Removed', { invert: true })]
    case 'WhitespaceSplit':
      return [SPACES]
    case 'BertPreTokenizer':
      return [SPACES, split(PUNCTUATION, 'Isolated')]
    case 'Punctuation':
      return [split(PUNCTUATION, (part.behavior ?? 'Isolated') as SplitBehavior)]
    case 'Digits':
      return [split('\\p{N}', part.individual_digits === true ? 'Isolated' : 'Contiguous')]
    case 'FixedLength':
      return [split(`[\\s\\S]{1,${Number(part.length)}}`, 'Removed', { invert: true })]
    case 'Metaspace':
      return metaspaces(part)
    case 'Replace':
      return [replaced(part.pattern, typeof part.content === 'string' ? part.content : '')]
    default:
      return [part]
  }
}

/** The library puts the signs in and does not cut before them. */
function metaspaces({ replacement = '\u2581', prepend_scheme, add_prefix_space, split: isSplit }: Fields) {
  const scheme = prepend_scheme ?? (add_prefix_space === false ? 'never' : 'always')
  const signs = { type: 'Metaspace', replacement, prepend_scheme: scheme }
  if (isSplit === false) return [signs]
  return [signs, { type: 'Split', pattern: { String: replacement }, behavior: 'MergedWithNext', invert: false }]
}

function split(regex: string, behavior: SplitBehavior, { invert = false } = {}): Fields {
  return { type: 'Split', pattern: { Regex: regex }, behavior, invert }
}

/** The library gives the content to `replaceAll`, to which `$&` and `$1` are other than they are. */
function replaced(pattern: unknown, content: string): Fields {
  return { type: 'Replace', pattern, content: content.replaceAll('$', '$$$$') }
}
