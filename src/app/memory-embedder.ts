/** What gives memories their vectors, and the collection that has them: opened when something wants one. */
import { type EmbeddedText, modelName } from '../graph/embedding.ts'
import type { Running } from '../importer/running.ts'
import { invariant, MemoryError } from '../model/memory-error.ts'
import type { Clock, Database } from '../ports.ts'
import type { EmbeddingOutcome } from '../search/numbered-vectors.ts'
import type { VectorLegOptions } from '../search/vector-leg.ts'
import { UNTIL_REINDEX } from '../search/vector-notices.ts'
import type { Layout } from '../workspace/layout.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import type { MemoryCollection } from './memory-collection.ts'
import type { WorkspaceEmbedder } from './workspace-embedder.ts'

export interface MemoryEmbedderSetup {
  readonly clock: Clock
  readonly layout: Layout
  readonly embedder: WorkspaceEmbedder
  readonly ports: () => Promise<WorkspacePorts>
}

type Told = Pick<Running, 'say' | 'signal'>

/** What a memory may wait for its vector. */
const EMBED_LIMIT_MS = 10_000

export class MemoryEmbedder implements Disposable {
  readonly #setup: MemoryEmbedderSetup
  #embedder: Promise<VectorLegOptions | null> | null = null
  #collection: Promise<MemoryCollection> | null = null
  #opened: MemoryCollection | null = null

  constructor(setup: MemoryEmbedderSetup) {
    this.#setup = setup
  }

  /** Why an embedder that is asked for is not used, once one was wanted; null when it is, and when none is. */
  get openingNotice(): string | null {
    return this.#setup.embedder.openingNotice
  }

  /** Whether the collection is open on this database. */
  isOpenOn(database: Database): boolean {
    return this.#opened?.isOpenOn(database) === true
  }

  collection(): Promise<MemoryCollection> {
    this.#collection ??= this.#openCollection()
    return this.#collection
  }

  async #openCollection(): Promise<MemoryCollection> {
    const { layout, ports } = this.#setup
    const { MemoryCollection } = await import('./memory-collection.ts')
    this.#opened = new MemoryCollection({ ports: await ports(), layout, embedder: await this.#open() })
    return this.#opened
  }

  #open(): Promise<VectorLegOptions | null> {
    this.#embedder ??= this.#setup.embedder.openIfUsable()
    return this.#embedder
  }

  /** Of what is embedded where that costs nothing and nobody asked for it: whatever it meets is passed over. */
  async embedInProcess(database: Database, text: string, { signal }: Told): Promise<EmbeddedText | null> {
    const opened = await this.#open()
    return opened?.embedder.isInProcess === true ? this.embed(database, text, { signal, say: () => {} }) : null
  }

  /** Null without an embedder, and when it gives none at this moment: a memory without a vector is found by its words. */
  async embed(database: Database, text: string, { say, signal }: Told): Promise<EmbeddedText | null> {
    const opened = await this.#open()
    if (opened === null) {
      if (this.openingNotice !== null) say(this.openingNotice)
      return null
    }
    const outcome =
      opened.embedder.isInProcess === true
        ? await this.#computed(text, opened, signal)
        : await this.#asked(database, text, signal)
    if ('vector' in outcome) return { vector: outcome.vector, model: modelName(opened.embedder.key) }
    say(`remembered without a vector${UNTIL_REINDEX}: ${outcome.missing}`)
    return null
  }

  /** That takes less time than to look whether it was computed before. */
  async #computed(text: string, { embedder }: VectorLegOptions, signal: AbortSignal): Promise<EmbeddingOutcome> {
    try {
      const [outcome] = await embedder.embed([text], { signal, timeLimitMs: EMBED_LIMIT_MS, isUrgent: true })
      invariant(outcome !== undefined, 'one text has one embedding')
      return 'vector' in outcome ? outcome : { missing: outcome.refused }
    } catch (error) {
      if (!(error instanceof MemoryError) || error.code !== 'embedder_unavailable') throw error
      return { missing: error.message }
    }
  }

  /** Once for each text, whoever has it. */
  async #asked(database: Database, text: string, signal: AbortSignal): Promise<EmbeddingOutcome> {
    const { vectors } = (await this.collection()).on(database)
    const untilMs = this.#setup.clock.now() + EMBED_LIMIT_MS
    const [outcome] = (await vectors?.embed([text], { signal, untilMs, isUrgent: true })) ?? []
    invariant(outcome !== undefined, 'who has an embedder has vectors')
    return outcome
  }

  [Symbol.dispose](): void {
    this.#opened?.[Symbol.dispose]()
    this.#opened = null
  }
}
