/** The memory graph of a workspace as one run of the program uses it, each time in step with the experience files. */

import type { CypherAsked, CypherGraph } from '../graph/cypher-graph.ts'
import type { EmbeddedText } from '../graph/embedding.ts'
import type { ReminderDefaults } from '../graph/intentions.ts'
import { isRecorded, type Learning, learningText, recordLearning } from '../graph/learning-event.ts'
import { comparedCount, exactLikeness, type Likeness } from '../graph/likeness.ts'
import type { MemoryGraph } from '../graph/memory-graph.ts'
import type { MigrationReport } from '../graph/migration.ts'
import type { MemoryAnswer } from '../graph/nodes.ts'
import { followFiles, isInStep, type ProcedureFile } from '../graph/procedures.ts'
import type { RecallRequest } from '../graph/recall.ts'
import { checkedMemory, type NewMemory, writeMemory } from '../graph/remember.ts'
import { requireActive } from '../graph/sessions.ts'
import type { MemoryDefaults } from '../graph/starting-values.ts'
import { type Running, throwIfInterrupted } from '../importer/running.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { CypherLimits, CypherResult, Database } from '../ports.ts'
import type { FusionChoice } from '../search/fusion.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import type { Config } from './config-schema.ts'
import { MemoryEmbedder } from './memory-embedder.ts'
import { MemoryFile, type MemoryFileSetup } from './memory-file.ts'
import type { RecallAnswer } from './memory-recall.ts'
import type { SuppliedMemories } from './memory-vectors.ts'
import { NO_PROCEDURE_FILES, type ProcedureFiles } from './procedure-files.ts'
import type { WorkspaceEmbedder } from './workspace-embedder.ts'

export interface MemorySetup extends MemoryFileSetup {
  readonly settings: Config['memory']
  readonly embedder: WorkspaceEmbedder
  readonly ports: () => Promise<WorkspacePorts>
  /** As searches of experiences are. */
  readonly search: FusionChoice & { readonly limit: number }
  /** The experience files as they are now. */
  readonly procedures: () => Promise<ProcedureFiles>
}

type Told = Pick<Running, 'say' | 'signal'>

interface Reading extends Pick<Told, 'say'> {
  readonly seesProcedures?: boolean
}

/** Memories up to which likeness looks at all there are; among more it is found in the collection. */
const SCANNED_MAX = 1_000
/** Of the SHA-256 of a record without an id. */
const MIGRATED_ID_DIGITS = 32

export class WorkspaceMemory implements Disposable {
  readonly #setup: MemorySetup
  readonly file: MemoryFile
  readonly #embedder: MemoryEmbedder
  #cypher: CypherGraph | null = null
  #hasLookedAtMany = false
  /** The files as a database knows them. */
  #followed: { readonly database: Database; readonly files: readonly ProcedureFile[] } | null = null

  constructor(setup: MemorySetup) {
    this.#setup = setup
    this.file = new MemoryFile(setup)
    this.#embedder = new MemoryEmbedder({ ...setup, clock: setup.machine.clock })
  }

