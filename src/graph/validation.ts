/** Whether the graph holds what its schema says: every value, every end of a relation, every session's own memories. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow } from '../ports.ts'
import {
  type MemoryKind,
  NODE_LABELS,
  NODES,
  type NodeLabel,
  type Property,
  RELATION_NAMES,
  RELATIONS,
} from './schema.ts'
import { memoryCounts, type ReadGraph } from './stats.ts'
import { answeredValue, storedValue } from './values.ts'
import { IS_DEAD } from './working-memory.ts'

export interface Problem {
  readonly table: string
  /** Of a node, of a relation its ends; null where the database itself is at fault. */
  readonly id: string | null
  readonly error: string
}

export interface SessionLinkage {
  readonly session_id: string
  readonly episodic_count: number
  readonly working_count: number
}

export interface Validation {
  readonly ok: boolean
  readonly counts: Readonly<Record<MemoryKind, number>>
  readonly sessions: readonly SessionLinkage[]
  readonly problems: readonly Problem[]
}

export function validateGraph({ database, clock }: ReadGraph): Validation {
  const at = isoTime(clock.now())
  return database.snapshot(() => {
    const problems = graphProblems(database)
    return { ok: problems.length === 0, counts: memoryCounts(database, at), sessions: linkages(database, at), problems }
  })
}

export function graphProblems(database: Database): readonly Problem[] {
  return database.snapshot(() => [
    ...databaseProblems(database),
    ...danglingEnds(database),
    ...NODE_LABELS.flatMap((label) => nodeProblems(database, label)),
    ...RELATION_NAMES.flatMap((relation) => relationProblems(database, relation)),
    ...lostMemories(database),
    ...useProblems(database),
  ])
}

function databaseProblems(database: Database): readonly Problem[] {
  return database
    .all('PRAGMA integrity_check')
    .map(({ integrity_check }) => String(integrity_check))
    .filter((words) => words !== 'ok')
    .map((error) => ({ table: 'memory.db', id: null, error }))
}

function danglingEnds(database: Database): readonly Problem[] {
  return RELATION_NAMES.flatMap((relation) => {
    const { from, to } = RELATIONS[relation]
    const ends = [
      ['from', from],
      ['to', to],
    ] as const
    return ends.flatMap(([end, label]) =>
      database
        .all(
          `SELECT from_id, to_id FROM "${relation}" WHERE NOT EXISTS (
             SELECT 1 FROM "${label}" WHERE "${NODES[label].key}" = ${end}_id) ORDER BY from_id, to_id`,
        )
        .map((row) => ({ table: relation, id: endsOf(row), error: `${end}: there is no such ${label}` })),
    )
  })
}

function endsOf({ from_id, to_id }: SqlRow): string {
  return `${String(from_id)} -> ${String(to_id)}`
}

function nodeProblems(database: Database, label: NodeLabel): readonly Problem[] {
  const { key, properties } = NODES[label]
  return database
    .all(`SELECT * FROM "${label}" ORDER BY "${key}"`)
    .flatMap((row) => valueFaults(properties, row).map((error) => ({ table: label, id: String(row[key]), error })))
}

function relationProblems(database: Database, relation: (typeof RELATION_NAMES)[number]): readonly Problem[] {
  return database
    .all(`SELECT * FROM "${relation}" ORDER BY from_id, to_id`)
    .flatMap((row) =>
      valueFaults(RELATIONS[relation].properties, row).map((error) => ({ table: relation, id: endsOf(row), error })),
    )
}

/** As a writer would be told. */
function valueFaults(properties: readonly Property[], row: SqlRow): readonly string[] {
  return properties.flatMap((property) => {
    try {
      storedValue(property, answeredValue(property, row[property.name]), 'kept')
      return []
    } catch (error) {
      if (error instanceof MemoryError) return [error.message]
      if (error instanceof SyntaxError) return [`${property.name}: it is not valid JSON`]
      throw error
    }
  })
}

/** What lies in a session by its kind, and lies in none. */
function lostMemories(database: Database): readonly Problem[] {
  const owned = [
    ['EpisodicMemory', 'CONTAINS_EPISODIC', 'TRUE'],
    ['WorkingMemory', 'CONTAINS_WORKING', 'TRUE'],
    ['ProspectiveMemory', 'CREATES_INTENTION', "scope = 'session'"],
  ] as const
  return owned.flatMap(([label, relation, condition]) =>
    database
      .all(
        `SELECT memory_id FROM "${label}" WHERE ${condition}
         AND NOT EXISTS (SELECT 1 FROM "${relation}" WHERE to_id = memory_id) ORDER BY memory_id`,
      )
      .map(({ memory_id }) => ({ table: label, id: String(memory_id), error: 'it lies in no session' })),
  )
}

function useProblems(database: Database): readonly Problem[] {
  return database
    .all(
      `SELECT memory_id, usage_count, (SELECT count(*) FROM "USES_PROCEDURE" WHERE to_id = memory_id) AS uses
       FROM "ProceduralMemory" ORDER BY memory_id`,
    )
    .filter(({ usage_count, uses }) => Number(uses) > Number(usage_count))
    .map(({ memory_id, usage_count, uses }) => ({
      table: 'ProceduralMemory',
      id: String(memory_id),
      error: `usage_count: it is ${Number(usage_count)}, and ${Number(uses)} uses are recorded`,
    }))
}

/** As the seed's third phase asks. @param at as stored */
function linkages(database: Database, at: string): readonly SessionLinkage[] {
  return database
    .all(
      `SELECT session_id, (SELECT count(*) FROM "CONTAINS_EPISODIC" WHERE from_id = session_id) AS episodic_count,
         (SELECT count(*) FROM "CONTAINS_WORKING" JOIN "WorkingMemory" ON memory_id = to_id
          WHERE from_id = session_id AND NOT (${IS_DEAD})) AS working_count
       FROM "Session" ORDER BY session_id`,
      { at },
    )
    .map(({ session_id, episodic_count, working_count }) => ({
      session_id: String(session_id),
      episodic_count: Number(episodic_count),
      working_count: Number(working_count),
    }))
}
