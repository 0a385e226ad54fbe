/** What a consolidation works with, and what has come of it so far. */
import type { Candidate, Consolidated, Knowledge } from '../../graph/consolidation.ts'
import { checkedKnowledge, isUndecided, passOverEvents, writeKnowledge } from '../../graph/consolidation.ts'
import type { MemoryGraph } from '../../graph/memory-graph.ts'
import type { Usage } from '../../importer/import-result.ts'
import { NO_USAGE } from '../../importer/import-result.ts'
import type { Running } from '../../importer/running.ts'
import type { WorkspaceMemory } from '../workspace-memory.ts'

export interface PassedOverEvent {
  readonly memory_id: string
  readonly reason: string
}

export class ConsolidationTask {
  readonly run: Running
  readonly consolidated: Consolidated[] = []
  readonly passedOver: PassedOverEvent[] = []
  usage: Usage = NO_USAGE
  readonly #memory: WorkspaceMemory
  readonly #open: Map<string, Candidate>

  /** @param candidates that are to be read, those that were passed over before only where they are to be read again */
  constructor(memory: WorkspaceMemory, candidates: readonly Candidate[], run: Running) {
    this.#memory = memory
    this.run = run
    this.#open = new Map(candidates.map((candidate) => [candidate.memory_id, candidate]))
  }

  /** Events of which nothing is decided, in the order of the candidates. */
  get open(): readonly Candidate[] {
    return [...this.#open.values()]
  }

  /** With the latest that others have written. */
  graph(): Promise<MemoryGraph> {
    return this.#memory.writing()
  }

  /**
   * Throws what `checkedKnowledge` and `writeKnowledge` throw: `name_taken` and `not_found` where another process has
   * decided of an event meanwhile, which then is open no more.
   */
  async write(knowledge: Knowledge): Promise<Consolidated> {
    const checked = checkedKnowledge(await this.graph(), knowledge)
    const embedded = await this.#memory.embed(checked.text, this.run)
    const graph = await this.graph()
    let written: Consolidated
    try {
      written = writeKnowledge(graph, knowledge, checked, embedded)
    } catch (error) {
      for (const id of this.#open.keys()) if (!isUndecided(graph.database, id)) this.#open.delete(id)
      throw error
    }
    this.consolidated.push(written)
    for (const id of written.derives_from) this.#open.delete(id)
    return written
  }

  async passOver(memoryIds: readonly string[], reason: string): Promise<void> {
    passOverEvents(await this.graph(), memoryIds)
    for (const memory_id of memoryIds) {
      this.#open.delete(memory_id)
      this.passedOver.push({ memory_id, reason })
    }
  }
}
