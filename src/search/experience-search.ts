/**
 * The door of the search room: finds experiences always as their files are now. Hands out paths and versions, never
 * contents. Keeps its packed base on the disk where it may, in memory otherwise.
 */
import { type Experience, type ExperienceTexts, VIEW_NAMES, type ViewName, viewText } from '../model/experience.ts'
import { invariant, type MemoryError } from '../model/memory-error.ts'
import { refuseLinks } from '../workspace/confinement.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import type { Base } from './base.ts'
import { baseParts } from './base-builder.ts'
import { BaseShelf, type OpenedBase } from './base-shelf.ts'
import { Catalogue, type InvalidFile } from './catalogue.ts'
import { FileDamage } from './checked-file.ts'
import type { ShelfPorts } from './derived-folder.ts'
import { hybridAnswer, type SearchAnswer } from './hybrid-answer.ts'
import { columnsOf, IndexBuilder, openBuilder } from './index-builder.ts'
import { type IndexFacts, indexFacts } from './index-facts.ts'
import { type ExcludedVersions, indexedContents, type LeftOutFile, NOTHING_EXCLUDED } from './indexed-contents.ts'
import { besideContents, type ViewContents } from './keyword-ranking.ts'
import type { PreparedQuery } from './prepared-query.ts'
import { checkedRequest, type SearchRequest } from './search-request.ts'
import { byPath, type IndexedFile, type IndexedVersion, ShownDocuments } from './shown-documents.ts'
import { type VectorFacts, VectorLeg, type VectorLegOptions } from './vector-leg.ts'
import type { Supplied, SupplyOptions, TakenIn, TakeOptions } from './vector-supply.ts'
import { KeywordView } from './view.ts'

/** Past so many files beside the base, a new one is cheaper than analysing them in every process. */
const BESIDE_MAX = 64
const ROUNDS_MAX = 3

export interface SearchOptions {
  /** Files beside the base past which it is rebuilt: for tests that want that early. */
  readonly besideMax?: number
  /** What belongs in neither view at this moment; asked at each refresh. */
  readonly excludedNow?: () => ExcludedVersions
}

export class ExperienceSearch implements Disposable {
  readonly #ports: ShelfPorts
  readonly #layout: Layout
  readonly #shelf: BaseShelf
  readonly #catalogue: Catalogue
  readonly #besideMax: number
  readonly #excludedNow: () => ExcludedVersions
  #base: Base | null = null
  #generation = 0
  #excluded = NOTHING_EXCLUDED
  #leftOut: readonly LeftOutFile[] = []
  #leftOutKeys: ReadonlyMap<string, readonly Uint8Array[]> = new Map()
  /** What the views show. */
  #shown: ShownDocuments
  #views: ReadonlyMap<ViewName, KeywordView> | null = null
  #vectors: VectorLeg | null = null

  constructor(ports: ShelfPorts, layout: Layout, options: SearchOptions = {}) {
    const { besideMax = BESIDE_MAX, excludedNow = () => NOTHING_EXCLUDED } = options
    this.#besideMax = besideMax
    this.#excludedNow = excludedNow
    this.#ports = ports
    this.#layout = layout
    this.#shelf = new BaseShelf(ports, layout)
    this.#shown = new ShownDocuments(ports, layout, null, new Uint8Array(), [])
    const name = layout.procedures
    this.#catalogue = new Catalogue({ ...ports, folder: inWorkspace(layout, name), name, textsMax: besideMax })
  }

