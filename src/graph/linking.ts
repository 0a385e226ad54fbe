/** `memory link`: any relation of the schema by hand, its rules kept. */
import { isoTime } from '../model/iso-time.ts'
import { invariant, MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow } from '../ports.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { conflictOf, nextSequenceNumber, placeOwned } from './ownership.ts'
import { countingUse } from './procedures.ts'
import {
  checkedProperties,
  type Link,
  type LinkAnswer,
  putRelation,
  relationBetween,
  requireEnds,
  requireOther,
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
    requireOther(link)
    const before = RELATIONS[link.relation].kept === 'one' ? relationBetween(database, link) : null
    const row = checkedProperties(link.relation, {
      ...defaults(database, link, clock.now()),
      ...before?.properties,
      ...given,
    })
    requireFree(database, link, row)
    if (link.relation === 'USES_PROCEDURE') countingUse(database, link.to, () => putRelation(database, link, row))
    else putRelation(database, link, row)
    placeOwned(database, link)
    const linked = relationBetween(database, link)
    invariant(linked !== null, 'what was linked is linked')
    return linked
  })
}

function requireFree(database: Database, link: Link, row: SqlRow): void {
  const conflict = conflictOf(database, link, row)
  switch (conflict?.taken) {
    case undefined:
      return
    case 'memory':
      throw new MemoryError(
        'invalid_argument',
        `to: ${link.to} belongs to session ${conflict.session}, and can belong to one only`,
        { field: 'to' },
      )
    case 'number':
      throw new MemoryError(
        'invalid_argument',
        `sequence_number: ${conflict.number} is that of ${conflict.memoryId}; the next free one is ${nextSequenceNumber(database, link.from)}`,
        { field: 'sequence_number' },
      )
  }
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
