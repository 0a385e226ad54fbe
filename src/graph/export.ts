/** The whole graph as JSON records, without loss and in an order of their own: what changed is what differs between two. */
import type { Database, SqlRow } from '../ports.ts'
import { writtenEmbedding } from './embedding.ts'
import {
  NODE_LABELS,
  NODES,
  type NodeLabel,
  type Property,
  RELATION_NAMES,
  RELATIONS,
  type RelationName,
} from './schema.ts'
import { answeredValue } from './values.ts'

export const EXPORT_FORMAT = 'knowhow-memory'
export const EXPORT_VERSION = 1

export type ExportRecord = Readonly<Record<string, unknown>>

export interface Export {
  /** The heading, nodes by label and id, relations by name and ends, the end. Values that are null are left out. */
  readonly records: readonly ExportRecord[]
  readonly nodes: number
  readonly relations: number
}

export function exportGraph(database: Database): Export {
  return database.snapshot(() => {
    const nodes = NODE_LABELS.flatMap((label) => nodeRecords(database, label))
    const relations = RELATION_NAMES.flatMap((relation) => relationRecords(database, relation))
    const heading = { format: EXPORT_FORMAT, version: EXPORT_VERSION }
    const end = { end: EXPORT_FORMAT }
    return { records: [heading, ...nodes, ...relations, end], nodes: nodes.length, relations: relations.length }
  })
}

/** Where the program keeps something beside a node. */
const ROWS: Readonly<Partial<Record<NodeLabel, string>>> = {
  EpisodicMemory: `
SELECT node.*, consolidation_skip.passed_over FROM "EpisodicMemory" AS node
LEFT JOIN consolidation_skip ON consolidation_skip.memory_id = node.memory_id ORDER BY node.memory_id`,
  ProceduralMemory: `
SELECT node.*, procedure_file.memory_id IS NOT NULL AS has_file, procedure_file.version AS file_version
FROM "ProceduralMemory" AS node LEFT JOIN procedure_file ON procedure_file.memory_id = node.memory_id
ORDER BY node.memory_id`,
}

function nodeRecords(database: Database, label: NodeLabel): readonly ExportRecord[] {
  const { key, properties } = NODES[label]
  return database.all(ROWS[label] ?? `SELECT * FROM "${label}" ORDER BY "${key}"`).map((row) => {
    const embedding = writtenEmbedding(row)
    return {
      node: label,
      [key]: String(row[key]),
      ...writtenProperties(properties, row),
      // Null is told here: the file of such a procedure is gone.
      ...(row.has_file === 1 ? { file_version: row.file_version ?? null } : {}),
      ...(typeof row.passed_over === 'string' ? { passed_over: row.passed_over } : {}),
      ...(embedding === null ? {} : { embedding }),
    }
  })
}

function relationRecords(database: Database, relation: RelationName): readonly ExportRecord[] {
  const { properties } = RELATIONS[relation]
  const order = ['from_id', 'to_id', ...properties.map(({ name }) => `"${name}"`)].join(', ')
  return database.all(`SELECT * FROM "${relation}" ORDER BY ${order}`).map((row) => ({
    relation,
    from: String(row.from_id),
    to: String(row.to_id),
    ...writtenProperties(properties, row),
  }))
}

function writtenProperties(properties: readonly Property[], row: SqlRow): ExportRecord {
  const written = properties.map((property) => [property.name, answeredValue(property, row[property.name])] as const)
  return Object.fromEntries(written.filter(([, value]) => value !== null))
}

/** JSON leaves them as they are, and a terminal would obey them. */
const STEERING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

export function exportText(records: readonly ExportRecord[]): string {
  return records.map((record) => `${JSON.stringify(record).replaceAll(STEERING, escaped)}\n`).join('')
}
