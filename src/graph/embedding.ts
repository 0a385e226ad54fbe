/** Vectors as the node tables keep them: float32, little-endian, with what made them. */
import { fieldsOf } from '../model/json-values.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { EmbedderKey, SqlRow, SqlValue } from '../ports.ts'

export interface EmbeddedText {
  readonly vector: Float32Array
  /** See `modelName`. */
  readonly model: string
}

/** What vectors are comparable. */
export function modelName({ backend, model }: EmbedderKey): string {
  return `${backend}:${model}`
}

export function embeddingColumns(embedded: EmbeddedText | null): Record<string, SqlValue> {
  if (embedded === null) return { embedding: null, embedding_model: null, embedding_dimension: null }
  const { vector, model } = embedded
  const bytes = new Uint8Array(vector.length * 4)
  const view = new DataView(bytes.buffer)
  for (const [at, value] of vector.entries()) view.setFloat32(at * 4, value, true)
  return { embedding: bytes, embedding_model: model, embedding_dimension: vector.length }
}

/** Null without one, and for one that another model made. */
export function embeddingIn(row: SqlRow, model: string): Float32Array | null {
  const { embedding, embedding_model, embedding_dimension } = row
  if (!(embedding instanceof Uint8Array) || embedding_model !== model) return null
  const bytes = embedding.slice()
  if (IS_LITTLE_ENDIAN) return new Float32Array(bytes.buffer, 0, Number(embedding_dimension))
  const view = new DataView(bytes.buffer)
  return Float32Array.from({ length: Number(embedding_dimension) }, (_, at) => view.getFloat32(at * 4, true))
}

/** Nearly every machine: what is stored need only be copied. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** As a file of JSON lines holds it: what is stored, bit for bit. */
export interface WrittenEmbedding {
  readonly model: string
  readonly dimension: number
  /** float32, little-endian, in Base64. */
  readonly float32: string
}

/** Null without one. */
export function writtenEmbedding({ embedding, embedding_model, embedding_dimension }: SqlRow): WrittenEmbedding | null {
  if (!(embedding instanceof Uint8Array)) return null
  const float32 = btoa(Array.from(embedding, (byte) => String.fromCharCode(byte)).join(''))
  return { model: String(embedding_model), dimension: Number(embedding_dimension), float32 }
}

/** Columns as `embeddingColumns` gives them. Throws `invalid_argument`. */
export function readEmbedding(given: unknown): Record<string, SqlValue> {
  if (given === undefined || given === null) return embeddingColumns(null)
  const { model, dimension, float32 } = fieldsOf(given)
  const bytes = typeof float32 === 'string' ? bytesOf(float32) : null
  if (
    typeof model !== 'string' ||
    model === '' ||
    bytes === null ||
    bytes.length === 0 ||
    bytes.length !== Number(dimension) * 4
  )
    throw new MemoryError(
      'invalid_argument',
      'embedding: must be {"model","dimension","float32"}, the last being 4 × dimension bytes in Base64',
      { field: 'embedding' },
    )
  return { embedding: bytes, embedding_model: model, embedding_dimension: bytes.length / 4 }
}

function bytesOf(base64: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
