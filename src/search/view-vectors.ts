/** One view's documents and the vectors of their texts: which have one, which are owed, and which are nearest. */
import { invariant } from '../model/memory-error.ts'
import { dotProduct } from '../model/unit-vector.ts'
import type { Kernel } from '../ports.ts'
import { BestCandidates, type Candidate } from './best-candidates.ts'
import { GrowingRows } from './growing-rows.ts'
import { KEY_BYTES, keyWords } from './key-table.ts'
import { nearestRows } from './nearest-rows.ts'
import { NOTHING_PLACED, type PlacedTexts, placedTexts, slotsOf } from './placed-texts.ts'
import type { VectorCache, VectorPlace } from './vector-cache.ts'
import { RowDamage, type VectorPack } from './vector-pack.ts'

/** A view's documents by slot. */
export interface KeyedTexts {
  /** KEY_BYTES by slot, see `textKey`; zeros where the document does not count. Asked when it is needed. */
  readonly keys: () => Uint8Array
  /** No two documents share one. */
  readonly pathOf: (slot: number) => string
}

export interface VectorCandidate extends Candidate {
  readonly slot: number
}

/** Of one view's documents. */
export interface ViewVectorFacts {
  /** Experiences in the view. */
  readonly documents: number
  /** Of these: with a vector. */
  readonly present: number
  readonly owed: number
}

/** The cache and the texts as of which something holds. */
interface Standing {
  readonly texts: KeyedTexts
  readonly keys: Uint8Array
  readonly revision: number
  readonly standing: number
  readonly packCount: number
  readonly numbering: number
}

const NO_TEXTS: KeyedTexts = { keys: () => new Uint8Array(), pathOf: () => '' }

export class ViewVectors implements Disposable {
  readonly #cache: VectorCache
  readonly #kernel: Kernel
  #texts = NO_TEXTS
  /** Brought in step when it is asked for: most commands ask for one view or none, and all may change the cache. */
  #placed = NOTHING_PLACED
  #standing: Standing | null = null
  #scanned: GrowingRows | null = null

  constructor(cache: VectorCache, kernel: Kernel) {
    this.#cache = cache
    this.#kernel = kernel
  }

  /** Documents that have a vector. */
  get count(): number {
    return this.#current().count
  }

  /** Slots whose text has no vector yet, ascending. */
  get owed(): readonly number[] {
    return this.#current().owed
  }

  get facts(): ViewVectorFacts {
    const { count, owed } = this.#current()
    return { documents: count + owed.length, present: count, owed: owed.length }
  }

  /** By slot the place of its vector in the cache, below 0 for none. */
  get slotPlaces(): Int32Array {
    return this.#current().places
  }

  /** By document that has one: the place of its vector in the cache. Documents of one text share it. */
  get places(): Iterable<number> {
    return this.#current().rows
  }

