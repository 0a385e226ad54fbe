/** A byte-level BPE as bytes that are read much faster than the JSON they come from. Knows the layout; knows no files. */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import manifest from '../../package.json' with { type: 'json' }
import type { ByteLevelBpe } from './byte-level-bpe.ts'
import type { Grammar } from './pretokenizer-grammar.ts'

/** Raised with the layout, and with every change of what `byteLevelBpe` makes of a file. */
const FORMAT = `knowhow-bpe 4, ${manifest.version}`
const CHECKSUM_BYTES = 32
const NONE = new Uint32Array()

interface Header {
  readonly format: string
  /** Of the tokenizer.json. */
  readonly sha256: string
  readonly grammar: Grammar
  readonly isNormalized: boolean
  readonly added: readonly string[]
  readonly symbols: number
  readonly merges: number
  /** Whether there are products; else they follow from the ranks. */
  readonly hasProducts: boolean
  readonly vocabulary: number
}

/**
 * A line of JSON, filled up with spaces to a multiple of 4 bytes; left, right and, if need be, product of the merges and lengths of the
 * vocabulary, u32 of this machine's byte order; the vocabulary's bytes; the SHA-256 of all that.
 * @param sha256 of the tokenizer.json, in hex
 */
export function packBpe({ vocabulary, left, right, product, ...bpe }: ByteLevelBpe, sha256: string): Uint8Array {
  const counts = { merges: left.length, hasProducts: product !== null, vocabulary: vocabulary.length }
  const { grammar, isNormalized, added, symbols } = bpe
  const header: Header = { format: FORMAT, sha256, grammar, isNormalized, added, symbols, ...counts }
  const json = Buffer.from(JSON.stringify(header))
  const line = Buffer.concat([json, Buffer.alloc(3 - (json.length % 4), ' '), Buffer.from('\n')])
  const lengths = Uint32Array.from(vocabulary, ({ length }) => length)
  const content = Buffer.concat([line, ...[left, right, product ?? NONE, lengths].map(bytesOf), ...vocabulary])
  return Buffer.concat([content, checksumOf(content)])
}

/** Null for bytes that were damaged, come from another program version or another tokenizer.json, or are something else. */
export function unpackBpe(bytes: Uint8Array, sha256: string): ByteLevelBpe | null {
  const content = bytes.subarray(0, Math.max(0, bytes.length - CHECKSUM_BYTES))
  if (Buffer.compare(checksumOf(content), bytes.subarray(content.length)) !== 0) return null
  const lineBytes = content.indexOf(0x0a) + 1
  // What the checksum holds for was written by `packBpe`.
  const header = JSON.parse(new TextDecoder().decode(content.subarray(0, lineBytes))) as Header
  if (header.format !== FORMAT || header.sha256 !== sha256) return null
  const { grammar, isNormalized, added, symbols, merges, hasProducts, vocabulary } = header
  const columns = hasProducts ? 3 : 2
  // A copy, for the bytes may lie at any address; `slice` of a Buffer would be none.
  const numbers = new Uint8Array(content.subarray(lineBytes, lineBytes + 4 * (columns * merges + vocabulary))).buffer
  const column = (at: number) => new Uint32Array(numbers, 4 * at * merges, merges)
  const lengths = new Uint32Array(numbers, 4 * columns * merges, vocabulary)
  return {
    grammar,
    symbols,
    left: column(0),
    right: column(1),
    product: hasProducts ? column(2) : null,
    isNormalized,
    added,
    vocabulary: cutUp(content.subarray(lineBytes + numbers.byteLength), lengths),
  }
}

function cutUp(bytes: Uint8Array, lengths: Uint32Array): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  let start = 0
  for (const length of lengths) {
    parts.push(bytes.subarray(start, start + length))
    start += length
  }
  return parts
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function checksumOf(content: Uint8Array): Uint8Array {
  return createHash('sha256').update(content).digest()
}
