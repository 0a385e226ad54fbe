/**
 * Takes from a tokenizer.json what a counter of byte-level BPE needs, if it can be counted that way at all. Knows the
 * format; knows nothing of how counting is done. The reference is what @huggingface/tokenizers does with the file.
 */
import { type Fields, fieldsOf, isGiven, itemsOf } from '../model/json-values.ts'
import { type Grammar, grammarOf } from './pretokenizer-grammar.ts'
import { checkToken, mergedPair, modelKind } from './tokenizer-faults.ts'

/** Symbols of single bytes, which are themselves, come first. */
export const BYTE_TOKENS = 256

/** A symbol is a number: a byte is itself, from 256 on follow what merges make or take. */
export interface ByteLevelBpe {
  readonly grammar: Grammar
  /** How many there are. */
  readonly symbols: number
  /** By rank: the two symbols that are merged, and the one that they become; null where that is always rank + 256. */
  readonly left: Uint32Array
  readonly right: Uint32Array
  readonly product: Uint32Array | null
  /** Whether sections between added tokens are brought into NFC. */
  readonly isNormalized: boolean
  /** Texts that are one token each wherever they stand. */
  readonly added: readonly string[]
  /** Bytes that count as one token when they are a whole piece, whatever the merges make of them; none unless the file says so. */
  readonly vocabulary: readonly Uint8Array[]
}

/** Why it has to be counted in another way, in words. */
export interface Unfit {
  readonly unfit: string
}

/** Beyond these a pair of symbols and its rank do not fit into the kernel's slots. */
const SYMBOLS_MAX = 2 ** 20
const MERGES_MAX = 2 ** 24
/** Of one token that is looked up as a whole piece: the kernel has room for three times as many from the start. */
const WHOLE_BYTES_MAX = 2 ** 16
/** Of all added tokens together. A pattern of four times as many is too large for the runtime. */
const ADDED_UNITS_MAX = 2 ** 18

/** Of added tokens that are held against each other. */
const PAIRS_MAX = 2 ** 20

/** The letters that stand for the 256 bytes: the printable ones of Latin-1 for themselves, the others from U+0100 on. */
export const BYTE_LETTERS: readonly string[] = byteLetters()

function byteLetters(): readonly string[] {
  let others = 0
  return Array.from({ length: BYTE_TOKENS }, (_, byte) => {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
    if (isPrintable) return String.fromCharCode(byte)
    others += 1
    return String.fromCharCode(BYTE_TOKENS + others - 1)
  })
}

/** @param json of a tokenizer.json without fault. Throws `InconsistentTokenizer`. */
export function byteLevelBpe(json: unknown): ByteLevelBpe | Unfit {
  const { model, normalizer, pre_tokenizer, post_processor, added_tokens, truncation, padding } = fieldsOf(json)
  const bpe = fieldsOf(model)
  if (modelKind(bpe) !== 'BPE') return { unfit: 'its model is not BPE' }
  const grammar = grammarOf(pre_tokenizer)
  if (grammar === null) return { unfit: 'its pre-tokenizer is none of the known ones' }
  const reason = [
    modelFault(bpe),
    normalizerFault(normalizer),
    processorFault(post_processor),
    isGiven(truncation) || isGiven(padding) ? 'it cuts or pads texts' : null,
  ].find((fault) => fault !== null)
  if (reason !== undefined) return { unfit: reason }
  const isNormalized = isGiven(normalizer)
  const tokens = itemsOf(added_tokens).map(fieldsOf)
  const added = tokens.map(({ content }) => String(content)).filter((content) => content !== '')
  const addedReason = tokens.map((token) => addedTokenFault(token, { isNormalized })).find((fault) => fault !== null)
  if (addedReason !== undefined) return { unfit: addedReason }
  if (!isNormalized && mayCutInto(tokens))
    return { unfit: 'one of its added tokens may reach into another that is looked for after it' }
  if (added.reduce((sum, { length }) => sum + length, 0) > ADDED_UNITS_MAX)
    return { unfit: `its added tokens are longer than ${ADDED_UNITS_MAX} characters altogether` }
  const vocabulary = fieldsOf(bpe.vocab)
  const missing = BYTE_LETTERS.findIndex((letter) => !Object.hasOwn(vocabulary, letter))
  if (missing !== -1) return { unfit: `it has no token for the byte ${missing}` }
  const merges = mergesOf(itemsOf(bpe.merges), vocabulary)
  if ('unfit' in merges) return merges
  const wholes = bpe.ignore_merges === true ? bytesOfTokens(Object.keys(vocabulary)) : []
  if (wholes.some(({ length }) => length > WHOLE_BYTES_MAX))
    return { unfit: `it has a token of more than ${WHOLE_BYTES_MAX} bytes` }
  return { grammar, ...merges, isNormalized, added, vocabulary: wholes }
}

