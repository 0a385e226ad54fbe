/** What counts Qwen3's tokens: the product and its peers, each opened anew for a cold count. */
import { countsAddUp } from '../../src/adapters/additivity.ts'
import { BYTE_LETTERS } from '../../src/adapters/byte-level-bpe.ts'
import { patternOf } from '../../src/adapters/pretokenizer-grammar.ts'
import { qwen3Merges } from '../../src/adapters/qwen3-merges.ts'
import { qwen3Bpe, qwen3TokenizerJson } from '../../src/adapters/qwen3-tokenizer-json.ts'
import type { Speedup } from '../../src/adapters/token-memory.ts'
import { BUILTIN_TOKENIZER } from '../../src/model/tokenizer-source.ts'
import type { Tokenizer } from '../../src/ports.ts'
import { kernelCount } from '../../test/fakes/kernel-counter.ts'
import { libraryCount } from '../../test/fakes/tokenizer-json.ts'
import { installedPeer } from './installed-peer.ts'

export interface TokenEngine {
  readonly name: string
  /** With nothing worked out before. */
  readonly open: () => (text: string) => number | Promise<number>
}

const TIKTOKEN = '1.0.22'
const NATIVE = '0.23.2'
const AI_TOKENIZER = '1.0.6'

interface Tiktoken {
  readonly Tiktoken: new (
    ranks: string,
    special: Readonly<Record<string, number>>,
    pattern: string,
  ) => { encode_ordinary(text: string): Uint32Array; encode(text: string, allowed: 'all'): Uint32Array }
}

interface NativeLibrary {
  readonly Tokenizer: {
    fromString(json: string): {
      encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<{ getLength(): number }>
    }
  }
}

interface AiTokenizer {
  readonly Tokenizer: new (encoding: {
    readonly name: string
    readonly pat_str: string
    readonly special_tokens: Readonly<Record<string, number>>
    readonly stringEncoder: Readonly<Record<string, number>>
    readonly binaryEncoder: readonly (readonly [bytes: Uint8Array, rank: number])[]
    readonly decoder: Readonly<Record<number, string | Uint8Array>>
  }) => { count(text: string): number }
}

const merges = await qwen3Merges()
const bpe = qwen3Bpe(merges)
const json = qwen3TokenizerJson(merges)

/** @param without what makes it faster */
export function ownCounter(without: readonly Speedup[] = []): TokenEngine {
  return {
    name: without.length === 0 ? 'knowhow' : `without ${without.join(', ')}`,
    open: () => kernelCount(bpe, { without }),
  }
}

/** As a port, with nothing worked out before. */
export function ownTokenizer(): Tokenizer {
  return { id: BUILTIN_TOKENIZER, engine: 'wasm', isByteLevel: true, addsUp: countsAddUp(bpe), count: kernelCount(bpe) }
}

export function library(): TokenEngine {
  return { name: '@huggingface/tokenizers', open: () => libraryCount(json) }
}

const byteOf = new Map(BYTE_LETTERS.map((letter, byte) => [letter, byte]))
const tokens = Object.entries(json.model.vocab).map(([token, id]) => {
  const bytes = Buffer.from(Array.from(token, (letter) => byteOf.get(letter) ?? 0))
  return { bytes, id }
})
const special = Object.fromEntries(json.added_tokens.map(({ content, id }) => [content, id]))
const pattern = patternOf(bpe.grammar)

/** The library of the tokenizer's makers, compiled for the processor. */
export async function native(data: string): Promise<TokenEngine | null> {
  const peer = await installedPeer<NativeLibrary>(data, 'tokenizers', NATIVE)
  if (peer === null) return null
  return {
    name: `tokenizers ${peer.version} (native)`,
    open: () => {
      const tokenizer = peer.module.Tokenizer.fromString(JSON.stringify(json))
      return async (text) => (await tokenizer.encode(text, null, { addSpecialTokens: false })).getLength()
    },
  }
}

/** By the same ranks and pattern. It does not normalize, and counts added tokens as text. */
export async function aiTokenizer(data: string): Promise<TokenEngine | null> {
  const peer = await installedPeer<AiTokenizer>(data, 'ai-tokenizer', AI_TOKENIZER)
  if (peer === null) return null
  const texts = tokens.map(({ bytes, id }) => ({ bytes, id, text: utf8(bytes) }))
  const encoding = {
    name: 'qwen3',
    pat_str: pattern,
    special_tokens: {},
    stringEncoder: Object.fromEntries(texts.flatMap(({ text, id }) => (text === null ? [] : [[text, id]]))),
    binaryEncoder: texts.flatMap(({ text, bytes, id }) => (text === null ? [[bytes, id] as const] : [])),
    decoder: Object.fromEntries(texts.map(({ text, bytes, id }) => [id, text ?? bytes])),
  }
  return {
    name: `ai-tokenizer ${peer.version} (JavaScript)`,
    open: () => {
      const tokenizer = new peer.module.Tokenizer(encoding)
      return (text) => tokenizer.count(text)
    },
  }
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** By the same ranks. It does not normalize, so that it counts decomposed letters otherwise. */
export async function tiktoken(data: string): Promise<TokenEngine | null> {
  const peer = await installedPeer<Tiktoken>(data, 'tiktoken', TIKTOKEN)
  if (peer === null) return null
  const ranks = tokens.map(({ bytes, id }) => `${bytes.toString('base64')} ${id}`)
  return {
    name: `tiktoken ${peer.version} (WASM)`,
    open: () => {
      const encoder = new peer.module.Tiktoken(ranks.join('\n'), special, pattern)
      return (text) => encoder.encode(text, 'all').length
    },
  }
}
