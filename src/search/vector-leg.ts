/**
 * The vector half of a search: asks the embedder for what it owes, within bounds, and finds the nearest documents.
 * An embedder that cannot be reached costs a search its vectors, never its answer.
 */
import { VIEW_NAMES, type ViewName } from '../model/experience.ts'
import { invariant, MemoryError } from '../model/memory-error.ts'
import type { Clock, Digest, Embedder, Embedding, Kernel } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import type { ShelfPorts } from './derived-folder.ts'
import { type PreparedQuery, without } from './prepared-query.ts'
import { type EmbeddingProgress, progressTeller } from './supply-progress.ts'
import { type AskOptions, isUnavailable, LONG_UNITS, TextEmbedder, type WantedText } from './text-embedder.ts'
import { keyAt, keyHex, textKey } from './text-key.ts'
import { REFUSED, VectorCache } from './vector-cache.ts'
import {
  CHANGED,
  joinedNotices,
  NO_VECTORS,
  NOT_KEPT,
  noticeOfDivided,
  noticeOfOwed,
  QUERY_DIVIDED,
  UNTIL_REINDEX,
  widthFault,
} from './vector-notices.ts'
import { VectorShelf } from './vector-shelf.ts'
import { type VectorCandidate, type ViewVectorFacts, ViewVectors } from './view-vectors.ts'

/** What a search may wait for its vectors in all. Longer than a healthy server takes, shorter than a person does. */
const SEARCH_LIMIT_MS = 10_000
/** What a writer may wait at its end for the vectors that are owed. */
const CATCH_UP_LIMIT_MS = 60_000
/** Texts after which a long supply writes what it has: a kill costs no more than these. */
const SUPPLY_STEP = 1024
/** How long a writer does not ask again after it could not be had: it has the next file to write. */
const OUTAGE_MS = 60_000
const PROBE_TEXT = 'text'

/** The documents of both views by slot. */
export interface IndexedTexts {
  /** No two documents share one. */
  pathOf(slot: number): string
  /** KEY_BYTES by slot, see `textKey`; zeros when the document does not count. */
  textKeys(view: ViewName): Uint8Array
  /** Null when the file has changed since. */
  textOf(view: ViewName, slot: number): string | null
}

export interface VectorLegOptions {
  readonly embedder: Embedder
  readonly kernel: Kernel
  /** Texts that a search may ask for beside its query, above 0. */
  readonly batchSize: number
}

/** What became of the vectors that were owed. */
export interface Supplied {
  /** Texts that were embedded. */
  readonly embedded: number
  /** Texts that had their vector already. */
  readonly reused: number
  /** Of the embedded texts: longer than the embedder takes, so that their vector is the mean of their parts'. */
  readonly divided: number
  /** False when the vectors could not be written: they are lost with this process. */
  readonly isStored: boolean
}

/** Of this embedder's vectors. */
export interface VectorFacts extends Readonly<Record<ViewName, ViewVectorFacts>> {
  /** What they lie in; may hold those of earlier texts too. */
  readonly packs: number
  /** Of all packs. */
  readonly bytes: number
}

/** How views took in a file: with its vectors, with those still owed, or not at all, as its texts cannot have any. */
export type TakenIn = 'whole' | 'owing' | { readonly refused: string }

export interface TakeOptions {
  /** Whether the embedder is asked for what it refused before. */
  readonly asksAgain: boolean
  readonly signal?: AbortSignal | undefined
}

export interface SupplyOptions {
  /** Drops no vector: not all texts that are still there are known at this moment. */
  readonly keepsAll?: boolean
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: EmbeddingProgress) => void) | undefined
  /** As of `EmbedOptions`. */
  readonly onWait?: ((sentence: string) => void) | undefined
}

/** A query that the embedder is asked for. */
interface AskedQuery {
  readonly query: string
  /** Epoch milliseconds at which the search has waited long enough. */
  readonly untilMs: number
  readonly outcomes: Promise<readonly Embedding[]>
  readonly stop: AbortController
}

export class VectorLeg implements Disposable {
  readonly #digest: Digest
  readonly #clock: Clock
  /** Of both views: a text that both have is embedded once. */
  readonly #cache: VectorCache
  readonly #embedder: TextEmbedder
  readonly #views: ReadonlyMap<ViewName, ViewVectors>
  #texts: IndexedTexts | null = null
  #leftOutKeys: readonly Uint8Array[] = []
  #begun: AskedQuery | null = null
  /** Why a writer could not have the embedder, and until when (epoch milliseconds) it does not ask again. */
  #outage: { readonly fault: string; readonly untilMs: number } | null = null

