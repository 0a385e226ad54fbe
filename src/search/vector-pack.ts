/**
 * A pack of vectors, opened: finds texts by key, and reads vectors and levels where they are wanted. Knows bytes and
 * keys of texts; knows neither embedders nor views.
 */
import * as v from 'valibot'
import type { Digest, ReadFile } from '../ports.ts'
import { FileDamage, readBytes, readBytesInto } from './checked-file.ts'
import { parsedJson } from './file-footer.ts'
import { KEY_BYTES, KeyTable, keyTableBytes, keyWords, NOT_FOUND } from './key-table.ts'
import { BLOCK_ROWS, type PackEntry, type PackRow, packLayout, readPackFooter, rowStride } from './pack-format.ts'
import { keyAt } from './text-key.ts'

const reasonsSchema = v.array(v.string())

/** Throws `FileDamage`. */
function parsedReasons(bytes: Uint8Array, count: number): readonly string[] {
  const reasons = bytes.length === 0 ? [] : parsedJson(bytes)
  if (!v.is(reasonsSchema, reasons) || reasons.length !== count) throw new FileDamage('the refusals are no sentences')
  return reasons
}

/** Stretch of rows: from `start` to `end`, exclusive. */
export interface RowStretch {
  readonly start: number
  readonly end: number
}

/** Of what belongs to these rows of a pack. */
export class RowDamage extends FileDamage {
  readonly pack: VectorPack
  readonly rows: RowStretch

  constructor(pack: VectorPack, rows: RowStretch, options?: ErrorOptions) {
    super(`rows ${rows.start} to ${rows.end} are damaged`, options)
    this.pack = pack
    this.rows = rows
  }
}

export class VectorPack implements Disposable {
  readonly rowCount: number
  /** Numbers in each vector. */
  readonly width: number
  /** By row; see `quantizeRow`. */
  readonly scales: Float32Array
  readonly residuals: Float32Array
  /** Why a text was refused, by entry behind the rows. */
  readonly refusals: readonly string[]
  /** KEY_BYTES by entry. */
  readonly keys: Uint8Array
  readonly #table: KeyTable
  readonly #sums: Uint32Array
  readonly #levelSums: Uint32Array
  readonly #levelsStart: number
  readonly #vectorsStart: number
  readonly #file: ReadFile
  readonly #digest: Digest
  /** Rows that count as not there. */
  readonly #damaged = new Set<number>()
  /** Of the block that was read last for single rows. */
  #levels: (RowStretch & { readonly bytes: Uint8Array<ArrayBuffer> }) | null = null

  /** Reads all but levels and vectors. The pack owns the file from here on, unless this throws `FileDamage`. */
  constructor(file: ReadFile, digest: Digest) {
    this.#file = file
    this.#digest = digest
    const footer = readPackFooter(file, digest)
    const { rows, width, refusals, refusal_bytes, crc } = footer
    const layout = packLayout(footer)
    const head = readBytes(file, 0, layout.levels)
    if (digest.crc32(head) !== crc) throw new FileDamage('the pack is damaged')
    const at = (start: number) => head.byteOffset + start
    this.rowCount = rows
    this.width = width
    this.scales = new Float32Array(head.buffer, at(layout.scales), rows)
    this.residuals = new Float32Array(head.buffer, at(layout.residuals), rows)
    this.refusals = parsedReasons(head.subarray(layout.refusals, layout.refusals + refusal_bytes), refusals)
    this.keys = head.subarray(layout.keys, layout.keys + this.entryCount * KEY_BYTES)
    const slots = new Uint32Array(head.buffer, at(layout.table), keyTableBytes(this.entryCount) / 4)
    if (!slots.includes(0)) throw new FileDamage('a search in the table of keys would not end')
    this.#table = new KeyTable(keyWords(this.keys), slots)
    this.#sums = new Uint32Array(head.buffer, at(layout.sums), rows)
    this.#levelSums = new Uint32Array(head.buffer, at(layout.levelSums), Math.ceil(rows / BLOCK_ROWS))
    this.#levelsStart = layout.levels
    this.#vectorsStart = layout.vectors
  }

