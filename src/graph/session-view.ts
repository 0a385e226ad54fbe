/** A session as it is shown: what lies in it, and what it gave to everybody. Nothing of any other session's own. */
import { isoTime } from '../model/iso-time.ts'
import type { Database, SqlRow } from '../ports.ts'
import { answeredNode, type NodeAnswer } from './nodes.ts'
import { SHOWN_PROCEDURE } from './procedures.ts'
import { type NodeLabel, RELATIONS, type RelationName } from './schema.ts'
import { requireSession } from './sessions.ts'
import { answeredValue, type PropertyValue } from './values.ts'
import { activationAt, IS_DEAD } from './working-memory.ts'

/** A memory with the properties of the relation that leads to it. */
export type LinkedMemory = NodeAnswer

export interface SessionView {
  /** By sequence number. */
  readonly episodic: readonly LinkedMemory[]
  /** Alive ones, the most important and the most active first. */
  readonly working: readonly LinkedMemory[]
  /** Intentions that it made. */
  readonly prospective: readonly LinkedMemory[]
  /** What it contributed to, in order. */
  readonly semantic: readonly LinkedMemory[]
  /** What it used, in order. */
  readonly procedural: readonly LinkedMemory[]
}

export interface ViewMoment {
  readonly atMs: number
  readonly halfLifeSeconds: number
}

/** Throws `session_not_found`. */
export function sessionView(
  database: Database,
  session: string,
  { atMs, halfLifeSeconds }: ViewMoment,
): { readonly session: NodeAnswer; readonly view: SessionView } {
  return database.snapshot(() => {
    const found = requireSession(database, session)
    const linked = (relation: RelationName, order: string, condition = 'TRUE', more = {}) =>
      memoriesAlong(database, relation, `WHERE from_id = $session AND ${condition} ORDER BY ${order}`, {
        session,
        ...more,
      })
    const working = linked('CONTAINS_WORKING', 'priority DESC, created_at DESC, memory_id', `NOT (${IS_DEAD})`, {
      at: isoTime(atMs),
    })
    const view = {
      episodic: linked('CONTAINS_EPISODIC', 'sequence_number'),
      working: working.map((memory) => ({ ...memory, activation_level: presentActivation(memory) })),
      prospective: linked('CREATES_INTENTION', 'link."timestamp", memory_id'),
      semantic: linked('CONTRIBUTES_TO_SEMANTIC', 'link."timestamp", link.id'),
      procedural: linked('USES_PROCEDURE', 'link."timestamp", link.id', SHOWN_PROCEDURE),
    }
    return { session: found, view }
  })

  function presentActivation({ activation_level, created_at }: LinkedMemory): number {
    return activationAt(Number(activation_level), Date.parse(String(created_at)), atMs, halfLifeSeconds)
  }
}

function memoriesAlong(
  database: Database,
  relation: RelationName,
  clauses: string,
  parameters: SqlRow,
): readonly LinkedMemory[] {
  const { to, properties } = RELATIONS[relation]
  const columns = properties.map(({ name }) => `link."${name}" AS "link_${name}"`)
  return database
    .all(
      `SELECT "${to}".*, ${columns.join(', ')} FROM "${relation}" AS link JOIN "${to}" ON memory_id = to_id ${clauses}`,
      parameters,
    )
    .map((row) => linkedMemory(relation, to, row))
}

function linkedMemory(relation: RelationName, label: NodeLabel, row: SqlRow): LinkedMemory {
  const own = RELATIONS[relation].properties.map((property): readonly [string, PropertyValue] => [
    property.name,
    answeredValue(property, row[`link_${property.name}`]),
  ])
  return { ...Object.fromEntries(own), ...answeredNode(label, row) }
}
