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
  return database.snapshot(() => ({
    sessions: countsOf(SESSION_STATUSES, (status) => countIn(database, `"Session" WHERE status = $status`, { status })),
    memories: memoryCounts(database, isoTime(clock.now())),
    relations: countsOf(RELATION_NAMES, (relation) => countIn(database, `"${relation}"`)),
    embedded: MEMORY_KINDS.reduce(
      (sum, kind) => sum + countIn(database, `"${labelOf(kind)}" WHERE embedding IS NOT NULL`),
      0,
    ),
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
  return {
    ...countsOf(MEMORY_KINDS, (kind) => countIn(database, `"${labelOf(kind)}"`)),
    procedural: countIn(database, `"ProceduralMemory" WHERE ${SHOWN_PROCEDURE}`),
    working: countIn(database, `"WorkingMemory" WHERE NOT (${IS_DEAD})`, { at }),
  }
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
