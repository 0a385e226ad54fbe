/**
 * Records of other stores, one JSON object a line: which kind of memory each is, its properties checked, and the links it
 * tells of. Touches no graph.
 */
import { isGiven, isRecord } from '../model/json-values.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { SqlRow } from '../ports.ts'
import { embeddingColumns } from './embedding.ts'
import { type JsonLine, type LineFault, readJsonLines } from './json-lines.ts'
import { checkedRow, requireId } from './nodes.ts'
import { liesInSession } from './ownership.ts'
import { labelOf, MEMORY_KINDS, type MemoryKind, type RelationName } from './schema.ts'
import { type MemoryDefaults, withStartingValues } from './starting-values.ts'
import { shownValue } from './values.ts'

export interface MigrationDefaults extends MemoryDefaults {
  /** An id for what has none, the same for the same text. */
  readonly idOf: (text: string) => string
}

/** A link that a record tells of; its record's node is at one end. */
export interface ToldLink {
  readonly relation: RelationName
  /** Of the other end. */
  readonly id: string
  readonly properties: Readonly<Record<string, unknown>>
}

export interface MemoryRecord {
  readonly line: number
  readonly kind: MemoryKind
  readonly id: string
  /** Columns of the node. The version of a concept is null where it is to be counted. */
  readonly row: SqlRow
  /** The session that it lies in, or that made it. */
  readonly session: string | null
  readonly sequenceNumber: unknown
  readonly activationLevel: unknown
  readonly links: readonly ToldLink[]
  /** Whether the record says how often it was used, so that its own uses are among those. */
  readonly hasUsageCount: boolean
}

export interface SessionRecord {
  readonly line: number
  readonly id: string
  readonly row: SqlRow
}

export interface MigrationRecords {
  readonly sessions: readonly SessionRecord[]
  readonly memories: readonly MemoryRecord[]
  /** Lines that cannot be placed. */
  readonly faults: readonly LineFault[]
  /** Lines that say what an earlier one said. */
  readonly repeated: number
  /** Of lines, blank ones left out. */
  readonly count: number
}

/** Of two lines with one id the first counts. */
export function migrationRecords(bytes: Uint8Array, defaults: MigrationDefaults): MigrationRecords {
  const { lines, faults } = readJsonLines(bytes)
  const found = { sessions: [] as SessionRecord[], memories: [] as MemoryRecord[], faults: [...faults], repeated: 0 }
  const seen = new Map<string, JsonLine>()
  const isFirst = (kind: string, id: string, line: JsonLine): boolean => {
    const key = JSON.stringify([kind, id])
    const earlier = seen.get(key)
    if (earlier === undefined) seen.set(key, line)
    else if (earlier.text === line.text) found.repeated += 1
    else throw new MemoryError('invalid_argument', `its id is that of line ${earlier.line}, which says something else`)
    return earlier === undefined
  }
  for (const line of lines) {
    try {
      if (line.fields.memory_type === 'session') {
        const session = sessionRecord(line)
        if (isFirst('session', session.id, line)) found.sessions.push(session)
      } else {
        const memory = memoryRecord(line, defaults)
        if (isFirst(memory.kind, memory.id, line)) found.memories.push(memory)
      }
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      found.faults.push({ line: line.line, error: error.message })
    }
  }
  return { ...found, count: lines.length + faults.length }
}

function sessionRecord({ line, fields }: JsonLine): SessionRecord {
  const { memory_type: _, session_id: id, ...given } = fields
  if (typeof id !== 'string') throw invalid('session_id', 'it is missing')
  const status = isGiven(given.status) ? given.status : isGiven(given.end_time) ? 'completed' : 'active'
  return { line, id: requireId('session_id', id), row: checkedRow('Session', { ...given, status }) }
}

/** Fields beside the properties of a kind, and the relation that each stands for. */
const LINK_FIELDS: Readonly<Record<MemoryKind, Readonly<Record<string, RelationName>>>> = {
  episodic: { recalls: 'RECALLS' },
  semantic: { derives_from: 'DERIVES_FROM' },
  procedural: { references: 'REFERENCES', builds_on: 'BUILDS_ON' },
  prospective: { triggers: 'TRIGGERS' },
  working: { activates: 'ACTIVATES' },
}

