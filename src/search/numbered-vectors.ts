/**
 * The vectors of a numbered collection, in the cache that all embedding shares. A vector that the source keeps itself is
 * taken from there; no other is asked for here but that of a text or a query that somebody hands over.
 */
import type { Clock, Digest, EmbedderKey } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import type { Candidate } from './best-candidates.ts'
import { FileDamage } from './checked-file.ts'
import type { ShelfPorts } from './derived-folder.ts'
import { pathOfNumber } from './document-number.ts'
import { NOT_FOUND } from './key-table.ts'
import type { PackEntry } from './pack-format.ts'
import { type EmbeddingProgress, progressTeller } from './supply-progress.ts'
import { type AskOptions, type EmbeddedCount, isUnavailable, TextEmbedder, type WantedText } from './text-embedder.ts'
import { keyAt, keyHex, textKey } from './text-key.ts'
import { REFUSED, VectorCache } from './vector-cache.ts'
import type { VectorLegOptions } from './vector-leg.ts'
import { CHANGED, NOT_KEPT, VAGUE_QUERY } from './vector-notices.ts'
import { VectorShelf } from './vector-shelf.ts'
import { ViewVectors } from './view-vectors.ts'

/** Texts after which a long supply is written. */
const STEP = 4_096

/** Numbers in the vectors that are taken from the source in one go: each pack of them costs every later look for a text. */
const KEPT_NUMBERS = 1 << 24

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
export type EmbeddingOutcome =
  | { readonly vector: Float32Array }
  /** Why it has none, in a sentence. */
  | { readonly missing: string }

export interface OwedOptions extends AskOptions {
  /** Of the documents, in the order of `numbers`. */
  readonly textsOf: (numbers: readonly number[]) => readonly string[]
  readonly onProgress?: ((step: EmbeddingProgress) => void) | undefined
}

export class NumberedVectors implements Disposable {
  readonly #digest: Digest
  readonly #clock: Clock
  readonly #key: EmbedderKey
  readonly #cache: VectorCache
  readonly #embedder: TextEmbedder
  readonly #view: ViewVectors
  readonly #kept: KeptVectors
  #shown: NumberedKeys = { numbers: new Int32Array(), keys: new Uint8Array() }

  /** @param layout of the workspace, whose vectors these are a part of */
  constructor(ports: ShelfPorts, layout: Layout, { embedder, kernel, batchSize }: VectorLegOptions, kept: KeptVectors) {
    this.#digest = ports.digest
    this.#clock = ports.clock
    this.#key = embedder.key
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
    this.#cache.closeReplaced(() => this.#view.packs)
    if (documents !== this.#shown) {
      this.#shown = documents
      const { numbers, keys } = documents
      this.#view.show({ keys: () => keys, pathOf: (slot) => pathOfNumber(numbers[slot] ?? -1) })
    }
    const { owed } = this.#view
    for (let start = 0, end = 0; start < owed.length; start = end) {
      end = start + Math.max(STEP, this.width === null ? 0 : Math.floor(KEPT_NUMBERS / this.width))
      this.#takeKept(owed.slice(start, end))
    }
  }

