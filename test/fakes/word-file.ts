/** Small files of word vectors in the format of the built-in embedder; what a test wants to stand in one, it writes itself. */
import { createHash } from 'node:crypto'
import type { ReadRange } from '../../src/ports.ts'
import { unitHash } from '../../src/search/unit-hash.ts'

const HEADER_BYTES = 128
const ALIGNMENT = 16

export interface WordFileParts {
  readonly bits?: 4 | 8
  readonly unknownLength?: number
}

/** @param rows levels by word, all of one width; each has the scale 1 */
export function wordFileOf(
  rows: Readonly<Record<string, readonly number[]>>,
  { bits = 8, unknownLength = 15 }: WordFileParts = {},
): Uint8Array<ArrayBuffer> {
  const words = Object.keys(rows).sort((a, b) => (unitHash(a) >>> 0) - (unitHash(b) >>> 0))
  const encoded = words.map((word) => new TextEncoder().encode(word))
  const starts = [0]
  for (const word of encoded) starts.push((starts.at(-1) ?? 0) + word.length)
  const levels = words.flatMap((word) => packed(rows[word] ?? [], bits))
  const sections = [
    bytesOf(Uint32Array.from(words, (word) => unitHash(word) >>> 0)),
    bytesOf(new Float32Array(words.length).fill(1)),
    Uint8Array.from(levels),
    bytesOf(Uint32Array.from(starts)),
    Uint8Array.from(encoded.flatMap((word) => [...word])),
  ]
  const offsets: number[] = []
  const body: number[] = []
  for (const section of sections) {
    offsets.push(HEADER_BYTES + body.length)
    body.push(...section)
    while (body.length % ALIGNMENT !== 0) body.push(0)
  }
  const width = rows[words[0] ?? '']?.length ?? 0
  const file = new Uint8Array(HEADER_BYTES + body.length)
  const view = new DataView(file.buffer)
  file.set(new TextEncoder().encode('KHEMBED1'))
  for (const [at, number] of [1, 2, words.length, width, bits, 1, words.length].entries())
    view.setUint32(8 + at * 4, number, true)
  view.setFloat32(36, unknownLength, true)
  for (const [at, offset] of offsets.entries()) view.setUint32(40 + at * 4, offset, true)
  file.set(body, HEADER_BYTES)
  file.set(createHash('sha256').update(file.subarray(HEADER_BYTES)).digest(), 96)
  return file
}

/** Counts how many bytes were asked for. */
export function readsOf(file: Uint8Array<ArrayBuffer>): { readonly read: ReadRange; readonly bytesRead: () => number } {
  let count = 0
  const read = async (start: number, end?: number) => {
    const part = file.slice(start, end)
    count += part.length
    return part
  }
  return { read, bytesRead: () => count }
}

function packed(levels: readonly number[], bits: 4 | 8): readonly number[] {
  if (bits === 8) return levels.map((level) => level & 0xff)
  return levels.flatMap((level, column) =>
    column % 2 === 0 ? [(level + 8) | (((levels[column + 1] ?? 0) + 8) << 4)] : [],
  )
}

function bytesOf(numbers: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}