  constructor(ports: ShelfPorts, layout: Layout, { embedder, kernel, batchSize }: VectorLegOptions) {
    this.#digest = ports.digest
    this.#clock = ports.clock
    this.#cache = new VectorCache(new VectorShelf(ports, layout, embedder.key))
    this.#embedder = new TextEmbedder(embedder, this.#cache, ports.clock, batchSize)
    this.#views = new Map(VIEW_NAMES.map((view) => [view, new ViewVectors(this.#cache, kernel)]))
  }

  /** Whether there are any. */
  get hasRefusals(): boolean {
    return this.#cache.hasRefusals
  }

  /** Why the embedder does not take a text, whichever process asked it; null when it was not refused. */
  refusalOf(key: Uint8Array): string | null {
    return this.#cache.refusalOf(key)
  }

  /** Which of many texts it does not take. @param keys one behind the other */
  refusedIn(keys: Uint8Array): readonly number[] {
    const refused: number[] = []
    for (const [at, place] of this.#cache.placesOf(keys).entries()) if (place === REFUSED) refused.push(at)
    return refused
  }

  /** Until `trustRefusals` texts with these keys count as not refused, unless they are refused again. */
  doubtRefusals(keys: Iterable<Uint8Array>): void {
    this.#cache.doubt(keys)
  }

  trustRefusals(): void {
    this.#cache.trust()
  }

  get facts(): VectorFacts {
    return {
      packs: this.#cache.packCount,
      bytes: this.#cache.bytes,
      when_to_use: this.#viewOf('when_to_use').facts,
      when_to_use_content: this.#viewOf('when_to_use_content').facts,
    }
  }

  /** Takes in what other processes have made by now. */
  takeIn(): void {
    this.#cache.takeIn()
  }

  /** From here on the views have these texts. @param leftOutKeys of texts that are in no view and may come back */
  show(texts: IndexedTexts, leftOutKeys: readonly Uint8Array[] = []): void {
    this.#leftOutKeys = leftOutKeys
    if (texts !== this.#texts) {
      this.#texts = texts
      for (const [view, vectors] of this.#views)
        vectors.show({ pathOf: (slot) => texts.pathOf(slot), keys: () => texts.textKeys(view) })
    }
    this.#cache.closeReplaced(() => new Set([...this.#views.values()].flatMap(({ packs }) => [...packs])))
  }

  /**
   * Begins to ask for a query's vector, if there is one to compare it with; `prepare` waits for it. In the meantime the
   * files are looked at, which may take as long as the embedder does.
   */
  begin(query: string, signal?: AbortSignal): void {
    this.#leave()
    this.#cache.takeIn()
    if (!this.#cache.isAnothers && this.#cache.width !== null) this.#begun = this.#asking(query, signal)
  }

  /** What was begun is wanted no more. */
  #leave(): void {
    this.#begun?.stop.abort()
    this.#begun = null
  }

  #asking(query: string, signal: AbortSignal | undefined): AskedQuery {
    const stop = new AbortController()
    const untilMs = this.#clock.now() + SEARCH_LIMIT_MS
    const either = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
    const outcomes = this.#embedder.ask([query], { signal: either, untilMs, isUrgent: true })
    // It may be that nobody waits for it in the end.
    outcomes.catch(() => {})
    return { query, untilMs, outcomes, stop }
  }

  /**
   * Gets a view ready for a query: the query's vector, then at most one batch of what is owed. An outage is a notice;
   * throws `interrupted`.
   */
  async prepare(view: ViewName, query: string, signal?: AbortSignal): Promise<PreparedQuery> {
    const vectors = this.#viewOf(view)
    const { width, isAnothers } = this.#cache
    const isUseless = isAnothers || (vectors.count === 0 && this.#wanted([view], 1, LONG_UNITS).length === 0)
    if (isUseless || this.#begun?.query !== query) this.#leave()
    if (isAnothers) return without(CHANGED, UNTIL_REINDEX)
    if (isUseless && vectors.owed.length === 0) return without(NO_VECTORS)
    if (isUseless) return { vector: null, notice: noticeOfOwed(vectors.owed.length, null) }
    const { outcomes, untilMs } = this.#begun ?? this.#asking(query, signal)
    this.#begun = null
    try {
      // While the embedder is asked. With texts owed the rows will be others.
      if (vectors.owed.length === 0) vectors.makeReady()
      const [outcome] = await outcomes
      if (outcome === undefined || 'refused' in outcome)
        return without(`the embedder refused the query (${outcome?.refused ?? 'no answer'})`)
      const { vector, parts } = outcome
      if (width !== null && vector.length !== width) return without(widthFault(vector.length, width), UNTIL_REINDEX)
      const completed = await this.#completed(view, vector, untilMs, signal)
      return parts === 1 ? completed : { ...completed, notice: joinedNotices(QUERY_DIVIDED, completed.notice) }
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return without(error.message)
    }
  }

  /** Whether the view has come to owe more since. */
  owesMore(view: ViewName, prepared: PreparedQuery): boolean {
    return prepared.vector !== null && this.#viewOf(view).owed.length > prepared.owed
  }

  /** After a search that owes more than before it: one batch of that, in the time that is left to it. */
  async prepareAgain(view: ViewName, prepared: PreparedQuery, signal?: AbortSignal): Promise<PreparedQuery> {
    if (prepared.vector === null) return prepared
    return this.#completed(view, prepared.vector, prepared.untilMs, signal)
  }

  /** With at most one batch of what is owed, of the other view too: a text that is refused leaves its file out of both. */
  async #completed(
    view: ViewName,
    vector: Float32Array,
    untilMs: number,
    signal: AbortSignal | undefined,
  ): Promise<PreparedQuery> {
    const views = [view, ...VIEW_NAMES.filter((name) => name !== view)]
    const wanted = this.#wanted(views, this.#embedder.batchSize, LONG_UNITS)
    const { fault, divided } = await this.#tryToEmbed(wanted, { signal, untilMs, isUrgent: true })
    const vectors = this.#viewOf(view)
    if (vectors.count === 0 && vectors.owed.length === 0) return without(NO_VECTORS)
    const notice = joinedNotices(noticeOfDivided(divided), noticeOfOwed(vectors.owed.length, fault))
    return vectors.count === 0 ? { vector: null, notice } : { vector, notice, owed: vectors.owed.length, untilMs }
  }

  /** How often a vector proved to be damaged when a search wanted to read it. */
  get lossCount(): number {
    return this.#cache.lossCount
  }

  /** The documents whose vectors are nearest; see `ViewVectors.nearest`. */
  nearest(view: ViewName, vector: Float32Array, limit: number): readonly VectorCandidate[] {
    return this.#viewOf(view).nearest(vector, limit)
  }

  /** Cosine with a document's vector; null where it has none. */
  cosineOf(view: ViewName, vector: Float32Array, slot: number): number | null {
    return this.#viewOf(view).cosineOf(vector, slot)
  }

  /** Asks for the vectors of one file's texts. Throws `interrupted`; an outage leaves them owed. */
  async take(texts: readonly string[], { asksAgain, signal }: TakeOptions): Promise<TakenIn> {
    const wanted = texts.map((text) => ({ key: textKey(this.#digest, text), text }))
    this.#cache.takeIn()
    if (asksAgain) this.#cache.doubt(wanted.map(({ key }) => key))
    try {
      await this.#askForMissing(wanted, signal)
    } finally {
      if (asksAgain) this.#cache.trust()
    }
    for (const { key } of wanted) {
      const refused = this.#cache.refusalOf(key)
      if (refused !== null) return { refused }
    }
    return wanted.every(({ key }) => this.#placeOf(key) >= 0) ? 'whole' : 'owing'
  }

  #placeOf(key: Uint8Array): number {
    return this.#cache.placesOf(key)[0] ?? REFUSED
  }

  async #askForMissing(texts: readonly WantedText[], signal: AbortSignal | undefined): Promise<void> {
    const now = this.#clock.now()
    const missing = texts.filter(({ key }) => this.#placeOf(key) < 0 && this.#placeOf(key) !== REFUSED)
    if (missing.length === 0 || this.#cache.isAnothers || this.#currentOutage !== null || this.#widthFault !== null)
      return
    const { fault } = await this.#tryToEmbed(missing, { signal, untilMs: now + SEARCH_LIMIT_MS, isUrgent: true })
    this.#outage = fault === null ? null : { fault, untilMs: this.#clock.now() + OUTAGE_MS }
  }

  get #currentOutage(): string | null {
    return this.#outage !== null && this.#clock.now() < this.#outage.untilMs ? this.#outage.fault : null
  }

  /** Null unless the embedder now gives vectors of another width than those that count. */
  get #widthFault(): string | null {
    const { width } = this.#embedder
    const { width: stored } = this.#cache
    return width !== null && stored !== null && width !== stored ? widthFault(width, stored) : null
  }

  /**
   * Embeds all that is owed, and drops the vectors of texts that are no more. Throws `embedder_unavailable` and
   * `interrupted`; what was embedded until then is kept.
   */
  async supply({ onProgress = () => {}, keepsAll = false, ...options }: SupplyOptions = {}): Promise<Supplied> {
    const views = [...this.#views.values()]
    await this.#learnWidth(options)
    this.#useWidth()
    this.#cache.dropDamaged()
    const advance = progressTeller(this.#clock, this.#owedTextCount(), onProgress)
    let reused = new Set(views.flatMap(({ places }) => [...places])).size
    let embedded = 0
    let divided = 0
    for (;;) {
      // The vectors that were there do not count any more.
      if (this.#useWidth()) reused = 0
      const wanted = this.#nextWanted()
      if (wanted.length === 0) break
      const made = await this.#embedder.embed(wanted, options, advance)
      embedded += made.count
      divided += made.divided
    }
    if (!keepsAll) this.#cache.compact([...views.map((vectors) => vectors.keys()), ...this.#leftOutKeys])
    return { embedded, reused, divided, isStored: this.#cache.isStored }
  }

  /**
   * Embeds what is owed as far as that is had soon, and looks at no vector that is there. Throws `interrupted`; an outage
   * is a notice.
   * @returns what is still missing and why; null when nothing is
   */
  async catchUp({ onProgress = () => {}, ...options }: SupplyOptions = {}): Promise<string | null> {
    if (this.#cache.isAnothers) return `searches rank by keywords alone${UNTIL_REINDEX}: ${CHANGED}`
    const urgent = { ...options, untilMs: this.#clock.now() + CATCH_UP_LIMIT_MS, isUrgent: true }
    const advance = progressTeller(this.#clock, this.#owedTextCount(), onProgress)
    let fault = this.#currentOutage ?? this.#widthFault
    let divided = 0
    while (fault === null) {
      const wanted = this.#nextWanted()
      if (wanted.length === 0) break
      const made = await this.#tryToEmbed(wanted, urgent, advance)
      divided += made.divided
      // No vector of another width counts, so what was wanted stays owed.
      fault = this.#widthFault ?? made.fault
    }
    const owed = Math.max(...VIEW_NAMES.map((view) => this.#viewOf(view).owed.length))
    const kept = this.#cache.isStored ? null : NOT_KEPT
    return joinedNotices(noticeOfDivided(divided), kept, noticeOfOwed(owed, fault))
  }

  #nextWanted(): readonly WantedText[] {
    return this.#wanted(VIEW_NAMES, Math.max(SUPPLY_STEP, this.#embedder.batchSize))
  }

  /** @returns whether the embedder's width is another than that of the vectors until now */
  #useWidth(): boolean {
    const { width } = this.#embedder
    return width !== null && this.#cache.useWidth(width)
  }

  /** With nothing owed no answer would show that the embedder's width has changed. */
  async #learnWidth(options: AskOptions): Promise<void> {
    if (this.#embedder.width !== null || this.#cache.width === null) return
    const isNeeded = this.#owedTextCount() > 0
    try {
      await this.#embedder.ask([PROBE_TEXT], { ...options, isUrgent: !isNeeded })
    } catch (error) {
      if (!isUnavailable(error) || isNeeded) throw error
    }
  }

  #owedTextCount(): number {
    const owed = new Set<string>()
    for (const vectors of this.#views.values())
      for (const slot of vectors.owed) owed.add(keyHex(keyAt(vectors.keys(), slot)))
    return owed.size
  }

  /** Texts that are owed, each once. @param unitsMax longer ones are passed over */
  #wanted(views: readonly ViewName[], countMax: number, unitsMax = Number.POSITIVE_INFINITY): readonly WantedText[] {
    const wanted = new Map<string, WantedText>()
    for (const view of views)
      for (const slot of this.#viewOf(view).owed) {
        if (wanted.size === countMax) break
        const one = this.#wantedAt(view, slot)
        if (one !== null && one.text.length <= unitsMax) wanted.set(keyHex(one.key), one)
      }
    return [...wanted.values()]
  }

  /** Null while somebody asks for it, and when the file is no longer what is shown. */
  #wantedAt(view: ViewName, slot: number): WantedText | null {
    const texts = this.#texts
    invariant(texts !== null, 'a search follows a show')
    const text = texts.textOf(view, slot)
    if (text === null) return null
    const key = textKey(this.#digest, text)
    const expected = keyAt(texts.textKeys(view), slot)
    // A vector under another key than the document's would leave it owed for ever.
    return this.#embedder.isAsked(key) || keyHex(key) !== keyHex(expected) ? null : { key, text }
  }

  /** @returns why the embedder cannot be had, null when it could; and how many texts it took in parts */
  async #tryToEmbed(
    wanted: readonly WantedText[],
    options: AskOptions,
    onBatch?: (texts: number) => void,
  ): Promise<{ readonly fault: string | null; readonly divided: number }> {
    try {
      const { divided } = await this.#embedder.embed(wanted, options, onBatch)
      return { fault: null, divided }
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return { fault: error.message, divided: 0 }
    }
  }

  #viewOf(view: ViewName): ViewVectors {
    const vectors = this.#views.get(view)
    if (vectors === undefined) throw new MemoryError('invalid_argument', `there is no index ${JSON.stringify(view)}`)
    return vectors
  }

  [Symbol.dispose](): void {
    this.#leave()
    for (const vectors of this.#views.values()) vectors[Symbol.dispose]()
    this.#cache[Symbol.dispose]()
  }
}
