/** Rows of the relation tables: linked, linked again, read. Knows no life cycle. */
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow, SqlValue } from '../ports.ts'
import { nodeRow } from './nodes.ts'
import { checkedColumns, insertRow } from './rows.ts'
import { NODES, type NodeLabel, RELATION_NAMES, RELATIONS, type RelationName } from './schema.ts'
import { answeredValue, type PropertyValue } from './values.ts'

export interface Link {
  readonly relation: RelationName
  readonly from: string
  readonly to: string
}

export interface LinkAnswer extends Link {
  readonly properties: Readonly<Record<string, PropertyValue>>
}

/** Throws `invalid_argument` naming all there are. */
export function requireRelation(name: string): RelationName {
  const found = RELATION_NAMES.find((relation) => relation === name.toUpperCase())
  if (found !== undefined) return found
  throw new MemoryError(
    'invalid_argument',
    `relation: must be one of ${RELATION_NAMES.join(', ')} (given: ${JSON.stringify(name)})`,
    {
      field: 'relation',
    },
  )
}

/** Checks the properties of a relation. Throws `invalid_argument` naming the field, also for one there is not. */
export function checkedProperties(
  relation: RelationName,
  given: Readonly<Record<string, unknown>>,
): Record<string, SqlValue> {
  return checkedColumns(relation, RELATIONS[relation].properties, given)
}

/** Both ends must be there and of the relation's labels. Throws `not_found`. */
export function requireEnds(database: Database, { relation, from, to }: Link): void {
  const ends = RELATIONS[relation]
  for (const [end, label, id] of [
    ['from', ends.from, from],
    ['to', ends.to, to],
  ] as const)
    if (nodeRow(database, label, id) === null)
      throw new MemoryError(
        'not_found',
        `${end}: ${relation} leads from ${nounOf(ends.from)} to ${nounOf(ends.to)}, and there is no ${label} ${JSON.stringify(id)}`,
        { field: end },
      )
}

/** An event recalls others. Throws `invalid_argument`. */
export function requireOther({ relation, from, to }: Link): void {
  if (relation === 'RECALLS' && from === to)
    throw new MemoryError('invalid_argument', `to: an event does not recall itself (given: ${to})`, { field: 'to' })
}

function nounOf(label: NodeLabel): string {
  const { kind } = NODES[label]
  return kind === null ? 'a session' : `${kind.startsWith('e') ? 'an' : 'a'} ${kind} memory`
}

/** Where a relation is kept once between two nodes, it takes the place of the one there was. @param row as `checkedProperties` gives it */
export function putRelation(database: Database, link: Link, row: SqlRow): void {
  const { relation, from, to } = link
  if (RELATIONS[relation].kept === 'one')
    database.run(`DELETE FROM "${relation}" WHERE from_id = $from AND to_id = $to`, { from, to })
  insertRelation(database, link, row)
}

export function insertRelation(database: Database, { relation, from, to }: Link, row: SqlRow): void {
  insertRow(database, relation, { from_id: from, to_id: to, ...row })
}

/** How many there are that say exactly this. */
export function countSame(database: Database, { relation, from, to }: Link, row: SqlRow): number {
  const conditions = Object.keys(row).map((name) => ` AND "${name}" IS $${name}`)
  const [found] = database.all(
    `SELECT count(*) AS count FROM "${relation}" WHERE from_id = $from_id AND to_id = $to_id${conditions.join('')}`,
    { ...row, from_id: from, to_id: to },
  )
  return Number(found?.count ?? 0)
}

/** The latest of them where each is kept; null when there is none. */
export function relationBetween(database: Database, { relation, from, to }: Link): LinkAnswer | null {
  const order = RELATIONS[relation].kept === 'each' ? ' ORDER BY id DESC' : ''
  const [row] = database.all(`SELECT * FROM "${relation}" WHERE from_id = $from AND to_id = $to${order} LIMIT 1`, {
    from,
    to,
  })
  if (row === undefined) return null
  return { relation, from, to, properties: answeredRelation(relation, row) }
}

/** Properties alone. */
export function answeredRelation(relation: RelationName, row: SqlRow): LinkAnswer['properties'] {
  const properties = RELATIONS[relation].properties.map(
    (property) => [property.name, answeredValue(property, row[property.name])] as const,
  )
  return Object.fromEntries(properties)
}
