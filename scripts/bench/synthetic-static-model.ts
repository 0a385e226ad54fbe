/** Model2Vec models of the size that people use, without meaning: their words are those of the synthetic experiences. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syntheticExperiences } from './synthetic-experiences.ts'

export const TOKEN_COUNT = 30_000
export const MODEL_WIDTH = 256
/** Enough experiences for that many words. */
const SOURCE_COUNT = 4_000
const SEED = 3

export const TOKENIZER_KINDS = ['WordPiece', 'Unigram'] as const
export type TokenizerKind = (typeof TOKENIZER_KINDS)[number]

const UNKNOWN = '[UNK]'
const SPECIAL = ['[PAD]', UNKNOWN]
const SIGNS = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at).toLowerCase())
const NORMALIZER = { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true }
const REPLACED = SIGNS.filter((sign) => !/[a-z\d]/.test(sign))

/** With numbers of 32 bits. @returns the folder */
export function syntheticStaticModel(data: string, kind: TokenizerKind): string {
  const folder = join(data, `static-model-${kind.toLowerCase()}`)
  mkdirSync(folder, { recursive: true })
  const tokenizer = kind === 'WordPiece' ? wordPiece(tokens('', '##')) : unigram(tokens('▁', ''))
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
  writeFileSync(join(folder, 'model.safetensors'), safetensors())
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_type: 'model2vec', normalize: true }))
  return folder
}

/** The frequent words whole, all signs, and endings of words. */
function tokens(wordStart: string, continued: string): readonly string[] {
  const counts = new Map<string, number>()
  for (const { content } of syntheticExperiences(SOURCE_COUNT, SEED))
    for (const word of content.toLowerCase().match(/[a-z]+/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1)
  const words = [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word)
  const endings = words.slice(0, 3_000).flatMap((word) => [2, 3, 4].map((length) => word.slice(-length)))
  const chosen = new Set([
    ...SPECIAL,
    ...SIGNS.flatMap((sign) => [`${wordStart}${sign}`, `${continued}${sign}`]),
    ...endings.map((ending) => `${continued}${ending}`),
    ...words.map((word) => `${wordStart}${word}`),
  ])
  return [...chosen].slice(0, TOKEN_COUNT)
}

function wordPiece(tokens: readonly string[]) {
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]))
  const model = { type: 'WordPiece', unk_token: UNKNOWN, continuing_subword_prefix: '##', vocab }
  return tokenizerOf(NORMALIZER, { type: 'BertPreTokenizer' }, model)
}

/** As Model2Vec makes them of a vocabulary. */
function unigram(tokens: readonly string[]) {
  const normalizers = [
    NORMALIZER,
    ...REPLACED.map((sign) => ({ type: 'Replace', pattern: { String: sign }, content: ` ${sign} ` })),
    { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
    { type: 'Strip', strip_left: true, strip_right: true },
  ]
  const preTokenizer = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false }
  const vocab = tokens.map((token) => [token, Math.log((token.length + 1) / 200_000)])
  return tokenizerOf({ type: 'Sequence', normalizers }, preTokenizer, { type: 'Unigram', unk_id: 1, vocab })
}

function tokenizerOf(normalizer: object, pre_tokenizer: object, model: object) {
  const added_tokens = SPECIAL.map((content, id) => ({ id, content, special: true, normalized: false }))
  return { version: '1.0', added_tokens, normalizer, pre_tokenizer, post_processor: null, decoder: null, model }
}

function safetensors(): Uint8Array {
  const numbers = Float32Array.from({ length: TOKEN_COUNT * MODEL_WIDTH }, (_, at) =>
    Math.sin(at * 0.7 + at ** 2 * 1e-6),
  )
  const shape = [TOKEN_COUNT, MODEL_WIDTH]
  const entry = { dtype: 'F32', shape, data_offsets: [0, numbers.byteLength] }
  // Filled up with blanks, as the format's own library does, so that the numbers are aligned.
  const text = JSON.stringify({ embeddings: entry })
  const header = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8))
  const length = new Uint8Array(new BigUint64Array([BigInt(header.length)]).buffer)
  return Buffer.concat([length, header, new Uint8Array(numbers.buffer)])
}