  /** Of one width: the same model may have given another one before, and such vectors are no vectors of this embedder. */
  #takeKept(places: readonly number[]): void {
    const { numbers, keys } = this.#shown
    const vectors = this.#kept(places.map((place) => numbers[place] ?? -1))
    const width = this.width ?? vectors.findLast((vector) => vector !== null)?.length
    const entries = places.flatMap((place, at): PackEntry[] => {
      const vector = vectors[at] ?? null
      return vector === null || vector.length !== width ? [] : [{ key: keyAt(keys, place).slice(), vector }]
    })
    this.#cache.add(entries)
  }

  /** Numbers in each vector; null before the first. */
  get width(): number | null {
    return this.#key.dimensions ?? this.#cache.width
  }

  /** Embeds texts that have no vector yet. An outage is why they have none; throws `interrupted`. */
  async embed(texts: readonly string[], options: AskOptions = {}): Promise<readonly EmbeddingOutcome[]> {
    const wanted = texts.map((text): WantedText => ({ key: textKey(this.#digest, text), text }))
    this.#cache.takeIn()
    const unknown = wanted.filter(({ key }) => this.#cache.placesOf(key)[0] === NOT_FOUND)
    const fault = this.#cache.isAnothers ? CHANGED : (await this.#embedder.tryToEmbed(unknown, options)).fault
    return wanted.map(({ key }) => this.#outcomeOf(key, fault))
  }

  #outcomeOf(key: Uint8Array, fault: string | null): EmbeddingOutcome {
    const vector = this.#vectorOf(key)
    return vector === null ? { missing: this.#cache.refusalOf(key) ?? fault ?? NOT_KEPT } : { vector }
  }

  /**
   * Embeds all shown documents that have no vector, and asks again for what was refused. Throws `embedder_unavailable` and
   * `interrupted`; what was embedded until then is kept.
   * @returns texts that were embedded, and how many of them in parts
   */
  async embedOwed({ textsOf, onProgress = () => {}, ...options }: OwedOptions): Promise<EmbeddedCount> {
    const { keys } = this.#shown
    const refused = this.#cache.placesOf(keys)
    this.#cache.doubt([...refused.keys()].filter((at) => refused[at] === REFUSED).map((at) => keyAt(keys, at)))
    const advance = progressTeller(this.#clock, this.owedCount, onProgress)
    let [count, divided] = [0, 0]
    try {
      for (;;) {
        // Vectors of another width, as the embedder gave them before, count no more.
        if (this.#embedder.width !== null) this.#cache.useWidth(this.#embedder.width)
        const wanted = this.#owedTexts(STEP, textsOf)
        if (wanted.length === 0) return { count, divided }
        const made = await this.#embedder.embed(wanted, options, advance)
        count += made.count
        divided += made.divided
      }
    } finally {
      this.#cache.trust()
    }
  }

  /**
   * Embeds of the shown documents that have no vector as many as a search has room for. An outage is why they have none;
   * throws `interrupted`.
   * @returns why some have none; null where nothing stood in the way
   */
  async embedSomeOwed({ textsOf, ...options }: OwedOptions): Promise<string | null> {
    if (this.#cache.isAnothers) return CHANGED
    const { longUnits, batchSize } = this.#embedder
    const wanted = this.#owedTexts(batchSize, textsOf).filter(({ text }) => text.length <= longUnits)
    if (wanted.length === 0) return null
    return (await this.#embedder.tryToEmbed(wanted, options)).fault
  }

  /** Each text once, however many documents have it. @param most documents */
  #owedTexts(most: number, textsOf: OwedOptions['textsOf']): readonly WantedText[] {
    const { numbers, keys } = this.#shown
    const owed = this.#view.owed.slice(0, most)
    const texts = textsOf(owed.map((place) => numbers[place] ?? -1))
    const wanted = new Map(owed.map((place, at) => [keyHex(keyAt(keys, place)), { place, text: texts[at] ?? '' }]))
    return [...wanted.values()].map(({ place, text }) => ({ key: keyAt(keys, place).slice(), text }))
  }

  /** In the order of `numbers`; null for a document without one. */
  vectorsOf(numbers: readonly number[]): readonly (Float32Array | null)[] {
    const { keys } = this.#shown
    return numbers.map((number) => {
      const place = this.#placeOf(number)
      return place === NOT_FOUND ? null : this.#vectorOf(keyAt(keys, place))
    })
  }

  #vectorOf(key: Uint8Array): Float32Array | null {
    if (this.#cache.refusalOf(key) !== null) return null
    const found = this.#cache.placeAt(this.#cache.placesOf(key)[0] ?? NOT_FOUND)
    try {
      return found === null ? null : found.pack.vectorAt(found.row)
    } catch (error) {
      if (error instanceof FileDamage) return null
      throw error
    }
  }

  /** The vector of a query, which is never kept. An outage is why it has none; throws `interrupted`. */
  async queryVector(query: string, options: AskOptions = {}): Promise<EmbeddingOutcome> {
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
    const isShown = this.#marksOf(shown)
    return this.#view.nearest(vector, limit, (slot) => isShown[slot] === 1)
  }

  /** Those of the shown documents that have no vector of this width: numbers ascending. */
  withoutVector(shown: Int32Array, width: number): Int32Array {
    if (width !== this.#cache.width) return shown
    const isShown = this.#marksOf(shown)
    const places = this.#view.slotPlaces
    return this.#shown.numbers.filter((_, slot) => isShown[slot] === 1 && (places[slot] ?? -1) < 0)
  }

  /** By place 1 for a document that is shown. */
  #marksOf(shown: Int32Array): Uint8Array {
    const { numbers } = this.#shown
    const isShown = new Uint8Array(numbers.length)
    let at = 0
    for (let place = 0; place < numbers.length; place += 1) {
      const number = numbers[place] ?? -1
      while (at < shown.length && (shown[at] ?? 0) < number) at += 1
      if (shown[at] === number) isShown[place] = 1
    }
    return isShown
  }

  /** Null for a document without a vector. */
  cosineOf(vector: Float32Array, number: number): number | null {
    const place = this.#placeOf(number)
    return place === NOT_FOUND ? null : this.#view.cosineOf(vector, place)
  }

  #placeOf(number: number): number {
    return placeAmong(this.#shown.numbers, number)
  }

  [Symbol.dispose](): void {
    this.#view[Symbol.dispose]()
    this.#cache[Symbol.dispose]()
  }
}

/** @param numbers ascending, but for those below 0. @returns NOT_FOUND where the number is not among them */
function placeAmong(numbers: Int32Array, number: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    let known = middle
    while (known < high && (numbers[known] ?? 0) < 0) known += 1
    if (known < high && (numbers[known] ?? 0) <= number) {
      if (numbers[known] === number) return known
      low = known + 1
    } else high = middle
  }
  return NOT_FOUND
}
