/** The vectors of one view's texts under one embedder: which are there, which are owed, and which are nearest. */
import type { ViewName } from '../model/experience.ts'
import { invariant } from '../model/memory-error.ts'
import { dotProduct } from '../model/unit-vector.ts'
import type { Kernel } from '../ports.ts'
import type { Candidate } from './best-candidates.ts'
import { FileDamage } from './checked-file.ts'
import { KeyTable } from './key-table.ts'
import { nearestRows, type QuantizedRows } from './nearest-rows.ts'
import type { PackRow, VectorPack } from './vector-pack.ts'
import type { PackFile, ShelvedPack, VectorShelf } from './vector-shelf.ts'

/** Packs of a view past which the smaller half of them becomes one: each is an open file. */
export const PACKS_MAX = 32

/** A view's documents by slot. */
export interface KeyedTexts {
  readonly slotCount: number
  /** SHA-256 of the text in UTF-8; null when the slot's document does not count. */
  readonly keyOf: (slot: number) => Uint8Array | null
  /** No two documents share one. */
  readonly pathOf: (slot: number) => string
}

/** Where a text's vector is. */
interface Place {
  readonly pack: VectorPack
  readonly row: number
}

export interface VectorCandidate extends Candidate {
  readonly slot: number
}

export class ViewVectors implements Disposable {
  readonly #view: ViewName
  readonly #shelf: VectorShelf
  readonly #kernel: Kernel
  /** In the order of their numbers. */
  #packs: readonly ShelvedPack[] = []
  /** Files that are open, or damaged for good. */
  readonly #known = new Set<string>()
  #isAnothers = false
  #width: number | null = null
  /** Of the texts that have a vector of the view's width, shown or not. */
  #keys = new KeyTable()
  /** By number in `#keys`; null where the vector is damaged. The newest pack counts. */
  #places: (Place | null)[] = []
  #texts: KeyedTexts = { slotCount: 0, keyOf: () => null, pathOf: () => '' }
  /** The rows of the matrix: slots that have a vector, ascending, and where it is. */
  #slots: readonly number[] = []
  #rows: readonly Place[] = []
  #owed: readonly number[] = []
  #quantized: QuantizedRows | null = null

  constructor(view: ViewName, shelf: VectorShelf, kernel: Kernel) {
    this.#view = view
    this.#shelf = shelf
    this.#kernel = kernel
  }

  /** Whether the vectors here are another embedder's, and this one's are not all made yet. */
  get isAnothers(): boolean {
    return this.#isAnothers
  }

  /** Numbers in each vector that counts: those of the oldest pack, until `useWidth`. Null while there is none. */
  get width(): number | null {
    return this.#width
  }

  /** Documents that have a vector. */
  get count(): number {
    return this.#rows.length
  }

  /** Slots whose text has no vector yet, ascending. */
  get owed(): readonly number[] {
    return this.#owed
  }

  /** Packs that are open. */
  get packs(): number {
    return this.#packs.length
  }

  /** Of these packs. */
  get bytes(): number {
    return this.#packs.reduce((sum, { pack }) => sum + pack.bytes, 0)
  }

  /** Whether every vector is on the disk. */
  get isStored(): boolean {
    return this.#packs.every(({ name }) => name !== null)
  }