  get defaults(): MemoryDefaults {
    return { workingTtlSeconds: this.#setup.settings.working_ttl_seconds }
  }

  get halfLifeSeconds(): number {
    return this.#setup.settings.activation_half_life_seconds
  }

  /**
   * Of a workspace without a graph an empty one, which nobody keeps. Throws `memory_corrupt`, `format_too_new`,
   * `path_outside`.
   * @param seesProcedures whether the answer may tell of any: else the files need not be read for one that nobody keeps
   */
  async reading({ say, seesProcedures = true }: Reading): Promise<MemoryGraph> {
    const isSeen = seesProcedures || this.file.open('read').mode !== 'scratch'
    const procedures = isSeen ? await this.#setup.procedures() : NO_PROCEDURE_FILES
    // Opened again: others have had their turn.
    const { database, mode } = this.file.open('read')
    if (mode !== 'read') this.#follow(database, procedures)
    else if (this.#hasFollowed(database, procedures) || isInStep(database, procedures.files))
      this.#followed = { database, files: procedures.files }
    else {
      try {
        this.#follow(this.file.open('write').database, procedures)
      } catch (error) {
        if (!(error instanceof MemoryError)) throw error
        say(`procedures are shown as the memory graph last knew them, as it cannot be written: ${error.message}`)
      }
    }
    return this.#graphOn(this.file.open('read').database)
  }

  /**
   * Makes what is missing. Throws as `reading`, and faults of the disk.
   * @param session that what is to be written lies in: without a graph there is none, and nothing is made
   */
  async writing(session?: string): Promise<MemoryGraph> {
    if (session !== undefined && !this.file.isMade) requireActive(this.file.open('read').database, session)
    const procedures = await this.#setup.procedures()
    const { database } = this.file.open('write')
    this.#follow(database, procedures)
    return this.#graphOn(database)
  }

  /** Of what is there already: without a graph one that nobody keeps, in which there is nothing to change. */
  changing(): Promise<MemoryGraph> {
    return this.file.isMade ? this.writing() : this.reading({ say: () => {} })
  }

  #follow(database: Database, procedures: ProcedureFiles): void {
    if (this.#hasFollowed(database, procedures)) return
    followFiles(this.#graphOn(database), procedures.files, procedures.read)
    this.#followed = { database, files: procedures.files }
  }

  /** Whether it is in step with these files, as far as this process knows. */
  #hasFollowed(database: Database, { files }: ProcedureFiles): boolean {
    if (this.#followed?.database !== database) return false
    const known = this.#followed.files
    if (known.length !== files.length) return false
    return files.every(({ path, version }, at) => known[at]?.path === path && known[at]?.version === version)
  }

  /** Throws what `checkedMemory` and `writeMemory` throw. */
  async remember(memory: NewMemory, run: Told): Promise<MemoryAnswer> {
    const checked = checkedMemory(this.#setup.machine, memory, this.defaults)
    if (memory.kind === 'procedural') this.#requireNoFile(checked.memoryId)
    const { database } = await this.writing(memory.session)
    if (memory.session !== undefined) requireActive(database, memory.session)
    const embedded = await this.#embedder.embed(database, checked.text, run)
    const { kind } = memory
    const isCompared = kind === 'episodic' || kind === 'working'
    const compared = { session: memory.session, hasVector: embedded !== null }
    const likeness = isCompared ? await this.#likeness(kind, compared) : null
    const graph = this.#graphOn(this.file.open('write').database)
    return writeMemory(graph, checked, embedded, likeness ?? exactLikeness(graph.database))
  }

  /** The procedure of a file is what the file says: whatever else had its id would be hidden, or overwritten by the file. */
  #requireNoFile(memoryId: string): void {
    const { procedures } = this.#setup.layout
    if (!memoryId.startsWith(`${procedures}/`)) return
    throw new MemoryError(
      'invalid_argument',
      `memory_id: what begins with ${procedures}/ is the path of an experience, whose file says what it is; give another id, or none`,
      { field: 'memory_id' },
    )
  }

  /** Null without an embedder, and when it gives none at this moment. */
  embed(text: string, run: Told): Promise<EmbeddedText | null> {
    return this.#embedder.embed(this.file.open('write').database, text, run)
  }

  /**
   * What events are held against, or what working memory is. To look at many vectors once takes less time than to open
   * the collection, to count the words of many texts takes more, and so does to look at many each time.
   * @param session the event's
   */
  async #likeness(
    kind: 'episodic' | 'working',
    { session, hasVector = false }: { readonly session?: string | undefined; readonly hasVector?: boolean } = {},
  ): Promise<Likeness> {
    const { database } = this.file.open('write')
    const isScanned = comparedCount(database, kind, session ?? null) <= SCANNED_MAX
    if (isScanned) return exactLikeness(database)
    if (hasVector && !this.#embedder.isOpenOn(database) && !this.#hasLookedAtMany) {
      this.#hasLookedAtMany = true
      return exactLikeness(database)
    }
    const among = await this.#packedLikeness()
    return among(this.file.open('write').database)
  }

  async #packedLikeness(): Promise<(database: Database) => Likeness> {
    const [collection, { packedLikeness }] = await Promise.all([
      this.#embedder.collection(),
      import('../graph/packed-likeness.ts'),
    ])
    return (database) => {
      const memories = collection.on(database)
      // What takes long is done before others have to wait for the transaction.
      memories.search.refresh()
      return packedLikeness(memories)
    }
  }

  /** The graph, and what reminders are made with in it. Without a graph and a session one that nobody keeps. */
  async reminding(session?: string): Promise<{ readonly graph: MemoryGraph; readonly defaults: ReminderDefaults }> {
    if (session === undefined && !this.file.isMade) {
      const graph = await this.reading({ say: () => {} })
      return { graph, defaults: { ...this.defaults, likeness: exactLikeness(graph.database) } }
    }
    await this.writing(session)
    const likeness = await this.#likeness('working')
    return { graph: this.#graphOn(this.file.open('write').database), defaults: { ...this.defaults, likeness } }
  }

  /** See `recallMemories`; of a limit that is not given as many as a search. */
  async recall(
    {
      limit = this.#setup.search.limit,
      ...request
    }: Omit<RecallRequest, 'limit'> & { readonly limit?: number | undefined },
    { say, signal }: Told,
  ): Promise<RecallAnswer> {
    const { search: choice } = this.#setup
    const [collection, { recallMemories }] = await Promise.all([
      this.#embedder.collection(),
      import('./memory-recall.ts'),
    ])
    const surroundings = {
      collection,
      openingNotice: this.#embedder.openingNotice,
      choice,
      halfLifeSeconds: this.halfLifeSeconds,
    }
    return recallMemories(await this.reading({ say }), { ...request, limit }, surroundings, signal)
  }

  /** See `CypherGraph.ask`. */
  async askCypher(asked: CypherAsked, limits: CypherLimits, told: Pick<Told, 'say'>): Promise<CypherResult> {
    const { clock, ids, openCypherEngine: openEngine } = this.#setup.machine
    const { CypherGraph } = await import('../graph/cypher-graph.ts')
    this.#cypher ??= new CypherGraph({ clock, ids, openEngine, halfLifeSeconds: this.halfLifeSeconds })
    return this.#cypher.ask(() => this.reading(told), asked, limits)
  }

  /** See `recordLearning`. */
  async recordLearning(learning: Learning, run: Told): Promise<void> {
    const { database } = await this.writing()
    if (isRecorded(database, learning)) return
    const embedded = await this.#embedder.embedInProcess(database, learningText(learning), run)
    const likeness = await this.#likeness('episodic', {
      session: learning.session ?? learning.requestId,
      hasVector: embedded !== null,
    })
    const graph = this.#graphOn(this.file.open('write').database)
    recordLearning(graph, learning, embedded, likeness)
  }

