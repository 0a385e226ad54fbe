/** Reads the first model's file, `SEM1`: rows, width and bytes of words, the words, float32 scales, int8 rows. */
import type { EmbeddingModel } from './reference-embedder.ts'

const HEADER_BYTES = 20
/** As that model was measured. */
const UNKNOWN_LENGTH = 15

export function readFirstModel(bytes: Uint8Array): EmbeddingModel {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const number = (index: number) => view.getUint32(4 + index * 4, true)
  const [rowCount, width, wordBytes] = [number(0), number(1), number(2)]
  const words = new TextDecoder().decode(bytes.subarray(HEADER_BYTES, HEADER_BYTES + wordBytes)).split('\n')
  const rows = new Map(words.map((word, row) => [word, row]))
  const scaleStart = Math.ceil((HEADER_BYTES + wordBytes) / 4) * 4
  const levelStart = scaleStart + rowCount * 4
  const rowOf = (term: string) => {
    const row = rows.get(term)
    if (row === undefined) return null
    const start = levelStart + row * width
    const levels = new Int8Array(bytes.buffer, bytes.byteOffset + start, width)
    return { scale: view.getFloat32(scaleStart + row * 4, true), levels }
  }
  return { width, unknownLength: UNKNOWN_LENGTH, rowOf }
}
