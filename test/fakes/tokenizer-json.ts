/** Descriptions of tokenizers, as the counters under test and the library that is their reference take them. */
import { Tokenizer as Library } from '@huggingface/tokenizers'
import { BYTE_LETTERS } from '../../src/adapters/byte-level-bpe.ts'
import { qwen3Merges } from '../../src/adapters/qwen3-merges.ts'
import { qwen3TokenizerJson } from '../../src/adapters/qwen3-tokenizer-json.ts'

const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }

/** Of the bytes of a text in UTF-8, each a symbol. */
export function byteLetters(text: string): string[] {
  return Array.from(new TextEncoder().encode(text), (byte) => BYTE_LETTERS[byte] ?? '')
}

export type TokenizerJson = Readonly<Record<string, unknown>>

/** Each pattern as it stands in files, by a name for tests. */
export const PATTERNS = {
  qwen3:
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  llama3:
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  marks:
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  o200k:
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  nemo: '[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
  gpt2: null,
} as const

export type PatternName = keyof typeof PATTERNS

export function preTokenizer(name: PatternName): TokenizerJson {
  const regex = PATTERNS[name]
  if (regex === null) return { ...BYTE_LEVEL, use_regex: true }
  const split = { type: 'Split', pattern: { Regex: regex }, behavior: 'Isolated', invert: false }
  return { type: 'Sequence', pretokenizers: [split, BYTE_LEVEL] }
}

/** Qwen3's, with another pattern. */
export async function qwen3With(name: PatternName, changes: TokenizerJson = {}): Promise<TokenizerJson> {
  return { ...qwen3TokenizerJson(await qwen3Merges()), pre_tokenizer: preTokenizer(name), ...changes }
}

/** One of few merges, each of two tokens that are bytes or made before. */
export function smallTokenizer(merges: readonly (readonly [string, string])[], changes: TokenizerJson = {}) {
  const tokens = [...new Set([...BYTE_LETTERS, ...merges.map(([a, b]) => a + b)])]
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: preTokenizer('gpt2'),
    post_processor: BYTE_LEVEL,
    decoder: BYTE_LEVEL,
    model: { type: 'BPE', unk_token: null, vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges },
    ...changes,
  }
}

export function libraryCount(json: TokenizerJson): (text: string) => number {
  const library = new Library(json, {})
  return (text) => library.encode(text, { add_special_tokens: false }).ids.length
}
