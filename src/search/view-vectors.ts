/** One view's documents and the vectors of their texts: which have one, which are owed, and which are nearest. */
import { invariant } from '../model/memory-error.ts'
import { dotProduct } from '../model/unit-vector.ts'
import type { Kernel } from '../ports.ts'
import type { Candidate } from './best-candidates.ts'
import { FileDamage } from './checked-file.ts'
import { nearestRows, type QuantizedRows } from './nearest-rows.ts'
import { RowMatrix } from './row-matrix.ts'
import type { Place, VectorCache } from './vector-cache.ts'
import type { VectorPack } from './vector-pack.ts'

/** A view's documents by slot. */
export interface KeyedTexts {
  readonly slotCount: number
  /** SHA-256 of the text in UTF-8; null when the slot's document does not count. */
  readonly keyOf: (slot: number) => Uint8Array | null
  /** No two documents share one. */
  readonly pathOf: (slot: number) => string
}

export interface VectorCandidate extends Candidate {
  readonly slot: number
}

/** The texts as they lie in the cache. */
interface Placed {
  /** Of the cache, as of which this holds. */
  readonly revision: number
  /** The rows of the matrix: slots that have a vector, ascending, and where it is. */
  readonly slots: readonly number[]
  readonly rows: readonly Place[]
  /** Slots without one whose text was not refused, ascending. */
  readonly owed: readonly number[]
}

const NO_TEXTS: KeyedTexts = { slotCount: 0, keyOf: () => null, pathOf: () => '' }
const NOTHING_PLACED: Placed = { revision: -1, slots: [], rows: [], owed: [] }

export class ViewVectors implements Disposable {
  readonly #cache: VectorCache
  readonly #kernel: Kernel
  #texts = NO_TEXTS
  /** Brought in step when it is asked for: whatever else the cache serves may have changed it. */
  #placed = NOTHING_PLACED
  #quantized: QuantizedRows | null = null

  constructor(cache: VectorCache, kernel: Kernel) {
    this.#cache = cache
    this.#kernel = kernel
  }

  /** Documents that have a vector. */
  get count(): number {
    return this.#current().rows.length
  }

  /** Slots whose text has no vector yet, ascending. */
  get owed(): readonly number[] {
    return this.#current().owed
  }

  /** Packs that the documents' vectors are in. */
  get packs(): ReadonlySet<VectorPack> {
    return new Set(this.#current().rows.map(({ pack }) => pack))
  }

  /** Of every document's text, repeated where texts are. */
  *keys(): Iterable<Uint8Array> {
    for (let slot = 0; slot < this.#texts.slotCount; slot += 1) {
      const key = this.#texts.keyOf(slot)
      if (key !== null) yield key
    }
  }

  /** From here on the view has these texts. */
  show(texts: KeyedTexts): void {
    this.#texts = texts
    this.#place()
  }

  /**
   * The `limit` documents whose vectors have the largest cosine with `query`, largest first, ties by path. None for a
   * query of another width than the vectors'. What proves to be damaged is owed from here on.
   * @param query of length 1
   */
  nearest(query: Float32Array, limit: number): readonly VectorCandidate[] {
    for (;;) {
      if (this.count === 0 || query.length !== this.#cache.width) return []
      const found = this.#nearestRows(query, limit)
      if (found !== null) return found
    }
  }

  /** Cosine with one document's vector; null where it has none. @param query of length 1 */
  cosineOf(query: Float32Array, slot: number): number | null {
    const key = this.#texts.keyOf(slot)
    const place = key === null ? null : this.#cache.placeOf(key)
    if (place === null || query.length !== this.#cache.width) return null
    const vector = this.#vectorAt(place)
    return vector === null ? null : dotProduct(query, vector)
  }

  /** @returns null when it is damaged: its text is then owed */
  #vectorAt(place: Place): Float32Array | null {
    try {
      return place.pack.vectorAt(place.row)
    } catch (error) {
      if (!(error instanceof FileDamage)) throw error
      this.#cache.dropAround(place)
      return null
    }
  }

  /** @returns null when a vector was damaged: its text is then owed */
  #nearestRows(query: Float32Array, limit: number): readonly VectorCandidate[] | null {
    const { slots, rows } = this.#current()
    const pathOfRow = (row: number) => this.#texts.pathOf(slots[row] ?? 0)
    let reading: Place | null = null
    try {
      const found = nearestRows(query, this.#quantizedRows(), {
        limit,
        readRow: (row) => {
          reading = placeAt(rows, row)
          return reading.pack.vectorAt(reading.row)
        },
        compareTied: (a, b) => (pathOfRow(a) < pathOfRow(b) ? -1 : 1),
      })
      return found.map(({ row, score }) => ({ slot: slots[row] ?? 0, path: pathOfRow(row), score }))
    } catch (error) {
      if (!(error instanceof FileDamage) || reading === null) throw error
      this.#cache.dropAround(reading)
      return null
    }
  }

  #quantizedRows(): QuantizedRows {
    const { rows } = this.#current()
    const { width } = this.#cache
    invariant(width !== null, 'only a view with vectors is scanned')
    if (this.#quantized !== null) return this.#quantized
    const matrix = new RowMatrix(this.#kernel, rows.length, width)
    const scales = new Float32Array(rows.length)
    const residuals = new Float32Array(rows.length)
    for (let at = 0; at < rows.length; ) {
      const { pack, row } = placeAt(rows, at)
      const end = row + runLength(rows, at)
      scales.set(pack.scales.subarray(row, end), at)
      residuals.set(pack.residuals.subarray(row, end), at)
      for (let from = row; from < end; at += 1, from += 1)
        matrix.set(at, pack.levels.subarray(from * width, (from + 1) * width))
    }
    this.#quantized = { matrix, scales, residuals }
    return this.#quantized
  }

  #current(): Placed {
    if (this.#placed.revision !== this.#cache.revision) this.#place()
    return this.#placed
  }

  /** Which slots have which vectors, and which have none. */
  #place(): void {
    const slots: number[] = []
    const rows: Place[] = []
    const owed: number[] = []
    for (let slot = 0; slot < this.#texts.slotCount; slot += 1) {
      const key = this.#texts.keyOf(slot)
      if (key === null) continue
      const place = this.#cache.placeOf(key)
      if (place === null) {
        if (this.#cache.refusalOf(key) === null) owed.push(slot)
      } else {
        slots.push(slot)
        rows.push(place)
      }
    }
    const before = this.#placed.rows
    this.#placed = { revision: this.#cache.revision, slots, rows, owed }
    if (rows.length !== before.length || rows.some((place, row) => place !== before[row])) this.#closeMatrix()
  }

  #closeMatrix(): void {
    this.#quantized?.matrix[Symbol.dispose]()
    this.#quantized = null
  }

  [Symbol.dispose](): void {
    this.#closeMatrix()
    this.#placed = NOTHING_PLACED
    this.#texts = NO_TEXTS
  }
}

function placeAt(rows: readonly Place[], row: number): Place {
  const place = rows[row]
  invariant(place !== undefined, `no row ${row}`)
  return place
}

/** How many places from `start` on lie one after the other in one pack. */
function runLength(places: readonly Place[], start: number): number {
  const first = places[start]
  let at = start + 1
  while (at < places.length && places[at]?.pack === first?.pack && places[at]?.row === (first?.row ?? 0) + at - start)
    at += 1
  return at - start
}
