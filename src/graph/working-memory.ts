/** What is in mind: until when it lives, and how it fades. */
import { isoTime } from '../model/iso-time.ts'
import type { Database } from '../ports.ts'
import { forgetDocuments } from './documents.ts'

/** Whole milliseconds: sums of fractions would be off by one bit. */
const ms = (time: string) => `CAST(round(unixepoch(${time}, 'subsec') * 1000) AS INTEGER)`

/** A working memory is dead from `ttl_seconds` after `created_at` on. `$at` as stored. */
export const IS_DEAD = `${ms('created_at')} + ttl_seconds * 1000 <= ${ms('$at')}`

/** Ids of what is dead, as a JSON array that SQL can look into: which are is found by a look at each. @param at as stored */
export function deadMemories(database: Database, at: string): string {
  const dead = database.all(`SELECT memory_id FROM "WorkingMemory" WHERE ${IS_DEAD}`, { at })
  return JSON.stringify(dead.map(({ memory_id }) => memory_id))
}

/** @param atMs epoch milliseconds. @returns how many there were */
export function removeDead(database: Database, atMs: number): number {
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
