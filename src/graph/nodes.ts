/** Rows of the node tables: written, read, and as answers hold them. Knows no life cycle. */
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow, SqlValue } from '../ports.ts'
import { type MemoryKind, NODES, type NodeLabel } from './schema.ts'
import { answeredValue, type PropertyValue, storedValue, type ValueOrigin } from './values.ts'

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
  const { properties } = NODES[label]
  const stray = Object.keys(given).find((name) => properties.every((property) => property.name !== name))
  if (stray !== undefined)
    throw new MemoryError('invalid_argument', `${stray}: there is no such property of ${label}`, { field: stray })
  return Object.fromEntries(
    properties.map((property) => [property.name, storedValue(property, given[property.name], origin)]),
  )
}

/** @param row as `checkedRow` gives it */
export function insertNode(
  database: Database,
  label: NodeLabel,
  id: string,
  row: Readonly<Record<string, SqlValue>>,
): void {
  const { key } = NODES[label]
  const columns = [key, ...Object.keys(row)]
  database.run(
    `INSERT INTO "${label}" (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${columns.map((name) => `$${name}`).join(', ')})`,
    { ...row, [key]: id },
  )
}

export function updateNode(
  database: Database,
  label: NodeLabel,
  id: string,
  changes: Readonly<Record<string, SqlValue>>,
): void {
  const { key } = NODES[label]
  const assignments = Object.keys(changes).map((name) => `"${name}" = $${name}`)
  database.run(`UPDATE "${label}" SET ${assignments.join(', ')} WHERE "${key}" = $${key}`, { ...changes, [key]: id })
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
