/** Time passing over the graph: working memory that is dead goes, intentions come due. */
import { type ReminderDefaults, sweepIntentions } from './intentions.ts'
import type { MemoryGraph } from './memory-graph.ts'
import type { NodeAnswer } from './nodes.ts'
import { removeDead } from './working-memory.ts'

export interface Sweep {
  readonly triggered: readonly NodeAnswer[]
  readonly expired: readonly NodeAnswer[]
  /** Working memories that were removed. */
  readonly removed: number
}

/** @param atMs epoch milliseconds: what has come by then */
export function sweep(graph: MemoryGraph, atMs: number, defaults: ReminderDefaults): Sweep {
  const { database } = graph
  return database.transact(() => {
    const intentions = sweepIntentions(graph, atMs, defaults)
    return { ...intentions, removed: removeDead(database, atMs) }
  })
}