  /** Files that are no experiences, sorted by path. */
  get invalid(): readonly InvalidFile[] {
    return this.#survivingDamage(() => {
      const found = this.#standingFaults().map(([document, error]) => ({
        path: `${this.#layout.procedures}/${this.#base?.fileNameOf(document)}`,
        error,
      }))
      for (const { path, outcome } of this.#catalogue.beside.values())
        if ('fault' in outcome) found.push({ path, error: outcome.fault })
      return found.sort(byPath)
    })
  }

  /** Valid files that are in neither view, sorted by path. */
  get leftOut(): readonly LeftOutFile[] {
    return this.#leftOut
  }

  /** How many valid experiences there are, those that are left out included. */
  get count(): number {
    return this.#catalogue.standingCount + this.#catalogue.beside.size - this.#invalidCount
  }

  get facts(): IndexFacts {
    const { besideCount, readCount } = this.#catalogue
    return indexFacts(this.#base, this.#generation, { invalid: this.#invalidCount, besideCount, readCount })
  }

  /** Why the index is in memory alone; null when it is on the disk, or when another process was just writing there. */
  get storageFault(): MemoryError | null {
    return this.#generation === 0 ? this.#shelf.fault : null
  }

  /** Of each view, when there is an embedder. As of the last refresh. */
  get vectorFacts(): VectorFacts | null {
    return this.#survivingDamage(() => this.#vectors?.facts ?? null)
  }

  /** What both views hold as of the last refresh, sorted by path. */
  indexedVersions(): readonly IndexedVersion[] {
    return this.#survivingDamage(() => this.#shown.versions())
  }

  /** Brings both views in step with the files. */
  refresh(): void {
    refuseLinks(this.#ports.files, this.#layout, this.#layout.procedures)
    this.#excluded = this.#excludedNow()
    this.#survivingDamage(() => {
      const { isDamaged } = this.#adoptNewer()
      const analysed = this.#catalogue.scan(openBuilder)
      if (isDamaged || this.#isOutgrown()) this.#rebuildOnce(analysed)
      this.#showCurrent()
    })
  }

  /**
   * Takes in one file that was just written: it is looked at and analysed for both views, whose next answer has it, and
   * the embedder is asked for its texts, within bounds. Without an embedder the price does not depend on how many there
   * are. Throws `interrupted`.
   * @param path in the workspace
   * @param read the texts of that file
   */
  async takeIn(path: string, read: () => ExperienceTexts, options: TakeOptions): Promise<TakenIn> {
    this.#lookAt(path)
    const vectors = this.#vectors
    if (vectors === null) return 'whole'
    const texts = read()
    const viewTexts = VIEW_NAMES.map((view) => viewText(view, texts))
    return this.#survivingDamageOf(() => vectors.supply.take(viewTexts, options))
  }

  #lookAt(path: string): void {
    if (this.#views === null || this.#isOutgrown()) {
      this.refresh()
      return
    }
    refuseLinks(this.#ports.files, this.#layout, this.#layout.procedures)
    this.#survivingDamage(() => {
      const texts = this.#catalogue.lookAt(path.slice(this.#layout.procedures.length + 1))
      if (texts !== null) columnsOf([texts])
    })
  }

  /** Builds both views anew from the files alone, beside the old ones. */
  rebuild(): void {
    refuseLinks(this.#ports.files, this.#layout, this.#layout.procedures)
    this.#survivingDamage(() => this.#mend({ onDisk: true }))
  }

  get hasEmbedder(): boolean {
    return this.#vectors !== null
  }

  /** From here on searches rank by the vectors of `embedder` too. */
  useVectors(options: VectorLegOptions): void {
    this.#vectors?.[Symbol.dispose]()
    this.#vectors = new VectorLeg(this.#ports, this.#layout, options)
    if (this.#views !== null) this.#survivingDamage(() => this.#showCurrent())
  }

  /** Begins what `prepare` will wait for; the files may be looked at in the meantime. Throws `invalid_argument`. */
  begin(request: SearchRequest, signal?: AbortSignal): void {
    const { query } = checkedRequest(request)
    this.#vectors?.begin(query, signal)
  }

  /**
   * The query's vector for `search`, and vectors of files as of the last refresh, within bounds. Throws
   * `invalid_argument`, and `interrupted`; an outage is a notice.
   */
  async prepare(request: SearchRequest, signal?: AbortSignal): Promise<PreparedQuery> {
    const { query, view } = checkedRequest(request)
    const vectors = this.#vectors
    if (vectors === null) return { vector: null, notice: null }
    return this.#survivingDamageOf(() => vectors.prepare(view, query, signal))
  }

  /** The same for vectors that a search found damaged or that edited files need, in the time that its `prepare` left. */
  async prepareAgain(request: SearchRequest, prepared: PreparedQuery, signal?: AbortSignal): Promise<PreparedQuery> {
    const vectors = this.#vectors
    if (vectors === null) return prepared
    return this.#survivingDamageOf(() => vectors.prepareAgain(checkedRequest(request).view, prepared, signal))
  }

  /** Null unless files were changed since, so that more texts have no vector than `prepared` tells; else the notice for it. */
  moreOwed(request: SearchRequest, prepared: PreparedQuery): { readonly notice: string | null } | null {
    return this.#survivingDamage(() => this.#vectors?.moreOwed(checkedRequest(request).view, prepared) ?? null)
  }

  /**
   * Embeds what has no vector yet, and asks again for every text that was refused. Null without an embedder. Throws
   * `embedder_unavailable` and `interrupted`.
   */
  async supply({ leftOutKeys: otherKeys = [], ...options }: SupplyOptions = {}): Promise<Supplied | null> {
    // The vectors of a file that cannot be read at this moment are wanted again when it can.
    const keepsAll = [...this.#catalogue.beside.values()].some(({ isUnreadable }) => isUnreadable)
    return this.#askingAgain([...this.#leftOutKeys.keys()], (vectors) =>
      vectors.supply.all({ ...options, keepsAll, leftOutKeys: [...this.#leftOutKeys.values(), otherKeys].flat() }),
    )
  }

  /**
   * Embeds what has no vector yet within bounds, and asks again for what was refused of `written` files. Throws
   * `interrupted`; an outage is a notice.
   * @returns what is still missing and why; null when nothing is, or without an embedder
   */
  async catchUp(written: readonly string[], options: SupplyOptions = {}): Promise<string | null> {
    return this.#askingAgain(written, (vectors) => vectors.supply.catchUp(options))
  }

  /** @param paths of files whose refused texts are shown and asked for again */
  async #askingAgain<T>(paths: readonly string[], work: (vectors: VectorLeg) => Promise<T>): Promise<T | null> {
    const vectors = this.#vectors
    if (vectors === null) return null
    return this.#survivingDamageOf(async () => {
      vectors.doubtRefusals(paths.flatMap((path) => this.#leftOutKeys.get(path) ?? []))
      try {
        this.#showCurrent()
        return await work(vectors)
      } finally {
        vectors.trustRefusals()
        this.#showCurrent()
      }
    })
  }

  /** Searches the files as of the last refresh. Throws `invalid_argument`. @param vector as `prepare` gave it */
  search(request: SearchRequest, vector: Float32Array | null = null): SearchAnswer {
    const checked = checkedRequest(request)
    return this.#survivingDamage(() => {
      const keywords = this.#views?.get(checked.view)
      invariant(keywords !== undefined, 'a search follows a refresh')
      const vectors = vector === null || this.#vectors === null ? null : { leg: this.#vectors, query: vector }
      return hybridAnswer(checked, { keywords, vectors, versionOf: (slot) => this.#shown.versionOf(slot) })
    })
  }

  /** What the last search ranked, where that is known without reading its file; null elsewhere. */
  experienceAt(path: string): Experience | null {
    return this.#shown.experienceAt(path)
  }

  /** Derived state that is found damaged is built anew from the truth, and the work done again. */
  #survivingDamage<T>(work: () => T): T {
    for (let round = 1; ; round += 1) {
      try {
        // A disk that damages even what was just written is not trusted again.
        if (round > 1) this.#mend({ onDisk: round === 2 })
        return work()
      } catch (error) {
        if (!(error instanceof FileDamage) || round === ROUNDS_MAX) throw error
      }
    }
  }

  /** The same for work that waits. Afterwards nothing is shown that the embedder refused. */
  async #survivingDamageOf<T>(work: () => Promise<T>): Promise<T> {
    for (let round = 1; ; round += 1) {
      try {
        if (round > 1) this.#mend({ onDisk: round === 2 })
        const before = this.#vectors?.revision
        const result = await work()
        if (this.#vectors?.revision !== before) this.#survivingDamage(() => this.#showCurrent())
        return result
      } catch (error) {
        if (!(error instanceof FileDamage) || round === ROUNDS_MAX) throw error
      }
    }
  }

  #mend({ onDisk }: { readonly onDisk: boolean }): void {
    using lock = onDisk ? this.#shelf.lock() : null
    this.#buildAnew(lock !== null)
    this.#showCurrent()
  }

  #adoptNewer(): { isNew: boolean; isDamaged: boolean } {
    const { opened, isDamaged } = this.#shelf.openNewer()
    if (opened !== null) {
      this.#take(opened)
      this.#catalogue.adopt(opened.base)
    }
    return { isNew: opened !== null, isDamaged }
  }

  /** What is shown stays open until something else is. */
  #take({ base, generation }: OpenedBase): void {
    if (this.#base !== this.#shown.base) this.#base?.[Symbol.dispose]()
    this.#base = base
    this.#generation = generation
  }

  #isOutgrown(): boolean {
    return this.#isFarBehind() || this.#catalogue.isReread
  }

  #isFarBehind(): boolean {
    const { goneCount, besideCount } = this.#catalogue
    return goneCount > this.#besideMax || besideCount > this.#besideMax
  }

  /** Unless another process has done it in the meantime. */
  #rebuildOnce(analysed: IndexBuilder | null): void {
    using lock = this.#shelf.lock()
    let latest = analysed
    if (lock !== null && this.#adoptNewer().isNew) {
      latest = this.#catalogue.scan(openBuilder)
      if (!this.#isOutgrown()) return
    }
    // In memory what was read is remembered without a new base.
    if (lock !== null || this.#isFarBehind()) this.#build(this.#base, latest, lock !== null)
  }

  #buildAnew(onDisk: boolean): void {
    this.#catalogue.adopt(null)
    this.#build(null, this.#catalogue.scan(openBuilder), onDisk)
  }

  /**
   * @param before   null to take nothing over
   * @param analysed the files beside, null when their texts are still kept
   * @param onDisk   only with the lock
   */
  #build(before: Base | null, analysed: IndexBuilder | null, onDisk: boolean): void {
    const catalogue = this.#catalogue
    const builder = analysed ?? new IndexBuilder()
    if (analysed === null)
      for (const { reading, outcome } of catalogue.beside.values()) {
        if (reading === null) continue
        const texts = 'texts' in outcome ? outcome.texts : null
        builder.add(texts?.['when-to-use'] ?? '', texts?.content ?? '')
      }
    const columns = builder.finish()
    const fileSystem = onDisk ? this.#shelf.fileSystem() : null
    const change = { ...catalogue.change(fileSystem), before, columns }
    const parts = baseParts(change, this.#ports.digest)
    const opened = (onDisk ? this.#shelf.publish(parts) : null) ?? this.#shelf.openInMemory(parts)
    this.#take(opened)
    catalogue.settle(opened.base)
  }

  #showCurrent(): void {
    const vectors = this.#vectors
    vectors?.takeIn()
    const found = {
      base: this.#base,
      dead: this.#catalogue.dead,
      beside: this.#catalogue.beside.values(),
      folder: this.#layout.procedures,
    }
    const refusals = vectors?.hasRefusals === true ? vectors : null
    const { dead, files, leftOut, leftOutKeys } = indexedContents(found, this.#excluded, refusals)
    this.#leftOut = leftOut
    this.#leftOutKeys = leftOutKeys
    if (this.#views === null || !this.#shown.isSameAs(this.#base, dead, files)) this.#show(dead, files)
    vectors?.show(this.#shown)
  }

  /** @param dead by document of the base: 1 when it is not shown */
  #show(dead: Uint8Array, files: readonly IndexedFile[]): void {
    const shown = new ShownDocuments(this.#ports, this.#layout, this.#base, dead, files)
    const contents: ViewContents = {
      base: this.#base,
      dead,
      ...besideContents(columnsOf(files.map(({ texts }) => texts))),
      pathOf: (slot) => shown.pathOf(slot),
    }
    for (const view of this.#views?.values() ?? []) view.show(contents)
    this.#views ??= new Map(VIEW_NAMES.map((name) => [name, new KeywordView(name, contents)]))
    if (this.#shown.base !== this.#base) this.#shown.base?.[Symbol.dispose]()
    this.#shown = shown
  }

  get #invalidCount(): number {
    let count = this.#standingFaults().length
    for (const { outcome } of this.#catalogue.beside.values()) if ('fault' in outcome) count += 1
    return count
  }

  /** Documents of the base that it knows to be no experiences, and whose files are still as they were. */
  #standingFaults(): readonly (readonly [document: number, error: string])[] {
    return Object.entries(this.#base?.faults ?? {})
      .map(([document, error]) => [Number(document), error] as const)
      .filter(([document]) => this.#catalogue.dead[document] === 0)
  }

  [Symbol.dispose](): void {
    if (this.#shown.base !== this.#base) this.#shown.base?.[Symbol.dispose]()
    this.#base?.[Symbol.dispose]()
    this.#base = null
    this.#vectors?.[Symbol.dispose]()
    this.#vectors = null
  }
}
