/**
 * The vectors of a numbered collection, in the cache that all embedding shares. A vector that the source keeps itself is
 * taken from there; no other is asked for here but that of a text or a query that somebody hands over.
 */
import type { Digest } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import type { Candidate } from './best-candidates.ts'
import type { ShelfPorts } from './derived-folder.ts'
import { pathOfNumber } from './document-number.ts'
import { NOT_FOUND } from './key-table.ts'
import type { PackEntry } from './pack-format.ts'
import { type AskOptions, isUnavailable, TextEmbedder, type WantedText } from './text-embedder.ts'
import { keyAt, textKey } from './text-key.ts'
import { VectorCache } from './vector-cache.ts'
import type { VectorLegOptions } from './vector-leg.ts'
import { CHANGED, NOT_KEPT, VAGUE_QUERY } from './vector-notices.ts'
import { VectorShelf } from './vector-shelf.ts'
import { ViewVectors } from './view-vectors.ts'

/** Texts after which a long supply is written. */
const STEP = 4_096

/** All documents of a collection, by place. */
export interface NumberedKeys {
  /** -1 for what is no more. */
  readonly numbers: Int32Array
  /** KEY_BYTES each, see `textKey`; zeros for what is no more. */
  readonly keys: Uint8Array
}

/** What the source keeps of documents, in the order of `numbers`; null for one without a vector of this embedder. */
export type KeptVectors = (numbers: readonly number[]) => readonly (Float32Array | null)[]

/** What became of a text that was to be embedded. */
export type EmbeddedText =
  | { readonly vector: Float32Array }
  /** Why it has none, in a sentence. */
  | { readonly missing: string }

export class NumberedVectors implements Disposable {
  readonly #digest: Digest
  readonly #cache: VectorCache
  readonly #embedder: TextEmbedder
  readonly #view: ViewVectors
  readonly #kept: KeptVectors
  #shown: NumberedKeys = { numbers: new Int32Array(), keys: new Uint8Array() }
  /** By number its place in what is shown. */
  #places: ReadonlyMap<number, number> | null = null

  /** @param layout of the workspace, whose vectors these are a part of */
  constructor(ports: ShelfPorts, layout: Layout, { embedder, kernel, batchSize }: VectorLegOptions, kept: KeptVectors) {
    this.#digest = ports.digest
    this.#cache = new VectorCache(new VectorShelf(ports, layout, embedder.key))
    this.#embedder = new TextEmbedder(embedder, this.#cache, ports.clock, batchSize)
    this.#view = new ViewVectors(this.#cache, kernel)
    this.#kept = kept
    this.#cache.takeIn()
  }

  /** Whether the vectors here are another embedder's: until they are made anew nothing is ranked by them. */
  get isAnothers(): boolean {
    return this.#cache.isAnothers
  }

  /** Documents without a vector. */
  get owedCount(): number {
    return this.#view.owed.length
  }

  /** From here on these are the documents; what the cache lacks of them and the source keeps is put there. */
  show(documents: NumberedKeys): void {
    this.#cache.takeIn()
    this.#shown = documents
    this.#places = null
    const { numbers, keys } = documents
    this.#view.show({ keys: () => keys, pathOf: (slot) => pathOfNumber(numbers[slot] ?? -1) })
    const { owed } = this.#view
    for (let start = 0; start < owed.length; start += STEP) this.#takeKept(owed.slice(start, start + STEP))
  }

  #takeKept(places: readonly number[]): void {
    const { numbers, keys } = this.#shown
    const vectors = this.#kept(places.map((place) => numbers[place] ?? -1))
    const entries = places.flatMap((place, at): PackEntry[] => {
      const vector = vectors[at] ?? null
      return vector === null ? [] : [{ key: keyAt(keys, place).slice(), vector }]
    })
    this.#cache.add(entries)
  }

  /** Embeds texts that have no vector yet. An outage is why they have none; throws `interrupted`. */
  async embed(texts: readonly string[], options: AskOptions = {}): Promise<readonly EmbeddedText[]> {
    const wanted = texts.map((text): WantedText => ({ key: textKey(this.#digest, text), text }))
    this.#cache.takeIn()
    const unknown = wanted.filter(({ key }) => this.#cache.placesOf(key)[0] === NOT_FOUND)
    const fault = this.#cache.isAnothers ? CHANGED : (await this.#embedder.tryToEmbed(unknown, options)).fault
    return wanted.map(({ key }) => this.#outcomeOf(key, fault))
  }

  #outcomeOf(key: Uint8Array, fault: string | null): EmbeddedText {
    const found = this.#cache.placeAt(this.#cache.placesOf(key)[0] ?? NOT_FOUND)
    const vector = found === null || this.#cache.refusalOf(key) !== null ? null : found.pack.vectorAt(found.row)
    return vector === null ? { missing: this.#cache.refusalOf(key) ?? fault ?? NOT_KEPT } : { vector }
  }

  /** The vector of a query, which is never kept. An outage is why it has none; throws `interrupted`. */
  async queryVector(query: string, options: AskOptions = {}): Promise<EmbeddedText> {
    if (this.#cache.isAnothers) return { missing: CHANGED }
    try {
      const [outcome] = await this.#embedder.ask([query], { ...options, isUrgent: true })
      if (outcome === undefined || 'refused' in outcome) return { missing: outcome?.refused ?? 'no answer' }
      return outcome.isVague === true ? { missing: VAGUE_QUERY } : { vector: outcome.vector }
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return { missing: error.message }
    }
  }

  /** The shown documents whose vectors are nearest, the nearest first. @param shown numbers, ascending */
  nearest(vector: Float32Array, shown: Int32Array, limit: number): readonly Candidate[] {
    const { numbers } = this.#shown
    const isShown = new Uint8Array(numbers.length)
    let at = 0
    for (let place = 0; place < numbers.length; place += 1) {
      const number = numbers[place] ?? -1
      while (at < shown.length && (shown[at] ?? 0) < number) at += 1
      if (shown[at] === number) isShown[place] = 1
    }
    return this.#view.nearest(vector, limit, (slot) => isShown[slot] === 1)
  }

  /** Null for a document without a vector. */
  cosineOf(vector: Float32Array, number: number): number | null {
    this.#places ??= new Map([...this.#shown.numbers].map((known, place) => [known, place]))
    const place = this.#places.get(number)
    return place === undefined ? null : this.#view.cosineOf(vector, place)
  }

  /** Keys of all texts that are shown, so that nobody drops their vectors. */
  get keys(): Uint8Array {
    return this.#shown.keys
  }

  [Symbol.dispose](): void {
    this.#view[Symbol.dispose]()
    this.#cache[Symbol.dispose]()
  }
}
