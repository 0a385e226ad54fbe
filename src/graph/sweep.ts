/** Time passing over the graph: working memory dies, activation fades, intentions come due. */
import { isoTime } from '../model/iso-time.ts'
import type { Database } from '../ports.ts'
import { forgetDocuments } from './documents.ts'
import { type ReminderDefaults, sweepIntentions } from './intentions.ts'
import type { MemoryGraph } from './memory-graph.ts'
import type { NodeAnswer } from './nodes.ts'

export interface Sweep {
  readonly triggered: readonly NodeAnswer[]
  readonly expired: readonly NodeAnswer[]
  /** Working memories that were removed. */
  readonly removed: number
}

/** Whole milliseconds: sums of fractions would be off by one bit. */
const ms = (time: string) => `CAST(round(unixepoch(${time}, 'subsec') * 1000) AS INTEGER)`

/** A working memory is dead from `ttl_seconds` after `created_at` on. `$at` as stored. */
export const IS_DEAD = `${ms('created_at')} + ttl_seconds * 1000 <= ${ms('$at')}`

/** @param atMs epoch milliseconds: what has come by then */
export function sweep(graph: MemoryGraph, atMs: number, defaults: ReminderDefaults): Sweep {
  const { database } = graph
  return database.transact(() => {
    const intentions = sweepIntentions(graph, atMs, defaults)
    return { ...intentions, removed: removeDead(database, atMs) }
  })
}

function removeDead(database: Database, atMs: number): number {
  const selection = `SELECT memory_id FROM "WorkingMemory" WHERE ${IS_DEAD}`
  const parameters = { at: isoTime(atMs) }
  forgetDocuments(database, 'WorkingMemory', selection, parameters)
  return database.run(`DELETE FROM "WorkingMemory" WHERE ${IS_DEAD}`, parameters)
}

/**
 * What is left of an activation: it halves with each half-life since the memory was made.
 * @param level 0…1, as stored
 */
export function activationAt(level: number, createdMs: number, atMs: number, halfLifeSeconds: number): number {
  const seconds = Math.max(0, atMs - createdMs) / 1000
  return level * 2 ** -(seconds / halfLifeSeconds)
}
