/** How much the graph holds. */
import { isoTime } from '../model/iso-time.ts'
import type { Database } from '../ports.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { SHOWN_PROCEDURE } from './procedures.ts'
import {
  labelOf,
  MEMORY_KINDS,
  type MemoryKind,
  RELATION_NAMES,
  RELATIONS,
  type RelationName,
  SESSION_STATUSES,
} from './schema.ts'
import { IS_DEAD } from './working-memory.ts'

export type ReadGraph = Pick<MemoryGraph, 'database' | 'clock'>

type Counts<Name extends string> = Readonly<Record<Name, number>>

export interface GraphStats {
  readonly sessions: Counts<(typeof SESSION_STATUSES)[number]>
  readonly memories: Counts<MemoryKind>
  readonly relations: Counts<RelationName>
  /** Memories with a vector. */
  readonly embedded: number
  /** Of the database, what is free in it included. */
  readonly bytes: number
}

export function graphStats({ database, clock }: ReadGraph): GraphStats {
  const at = isoTime(clock.now())
  return database.snapshot(() => ({
    sessions: countsOf(SESSION_STATUSES, (status) => countIn(database, `"Session" WHERE status = $status`, { status })),
    memories: memoryCounts(database, at),
    relations: countsOf(RELATION_NAMES, (relation) => relationCount(database, relation, at)),
    embedded: MEMORY_KINDS.reduce((sum, kind) => sum + shownCount(database, kind, at, 'embedding IS NOT NULL'), 0),
    bytes: pragma(database, 'page_count') * pragma(database, 'page_size'),
  }))
}

export type GraphCounts = Counts<'sessions' | MemoryKind>

export function graphCounts({ database, clock }: ReadGraph): GraphCounts {
  return database.snapshot(() => ({
    sessions: countIn(database, '"Session"'),
    ...memoryCounts(database, isoTime(clock.now())),
  }))
}

/** What a reader may see: no procedure whose file is gone, no working memory that is over. @param at as stored */
export function memoryCounts(database: Database, at: string): Counts<MemoryKind> {
  return countsOf(MEMORY_KINDS, (kind) => shownCount(database, kind, at))
}

function shownCount(database: Database, kind: MemoryKind, at: string, condition = 'TRUE'): number {
  const from = `"${labelOf(kind)}" WHERE ${condition}`
  if (kind === 'procedural') return countIn(database, `${from} AND ${SHOWN_PROCEDURE}`)
  return kind === 'working' ? countIn(database, `${from} AND NOT (${IS_DEAD})`, { at }) : countIn(database, from)
}

/** Of what is in mind and over no relation counts. */
function relationCount(database: Database, relation: RelationName, at: string): number {
  const { from, to } = RELATIONS[relation]
  const end = from === 'WorkingMemory' ? 'from_id' : to === 'WorkingMemory' ? 'to_id' : null
  if (end === null) return countIn(database, `"${relation}"`)
  const dead = `SELECT memory_id FROM "WorkingMemory" WHERE ${IS_DEAD}`
  return countIn(database, `"${relation}" WHERE ${end} NOT IN (${dead})`, { at })
}

function countsOf<Name extends string>(names: readonly Name[], count: (name: Name) => number): Counts<Name> {
  return Object.fromEntries(names.map((name) => [name, count(name)])) as Record<Name, number>
}

function countIn(database: Database, from: string, parameters = {}): number {
  return Number(database.all(`SELECT count(*) AS count FROM ${from}`, parameters)[0]?.count)
}

function pragma(database: Database, name: string): number {
  return Number(database.all(`PRAGMA ${name}`)[0]?.[name])
}
