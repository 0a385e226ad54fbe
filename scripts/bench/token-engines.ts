/** What counts Qwen3's tokens: the product and its peers, each opened anew for a cold count. */
import { Tokenizer as Library } from '@huggingface/tokenizers'
import { BYTE_LETTERS, qwen3Bpe } from '../../src/adapters/byte-level-bpe.ts'
import { QWEN3_GRAMMAR } from '../../src/adapters/pretokenizer-grammar.ts'
import { qwen3Merges } from '../../src/adapters/qwen3-merges.ts'
import { QWEN3_ADDED_TOKENS, qwen3TokenizerJson } from '../../src/adapters/qwen3-tokenizer-json.ts'
import { openWasmTokenCounter } from '../../src/adapters/wasm-token-counter.ts'
import { installedPeer } from './installed-peer.ts'

export interface TokenEngine {
  readonly name: string
  /** With nothing worked out before. */
  readonly open: () => (text: string) => number
}

const TIKTOKEN = '1.0.22'

interface Tiktoken {
  readonly Tiktoken: new (
    ranks: string,
    special: Readonly<Record<string, number>>,
    pattern: string,
  ) => { encode_ordinary(text: string): Uint32Array; encode(text: string, allowed: 'all'): Uint32Array }
}

const merges = await qwen3Merges()
const json = qwen3TokenizerJson(merges)

export function ownCounter(): TokenEngine {
  const bpe = qwen3Bpe(merges, QWEN3_GRAMMAR, QWEN3_ADDED_TOKENS)
  return {
    name: 'knowhow',
    open: () => {
      const counter = openWasmTokenCounter(bpe)
      if (counter === null) throw new Error('this machine has no SIMD for WASM')
      return (text) => counter.count(text)
    },
  }
}

export function library(): TokenEngine {
  return {
    name: '@huggingface/tokenizers',
    open: () => {
      const tokenizer = new Library(json, {})
      return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids.length
    },
  }
}

/** By the same ranks. It does not normalize, so that it counts decomposed letters otherwise. */
export async function tiktoken(data: string): Promise<TokenEngine | null> {
  const peer = await installedPeer<Tiktoken>(data, 'tiktoken', TIKTOKEN)
  if (peer === null) return null
  const byteOf = new Map(BYTE_LETTERS.map((letter, byte) => [letter, byte]))
  const ranks = Object.entries(json.model.vocab).map(([token, id]) => {
    const bytes = Buffer.from(Array.from(token, (letter) => byteOf.get(letter) ?? 0))
    return `${bytes.toString('base64')} ${id}`
  })
  const special = Object.fromEntries(json.added_tokens.map(({ content, id }) => [content, id]))
  const [split] = json.pre_tokenizer.pretokenizers
  const pattern = split !== undefined && 'pattern' in split ? split.pattern.Regex : ''
  return {
    name: `tiktoken ${peer.version} (WASM)`,
    open: () => {
      const encoder = new peer.module.Tiktoken(ranks.join('\n'), special, pattern)
      return (text) => encoder.encode(text, 'all').length
    },
  }
}
