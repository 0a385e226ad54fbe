/** Rows of the node tables: written, read, and as answers hold them. Knows no life cycle. */
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow, SqlValue } from '../ports.ts'
import { assignmentsOf, checkedColumns, insertRow } from './rows.ts'
import { type MemoryKind, NODES, type NodeLabel } from './schema.ts'
import { answeredValue, type PropertyValue, type ValueOrigin } from './values.ts'

/** Key and properties of a node, under the seed's names. */
export type NodeAnswer = Readonly<Record<string, PropertyValue>>

const ID_UNITS_MAX = 500
const ID = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u

/** An id that somebody gives. Throws `invalid_argument`. @param field named in the error */
export function requireId(field: string, id: string): string {
  if (id.length <= ID_UNITS_MAX && ID.test(id) && id.trim() === id && id.isWellFormed()) return id
  throw new MemoryError(
    'invalid_argument',
    `${field}: must be 1 to ${ID_UNITS_MAX} characters without control characters, and without blanks at its ends`,
    { field },
  )
}

/** Checks all properties of a new node. Throws `invalid_argument` naming the field, also for one there is not. */
export function checkedRow(
  label: NodeLabel,
  given: Readonly<Record<string, unknown>>,
  origin: ValueOrigin = 'given',
): Record<string, SqlValue> {
  return checkedColumns(label, NODES[label].properties, given, origin)
}

/** @param row as `checkedRow` gives it */
export function insertNode(database: Database, label: NodeLabel, id: string, row: SqlRow): void {
  insertRow(database, label, { [NODES[label].key]: id, ...row })
}

export function updateNode(database: Database, label: NodeLabel, id: string, changes: SqlRow): void {
  const { key } = NODES[label]
  database.run(`UPDATE "${label}" SET ${assignmentsOf(changes)} WHERE "${key}" = $${key}`, { ...changes, [key]: id })
}

/** Null when there is none. */
export function nodeRow(database: Database, label: NodeLabel, id: string): SqlRow | null {
  const { key } = NODES[label]
  return database.all(`SELECT * FROM "${label}" WHERE "${key}" = $id`, { id })[0] ?? null
}

/** Without the embedding. */
export function answeredNode(label: NodeLabel, row: SqlRow): NodeAnswer {
  const { key, properties } = NODES[label]
  return Object.fromEntries([
    [key, String(row[key])],
    ...properties.map((property) => [property.name, answeredValue(property, row[property.name])] as const),
  ])
}

/** As the operations of the graph answer with one memory. */
export interface MemoryAnswer {
  readonly kind: MemoryKind
  readonly memory: NodeAnswer
}
