/** `memory link`: any relation of the schema by hand, its rules kept. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow } from '../ports.ts'
import { placeDocument } from './documents.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { nodeRow } from './nodes.ts'
import { countingUse } from './procedures.ts'
import {
  checkedProperties,
  type Link,
  type LinkAnswer,
  putRelation,
  relationBetween,
  requireEnds,
} from './relations.ts'
import { RELATIONS } from './schema.ts'

/**
 * Links two nodes, or links them again with other properties. Throws `not_found` for an end that is not there or of
 * another type, `invalid_argument`.
 */
export function linkMemories(
  { database, clock }: MemoryGraph,
  link: Link,
  given: Readonly<Record<string, unknown>>,
): LinkAnswer {
  return database.transact(() => {
    requireEnds(database, link)
    requireFree(database, link)
    const before = RELATIONS[link.relation].kept === 'one' ? relationBetween(database, link) : null
    const row = checkedProperties(link.relation, {
      ...defaults(database, link, clock.now()),
      ...before?.properties,
      ...given,
    })
    requireFreeNumber(database, link, row)
    if (link.relation === 'USES_PROCEDURE') countingUse(database, link.to, () => putRelation(database, link, row))
    else putRelation(database, link, row)
    placeOwn(database, link)
    const linked = relationBetween(database, link)
    if (linked === null) throw new Error('invariant broken: what was linked is linked')
    return linked
  })
}

/** What lies in one session lies in no other. */
function requireFree(database: Database, { relation, from, to }: Link): void {
  if (RELATIONS[relation].isExclusive !== true) return
  const [other] = database.all(`SELECT from_id FROM "${relation}" WHERE to_id = $to AND from_id <> $from`, { from, to })
  if (other !== undefined)
    throw new MemoryError(
      'invalid_argument',
      `to: ${to} belongs to session ${String(other.from_id)}, and can belong to one only`,
      {
        field: 'to',
      },
    )
}

/** A number stands once in a session. */
function requireFreeNumber(database: Database, { relation, from, to }: Link, row: Readonly<SqlRow>): void {
  if (relation !== 'CONTAINS_EPISODIC') return
  const [other] = database.all(
    'SELECT to_id FROM "CONTAINS_EPISODIC" WHERE from_id = $from AND sequence_number = $number AND to_id <> $to',
    { from, to, number: row.sequence_number ?? null },
  )
  if (other !== undefined)
    throw new MemoryError(
      'invalid_argument',
      `sequence_number: ${String(row.sequence_number)} is that of ${String(other.to_id)}; the next free one is ${nextSequenceNumber(database, from)}`,
      { field: 'sequence_number' },
    )
}

/** What came to lie in a session is found there, and nowhere else. */
function placeOwn(database: Database, { relation, from, to }: Link): void {
  const { isExclusive, to: label } = RELATIONS[relation]
  // An intention of everybody has a session that made it.
  if (isExclusive === true && nodeRow(database, label, to)?.scope !== 'global') placeDocument(database, label, to, from)
}

/** Of properties that are never null. */
function defaults(database: Database, { relation, from }: Link, nowMs: number): Record<string, unknown> {
  const now = isoTime(nowMs)
  switch (relation) {
    case 'CONTAINS_EPISODIC':
      return { sequence_number: nextSequenceNumber(database, from) }
    case 'CONTAINS_WORKING':
      return { activation_level: 1 }
    case 'CONTRIBUTES_TO_SEMANTIC':
      return { contribution_type: 'validated', timestamp: now }
    case 'USES_PROCEDURE':
    case 'CREATES_INTENTION':
    case 'ACTIVATES':
      return { timestamp: now }
    case 'TRIGGERS':
      return { trigger_time: now, condition_met: true }
    case 'DERIVES_FROM':
    case 'REFERENCES':
    case 'RECALLS':
    case 'BUILDS_ON':
      return {}
  }
}

export function nextSequenceNumber(database: Database, session: string): number {
  const [row] = database.all('SELECT max(sequence_number) AS last FROM "CONTAINS_EPISODIC" WHERE from_id = $session', {
    session,
  })
  return Number(row?.last ?? 0) + 1
}
