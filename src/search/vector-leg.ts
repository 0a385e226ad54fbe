/**
 * The vector half of a search: asks the embedder for what it owes, within bounds, and finds the nearest documents.
 * An embedder that cannot be reached costs a search its vectors, never its answer.
 */
import { VIEW_NAMES, type ViewName } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Embedder, Embedding, Kernel } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import type { ShelfPorts } from './derived-folder.ts'
import { type IndexedTexts, OwedTexts } from './owed-texts.ts'
import { type PreparedQuery, type QueryWithVector, withoutVector } from './prepared-query.ts'
import { isUnavailable, TextEmbedder } from './text-embedder.ts'
import { REFUSED, VectorCache } from './vector-cache.ts'
import {
  CHANGED,
  joinedNotices,
  NO_VECTORS,
  noticeOfDivided,
  noticeOfOwed,
  QUERY_DIVIDED,
  UNTIL_REINDEX,
  VAGUE_QUERY,
  widthFault,
} from './vector-notices.ts'
import { VectorShelf } from './vector-shelf.ts'
import { VectorSupply } from './vector-supply.ts'
import { type VectorCandidate, type ViewVectorFacts, ViewVectors } from './view-vectors.ts'

/** What a search may wait for its vectors in all. Longer than a healthy server takes, shorter than a person does. */
const SEARCH_LIMIT_MS = 10_000

export interface VectorLegOptions {
  readonly embedder: Embedder
  readonly kernel: Kernel
  /** Texts that a search may ask for beside its query, above 0. */
  readonly batchSize: number
}

/** Of this embedder's vectors. */
export interface VectorFacts extends Readonly<Record<ViewName, ViewVectorFacts>> {
  /** What they lie in; may hold those of earlier texts too. */
  readonly packs: number
  /** Of all packs. */
  readonly bytes: number
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
  readonly #clock: Clock
  /** Of both views: a text that both have is embedded once. */
  readonly #cache: VectorCache
  readonly #embedder: TextEmbedder
  readonly #views: ReadonlyMap<ViewName, ViewVectors>
  readonly #owed: OwedTexts
  /** Of the vectors that are owed. */
  readonly supply: VectorSupply
  #texts: IndexedTexts | null = null
  #begun: AskedQuery | null = null

  constructor(ports: ShelfPorts, layout: Layout, { embedder, kernel, batchSize }: VectorLegOptions) {
    const { digest, clock } = ports
    this.#clock = clock
    this.#cache = new VectorCache(new VectorShelf(ports, layout, embedder.key))
    this.#embedder = new TextEmbedder(embedder, this.#cache, ports.clock, batchSize)
    this.#views = new Map(VIEW_NAMES.map((view) => [view, new ViewVectors(this.#cache, kernel)]))
    this.#owed = new OwedTexts(digest, this.#embedder, this.#views)
    const [cache, views, owed] = [this.#cache, this.#views, this.#owed]
    this.supply = new VectorSupply({ digest, clock, cache, embedder: this.#embedder, views, owed })
  }

  /** Changes whenever the place or the refusal of any text may have. */
  get revision(): number {
    return this.#cache.revision
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

  /** From here on the views have these texts. */
  show(texts: IndexedTexts): void {
    if (texts !== this.#texts) {
      this.#texts = texts
      this.#owed.show(texts)
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
    const isUseless =
      isAnothers || (vectors.count === 0 && this.#owed.wanted([view], 1, this.#embedder.longUnits).length === 0)
    if (isUseless || this.#begun?.query !== query) this.#leave()
    if (isAnothers) return withoutVector(CHANGED, UNTIL_REINDEX)
    if (isUseless && vectors.owed.length === 0) return withoutVector(NO_VECTORS)
    if (isUseless) return { vector: null, notice: noticeOfOwed(vectors.owed.length, null) }
    const { outcomes, untilMs } = this.#begun ?? this.#asking(query, signal)
    this.#begun = null
    try {
      // While the embedder is asked. With texts owed the rows will be others.
      if (vectors.owed.length === 0) vectors.makeReady()
      const [outcome] = await outcomes
      if (outcome === undefined || 'refused' in outcome)
        return withoutVector(`the embedder refused the query (${outcome?.refused ?? 'no answer'})`)
      if (outcome.isVague === true) return withoutVector(VAGUE_QUERY)
      const { vector, parts } = outcome
      if (width !== null && vector.length !== width)
        return withoutVector(widthFault(vector.length, width), UNTIL_REINDEX)
      return await this.#completed(
        view,
        { vector, untilMs, allowance: this.#embedder.batchSize, lasting: parts === 1 ? null : QUERY_DIVIDED },
        signal,
      )
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return withoutVector(error.message)
    }
  }

  /** Null unless the view has come to owe more since; else what a search has to tell whose answer is as before. */
  moreOwed(view: ViewName, prepared: PreparedQuery): { readonly notice: string | null } | null {
    const { length } = this.#viewOf(view).owed
    if (prepared.vector === null || length <= prepared.owed) return null
    return { notice: joinedNotices(prepared.lasting, noticeOfOwed(length, null)) }
  }

  /** After a search that owes more than before it: what its one batch has room for, in the time that is left to it. */
  async prepareAgain(view: ViewName, prepared: PreparedQuery, signal?: AbortSignal): Promise<PreparedQuery> {
    if (prepared.vector === null) return prepared
    return this.#completed(view, prepared, signal)
  }

  /** With at most one batch of what is owed, of the other view too: a text that is refused leaves its file out of both. */
  async #completed(
    view: ViewName,
    { vector, untilMs, allowance, lasting: before }: Omit<QueryWithVector, 'notice' | 'owed'>,
    signal: AbortSignal | undefined,
  ): Promise<PreparedQuery> {
    const views = [view, ...VIEW_NAMES.filter((name) => name !== view)]
    const wanted = allowance > 0 ? this.#owed.wanted(views, allowance, this.#embedder.longUnits) : []
    const { fault, divided } = await this.#embedder.tryToEmbed(wanted, { signal, untilMs, isUrgent: true })
    const vectors = this.#viewOf(view)
    if (vectors.count === 0 && vectors.owed.length === 0) return withoutVector(NO_VECTORS)
    const lasting = joinedNotices(before, noticeOfDivided(divided))
    const notice = joinedNotices(lasting, noticeOfOwed(vectors.owed.length, fault))
    if (vectors.count === 0) return { vector: null, notice }
    const owed = vectors.owed.length
    return { vector, notice, lasting, owed, allowance: allowance - wanted.length, untilMs }
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
