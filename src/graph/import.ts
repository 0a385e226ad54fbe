/** Takes in what `export` wrote: all of it or nothing, and nothing twice. What is there already is never changed. */
import { MemoryError } from '../model/memory-error.ts'
import { parseTimestamp } from '../model/timestamp.ts'
import type { Database, SqlRow, SqlValue } from '../ports.ts'
import { takenVersion } from './concept-versions.ts'
import { passOver } from './consolidation.ts'
import { placeConcept, placeDocument } from './documents.ts'
import { readEmbedding } from './embedding.ts'
import { EXPORT_FORMAT, EXPORT_VERSION } from './export.ts'
import { type JsonLine, readJsonLines } from './json-lines.ts'
import { checkedRow, insertNode, nodeRow, requireId, updateNode } from './nodes.ts'
import { conflictOf, placeOwned } from './ownership.ts'
import {
  checkedProperties,
  countSame,
  insertRelation,
  type Link,
  requireEnds,
  requireOther,
  requireRelation,
} from './relations.ts'
import { NODE_LABELS, NODES, type NodeLabel, RELATIONS } from './schema.ts'
import { shownValue } from './values.ts'

export interface Imported {
  readonly nodes: number
  readonly relations: number
  /** Records that were there already. */
  readonly unchanged: number
}

interface NodeRecord {
  readonly line: number
  readonly label: NodeLabel
  readonly id: string
  readonly row: SqlRow
  /** Of a procedure that is an experience file; undefined of what is none. */
  readonly fileVersion: string | null | undefined
  /** When a consolidation passed the event over, epoch milliseconds. */
  readonly passedOverAtMs: number | null
}

interface RelationRecord {
  readonly line: number
  readonly link: Link
  readonly row: SqlRow
}

/** An export whose every value is checked. */
export interface ReadExport {
  readonly nodes: readonly NodeRecord[]
  readonly relations: readonly RelationRecord[]
}

/** Throws `invalid_argument` naming the line, `format_too_new`. */
export function readExport(bytes: Uint8Array): ReadExport {
  const { lines, faults } = readJsonLines(bytes)
  const [fault] = faults
  if (fault !== undefined) throw new MemoryError('invalid_argument', `line ${fault.line}: ${fault.error}`)
  const [heading, ...records] = lines
  requireHeading(heading)
  requireEnd(records.pop())
  const nodes: NodeRecord[] = []
  const relations: RelationRecord[] = []
  for (const record of records)
    at(record.line, () => {
      if ('node' in record.fields) nodes.push(nodeRecord(record))
      else relations.push(relationRecord(record))
    })
  return { nodes, relations }
}

/** Throws `name_taken` and `not_found` naming the line. */
export function importGraph(database: Database, { nodes, relations }: ReadExport): Imported {
  return database.transact(() => {
    const newNodes = nodes.filter((record) => at(record.line, () => placeNode(database, record)))
    for (const record of newNodes) placeFound(database, record)
    const newRelations = placeRelations(database, relations)
    for (const { link } of newRelations) placeOwned(database, link)
    const created = newNodes.length + newRelations.length
    return {
      nodes: newNodes.length,
      relations: newRelations.length,
      unchanged: nodes.length + relations.length - created,
    }
  })
}

/** What `work` throws names the line. */
function at<T>(line: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    throw new MemoryError(error.code, `line ${line}: ${error.message}`, { ...error.details, cause: error })
  }
}

/** What is cut off at the end of a line would look whole. */
function requireEnd(last: JsonLine | undefined): void {
  if (last?.fields.end !== EXPORT_FORMAT)
    throw new MemoryError(
      'invalid_argument',
      `file: its last line is not {"end":"${EXPORT_FORMAT}"}, so a part of it may be missing; export it again`,
      { field: 'file' },
    )
}

function requireHeading(heading: JsonLine | undefined): void {
  const { format, version } = heading?.fields ?? {}
  if (format !== EXPORT_FORMAT)
    throw new MemoryError(
      'invalid_argument',
      'file: it is no export of a memory graph; knowhow memory migrate reads records of other stores',
      { field: 'file' },
    )
  if (version !== EXPORT_VERSION)
    throw new MemoryError(
      'format_too_new',
      `the export has version ${JSON.stringify(version)}, this program knows ${EXPORT_VERSION}; use a newer version of the program`,
    )
}

function nodeRecord({ line, fields }: JsonLine): NodeRecord {
  const { node, embedding, file_version: fileVersion, passed_over, ...properties } = fields
  const label = NODE_LABELS.find((known) => known === node)
  if (label === undefined)
    throw new MemoryError(
      'invalid_argument',
      `node: must be one of ${NODE_LABELS.join(', ')} (given: ${shownValue(node ?? null)})`,
      { field: 'node' },
    )
  const { key, kind } = NODES[label]
  const { [key]: id, ...given } = properties
  if (typeof id !== 'string') throw new MemoryError('invalid_argument', `${key}: it is missing`, { field: key })
  if (fileVersion !== undefined && (label !== 'ProceduralMemory' || !isFileVersion(fileVersion)))
    throw new MemoryError('invalid_argument', 'file_version: must be a SHA-256 of a procedure, or null', {
      field: 'file_version',
    })
  const row = { ...checkedRow(label, given, 'kept'), ...(kind === null ? {} : readEmbedding(embedding)) }
  return { line, label, id: requireId(key, id), row, fileVersion, passedOverAtMs: passedOverAtIn(label, passed_over) }
}

