/** The body of an embeddings answer as vectors. Takes what the many servers send: numbers or base64, numbered or not. */
import { counted } from '../model/counted.ts'
import { field, parsedOrText } from './provider-answer.ts'

export type EmbeddingReply =
  /** One a text, in the order of the texts; a number that is none is NaN. */
  | { readonly vectors: readonly Float64Array[] }
  /** Vectors, but not one a text: what came instead. */
  | { readonly mismatch: string }

/** @returns null when `body` holds no vectors */
export function parseEmbeddings(body: unknown, textCount: number): EmbeddingReply | null {
  const data = field(body, 'data')
  if (!Array.isArray(data)) return null
  const items: readonly unknown[] = data
  const vectors = items.map((item) => parseVector(field(item, 'embedding'))).filter((vector) => vector !== null)
  if (vectors.length < items.length) return null
  if (vectors.length !== textCount)
    return { mismatch: `it sent ${counted(vectors.length, 'vector')} for ${counted(textCount, 'text')}` }
  const ordered = new Map(seatsOf(items).map((seat, position) => [seat, vectors[position]]))
  const inOrder = Array.from({ length: textCount }, (_, seat) => ordered.get(seat)).filter((each) => each !== undefined)
  return inOrder.length === textCount
    ? { vectors: inOrder }
    : { mismatch: 'the numbers (index) of its vectors are wrong' }
}

/** JSON, or what Python writes in its place: NaN and Infinity as bare words. */
export function parsedEmbeddingBody(text: string): unknown {
  const body = parsedOrText(text)
  if (typeof body !== 'string' || !/^\s*\{/.test(text)) return body
  return parsedOrText(text.replace(/(?<=[[,]\s{0,20})-?(?:NaN|Infinity)(?=\s{0,20}[,\]])/g, 'null'))
}

/** Servers that number nothing keep the order; those that leave out zeros (protobuf) mean 0. */
function seatsOf(items: readonly unknown[]): readonly unknown[] {
  const indices = items.map((item) => field(item, 'index') ?? null)
  if (indices.every((index) => index === null)) return indices.map((_, position) => position)
  return indices.map((index) => index ?? 0)
}

function parseVector(embedding: unknown): Float64Array | null {
  if (typeof embedding === 'string') return parseBase64(embedding)
  if (!Array.isArray(embedding) || embedding.length === 0) return null
  const values: readonly unknown[] = embedding
  const vector = new Float64Array(values.length)
  for (let column = 0; column < values.length; column += 1) {
    const value = values[column]
    // Some JSON writers put null for NaN.
    if (typeof value !== 'number' && value !== null) return null
    vector[column] = value ?? Number.NaN
  }
  return vector
}

/** 32-bit floats, little-endian. */
function parseBase64(text: string): Float64Array | null {
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    // Not base64: no vector, like any other value of a wrong type.
    return null
  }
  if (bytes.length === 0 || bytes.length % 4 !== 0) return null
  const view = new DataView(bytes.buffer)
  return Float64Array.from({ length: bytes.length / 4 }, (_, column) => view.getFloat32(column * 4, true))
}
