/**
 * A pack of vectors as bytes: what it is made of, where its parts are, and how one is written. Little-endian; described
 * in docs/formats.md. Reading is for `vector-pack.ts`.
 */
import * as v from 'valibot'
import { invariant } from '../model/memory-error.ts'
import { WIDTH_MAX } from '../model/unit-vector.ts'
import type { Digest, ReadFile } from '../ports.ts'
import { FileDamage } from './checked-file.ts'
import { footerBytes, readFooter } from './file-footer.ts'
import { fillKeyTable, KEY_BYTES, keyTableBytes, keyWords } from './key-table.ts'
import { type Quantization, quantizeRow } from './quantized-vector.ts'

const FORMAT_VERSION = 2
const MAGIC = 'KNOWHOWV'
/** Room for the footer and what follows it: six members, none above 2^53. */
const FOOTER_BYTES_MAX = 192
/** Each part begins at a multiple of so many bytes, for its numbers are read in place. */
const ALIGNMENT = 8
/** Of a row beside its numbers: key, scale, residual and sum, and at most 2.5 slots of the table of keys. */
const ROW_BYTES = KEY_BYTES + 3 * 4 + 2.5 * 4
/** As a kernel's rows lie, so that levels are read to where they are scanned. */
const STRIDE_STEP = 16
/** Rows whose levels have one CRC-32, the last of them fewer. */
export const BLOCK_ROWS = 256

const encoder = new TextEncoder()

export interface PackRow {
  /** KEY_BYTES long, see text-key.ts. */
  readonly key: Uint8Array
  /** Of length 1. */
  readonly vector: Float32Array
  /** The same as small integers, where they are known already. */
  readonly quantized?: Quantization & { readonly levels: Int8Array }
}

/** A text that the embedder does not take. */
export interface RefusedText {
  /** As a row's. */
  readonly key: Uint8Array
  /** Why, in a sentence. */
  readonly refused: string
}

export type PackEntry = PackRow | RefusedText

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const footerSchema = v.pipe(
  v.object({
    format: v.literal(FORMAT_VERSION),
    rows: count,
    /** 0 without rows. */
    width: v.pipe(count, v.maxValue(WIDTH_MAX)),
    refusals: count,
    /** Of the refusals' reasons. */
    refusal_bytes: count,
    /** CRC-32 of everything before the levels, which have sums of their own, as the vectors do. */
    crc: count,
  }),
  v.check(({ rows, width }) => (rows === 0) === (width === 0)),
)
export type PackFooter = v.InferOutput<typeof footerSchema>

/** Where the parts of a pack begin, in bytes. An entry is a row, or behind them all a refusal. */
interface PackLayout {
  /** KEY_BYTES by entry. */
  readonly keys: number
  /** Uint32: the entries by key, see `KeyTable`. */
  readonly table: number
  /** Float32 by row. */
  readonly scales: number
  readonly residuals: number
  /** Uint32 by row: CRC-32 of its vector. */
  readonly sums: number
  /** Uint32 by block of BLOCK_ROWS rows: CRC-32 of its levels. */
  readonly levelSums: number
  /** JSON in UTF-8: the reasons of the refusals, in their order. */
  readonly refusals: number
  /** Int8, row-major, each row padded with zeros to `rowStride`. */
  readonly levels: number
  /** Float32, row-major. */
  readonly vectors: number
  readonly end: number
}

/** Bytes from one row's levels to the next one's. */
export function rowStride(width: number): number {
  return Math.ceil(width / STRIDE_STEP) * STRIDE_STEP
}

export function packLayout(sizes: Omit<PackFooter, 'format' | 'crc'>): PackLayout {
  const { rows, width, refusals, refusal_bytes } = sizes
  let end = 0
  const take = (bytes: number) => {
    const start = end
    end = Math.ceil((end + bytes) / ALIGNMENT) * ALIGNMENT
    return start
  }
  return {
    keys: take((rows + refusals) * KEY_BYTES),
    table: take(keyTableBytes(rows + refusals)),
    scales: take(rows * 4),
    residuals: take(rows * 4),
    sums: take(rows * 4),
    levelSums: take(Math.ceil(rows / BLOCK_ROWS) * 4),
    refusals: take(refusal_bytes),
    levels: take(rows * rowStride(width)),
    vectors: take(rows * width * 4),
    end,
  }
}