  /** See `migrateRecords`. */
  async migrate(bytes: Uint8Array, run: Pick<Running, 'yieldToSignals' | 'signal'>): Promise<MigrationReport> {
    const [{ migrateRecords }, digest] = await Promise.all([
      import('../graph/migration.ts'),
      this.#setup.machine.openDigest(),
    ])
    const idOf = (text: string) =>
      `migrated:${digest.sha256(new TextEncoder().encode(text)).slice(0, MIGRATED_ID_DIGITS)}`
    const packed = await this.#packedLikeness()
    const { database, clock } = await this.writing()
    const likenessAmong = () =>
      comparedCount(database, 'working', null) <= SCANNED_MAX ? exactLikeness(database) : packed(database)
    const pause = () => throwIfInterrupted(run, 'run it again to go on where it stopped')
    return migrateRecords(database, bytes, { ...this.defaults, idOf, atMs: clock.now(), likenessAmong, pause })
  }

  /**
   * Gives every memory that has none a vector of the present embedder, asking again for what it refused. Throws
   * `embedder_unavailable` and `interrupted`.
   */
  async supplyVectors(run: Pick<Running, 'signal' | 'progress' | 'onWait'>): Promise<SuppliedMemories> {
    if (!this.file.isMade) return { embedded: 0, divided: 0 }
    const [collection, { supplyMemoryVectors }, { database }] = await Promise.all([
      this.#embedder.collection(),
      import('./memory-vectors.ts'),
      this.writing(),
    ])
    // Vectors may have been dropped since it was opened.
    collection.close()
    return supplyMemoryVectors(database, collection.on(database), run)
  }

  /** Of the texts of all memories; see `textKey`. */
  async textKeys(): Promise<readonly Uint8Array[]> {
    if (!this.file.isMade) return []
    const [collection, { database }] = await Promise.all([this.#embedder.collection(), this.writing()])
    const { search } = collection.on(database)
    search.refresh()
    return search.textKeys()
  }

  /** Runs what ends a session, and drops the vectors of what it destroys. */
  async forgetting<T>(session: string, { say }: Pick<Told, 'say'>, destroy: (graph: MemoryGraph) => T): Promise<T> {
    const graph = await this.writing(session)
    const [{ forgettingVectors }, ports] = await Promise.all([import('./memory-vectors.ts'), this.#setup.ports()])
    const { database } = graph
    return forgettingVectors(database, { ports, layout: this.#setup.layout, say }, session, () => destroy(graph))
  }

  #graphOn(database: Database): MemoryGraph {
    const { clock, ids } = this.#setup.machine
    return { database, clock, ids }
  }

  [Symbol.dispose](): void {
    this.#embedder[Symbol.dispose]()
    this.#cypher?.[Symbol.dispose]()
    this.file[Symbol.dispose]()
  }
}
