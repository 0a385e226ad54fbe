/**
 * Vectors of texts in one immutable file: found by the text's key, scanned as small integers, read by row exactly.
 * Knows bytes; knows neither embedders nor views. Little-endian; described in docs/formats.md.
 */
import * as v from 'valibot'
import { invariant } from '../model/memory-error.ts'
import { WIDTH_MAX } from '../model/unit-vector.ts'
import type { Digest, ReadFile } from '../ports.ts'
import { FileDamage, readBytes } from './checked-file.ts'
import { footerBytes, readFooter } from './file-footer.ts'
import { KEY_BYTES } from './key-table.ts'
import { type Quantization, quantizeRow } from './quantized-vector.ts'

const FORMAT_VERSION = 1
const MAGIC = 'KNOWHOWV'
/** Room for the footer and what follows it: four members, none above 2^53. */
const FOOTER_BYTES_MAX = 128
/** Each part begins at a multiple of so many bytes, for its numbers are read in place. */
const ALIGNMENT = 8

export interface PackRow {
  /** SHA-256 of the text in UTF-8: KEY_BYTES long. */
  readonly key: Uint8Array
  /** Of length 1. */
  readonly vector: Float32Array
  /** The same as small integers, where they are known already. */
  readonly quantized?: Quantization & { readonly levels: Int8Array }
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const footerSchema = v.object({
  format: v.literal(FORMAT_VERSION),
  rows: count,
  width: v.pipe(count, v.minValue(1), v.maxValue(WIDTH_MAX)),
  /** CRC-32 of everything before the vectors; each vector has one of its own. */
  crc: count,
})
type Footer = v.InferOutput<typeof footerSchema>

/** Where the parts of a pack begin, in bytes. */
interface PackLayout {
  /** KEY_BYTES by row. */
  readonly keys: number
  /** Float32 by row. */
  readonly scales: number
  readonly residuals: number
  /** Uint32 by row: CRC-32 of its vector. */
  readonly sums: number
  /** Int8, row-major, no padding. */
  readonly levels: number
  /** Float32, row-major. */
  readonly vectors: number
  readonly end: number
}

function layoutOf(rows: number, width: number): PackLayout {
  let end = 0
  const take = (bytes: number) => {
    const start = end
    end = Math.ceil((end + bytes) / ALIGNMENT) * ALIGNMENT
    return start
  }
  return {
    keys: take(rows * KEY_BYTES),
    scales: take(rows * 4),
    residuals: take(rows * 4),
    sums: take(rows * 4),
    levels: take(rows * width),
    vectors: take(rows * width * 4),
    end,
  }
}

/** @param rows not empty, all vectors of one width */
export function packBytes(rows: readonly PackRow[], digest: Digest): Uint8Array<ArrayBuffer> {
  const width = rows[0]?.vector.length ?? 0
  invariant(width > 0, 'a pack without vectors')
  const layout = layoutOf(rows.length, width)
  const file = new Uint8Array(layout.end + FOOTER_BYTES_MAX)
  const scales = new Float32Array(file.buffer, layout.scales, rows.length)
  const residuals = new Float32Array(file.buffer, layout.residuals, rows.length)
  const sums = new Uint32Array(file.buffer, layout.sums, rows.length)
  for (const [row, { key, vector, quantized }] of rows.entries()) {
    invariant(key.length === KEY_BYTES, `a key of ${key.length} bytes`)
    file.set(key, layout.keys + row * KEY_BYTES)
    const levels = new Int8Array(file.buffer, layout.levels + row * width, width)
    if (quantized !== undefined) levels.set(quantized.levels)
    const { scale, residual } = quantized ?? quantizeRow(vector, levels)
    scales[row] = scale
    residuals[row] = residual
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
    file.set(bytes, layout.vectors + row * width * 4)
    sums[row] = digest.crc32(bytes)
  }
  const crc = digest.crc32(file.subarray(0, layout.vectors))
  const footer = footerBytes({ format: FORMAT_VERSION, rows: rows.length, width, crc }, MAGIC, digest)
  file.set(footer, layout.end)
  return file.subarray(0, layout.end + footer.length)
}

export class VectorPack implements Disposable {
  readonly rowCount: number
  /** Numbers in each vector. */
  readonly width: number
  /** By row; see `quantizeRow`. */
  readonly scales: Float32Array
  readonly residuals: Float32Array
  /** Row-major, no padding. */
  readonly levels: Int8Array
  readonly #keys: Uint8Array
  readonly #sums: Uint32Array
  readonly #vectorsStart: number
  readonly #file: ReadFile
  readonly #digest: Digest

  /** Reads all but the vectors. The pack owns the file from here on, unless this throws `FileDamage`. */
  constructor(file: ReadFile, digest: Digest) {
    this.#file = file
    this.#digest = digest
    const { rows, width, crc } = readPackFooter(file, digest)
    const layout = layoutOf(rows, width)
    const head = readBytes(file, 0, layout.vectors)
    if (digest.crc32(head) !== crc) throw new FileDamage('the pack is damaged')
    const at = (start: number) => head.byteOffset + start
    this.rowCount = rows
    this.width = width
    this.scales = new Float32Array(head.buffer, at(layout.scales), rows)
    this.residuals = new Float32Array(head.buffer, at(layout.residuals), rows)
    this.levels = new Int8Array(head.buffer, at(layout.levels), rows * width)
    this.#keys = head.subarray(layout.keys, layout.keys + rows * KEY_BYTES)
    this.#sums = new Uint32Array(head.buffer, at(layout.sums), rows)
    this.#vectorsStart = layout.vectors
  }

  /** Of the whole file. */
  get bytes(): number {
    return this.#file.bytes
  }

  keyAt(row: number): Uint8Array {
    return this.#keys.subarray(row * KEY_BYTES, (row + 1) * KEY_BYTES)
  }

  /** The exact vector, read anew each time. Throws `FileDamage`. */
  vectorAt(row: number): Float32Array<ArrayBuffer> {
    const bytes = readBytes(this.#file, this.#vectorsStart + row * this.width * 4, this.width * 4)
    if (this.#digest.crc32(bytes) !== this.#sums[row]) throw new FileDamage('a vector is damaged')
    return new Float32Array(bytes.buffer, bytes.byteOffset, this.width)
  }

  /** All that another pack needs of the row. Throws `FileDamage`. */
  rowAt(row: number): PackRow {
    const levels = this.levels.subarray(row * this.width, (row + 1) * this.width)
    const quantized = { levels, scale: this.scales[row] ?? 0, residual: this.residuals[row] ?? 0 }
    return { key: this.keyAt(row), vector: this.vectorAt(row), quantized }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}

const isFooter = (value: unknown): value is Footer => v.is(footerSchema, value)

/** Throws `FileDamage`, also when the file is not exactly as long as its footer says. */
function readPackFooter(file: ReadFile, digest: Digest): Footer {
  const { footer, start } = readFooter(file, digest, { magic: MAGIC, isFooter })
  if (layoutOf(footer.rows, footer.width).end !== start) throw new FileDamage('the file is cut')
  return footer
}
