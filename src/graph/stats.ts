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
import { deadMemories } from './working-memory.ts'

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
  return database.snapshot(() => {
    const dead = deadMemories(database, isoTime(clock.now()))
    return {
      sessions: countsOf(SESSION_STATUSES, (status) => countIn(database, 'Session', ['status = $status'], { status })),
      memories: countsOf(MEMORY_KINDS, (kind) => shownCount(database, kind, dead)),
      relations: countsOf(RELATION_NAMES, (relation) => relationCount(database, relation, dead)),
      embedded: MEMORY_KINDS.reduce((sum, kind) => sum + shownCount(database, kind, dead, 'embedding IS NOT NULL'), 0),
      bytes: pragma(database, 'page_count') * pragma(database, 'page_size'),
    }
  })
}

export type GraphCounts = Counts<'sessions' | MemoryKind>

export function graphCounts({ database, clock }: ReadGraph): GraphCounts {
  return database.snapshot(() => ({
    sessions: countIn(database, 'Session'),
    ...memoryCounts(database, isoTime(clock.now())),
  }))
}

/** What a reader may see: no procedure whose file is gone, no working memory that is over. @param at as stored */
export function memoryCounts(database: Database, at: string): Counts<MemoryKind> {
  const dead = deadMemories(database, at)
  return countsOf(MEMORY_KINDS, (kind) => shownCount(database, kind, dead))
}

/** @param dead see `deadMemories` */
function shownCount(database: Database, kind: MemoryKind, dead: string, ...conditions: readonly string[]): number {
  const label = labelOf(kind)
  if (kind === 'working') return livingCount(database, { table: label, id: 'memory_id', conditions }, dead)
  const shown = kind === 'procedural' ? [...conditions, SHOWN_PROCEDURE] : conditions
  return countIn(database, label, shown)
}

/** Of what is in mind and over no relation counts. */
function relationCount(database: Database, relation: RelationName, dead: string): number {
  const { from, to } = RELATIONS[relation]
  const id = from === 'WorkingMemory' ? 'from_id' : to === 'WorkingMemory' ? 'to_id' : null
  return id === null
    ? countIn(database, relation)
    : livingCount(database, { table: relation, id, conditions: [] }, dead)
}

interface Counted {
  readonly table: string
  /** Column that names a working memory. */
  readonly id: string
  readonly conditions: readonly string[]
}

function livingCount(database: Database, { table, id, conditions }: Counted, dead: string): number {
  if (dead === '[]') return countIn(database, table, conditions)
  return countIn(database, table, [...conditions, `${id} NOT IN (SELECT value FROM json_each($dead))`], { dead })
}

function countsOf<Name extends string>(names: readonly Name[], count: (name: Name) => number): Counts<Name> {
  return Object.fromEntries(names.map((name) => [name, count(name)])) as Record<Name, number>
}

/** Without a condition SQLite counts without a look at the rows. */
function countIn(database: Database, table: string, conditions: readonly string[] = [], parameters = {}): number {
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  return Number(database.all(`SELECT count(*) AS count FROM "${table}"${where}`, parameters)[0]?.count)
}

function pragma(database: Database, name: string): number {
  return Number(database.all(`PRAGMA ${name}`)[0]?.[name])
}