  /** From here on the view has these texts; packs that another process wrote are taken in. */
  show(texts: KeyedTexts): void {
    this.#texts = texts
    const files = this.#shelf.files(this.#view)
    this.#isAnothers = files[0]?.isOwn === false
    for (const { name, isOwn } of files) if (isOwn && !this.#known.has(name)) this.#open(name)
    this.#placeTexts()
    this.#dropUnused(files)
  }

  /** Takes in what was just made. @param rows all vectors of one width; another width than the view's never counts */
  add(rows: readonly PackRow[]): void {
    if (rows.length === 0) return
    this.#take(this.#shelf.publish(this.#view, rows, null))
    if (this.#packs.length > PACKS_MAX) this.#mergeSmall()
    this.#placeTexts()
  }

  /** From here on only vectors of this width count: the embedder gives no others any more. */
  useWidth(width: number): void {
    if (width === this.#width) return
    this.#width = width
    this.#replacePacks(this.#packs)
  }

  /** Reads every vector; the texts of damaged ones are owed from here on. */
  dropDamaged(): void {
    for (const [number, place] of this.#places.entries())
      if (place !== null && rowOrNull(place) === null) this.#places[number] = null
    this.#placeTexts()
  }

  /** Drops the vectors of all texts that are not shown, and of other embedders and widths. */
  compact(): void {
    const shown = new Set(this.#rows)
    const files = this.#shelf.files(this.#view)
    const isCompact = ({ name, pack }: ShelvedPack) => pack.rowCount === shown.size && name === files[0]?.name
    if (files.length === this.#packs.length && files.length <= 1 && this.#packs.every(isCompact)) return
    const replaced = new Set(this.#packs)
    // A pack that this process has not taken in may hold what another has just made.
    this.#merge([...shown], replaced, ({ name, isOwn }) => !isOwn || this.#known.has(name))
    this.#isAnothers = this.#shelf.files(this.#view)[0]?.isOwn === false
  }

  /**
   * The `limit` documents whose vectors have the largest cosine with `query`, largest first, ties by path. None for a
   * query of another width than the view's. What proves to be damaged is owed from here on.
   * @param query of length 1
   */
  nearest(query: Float32Array, limit: number): readonly VectorCandidate[] {
    for (;;) {
      if (this.#rows.length === 0 || query.length !== this.#width) return []
      const found = this.#nearestRows(query, limit)
      if (found !== null) return found
    }
  }

  /** Cosine with one document's vector; null where it has none. @param query of length 1 */
  cosineOf(query: Float32Array, slot: number): number | null {
    const key = this.#texts.keyOf(slot)
    const place = key === null ? null : (this.#places[this.#keys.numberOf(key)] ?? null)
    if (place === null || query.length !== this.#width) return null
    const row = rowOrNull(place)
    return row === null ? null : dotProduct(query, row.vector)
  }

  /** @returns null when a vector was damaged: its text is then owed */
  #nearestRows(query: Float32Array, limit: number): readonly VectorCandidate[] | null {
    const pathOfRow = (row: number) => this.#texts.pathOf(this.#slots[row] ?? 0)
    let reading: Place | null = null
    try {
      const found = nearestRows(query, this.#quantizedRows(), {
        limit,
        readRow: (row) => {
          reading = this.#placeAt(row)
          return reading.pack.vectorAt(reading.row)
        },
        compareTied: (a, b) => (pathOfRow(a) < pathOfRow(b) ? -1 : 1),
      })
      return found.map(({ row, score }) => ({ slot: this.#slots[row] ?? 0, path: pathOfRow(row), score }))
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error
      this.#dropDamagedLike(reading)
      return null
    }
  }

  #placeAt(row: number): Place {
    const place = this.#rows[row]
    invariant(place !== undefined, `no row ${row}`)
    return place
  }

  /** Damage seldom comes alone: after a power cut half a pack may be NULs, and each of its rows would cost a scan. */
  #dropDamagedLike(damaged: Place | null): void {
    for (const [number, place] of this.#places.entries())
      if (place?.pack === damaged?.pack && place !== null && (place === damaged || rowOrNull(place) === null))
        this.#places[number] = null
    this.#placeTexts()
  }

  #quantizedRows(): QuantizedRows {
    const rows = this.#rows
    const width = this.#width
    invariant(width !== null, 'only a view with vectors is scanned')
    if (this.#quantized !== null) return this.#quantized
    const matrix = this.#kernel.openInt8Matrix(rows.length, width)
    const scales = new Float32Array(rows.length)
    const residuals = new Float32Array(rows.length)
    for (let at = 0; at < rows.length; ) {
      const { pack, row } = this.#placeAt(at)
      const end = row + runLength(rows, at)
      scales.set(pack.scales.subarray(row, end), at)
      residuals.set(pack.residuals.subarray(row, end), at)
      for (let from = row; from < end; at += 1, from += 1)
        matrix.rows.set(pack.levels.subarray(from * width, (from + 1) * width), at * matrix.stride)
    }
    this.#quantized = { matrix, scales, residuals }
    return this.#quantized
  }

  #open(name: string): void {
    const pack = this.#shelf.open(name)
    if (pack === null) return
    this.#known.add(name)
    if (pack !== 'damaged') this.#take({ name, pack })
  }

  #take(shelved: ShelvedPack): void {
    this.#packs = [...this.#packs, shelved]
    if (shelved.name !== null) this.#known.add(shelved.name)
    this.#width ??= shelved.pack.width
    this.#enter(shelved.pack)
  }

  #enter(pack: VectorPack): void {
    if (pack.width !== this.#width) return
    if (this.#keys.count === 0) this.#keys = new KeyTable(pack.rowCount)
    for (let row = 0; row < pack.rowCount; row += 1) this.#places[this.#keys.add(pack.keyAt(row))] = { pack, row }
  }

  /** Closes packs whose files another process has replaced, once no shown text's vector is read from them. */
  #dropUnused(files: readonly PackFile[]): void {
    const present = new Set(files.map(({ name }) => name))
    const isGone = ({ name }: ShelvedPack) => name !== null && !present.has(name)
    if (!this.#packs.some(isGone)) return
    const used = new Set(this.#rows.map(({ pack }) => pack))
    const dropped = new Set(this.#packs.filter((shelved) => isGone(shelved) && !used.has(shelved.pack)))
    if (dropped.size === 0) return
    this.#replacePacks(this.#packs.filter((shelved) => !dropped.has(shelved)))
    close(dropped)
  }

  /** Makes one pack of the smaller half. Texts that are not shown now may come back, and keep their vectors. */
  #mergeSmall(): void {
    const bySize = this.#packs.filter(({ pack }) => pack.width === this.#width)
    bySize.sort((a, b) => a.pack.rowCount - b.pack.rowCount)
    const merged = new Set(bySize.slice(0, Math.ceil(bySize.length / 2)))
    const packs = new Set([...merged].map(({ pack }) => pack))
    const names = new Set([...merged].map(({ name }) => name))
    const places = this.#places.filter((place) => place !== null && packs.has(place.pack))
    this.#merge(places, merged, ({ name }) => names.has(name))
  }

  /** Puts one pack with the vectors at `places` in the place of `replaced`. */
  #merge(
    places: readonly (Place | null)[],
    replaced: ReadonlySet<ShelvedPack>,
    isReplaced: (file: PackFile) => boolean,
  ): void {
    const rows = places.flatMap((place) => (place === null ? [] : (rowOrNull(place) ?? [])))
    const kept = this.#packs.filter((shelved) => !replaced.has(shelved))
    if (rows.length === 0) this.#shelf.remove(this.#view, isReplaced)
    else kept.push(this.#shelf.publish(this.#view, rows, isReplaced))
    for (const { name } of kept) if (name !== null) this.#known.add(name)
    this.#replacePacks(kept)
    close(replaced)
  }

  #replacePacks(packs: readonly ShelvedPack[]): void {
    this.#packs = packs
    if (packs.length === 0) this.#width = null
    this.#keys = new KeyTable()
    this.#places = []
    for (const { pack } of packs) this.#enter(pack)
    this.#placeTexts()
  }

  /** Which slots have which vectors, and which have none. */
  #placeTexts(): void {
    const slots: number[] = []
    const rows: Place[] = []
    const owed: number[] = []
    for (let slot = 0; slot < this.#texts.slotCount; slot += 1) {
      const key = this.#texts.keyOf(slot)
      if (key === null) continue
      const place = this.#places[this.#keys.numberOf(key)] ?? null
      if (place === null) owed.push(slot)
      else {
        slots.push(slot)
        rows.push(place)
      }
    }
    this.#slots = slots
    this.#owed = owed
    if (rows.length === this.#rows.length && rows.every((place, row) => place === this.#rows[row])) return
    this.#rows = rows
    this.#closeMatrix()
  }

  #closeMatrix(): void {
    this.#quantized?.matrix[Symbol.dispose]()
    this.#quantized = null
  }

  [Symbol.dispose](): void {
    this.#closeMatrix()
    close(this.#packs)
    this.#packs = []
    this.#known.clear()
    this.#width = null
    this.#rows = []
    this.#keys = new KeyTable()
    this.#places = []
  }
}

/** How many places from `start` on lie one after the other in one pack. */
function runLength(places: readonly Place[], start: number): number {
  const first = places[start]
  let at = start + 1
  while (at < places.length && places[at]?.pack === first?.pack && places[at]?.row === (first?.row ?? 0) + at - start)
    at += 1
  return at - start
}

/** Null when it is damaged. */
function rowOrNull({ pack, row }: Place): PackRow | null {
  try {
    return pack.rowAt(row)
  } catch (error) {
    if (error instanceof FileDamage) return null
    throw error
  }
}

function close(packs: Iterable<ShelvedPack>): void {
  for (const { pack } of packs) pack[Symbol.dispose]()
}