function memoryRecord({ line, text, fields }: JsonLine, defaults: MigrationDefaults): MemoryRecord {
  const { memory_type: type, memory_id, session_id, embedding, embedding_model, sequence_number, ...others } = fields
  const kind = MEMORY_KINDS.find((known) => known === type)
  if (kind === undefined)
    throw invalid(
      'memory_type',
      `must be one of session, ${MEMORY_KINDS.join(', ')} (given: ${shownValue(type ?? null)})`,
    )
  const session = isGiven(session_id) ? requireText('session_id', session_id) : null
  if (session === null && liesInSession(kind, others.scope))
    throw invalid('session_id', `${kind} memory lies in a session, and none is named`)
  const id = isGiven(memory_id) ? requireText('memory_id', memory_id) : defaults.idOf(text)
  const { links, rest } = toldLinks(kind, session, others)
  const { activation_level, working_type, ...properties } = rest
  const given = {
    ...properties,
    // Of another kind there is no such field, and it is refused by its name.
    ...(kind === 'episodic' ? {} : { sequence_number }),
    ...(kind === 'working' ? { memory_type: working_type } : { activation_level, working_type }),
  }
  const row = checkedRow(labelOf(kind), withStartingValues(kind, given, { ...defaults, session }))
  return {
    line,
    kind,
    id,
    row: {
      ...row,
      ...(kind === 'semantic' && !isGiven(properties.version) ? { version: null } : {}),
      ...embeddingColumns(vectorIn(embedding, embedding_model)),
    },
    session,
    sequenceNumber: sequence_number ?? null,
    activationLevel: activation_level,
    links,
    hasUsageCount: isGiven(properties.usage_count),
  }
}

/** Links as fields tell of them, and the fields that are left. */
function toldLinks(
  kind: MemoryKind,
  session: string | null,
  fields: Readonly<Record<string, unknown>>,
): { links: readonly ToldLink[]; rest: Readonly<Record<string, unknown>> } {
  const rest = { ...fields }
  const links: ToldLink[] = []
  for (const [field, relation] of Object.entries(LINK_FIELDS[kind])) {
    links.push(...listIn(field, rest[field]).map((one) => toldLink(field, relation, one, 'memory_id')))
    delete rest[field]
  }
  if (kind === 'semantic') {
    const { session_ids, contribution_type, delta } = rest
    const sessions = [...(session === null ? [] : [session]), ...listIn('session_ids', session_ids)]
    for (const one of new Set(sessions)) {
      const told = toldLink('session_ids', 'CONTRIBUTES_TO_SEMANTIC', one, 'session_id')
      links.push({ ...told, properties: { contribution_type, delta, ...told.properties } })
    }
    for (const field of ['session_ids', 'contribution_type', 'delta']) delete rest[field]
  }
  if (kind === 'procedural') {
    const { uses, success, notes } = rest
    const own = session === null ? [] : [{ session_id: session, success, notes }]
    for (const one of [...own, ...listIn('uses', uses)])
      links.push(toldLink('uses', 'USES_PROCEDURE', one, 'session_id'))
    for (const field of ['uses', 'success', 'notes']) delete rest[field]
  }
  return { links, rest }
}

function listIn(field: string, given: unknown): readonly unknown[] {
  if (!isGiven(given)) return []
  if (Array.isArray(given)) return given
  throw invalid(field, 'must be a list')
}

/** @param one an id, or an object with the id and properties of the link */
function toldLink(field: string, relation: RelationName, one: unknown, key: string): ToldLink {
  if (typeof one === 'string') return { relation, id: one, properties: {} }
  if (!isRecord(one)) throw invalid(field, `must be a list of ids, or of objects with ${key}`)
  const { [key]: id, ...properties } = one
  return { relation, id: requireText(`${field}.${key}`, id), properties }
}

/** As float32, with the name of what made it, where that is told. */
function vectorIn(embedding: unknown, model: unknown) {
  if (!isGiven(embedding)) return null
  const isVector =
    Array.isArray(embedding) && embedding.length > 0 && embedding.every((value) => Number.isFinite(Math.fround(value)))
  if (!isVector || embedding.some((value) => typeof value !== 'number'))
    throw invalid('embedding', 'must be a list of numbers')
  return {
    vector: Float32Array.from(embedding),
    model: isGiven(model) ? requireText('embedding_model', model) : 'unknown',
  }
}

function requireText(field: string, given: unknown): string {
  if (typeof given !== 'string') throw invalid(field, 'must be a text')
  return requireId(field, given)
}

function invalid(field: string, rule: string): MemoryError {
  return new MemoryError('invalid_argument', `${field}: ${rule}`, { field })
}
