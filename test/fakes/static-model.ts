/** Small Model2Vec models, made by hand: what a test wants to stand in a file, it writes itself. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface RawTensor {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data: Uint8Array
}

/** A safetensors file with these tensors one behind the other. @param header takes the place of the right one */
export function safetensorsOf(tensors: Readonly<Record<string, RawTensor>>, header?: string): Uint8Array {
  let end = 0
  const entries = Object.entries(tensors).map(([name, { dtype, shape, data }]) => {
    const start = end
    end += data.length
    return [name, { dtype, shape, data_offsets: [start, end] }]
  })
  const text = new TextEncoder().encode(header ?? JSON.stringify(Object.fromEntries(entries)))
  const length = new Uint8Array(8)
  new DataView(length.buffer).setBigUint64(0, BigInt(text.length), true)
  return Buffer.concat([length, text, ...Object.values(tensors).map(({ data }) => data)])
}

export const float32 = (shape: readonly number[], values: readonly number[]): RawTensor => ({
  dtype: 'F32',
  shape,
  data: new Uint8Array(new Float32Array(values).buffer),
})

export const int64 = (values: readonly number[]): RawTensor => ({
  dtype: 'I64',
  shape: [values.length],
  data: new Uint8Array(new BigInt64Array(values.map(BigInt)).buffer),
})

/** Row-major. */
export const matrix = (rows: readonly (readonly number[])[]): RawTensor =>
  float32([rows.length, rows[0]?.length ?? 0], rows.flat())

/** Lower-case words and signs; the first token is the unknown one. */
export const wordPieceJson = (tokens: readonly string[], parts: object = {}): unknown => ({
  version: '1.0',
  added_tokens: [],
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: tokens[0],
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
  },
  ...parts,
})

export interface ModelParts {
  readonly tokenizer: unknown
  readonly safetensors: Uint8Array
  readonly config?: unknown
}

/** Writes the three files; what is a string or bytes as it is, all else as JSON. @returns the folder */
export function writeModel(
  folder: string,
  { tokenizer, safetensors, config = { normalize: true } }: ModelParts,
): string {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries({
    'tokenizer.json': tokenizer,
    'model.safetensors': safetensors,
    'config.json': config,
  }))
    writeFileSync(
      join(folder, name),
      typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
    )
  return folder
}

/** Each of these words points into a direction of its own, so texts are as near as the words that they share. */
export function writeWordModel(folder: string, words: readonly string[]): string {
  const tokens = ['[UNK]', ...words]
  const rows = tokens.map((_, token) => tokens.map((_, column) => (column === token ? 1 : 0)))
  return writeModel(folder, {
    tokenizer: wordPieceJson(tokens),
    safetensors: safetensorsOf({ embeddings: matrix(rows) }),
  })
}