/** Epoch milliseconds. Throws `invalid_argument`. */
function passedOverAtIn(label: NodeLabel, given: unknown): number | null {
  if (given === undefined) return null
  const ms = label === 'EpisodicMemory' && typeof given === 'string' ? parseTimestamp(given) : null
  if (ms !== null) return ms
  throw new MemoryError('invalid_argument', 'passed_over: must be the time at which an event was passed over', {
    field: 'passed_over',
  })
}

function isFileVersion(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value))
}

function relationRecord({ line, fields }: JsonLine): RelationRecord {
  const { relation, from, to, ...given } = fields
  if (typeof relation !== 'string' || typeof from !== 'string' || typeof to !== 'string')
    throw new MemoryError('invalid_argument', 'it is neither a node nor a relation with "relation", "from" and "to"')
  const name = requireRelation(relation)
  return { line, link: { relation: name, from, to }, row: checkedProperties(name, given) }
}

/** @returns whether it is new */
function placeNode(database: Database, { label, id, row, fileVersion, passedOverAtMs }: NodeRecord): boolean {
  const found = nodeRow(database, label, id)
  if (found === null) {
    if (label === 'SemanticMemory') requireFreeVersion(database, row)
    insertNode(database, label, id, row)
    if (passedOverAtMs !== null) passOver(database, id, passedOverAtMs)
    if (fileVersion !== undefined)
      database.run('INSERT INTO procedure_file (memory_id, version) VALUES ($id, $version)', {
        id,
        version: fileVersion,
      })
    return true
  }
  if (isSameRow(found, row)) return false
  if (fileVersion !== undefined && isUnused(database, found)) {
    const { usage_count = 0, success_rate = null, last_used = null } = row
    updateNode(database, label, id, { usage_count, success_rate, last_used })
    return false
  }
  // Of a file that is here its own text counts.
  if (fileVersion !== undefined && hasSameUse(found, row)) return false
  throw new MemoryError(
    'name_taken',
    `there is a ${label} ${JSON.stringify(id)} already, which says something else; nothing was imported`,
  )
}

function isSameRow(found: SqlRow, row: SqlRow): boolean {
  return Object.entries(row).every(([name, value]) => isSameValue(found[name] ?? null, value))
}

function isSameValue(a: SqlValue, b: SqlValue): boolean {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return a === b
  return a.length === b.length && a.every((byte, place) => byte === b[place])
}

/** A procedure of a file that nobody has used here: what was counted elsewhere is taken over. */
function isUnused(database: Database, found: SqlRow): boolean {
  const id = String(found.memory_id)
  const [file] = database.all('SELECT 1 FROM procedure_file WHERE memory_id = $id', { id })
  return file !== undefined && found.usage_count === 0
}

function hasSameUse(found: SqlRow, row: SqlRow): boolean {
  return ['usage_count', 'success_rate', 'last_used'].every((name) => (found[name] ?? null) === (row[name] ?? null))
}

function requireFreeVersion(database: Database, row: NodeRecord['row']): void {
  const taken = takenVersion(database, row)
  if (taken !== null)
    throw new MemoryError(
      'name_taken',
      `version ${String(row.version)} of ${JSON.stringify(row.concept)} is ${taken} already; nothing was imported`,
    )
}

/** What no relation places is found by everybody. */
function placeFound(database: Database, { label, id, row, fileVersion }: NodeRecord): void {
  switch (label) {
    case 'SemanticMemory':
      placeConcept(database, String(row.concept))
      return
    case 'ProspectiveMemory':
      if (row.scope === 'global') placeDocument(database, label, id, null)
      return
    case 'ProceduralMemory':
      if (fileVersion !== null) placeDocument(database, label, id, null)
      return
    case 'Session':
    case 'EpisodicMemory':
    case 'WorkingMemory':
  }
}

/** @returns those that are new */
function placeRelations(database: Database, records: readonly RelationRecord[]): readonly RelationRecord[] {
  /** How many records so far say the same, where each is kept. */
  const same = new Map<string, number>()
  return records.filter(({ line, link, row }) =>
    at(line, () => {
      requireEnds(database, link)
      requireOther(link)
      if (RELATIONS[link.relation].kept === 'one') return placeOne(database, link, row)
      const key = JSON.stringify([link, row])
      const count = (same.get(key) ?? 0) + 1
      same.set(key, count)
      if (countSame(database, link, row) >= count) return false
      insertRelation(database, link, row)
      return true
    }),
  )
}

function placeOne(database: Database, link: Link, row: RelationRecord['row']): boolean {
  const [found] = database.all(`SELECT * FROM "${link.relation}" WHERE from_id = $from AND to_id = $to`, {
    from: link.from,
    to: link.to,
  })
  if (found === undefined) {
    requireFreePlace(database, link, row)
    insertRelation(database, link, row)
    return true
  }
  if (isSameRow(found, row)) return false
  throw new MemoryError('name_taken', `${link.relation} from ${link.from} to ${link.to} says something else here`)
}

function requireFreePlace(database: Database, link: Link, row: RelationRecord['row']): void {
  const conflict = conflictOf(database, link, row)
  if (conflict === null) return
  const here =
    conflict.taken === 'memory'
      ? `${link.to} belongs to session ${conflict.session} here`
      : `number ${conflict.number} of session ${link.from} is ${conflict.memoryId} here`
  throw new MemoryError('name_taken', `${here}; nothing was imported`)
}
