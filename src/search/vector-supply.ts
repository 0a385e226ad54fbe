/**
 * Supplies the vectors that are owed: all of them at a reindex, those of one written file at once, the rest at the end of
 * whoever wrote. Answers no query.
 */
import { VIEW_NAMES, type ViewName } from '../model/experience.ts'
import type { MemoryError } from '../model/memory-error.ts'
import type { Clock, Digest } from '../ports.ts'
import type { OwedTexts } from './owed-texts.ts'
import { type EmbeddingProgress, progressTeller } from './supply-progress.ts'
import { type AskOptions, isUnavailable, type TextEmbedder, type WantedText } from './text-embedder.ts'
import { textKey } from './text-key.ts'
import { REFUSED, type VectorCache } from './vector-cache.ts'
import {
  CHANGED,
  joinedNotices,
  NOT_KEPT,
  noticeOfDivided,
  noticeOfOwed,
  UNTIL_REINDEX,
  widthFault,
} from './vector-notices.ts'
import type { ViewVectors } from './view-vectors.ts'

/** What a writer may wait for the vectors of one file. */
const TAKE_LIMIT_MS = 10_000
/** What a writer may wait at its end for the vectors that are owed. */
const CATCH_UP_LIMIT_MS = 60_000
/** Texts after which a long supply writes what it has: a kill costs no more than these. */
const SUPPLY_STEP = 1024
/** How long a writer does not ask again after it could not be had: it has the next file to write. */
const OUTAGE_MS = 60_000
const PROBE_TEXT = 'text'

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
  /** Why not; null also when somebody else was writing. */
  readonly storageFault: MemoryError | null
}

/** How views took in a file: with its vectors, with those still owed, or not at all, as its texts cannot have any. */
export type TakenIn = 'whole' | 'owing' | { readonly refused: string }

export interface TakeOptions {
  /** Whether the embedder is asked for what it refused before. */
  readonly asksAgain: boolean
  readonly signal?: AbortSignal | undefined
}

export interface SupplyOptions {
  /** Of texts that are in no view and may come back: their vectors are kept. */
  readonly leftOutKeys?: readonly Uint8Array[]
  /** Drops no vector: not all texts that are still there are known at this moment. */
  readonly keepsAll?: boolean
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: EmbeddingProgress) => void) | undefined
  /** As of `EmbedOptions`. */
  readonly onWait?: ((sentence: string) => void) | undefined
}

export interface SuppliedVectors {
  readonly digest: Digest
  readonly clock: Clock
  readonly cache: VectorCache
  readonly embedder: TextEmbedder
  readonly views: ReadonlyMap<ViewName, ViewVectors>
  readonly owed: OwedTexts
}

export class VectorSupply {
  readonly #digest: Digest
  readonly #clock: Clock
  readonly #cache: VectorCache
  readonly #embedder: TextEmbedder
  readonly #views: ReadonlyMap<ViewName, ViewVectors>
  readonly #owed: OwedTexts
  /** Why a writer could not have the embedder, and until when (epoch milliseconds) it does not ask again. */
  #outage: { readonly fault: string; readonly untilMs: number } | null = null

  constructor({ digest, clock, cache, embedder, views, owed }: SuppliedVectors) {
    this.#digest = digest
    this.#clock = clock
    this.#cache = cache
    this.#embedder = embedder
    this.#views = views
    this.#owed = owed
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
    const { fault } = await this.#embedder.tryToEmbed(missing, { signal, untilMs: now + TAKE_LIMIT_MS, isUrgent: true })
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
  async all({
    onProgress = () => {},
    leftOutKeys = [],
    keepsAll = false,
    ...options
  }: SupplyOptions = {}): Promise<Supplied> {
    const views = [...this.#views.values()]
    await this.#learnWidth(options)
    this.#useWidth()
    this.#cache.dropDamaged()
    const advance = progressTeller(this.#clock, this.#owed.count, onProgress)
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
    if (!keepsAll) this.#cache.compact([...views.map((vectors) => vectors.keys()), ...leftOutKeys])
    const { isStored, storageFault } = this.#cache
    return { embedded, reused, divided, isStored, storageFault }
  }

  /**
   * Embeds what is owed as far as that is had soon, and looks at no vector that is there. Throws `interrupted`; an outage
   * is a notice.
   * @returns what is still missing and why; null when nothing is
   */
  async catchUp({ onProgress = () => {}, ...options }: SupplyOptions = {}): Promise<string | null> {
    if (this.#cache.isAnothers) return `searches rank by keywords alone${UNTIL_REINDEX}: ${CHANGED}`
    const urgent = { ...options, untilMs: this.#clock.now() + CATCH_UP_LIMIT_MS, isUrgent: true }
    const advance = progressTeller(this.#clock, this.#owed.count, onProgress)
    let fault = this.#currentOutage ?? this.#widthFault
    let divided = 0
    while (fault === null) {
      const wanted = this.#nextWanted()
      if (wanted.length === 0) break
      const made = await this.#embedder.tryToEmbed(wanted, urgent, advance)
      divided += made.divided
      // No vector of another width counts, so what was wanted stays owed.
      fault = this.#widthFault ?? made.fault
    }
    const owed = Math.max(...[...this.#views.values()].map(({ owed }) => owed.length))
    const kept = this.#cache.isStored ? null : NOT_KEPT
    return joinedNotices(noticeOfDivided(divided), kept, noticeOfOwed(owed, fault))
  }

  /** Long ones when no others are left: one that fails or takes all the time costs no other its vector. */
  #nextWanted(): readonly WantedText[] {
    const countMax = Math.max(SUPPLY_STEP, this.#embedder.batchSize)
    const short = this.#owed.wanted(VIEW_NAMES, countMax, this.#embedder.longUnits)
    return short.length > 0 ? short : this.#owed.wanted(VIEW_NAMES, countMax)
  }

  /** @returns whether the embedder's width is another than that of the vectors until now */
  #useWidth(): boolean {
    const { width } = this.#embedder
    return width !== null && this.#cache.useWidth(width)
  }

  /** With nothing owed no answer would show that the embedder's width has changed. */
  async #learnWidth(options: AskOptions): Promise<void> {
    if (this.#embedder.width !== null || this.#cache.width === null) return
    const isNeeded = this.#owed.count > 0
    try {
      await this.#embedder.ask([PROBE_TEXT], { ...options, isUrgent: !isNeeded })
    } catch (error) {
      if (!isUnavailable(error) || isNeeded) throw error
    }
  }
}