/** Rows that a pack of about so many bytes has, at least 1. @param width above 0 */
export function packRowsIn(bytes: number, width: number): number {
  return Math.max(1, Math.floor(bytes / (ROW_BYTES + rowStride(width) + 4 * width)))
}

/** @param entries not empty, no two with one key, all vectors of one width */
export function packBytes(entries: readonly PackEntry[], digest: Digest): Uint8Array<ArrayBuffer> {
  invariant(entries.length > 0, 'a pack of nothing')
  const rows = entries.filter((entry) => 'vector' in entry)
  const refusals = entries.filter((entry) => 'refused' in entry)
  const width = rows[0]?.vector.length ?? 0
  const reasons = refusals.length === 0 ? '' : JSON.stringify(refusals.map(({ refused }) => refused))
  const reasonBytes = encoder.encode(reasons)
  const sizes = { rows: rows.length, width, refusals: refusals.length, refusal_bytes: reasonBytes.length }
  const layout = packLayout(sizes)
  const file = new Uint8Array(layout.end + FOOTER_BYTES_MAX)
  const keys = file.subarray(layout.keys, layout.keys + entries.length * KEY_BYTES)
  for (const [at, { key }] of [...rows, ...refusals].entries()) {
    invariant(key.length === KEY_BYTES, `a key of ${key.length} bytes`)
    keys.set(key, at * KEY_BYTES)
  }
  fillKeyTable(new Uint32Array(file.buffer, layout.table, keyTableBytes(entries.length) / 4), keyWords(keys))
  writeRows(file, layout, rows, digest)
  file.set(reasonBytes, layout.refusals)
  const crc = digest.crc32(file.subarray(0, layout.levels))
  const footer = footerBytes({ format: FORMAT_VERSION, ...sizes, crc }, MAGIC, digest)
  file.set(footer, layout.end)
  return file.subarray(0, layout.end + footer.length)
}

function writeRows(file: Uint8Array<ArrayBuffer>, layout: PackLayout, rows: readonly PackRow[], digest: Digest): void {
  const scales = new Float32Array(file.buffer, layout.scales, rows.length)
  const residuals = new Float32Array(file.buffer, layout.residuals, rows.length)
  const sums = new Uint32Array(file.buffer, layout.sums, rows.length)
  for (const [row, { vector, quantized }] of rows.entries()) {
    const levels = new Int8Array(file.buffer, layout.levels + row * rowStride(vector.length), vector.length)
    if (quantized !== undefined) levels.set(quantized.levels)
    const { scale, residual } = quantized ?? quantizeRow(vector, levels)
    scales[row] = scale
    residuals[row] = residual
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
    file.set(bytes, layout.vectors + row * bytes.length)
    sums[row] = digest.crc32(bytes)
  }
  const levelSums = new Uint32Array(file.buffer, layout.levelSums, Math.ceil(rows.length / BLOCK_ROWS))
  const stride = rowStride(rows[0]?.vector.length ?? 0)
  for (const block of levelSums.keys()) {
    const end = Math.min(rows.length, (block + 1) * BLOCK_ROWS)
    const levels = file.subarray(layout.levels + block * BLOCK_ROWS * stride, layout.levels + end * stride)
    levelSums[block] = digest.crc32(levels)
  }
}

const isFooter = (value: unknown): value is PackFooter => v.is(footerSchema, value)

/** Throws `FileDamage`, also when the file is not exactly as long as its footer says. */
export function readPackFooter(file: ReadFile, digest: Digest): PackFooter {
  const { footer, start } = readFooter(file, digest, { magic: MAGIC, isFooter })
  if (packLayout(footer).end !== start) throw new FileDamage('the file is cut')
  return footer
}
