/** Vectors as the node tables keep them: float32, little-endian, with what made them. */
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
  const view = new DataView(embedding.buffer, embedding.byteOffset, embedding.byteLength)
  return Float32Array.from({ length: Number(embedding_dimension) }, (_, at) => view.getFloat32(at * 4, true))
}
