/** What the engine answers, as the program tells it: nodes and relations with the properties that they have in the seed. */
import type { CypherRow, CypherValue } from '../model/cypher-value.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { CypherResult } from '../ports.ts'
import { engineName } from './cypher-names.ts'
import {
  NODE_LABELS,
  NODES,
  type NodeLabel,
  type Property,
  RELATION_NAMES,
  RELATIONS,
  type RelationName,
} from './schema.ts'

type Fields = Readonly<Record<string, CypherValue>>

/** Inner numbers of a node as text. */
type Place = string

interface Telling {
  readonly keys: ReadonlyMap<Place, string>
  /** Whether nodes are told with theirs. */
  readonly hasVectors: boolean
}

/**
 * Of a query that leads over several tables the engine gives each node the properties of all: those of others go, and so do
 * vectors that it holds since an earlier question.
 */
export function toldResult(
  { columns, rows, cutBy }: CypherResult,
  { hasVectors }: { readonly hasVectors: boolean },
): CypherResult {
  const twice = columns.find((column, at) => columns.indexOf(column) !== at)
  if (twice !== undefined)
    throw new MemoryError('invalid_argument', `query: two columns are called ${twice}; give one another name by AS`, {
      field: 'query',
    })
  return { columns, cutBy, rows: rows.map((row) => toldFields(row, { keys: keysIn(row), hasVectors })) }
}

/** The ids of all nodes that stand in a row, by their place: a relation beside them names its ends by them. */
function keysIn(value: CypherValue, found = new Map<Place, string>()): ReadonlyMap<Place, string> {
  if (Array.isArray(value)) for (const item of value) keysIn(item, found)
  else if (isFields(value)) {
    const label = labelOf(value)
    const key = label === null ? null : value[NODES[label].key]
    if (typeof key === 'string') found.set(placeOf(value._id), key)
    for (const inner of Object.values(value)) keysIn(inner, found)
  }
  return found
}

function toldFields(fields: Fields, telling: Telling): CypherRow {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toldValue(value, telling)]))
}

function toldValue(value: CypherValue, telling: Telling): CypherValue {
  if (Array.isArray(value)) return value.map((item) => toldValue(item, telling))
  if (!isFields(value)) return value
  const label = labelOf(value)
  if (label !== null) return toldNode(label, value, telling)
  const relation = relationOf(value)
  if (relation !== null) return toldRelation(relation, value, telling)
  if (Array.isArray(value._nodes) && Array.isArray(value._rels))
    return { nodes: toldValue(value._nodes, telling), relations: toldValue(value._rels, telling) }
  return toldFields(value, telling)
}

function toldNode(label: NodeLabel, node: Fields, { hasVectors }: Telling): CypherValue {
  const { key, properties } = NODES[label]
  const told: Record<string, CypherValue> = { _label: label, [key]: node[key] ?? null }
  for (const property of properties)
    told[property.name] = toldProperty(property, node[property.name] ?? node[engineName(property)] ?? null)
  if (hasVectors && node.embedding !== undefined && node.embedding !== null) told.embedding = node.embedding
  return told
}

/** Where two labels have a name with different types, the engine tells both as text. */
function toldProperty({ type }: Property, value: CypherValue): CypherValue {
  return type === 'int64' && typeof value === 'string' ? Number(value) : value
}

function toldRelation(relation: RelationName, link: Fields, { keys }: Telling): CypherValue {
  const told: Record<string, CypherValue> = { _label: relation }
  const ends = { _from: keys.get(placeOf(link._src)), _to: keys.get(placeOf(link._dst)) }
  for (const [name, key] of Object.entries(ends)) if (key !== undefined) told[name] = key
  for (const { name } of RELATIONS[relation].properties) told[name] = link[name] ?? null
  return told
}

function labelOf({ _label, _id, _src }: Fields): NodeLabel | null {
  if (_id === undefined || _src !== undefined) return null
  return NODE_LABELS.find((label) => label === _label) ?? null
}

function relationOf({ _label, _src }: Fields): RelationName | null {
  return _src === undefined ? null : (RELATION_NAMES.find((name) => name === _label) ?? null)
}

function placeOf(id: CypherValue | undefined): Place {
  return JSON.stringify(id ?? null)
}

function isFields(value: CypherValue): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
