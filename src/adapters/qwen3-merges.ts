/** Qwen3's merges, unpacked from the embedded table. Knows the table's layout; knows nothing of pre-tokenizing. */
import { Buffer } from 'node:buffer'
import { zstdDecompressSync } from 'node:zlib'
import { invariant } from '../model/memory-error.ts'

/**
 * Rank r merges the symbols `left[r]` and `right[r]`, both below r + 256, into the symbol r + 256. From 256 on a symbol is the token's id too; the
 * ids of single bytes follow the order of their letters' kinds, not that of the bytes.
 */
export interface MergeTable {
  readonly left: Uint32Array
  readonly right: Uint32Array
}

/** Of one byte per merge; see `unpackMerges`. */
export const PLANES = 6

/**
 * Reads the table's bytes: six planes of one byte per merge, namely bits 0-7, 8-15 and 16-23 of every left symbol,
 * then the same of every right one. Planes compress to nine tenths of what whole numbers do.
 */
export function unpackMerges(bytes: Uint8Array): MergeTable {
  invariant(bytes.length % PLANES === 0, `a merge table of ${bytes.length} bytes has no whole planes`)
  const count = bytes.length / PLANES
  return { left: unpackSymbols(bytes, 0, count), right: unpackSymbols(bytes, 3 * count, count) }
}

function unpackSymbols(bytes: Uint8Array, start: number, count: number): Uint32Array {
  const symbols = new Uint32Array(count)
  const [middle, high] = [start + count, start + 2 * count]
  for (let rank = 0; rank < count; rank += 1)
    symbols[rank] = (bytes[start + rank] ?? 0) | ((bytes[middle + rank] ?? 0) << 8) | ((bytes[high + rank] ?? 0) << 16)
  return symbols
}

/** Reads an asset: comment lines that start with `#`, then zstd in base64. */
export function mergesOfAsset(asset: string): MergeTable {
  const base64 = asset.replace(/^(?:#.*\r?\n)*/, '')
  return unpackMerges(zstdDecompressSync(Buffer.from(base64, 'base64')))
}

/** Loaded at the first call only: most commands count nothing. */
export async function qwen3Merges(): Promise<MergeTable> {
  const { default: asset } = await import('./assets/qwen3-merges.txt', { with: { type: 'text' } })
  return mergesOfAsset(asset)
}
