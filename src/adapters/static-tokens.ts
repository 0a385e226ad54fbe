/** Texts as the token ids of a static embedding model, through @huggingface/tokenizers. Knows nothing of vectors. */
import { Tokenizer } from '@huggingface/tokenizers'
import { modelFault } from './static-model-fault.ts'
import { halvesOf } from './text-halves.ts'

/**
 * UTF-16 units that the library is given at once. It keeps several objects for each, and runtimes take some 100,000
 * arguments of a call, which is how it joins its lists; a byte-level model has up to three tokens for a unit.
 */
const PIECE_UNITS_MAX = 16_384

export interface StaticTokens {
  /** How many tokens there are, added ones included. */
  readonly count: number
  /** Of the last one. */
  readonly idMax: number
  /**
   * Without special tokens, and without the unknown one: as the makers of such models do. Nothing is cut off; a longer
   * text than `PIECE_UNITS_MAX` is halved at line ends or blanks first, where tokens end anyway but for white space.
   */
  idsOf(text: string): readonly number[]
}

/** @param path for messages. Throws `embedder_unavailable` for what describes no tokenizer of a kind the library knows. */
export function openStaticTokens(bytes: Uint8Array, path: string): StaticTokens {
  const json = parsedJson(bytes, path)
  const engine = engineOf(json, path)
  const unknown = unknownIdOf(json, engine)
  const ids = [...engine.get_vocab()].flatMap(([token, id]) => (token === undefined ? [] : [id]))
  const idsOfPiece = (text: string): readonly number[] =>
    // Where a model has no unknown token the library gives undefined.
    engine
      .encode(text, { add_special_tokens: false })
      .ids.filter((id: number | undefined) => id !== undefined && id !== unknown)
  return {
    count: ids.length,
    idMax: ids.reduce((max, id) => Math.max(max, id), -1),
    idsOf: (text) => piecesOf(text).flatMap(idsOfPiece),
  }
}

function piecesOf(text: string): readonly string[] {
  return text.length <= PIECE_UNITS_MAX ? [text] : halvesOf(text).flatMap(piecesOf)
}

/** What a parser says is not repeated; see `modelFault`. */
function parsedJson(bytes: Uint8Array, path: string): object {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw modelFault(path, 'is not valid JSON', cause)
  }
}

function engineOf(json: object, path: string): Tokenizer {
  try {
    const engine = new Tokenizer(json, {})
    // Some parts of the description are looked at only when a text comes.
    engine.encode('Probe 1: a,b.', { add_special_tokens: false })
    return engine
  } catch (cause) {
    throw modelFault(path, 'does not describe a usable tokenizer', cause)
  }
}

interface ModelJson {
  readonly model: { readonly unk_token?: unknown; readonly unk_id?: unknown }
}

/** WordPiece, BPE and WordLevel name the token, Unigram has its id. */
function unknownIdOf(json: object, engine: Tokenizer): number | undefined {
  const { unk_token: token, unk_id: id } = (json as ModelJson).model
  if (typeof token === 'string') return engine.token_to_id(token)
  return typeof id === 'number' ? id : undefined
}
