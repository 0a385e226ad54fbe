/** The links that a migrated record tells of, each made unless it is there. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Database } from '../ports.ts'
import { memoryText } from './documents.ts'
import type { Likeness } from './likeness.ts'
import type { MemoryRecord, ToldLink } from './migration-records.ts'
import { nodeRow } from './nodes.ts'
import { countingUse } from './procedures.ts'
import {
  checkedProperties,
  countSame,
  insertRelation,
  type Link,
  relationBetween,
  requireEnds,
  requireOther,
} from './relations.ts'
import { RELATIONS } from './schema.ts'
import { IS_DEAD } from './working-memory.ts'

export interface LinkCounts {
  readonly created: number
  readonly present: number
  /** Why a link could not be made, each. */
  readonly failed: readonly string[]
}

/** @param likeness what working memory activates where its record does not say */
export function linkRecords(database: Database, memory: MemoryRecord, likeness: Likeness, atMs: number): LinkCounts {
  const told = [...memory.links, ...likelyActivations(database, memory, likeness, atMs)]
  const failed: string[] = []
  let created = 0
  let present = 0
  for (const one of told) {
    try {
      if (placeLink(database, memory, one)) created += 1
      else present += 1
    } catch (error) {
      if (!(error instanceof MemoryError) || (error.code !== 'invalid_argument' && error.code !== 'not_found'))
        throw error
      failed.push(error.message)
    }
  }
  return { created, present, failed }
}

/** @returns whether it is new */
function placeLink(database: Database, memory: MemoryRecord, told: ToldLink): boolean {
  const { relation } = told
  const isFromSession = RELATIONS[relation].from === 'Session'
  const link: Link = isFromSession
    ? { relation, from: told.id, to: memory.id }
    : { relation, from: memory.id, to: told.id }
  requireEnds(database, link)
  requireOther(link)
  const row = checkedProperties(relation, propertiesOf(database, memory, link, told))
  const isThere =
    RELATIONS[relation].kept === 'one' ? relationBetween(database, link) !== null : countSame(database, link, row) > 0
  if (isThere) return false
  const insert = () => insertRelation(database, link, row)
  // A record that says how often it was used has counted its uses.
  if (relation === 'USES_PROCEDURE' && !memory.hasUsageCount) countingUse(database, memory.id, insert)
  else insert()
  return true
}

/** Times that are not told are the record's own, so that they are the same whenever it is migrated. */
function propertiesOf(
  database: Database,
  { row }: MemoryRecord,
  { relation, from }: Link,
  { properties }: ToldLink,
): Record<string, unknown> {
  const given = Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined))
  switch (relation) {
    case 'CONTRIBUTES_TO_SEMANTIC':
      return {
        ...given,
        contribution_type: given.contribution_type ?? 'created',
        timestamp: given.timestamp ?? row.last_updated,
      }
    case 'USES_PROCEDURE': {
      const timestamp = given.timestamp ?? row.last_used ?? nodeRow(database, 'Session', from)?.start_time
      return { ...given, timestamp }
    }
    case 'ACTIVATES':
      return { ...given, timestamp: given.timestamp ?? row.created_at }
    case 'TRIGGERS':
      return { ...given, trigger_time: given.trigger_time ?? row.due_date, condition_met: given.condition_met ?? true }
    default:
      return given
  }
}

function likelyActivations(
  database: Database,
  { kind, id, row, links }: MemoryRecord,
  likeness: Likeness,
  atMs: number,
): readonly ToldLink[] {
  if (kind !== 'working' || links.length > 0) return []
  const [dead] = database.all(`SELECT 1 FROM "WorkingMemory" WHERE memory_id = $id AND ${IS_DEAD}`, {
    id,
    at: isoTime(atMs),
  })
  const [linked] = database.all('SELECT 1 FROM "ACTIVATES" WHERE from_id = $id LIMIT 1', { id })
  if (dead !== undefined || linked !== undefined) return []
  const compared = { memoryId: id, text: memoryText('working', row), embedded: null }
  return likeness
    .concepts(compared)
    .map((like) => ({ relation: 'ACTIVATES', id: like.memoryId, properties: { activation_strength: like.likeness } }))
}
