/** Records whose id is that of something else in the graph. What becomes of a memory in time is no difference. */
import type { Database, SqlRow } from '../ports.ts'
import type { MemoryRecord, SessionRecord } from './migration-records.ts'
import { nodeRow } from './nodes.ts'
import { sessionOf } from './ownership.ts'
import { labelOf, type MemoryKind } from './schema.ts'

/** By what a record is the same as the node of its id. */
const SAME: Readonly<Record<MemoryKind, readonly string[]>> = {
  episodic: ['timestamp', 'content', 'event_type'],
  semantic: ['concept', 'content'],
  procedural: ['procedure_name', 'description'],
  prospective: ['intention', 'trigger_condition'],
  working: ['content', 'memory_type'],
}
const SAME_SESSION = ['start_time', 'user_id', 'context'] as const

/** @returns how a record contradicts the graph; null where its id is free, or its node is what it says */
export function memoryConflict(database: Database, { kind, id, row, session }: MemoryRecord): string | null {
  const there = nodeRow(database, labelOf(kind), id)
  if (there === null) return null
  const name = differing(SAME[kind], there, row)
  if (name !== null) return `memory_id: ${JSON.stringify(id)} is there already, and its ${name} is another`
  const owner = sessionOf(database, kind, id, there.scope)
  return owner === null || session === null || owner === session
    ? null
    : `session_id: ${JSON.stringify(id)} is there already, and lies in session ${JSON.stringify(owner)}`
}

/** The same of a session. */
export function sessionConflict(database: Database, { id, row }: SessionRecord): string | null {
  const there = nodeRow(database, 'Session', id)
  const name = there === null ? null : differing(SAME_SESSION, there, row)
  return name === null ? null : `session_id: ${JSON.stringify(id)} is there already, and its ${name} is another`
}

/** What a record does not say contradicts nothing. */
function differing(names: readonly string[], there: SqlRow, row: SqlRow): string | null {
  return names.find((name) => row[name] !== null && row[name] !== undefined && row[name] !== there[name]) ?? null
}