  /** Packs that the documents' vectors are in. */
  get packs(): ReadonlySet<VectorPack> {
    return new Set(Array.from(this.#current().rows, (place) => this.#placeAt(place).pack))
  }

  /** Of every document's text, see `KeyedTexts`. */
  keys(): Uint8Array {
    return this.#texts.keys()
  }

  /** From here on the view has these texts. */
  show(texts: KeyedTexts): void {
    this.#texts = texts
  }

  /**
   * The `limit` documents whose vectors have the largest cosine with `query`, largest first, ties by path. None for a
   * query of another width than the vectors'. What proves to be damaged is owed from here on.
   * @param query   of length 1
   * @param isShown whether a document counts; all do unless it is given
   */
  nearest(query: Float32Array, limit: number, isShown?: (slot: number) => boolean): readonly VectorCandidate[] {
    for (;;) {
      if (this.count === 0 || query.length !== this.#cache.width) return []
      const found = this.#nearestRows(query, limit, isShown)
      if (found !== null) return found
    }
  }

  /** Gets ready for a search what does not hang on its query. */
  makeReady(): void {
    if (this.count > 0) this.#scannedRows()
  }

  /** Cosine with one document's vector; null where it has none. @param query of length 1 */
  cosineOf(query: Float32Array, slot: number): number | null {
    const found = this.#cache.placeAt(this.#current().places[slot] ?? -1)
    if (found === null || query.length !== this.#cache.width) return null
    return this.#orDropped(() => dotProduct(query, found.pack.vectorAt(found.row)))
  }

  /** @returns null when a vector was damaged: its text is then owed */
  #nearestRows(
    query: Float32Array,
    limit: number,
    isShown: ((slot: number) => boolean) | undefined,
  ): readonly VectorCandidate[] | null {
    const placed = this.#current()
    const { rows } = placed
    const shownSlots = (row: number) => {
      const slots = slotsOf(placed, row)
      return isShown === undefined ? slots : [...slots].filter(isShown)
    }
    const vector = new Float32Array(query.length)
    return this.#orDropped(() => {
      const matrix = this.#scannedRows()
      const found = nearestRows(
        query,
        { matrix, scales: matrix.scales, residuals: matrix.residuals },
        {
          limit,
          readRow: (row) => {
            const { pack, row: own } = this.#placeAt(rows[row] ?? -1)
            return pack.vectorAt(own, vector)
          },
          ...(isShown === undefined
            ? {}
            : { isLeftOut: (row: number) => shownSlots(row)[Symbol.iterator]().next().done === true }),
          compareTied: (a, b) => (this.#firstPath(shownSlots(a)) < this.#firstPath(shownSlots(b)) ? -1 : 1),
        },
      )
      // Each row has a document, so those of the best rows are more than enough.
      const best = new BestCandidates<VectorCandidate>(limit)
      for (const { row, score } of found)
        for (const slot of shownSlots(row)) best.add({ slot, path: this.#texts.pathOf(slot), score })
      return best.sorted()
    })
  }

  #firstPath(slots: Iterable<number>): string {
    let first: string | null = null
    for (const slot of slots) {
      const path = this.#texts.pathOf(slot)
      if (first === null || path < first) first = path
    }
    return first ?? ''
  }

  #placeAt(place: number): VectorPlace {
    const found = this.#cache.placeAt(place)
    invariant(found !== null, `no vector at ${place}`)
    return found
  }

  /** @returns null when something was damaged: what it belongs to is then owed */
  #orDropped<T>(read: () => T): T | null {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof RowDamage)) throw error
      this.#cache.dropAround(error.pack, error.rows)
      return null
    }
  }

  #scannedRows(): GrowingRows {
    const { rows: places } = this.#current()
    const { width } = this.#cache
    invariant(width !== null, 'only a view with vectors is scanned')
    this.#scanned ??= new GrowingRows(this.#kernel, { places, width, placeAt: (place) => this.#placeAt(place) })
    return this.#scanned
  }

  /** Which slots have which vectors, and which have none. */
  #current(): PlacedTexts {
    const { revision, standing, numbering, packCount } = this.#cache
    const before = this.#standing
    const texts = this.#texts
    if (before?.texts === texts && before.revision === revision) return this.#placed
    const keys = texts.keys()
    const placed = placedTexts(keys, this.#placesOf(keys, before))
    if (before?.numbering !== numbering || this.#scanned?.become(placed.rows) === false) this.#closeRows()
    this.#placed = placed
    this.#standing = { texts, keys, revision, standing, numbering, packCount }
    return placed
  }

  /** What is as it was is not looked up again. */
  #placesOf(keys: Uint8Array, before: Standing | null): Int32Array {
    if (before === null || before.standing !== this.#cache.standing) return this.#cache.placesOf(keys)
    const known = this.#placed.places.subarray(0, commonCount(before.keys, keys))
    return this.#cache.placesAgain(keys, { places: known, packCount: before.packCount })
  }

  #closeRows(): void {
    this.#scanned?.[Symbol.dispose]()
    this.#scanned = null
  }

  [Symbol.dispose](): void {
    this.#closeRows()
    this.#placed = NOTHING_PLACED
    this.#standing = null
    this.#texts = NO_TEXTS
  }
}

/** How many keys two columns begin with alike. */
function commonCount(one: Uint8Array, other: Uint8Array): number {
  const [words, others] = [keyWords(one), keyWords(other)]
  const end = Math.min(words.length, others.length)
  let at = 0
  while (at < end && words[at] === others[at]) at += 1
  return Math.floor((at * Uint32Array.BYTES_PER_ELEMENT) / KEY_BYTES)
}