  /** Texts that it says something of: first those of its rows, then those that were refused. */
  get entryCount(): number {
    return this.rowCount + this.refusals.length
  }

  /** Of the whole file. */
  get bytes(): number {
    return this.#file.bytes
  }

  /** Looks for many texts, as `KeyTable.findAll` does; a damaged row is not there. */
  findAll(keys: Uint32Array, places: Int32Array, first: number): void {
    this.#table.findAll(keys, places, first)
    if (this.#damaged.size === 0) return
    for (let at = 0; at < places.length; at += 1)
      if (this.#damaged.has((places[at] ?? NOT_FOUND) - first)) places[at] = NOT_FOUND
  }

  /** Rows whose levels are read and checked together with this row's. */
  blockOf(row: number): RowStretch {
    const start = row - (row % BLOCK_ROWS)
    return { start, end: Math.min(this.rowCount, start + BLOCK_ROWS) }
  }

  /** Reads a block's levels, `rowStride` by row. Throws `RowDamage`. @param target as long as they are */
  readLevels(block: RowStretch, target: Uint8Array): void {
    const position = this.#levelsStart + block.start * rowStride(this.width)
    this.#read(block, position, target, this.#levelSums[block.start / BLOCK_ROWS])
  }

  /** The exact vector, read anew each time. Throws `RowDamage`. @param vector receives it where it is given */
  vectorAt(row: number, vector = new Float32Array(this.width)): Float32Array {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
    this.#read({ start: row, end: row + 1 }, this.#vectorsStart + row * bytes.length, bytes, this.#sums[row])
    return vector
  }

  #read(rows: RowStretch, position: number, target: Uint8Array, sum: number | undefined): void {
    try {
      readBytesInto(this.#file, position, target)
    } catch (cause) {
      if (cause instanceof FileDamage) throw new RowDamage(this, rows, { cause })
      throw cause
    }
    if (this.#digest.crc32(target) !== sum) throw new RowDamage(this, rows)
  }

  /** All that another pack needs of the entry. Throws `RowDamage`. */
  entryAt(entry: number): PackEntry {
    const refused = this.refusals[entry - this.rowCount]
    return refused === undefined ? this.#rowAt(entry) : { key: keyAt(this.keys, entry), refused }
  }

  #rowAt(row: number): PackRow {
    const quantized = { levels: this.#levelsAt(row), scale: this.scales[row] ?? 0, residual: this.residuals[row] ?? 0 }
    return { key: keyAt(this.keys, row), vector: this.vectorAt(row), quantized }
  }

  #levelsAt(row: number): Int8Array {
    if (this.#levels === null || row < this.#levels.start || row >= this.#levels.end) {
      const block = this.blockOf(row)
      const bytes = new Uint8Array((block.end - block.start) * rowStride(this.width))
      this.readLevels(block, bytes)
      this.#levels = { ...block, bytes }
    }
    const { start, bytes } = this.#levels
    return new Int8Array(bytes.buffer, (row - start) * rowStride(this.width), this.width)
  }

  /** From here on these rows count as not there. */
  drop({ start, end }: RowStretch): void {
    for (let row = start; row < end; row += 1) this.#damaged.add(row)
  }

  /** Reads every row, and drops those that are damaged. */
  dropDamaged(): void {
    for (let start = 0; start < this.rowCount; start += BLOCK_ROWS) {
      const { end } = this.blockOf(start)
      this.#dropIfDamaged(() => this.#levelsAt(start))
      for (let row = start; row < end; row += 1)
        if (!this.#damaged.has(row)) this.#dropIfDamaged(() => this.vectorAt(row))
    }
    this.#levels = null
  }

  /** Reads all of it. Throws `FileDamage`. */
  check(): void {
    this.dropDamaged()
    if (this.#damaged.size > 0) throw new FileDamage(`${this.#damaged.size} of ${this.rowCount} rows are damaged`)
  }

  #dropIfDamaged(read: () => unknown): void {
    try {
      read()
    } catch (error) {
      if (!(error instanceof RowDamage)) throw error
      this.drop(error.rows)
    }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}
