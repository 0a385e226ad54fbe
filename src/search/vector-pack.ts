/**
 * What an embedder made of texts, in one immutable file: vectors, scanned as small integers and read by row exactly, and
 * refusals. Knows bytes and keys of texts; knows neither embedders nor views. Little-endian; described in docs/formats.md.
 */
import * as v from 'valibot'
import { invariant } from '../model/memory-error.ts'
import { WIDTH_MAX } from '../model/unit-vector.ts'
import type { Digest, ReadFile } from '../ports.ts'
import { FileDamage, readBytes } from './checked-file.ts'
import { footerBytes, parsedJson, readFooter } from './file-footer.ts'
import { KEY_BYTES } from './key-table.ts'
import { type Quantization, quantizeRow } from './quantized-vector.ts'
import { keyHex, keyOfHex } from './text-key.ts'

const FORMAT_VERSION = 2
const MAGIC = 'KNOWHOWV'
/** Room for the footer and what follows it: five members, none above 2^53. */
const FOOTER_BYTES_MAX = 160
/** Each part begins at a multiple of so many bytes, for its numbers are read in place. */
const ALIGNMENT = 8
/** Of a row beside its numbers: key, scale, residual and sum. */
const ROW_BYTES = KEY_BYTES + 3 * 4

const encoder = new TextEncoder()

export interface PackRow {
  /** SHA-256 of the text in UTF-8: KEY_BYTES long. */
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
    /** Of the refusals. */
    refusal_bytes: count,
    /** CRC-32 of everything before the vectors; each vector has one of its own. */
    crc: count,
  }),
  v.check(({ rows, width }) => (rows === 0) === (width === 0)),
)
const refusalsSchema = v.array(v.object({ key: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)), refused: v.string() }))
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
  /** JSON in UTF-8. */
  readonly refusals: number
  /** Float32, row-major. */
  readonly vectors: number
  readonly end: number
}

function layoutOf({ rows, width, refusal_bytes }: Omit<Footer, 'format' | 'crc'>): PackLayout {
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
    refusals: take(refusal_bytes),
    vectors: take(rows * width * 4),
    end,
  }
}

/** Rows that a pack of about so many bytes has, at least 1. @param width above 0 */
export function packRowsIn(bytes: number, width: number): number {
  return Math.max(1, Math.floor(bytes / (ROW_BYTES + 5 * width)))
}

/** @param entries not empty, all vectors of one width */
export function packBytes(entries: readonly PackEntry[], digest: Digest): Uint8Array<ArrayBuffer> {
  invariant(entries.length > 0, 'a pack of nothing')
  const rows = entries.filter((entry) => 'vector' in entry)
  const width = rows[0]?.vector.length ?? 0
  const refusals = refusalBytes(entries.filter((entry) => 'refused' in entry))
  const sizes = { rows: rows.length, width, refusal_bytes: refusals.length }
  const layout = layoutOf(sizes)
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
  file.set(refusals, layout.refusals)
  const crc = digest.crc32(file.subarray(0, layout.vectors))
  const footer = footerBytes({ format: FORMAT_VERSION, ...sizes, crc }, MAGIC, digest)
  file.set(footer, layout.end)
  return file.subarray(0, layout.end + footer.length)
}

function refusalBytes(refusals: readonly RefusedText[]): Uint8Array {
  if (refusals.length === 0) return new Uint8Array()
  return encoder.encode(JSON.stringify(refusals.map(({ key, refused }) => ({ key: keyHex(key), refused }))))
}

/** Throws `FileDamage`. */
function parsedRefusals(bytes: Uint8Array): readonly RefusedText[] {
  if (bytes.length === 0) return []
  const { success, output } = v.safeParse(refusalsSchema, parsedJson(bytes))
  if (!success) throw new FileDamage('the refusals are of another version')
  return output.map(({ key, refused }) => ({ key: keyOfHex(key), refused }))
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
  readonly refusals: readonly RefusedText[]
  readonly #keys: Uint8Array
  readonly #sums: Uint32Array
  readonly #vectorsStart: number
  readonly #file: ReadFile
  readonly #digest: Digest

  /** Reads all but the vectors. The pack owns the file from here on, unless this throws `FileDamage`. */
  constructor(file: ReadFile, digest: Digest) {
    this.#file = file
    this.#digest = digest
    const footer = readPackFooter(file, digest)
    const { rows, width, refusal_bytes, crc } = footer
    const layout = layoutOf(footer)
    const head = readBytes(file, 0, layout.vectors)
    if (digest.crc32(head) !== crc) throw new FileDamage('the pack is damaged')
    const at = (start: number) => head.byteOffset + start
    this.rowCount = rows
    this.width = width
    this.scales = new Float32Array(head.buffer, at(layout.scales), rows)
    this.residuals = new Float32Array(head.buffer, at(layout.residuals), rows)
    this.levels = new Int8Array(head.buffer, at(layout.levels), rows * width)
    this.refusals = parsedRefusals(head.subarray(layout.refusals, layout.refusals + refusal_bytes))
    this.#keys = head.subarray(layout.keys, layout.keys + rows * KEY_BYTES)
    this.#sums = new Uint32Array(head.buffer, at(layout.sums), rows)
    this.#vectorsStart = layout.vectors
  }

  /** Texts that it says something of. */
  get entryCount(): number {
    return this.rowCount + this.refusals.length
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
  if (layoutOf(footer).end !== start) throw new FileDamage('the file is cut')
  return footer
}
