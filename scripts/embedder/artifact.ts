/** Reads `builtin-embedder.bin` whole: what stands where is in README.md. The product reads less of it. */
import { createHash } from 'node:crypto'
import { HASH_SEED, withUnit } from '../../src/search/unit-hash.ts'
import type { EmbeddingModel, EmbeddingRow } from './reference-embedder.ts'

const MAGIC = 'KHEMBED1'
const FORMAT_VERSION = 1
const HEADER_BYTES = 128
const BODY_DIGEST_START = 96

export interface Artifact extends EmbeddingModel {
  readonly analyzerVersion: number
  readonly rowCount: number
  readonly bits: number
  readonly seed: number
  /** By row: in the order of their hashes. */
  readonly words: readonly string[]
}

/** Throws for another format and for bytes that were changed. */
export function readArtifact(bytes: Uint8Array): Artifact {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const number = (index: number) => view.getUint32(MAGIC.length + index * 4, true)
  if (new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC || number(0) !== FORMAT_VERSION)
    throw new Error(`not a ${MAGIC} file of version ${FORMAT_VERSION}`)
  const digest = createHash('sha256').update(bytes.subarray(HEADER_BYTES)).digest()
  if (!digest.equals(bytes.subarray(BODY_DIGEST_START, HEADER_BYTES))) throw new Error('the file was changed')
  const [analyzerVersion, rowCount, width, bits, seed] = [number(1), number(2), number(3), number(4), number(5)]
  const [hashStart, scaleStart, levelStart, startStart, wordStart] = [8, 9, 10, 11, 12].map(number)
  const uint32At = (start = 0, index = 0) => view.getUint32(start + index * 4, true)
  const decoder = new TextDecoder()
  const words = Array.from({ length: rowCount }, (_, row) => {
    const [start, end] = [uint32At(startStart, row), uint32At(startStart, row + 1)]
    return decoder.decode(bytes.subarray((wordStart ?? 0) + start, (wordStart ?? 0) + end))
  })
  const rowBytes = (width * bits) / 8
  const row = (index: number): EmbeddingRow => {
    const start = (levelStart ?? 0) + index * rowBytes
    const scale = view.getFloat32((scaleStart ?? 0) + index * 4, true)
    return { scale, levels: unpacked(bytes.subarray(start, start + rowBytes), bits) }
  }
  const rowOf = (term: string) => {
    const index = rowIndex(hashOf(term), rowCount, (at) => uint32At(hashStart, at))
    return index === -1 || words[index] !== term ? null : row(index)
  }
  const unknownLength = view.getFloat32(MAGIC.length + 28, true)
  return { analyzerVersion, rowCount, width, bits, seed, words, unknownLength, rowOf }
}

function hashOf(term: string): number {
  let hash = HASH_SEED
  for (let at = 0; at < term.length; at += 1) hash = withUnit(hash, term.charCodeAt(at))
  return hash >>> 0
}

/** Where among ascending hashes the hash is, -1 if nowhere. */
function rowIndex(hash: number, count: number, hashAt: (index: number) => number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (hashAt(middle) < hash) low = middle + 1
    else high = middle
  }
  return low < count && hashAt(low) === hash ? low : -1
}

function unpacked(bytes: Uint8Array, bits: number): Int8Array {
  if (bits === 8) return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  return Int8Array.from({ length: bytes.length * 2 }, (_, column) => {
    const pair = bytes[column >> 1] ?? 0
    return (column % 2 === 0 ? pair & 0xf : pair >> 4) - 8
  })
}
