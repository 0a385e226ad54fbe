/** Qwen3's tokenizer from its merges: everything else in its tokenizer.json follows from them or stands here. */
import { BYTE_LETTERS, BYTE_TOKENS, type ByteLevelBpe } from './byte-level-bpe.ts'
import { type Grammar, patternOf } from './pretokenizer-grammar.ts'
import type { MergeTable } from './qwen3-merges.ts'

const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false } as const

const GRAMMAR: Grammar = {
  kind: 'cl100k',
  digitsMax: 1,
  hasMarks: false,
  hasSuffix: false,
  hasSlashTail: false,
}

/** In the order of their ids, which follow the last merge's. */
const SPECIAL_TOKENS = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|im_end|>',
  '<|object_ref_start|>',
  '<|object_ref_end|>',
  '<|box_start|>',
  '<|box_end|>',
  '<|quad_start|>',
  '<|quad_end|>',
  '<|vision_start|>',
  '<|vision_end|>',
  '<|vision_pad|>',
  '<|image_pad|>',
  '<|video_pad|>',
]
const ADDED_TOKENS = [
  '<tool_call>',
  '</tool_call>',
  '<|fim_prefix|>',
  '<|fim_middle|>',
  '<|fim_suffix|>',
  '<|fim_pad|>',
  '<|repo_name|>',
  '<|file_sep|>',
  '<tool_response>',
  '</tool_response>',
  '<think>',
  '</think>',
]

/** Texts that are one token each. */
const ALL_ADDED: readonly string[] = [...SPECIAL_TOKENS, ...ADDED_TOKENS]

/** What `byteLevelBpe` makes of the tokenizer.json, without that. */
export function qwen3Bpe({ left, right }: MergeTable): ByteLevelBpe {
  const merges = { symbols: left.length + BYTE_TOKENS, left, right, product: null }
  return { grammar: GRAMMAR, ...merges, isNormalized: true, added: ALL_ADDED, vocabulary: [] }
}

/** Rebuilds the tokenizer.json. @returns an object equal to the parsed original, `vocab` in the order of ids. */
export function qwen3TokenizerJson(merges: MergeTable) {
  const tokens = byteTokens()
  const tokenOf = (symbol = 0): string => BYTE_LETTERS[symbol] ?? tokens[symbol] ?? ''
  const pairs: [string, string][] = []
  for (const [rank, left] of merges.left.entries()) {
    const pair: [string, string] = [tokenOf(left), tokenOf(merges.right[rank])]
    pairs.push(pair)
    tokens.push(pair[0] + pair[1])
  }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: ALL_ADDED.map((content, index) => ({
      id: tokens.length + index,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: index < SPECIAL_TOKENS.length,
    })),
    normalizer: { type: 'NFC' },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: patternOf(GRAMMAR) }, behavior: 'Isolated', invert: false },
        BYTE_LEVEL,
      ],
    },
    post_processor: BYTE_LEVEL,
    decoder: BYTE_LEVEL,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: pairs,
    },
  }
}

/** The letters that stand for the 256 bytes, in the order of their ids: first those that stand for themselves. */
function byteTokens(): string[] {
  const isOwn = (letter: string, byte: number) => letter === String.fromCharCode(byte)
  return [...BYTE_LETTERS.filter(isOwn), ...BYTE_LETTERS.filter((letter, byte) => !isOwn(letter, byte))]
}