function modelFault(bpe: Fields): string | null {
  if (bpe.byte_fallback === true) return 'it falls back to bytes'
  if (bpe.fuse_unk === true && isGiven(bpe.unk_token)) return 'it makes one token of several unknown ones'
  if (isGiven(bpe.dropout) && bpe.dropout !== 0) return 'it drops merges at random, which is not done here'
  const affixes = ['continuing_subword_prefix', 'continuing_subword_suffix', 'end_of_word_suffix']
  const affix = affixes.find((name) => isGiven(bpe[name]) && bpe[name] !== '')
  return affix === undefined ? null : `it has a ${affix}`
}

function normalizerFault(normalizer: unknown): string | null {
  return !isGiven(normalizer) || fieldsOf(normalizer).type === 'NFC' ? null : 'it normalizes in another way than NFC'
}

function processorFault(processor: unknown): string | null {
  if (!isGiven(processor)) return null
  const { type, processors } = fieldsOf(processor)
  const all = type === 'Sequence' ? itemsOf(processors) : [processor]
  return all.map(fieldsOf).every(isPlainProcessor) ? null : 'its post-processor is none of the known ones'
}

/** Whether it adds nothing, and loses nothing, when no special tokens are asked for. */
function isPlainProcessor({ type, single }: Fields): boolean {
  if (type === 'ByteLevel') return true
  const texts = itemsOf(single).filter((item) => !Object.hasOwn(fieldsOf(item), 'SpecialToken'))
  return type === 'TemplateProcessing' && texts.length === 1 && fieldsOf(fieldsOf(texts[0]).Sequence).id === 'A'
}

/** Whether one of those that are looked for first takes part of another, which the kernel would find before it. */
function mayCutInto(tokens: readonly Fields[]): boolean {
  const isLate = ({ special, normalized = special !== true }: Fields): boolean => normalized === true
  const contents = (wanted: boolean) =>
    tokens.filter((one) => isLate(one) === wanted).map(({ content }) => String(content))
  const [early, late] = [contents(false), contents(true)]
  if (early.length * late.length > PAIRS_MAX) return true
  return late.some((lost) => early.some((found) => found !== lost && cutsInto(found, lost)))
}

/** @param lost begins where the other does, or before it */
function cutsInto(found: string, lost: string): boolean {
  if (found === '') return false
  for (let at = lost.indexOf(found.charAt(0)); at !== -1; at = lost.indexOf(found.charAt(0), at + 1))
    if (lost.startsWith(found, at) || (at > 0 && found.startsWith(lost.slice(at)))) return true
  return false
}

/** Why the kernel would find it elsewhere than the library does. */
function addedTokenFault(token: Fields, { isNormalized }: Pick<ByteLevelBpe, 'isNormalized'>): string | null {
  const { content, lstrip, rstrip, single_word, special, normalized = special !== true } = token
  const text = String(content)
  const name = `its added token ${JSON.stringify(text.slice(0, 40))}`
  if (lstrip === true || rstrip === true || single_word === true) return `${name} takes white space along`
  if (isNormalized && normalized !== false) return `${name} is looked for in normalized text`
  // In UTF-8 half a character is U+FFFD, and so is half of one in a text.
  return text.isWellFormed() && !text.includes('\ufffd') ? null : `${name} has a character that is none`
}

type Merges = Pick<ByteLevelBpe, 'symbols' | 'left' | 'right' | 'product'>

function mergesOf(merges: readonly unknown[], vocabulary: Fields): Merges | Unfit {
  if (merges.length >= MERGES_MAX) return { unfit: `it has ${merges.length} merges` }
  const symbols = new Map(BYTE_LETTERS.map((letter, byte) => [letter, byte]))
  const symbolOf = (token: string, rank: number): number => {
    const known = symbols.get(token)
    if (known !== undefined) return known
    checkToken(token, rank, vocabulary)
    symbols.set(token, symbols.size)
    return symbols.size - 1
  }
  const left = new Uint32Array(merges.length)
  const right = new Uint32Array(merges.length)
  const product = new Uint32Array(merges.length)
  const pairs = new Set<number>()
  let isInOrder = true
  for (const [rank, merge] of merges.entries()) {
    const [first, second] = mergedPair(merge, rank, merges[0])
    const [a, b] = [symbolOf(first, rank), symbolOf(second, rank)]
    // The last of two counts, not the first.
    if (pairs.has(a * SYMBOLS_MAX + b)) return { unfit: `merge ${rank + 1} comes twice` }
    pairs.add(a * SYMBOLS_MAX + b)
    left[rank] = a
    right[rank] = b
    const made = symbolOf(first + second, rank)
    product[rank] = made
    isInOrder &&= made === rank + BYTE_TOKENS
  }
  if (symbols.size > SYMBOLS_MAX) return { unfit: `it has ${symbols.size} symbols` }
  return { symbols: symbols.size, left, right, product: isInOrder ? null : product }
}

/** Those that consist of letters for bytes. */
function bytesOfTokens(tokens: readonly string[]): readonly Uint8Array[] {
  const byteOf = new Map(BYTE_LETTERS.map((letter, byte) => [letter, byte]))
  const found: Uint8Array[] = []
  for (const token of tokens) {
    const bytes = Array.from(token, (letter) => byteOf.get(letter))
    if (bytes.length > 1 && bytes.every((byte) => byte !== undefined)) found.push(Uint8Array.from(bytes))
  }
  return found
}
