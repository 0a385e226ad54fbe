/** New memories of all types, each with the links that its type has from the beginning. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow } from '../ports.ts'
import { currentVersion } from './concept-versions.ts'
import { changedFields } from './delta.ts'
import { memoryText, placeConcept, placeDocument } from './documents.ts'
import { type EmbeddedText, embeddingColumns } from './embedding.ts'
import type { LikeMemory, Likeness } from './likeness.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { answeredNode, checkedRow, insertNode, type MemoryAnswer, nodeRow, requireId } from './nodes.ts'
import { liesInSession, nextSequenceNumber } from './ownership.ts'
import { checkedProperties, putRelation } from './relations.ts'
import { labelOf, type MemoryKind } from './schema.ts'
import { requireActive } from './sessions.ts'
import { type MemoryDefaults, withStartingValues } from './starting-values.ts'
import { numberAfter } from './values.ts'

/** What somebody wants remembered. */
export interface NewMemory {
  readonly kind: MemoryKind
  /** Undefined: a fresh one. */
  readonly memoryId?: string | undefined
  readonly session?: string | undefined
  /** Properties of the kind, under the seed's names. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Of a semantic memory: the session's part in it, and what changed. */
  readonly contribution?: string | undefined
  readonly delta?: string | undefined
}

/** A new memory whose every property is checked. */
export interface CheckedMemory extends Omit<NewMemory, 'fields' | 'memoryId'> {
  readonly memoryId: string
  readonly row: SqlRow
  /** By what it is found, and what is embedded. */
  readonly text: string
}

type Checking = Pick<MemoryGraph, 'clock' | 'ids'>
type MemoryThatStays = NewMemory & { readonly kind: Exclude<MemoryKind, 'working'> }

/** Throws `invalid_argument` naming the field. @param defaults of working memory, which others need not have */
export function checkedMemory(graph: Checking, memory: MemoryThatStays): CheckedMemory
export function checkedMemory(graph: Checking, memory: NewMemory, defaults: MemoryDefaults): CheckedMemory
export function checkedMemory({ clock, ids }: Checking, memory: NewMemory, defaults?: MemoryDefaults): CheckedMemory {
  const { kind, session, fields, memoryId } = memory
  const now = isoTime(clock.now())
  if (session === undefined && liesInSession(kind, fields.scope))
    throw new MemoryError('invalid_argument', `session: ${kind} memory lies in a session; give one`, {
      field: 'session',
    })
  requireContribution(memory)
  const complete = withStartingValues(kind, fields, { ...defaults, session: session ?? null })
  const row = checkedRow(labelOf(kind), { ...timesOf(kind, now), ...complete })
  const id = memoryId === undefined ? ids.next() : requireId('memory_id', memoryId)
  return { ...memory, memoryId: id, row, text: memoryText(kind, row) }
}

function requireContribution({ kind, session, contribution, delta }: NewMemory): void {
  const field = contribution === undefined ? 'delta' : 'contribution'
  if (contribution === undefined && delta === undefined) return
  if (kind !== 'semantic')
    throw new MemoryError('invalid_argument', `${field}: only semantic memory is contributed to`, { field })
  if (session === undefined)
    throw new MemoryError('invalid_argument', `${field}: it is a session that contributes; give one`, { field })
  checkedProperties('CONTRIBUTES_TO_SEMANTIC', {
    contribution_type: contribution ?? 'created',
    timestamp: isoTime(0),
    delta,
  })
}

/** The times of what is remembered now. */
function timesOf(kind: MemoryKind, now: string): Readonly<Record<string, string>> {
  switch (kind) {
    case 'episodic':
      return { timestamp: now }
    case 'semantic':
      return { last_updated: now }
    case 'working':
      return { created_at: now }
    case 'procedural':
    case 'prospective':
      return {}
  }
}

/**
 * Writes it with its links: all of it or nothing. An event recalls those of its session that it is like, a working memory
 * activates concepts that it is like. Throws `session_not_found`, `session_ended`, `name_taken`.
 */
export function writeMemory(
  graph: MemoryGraph,
  memory: CheckedMemory,
  embedded: EmbeddedText | null,
  likeness: Likeness,
): MemoryAnswer {
  const { database } = graph
  return database.transact(() => {
    if (memory.session !== undefined) requireActive(database, memory.session)
    return placeMemory(graph, memory, embedded, likeness)
  })
}

/** The same whatever became of the session, which must be there. Throws `name_taken`. */
export function placeMemory(
  graph: MemoryGraph,
  memory: CheckedMemory,
  embedded: EmbeddedText | null,
  likeness: Likeness,
): MemoryAnswer {
  const { database } = graph
  const { kind, memoryId, session } = memory
  const label = labelOf(kind)
  return database.transact(() => {
    if (nodeRow(database, label, memoryId) !== null)
      throw new MemoryError('name_taken', `memory_id: there is a ${kind} memory ${JSON.stringify(memoryId)} already`)
    const row = kind === 'semantic' ? nextVersion(database, memory.row) : memory.row
    const like = likeTo({ ...memory, row }, embedded, likeness)
    insertNode(database, label, memoryId, { ...row, ...embeddingColumns(embedded) })
    if (kind === 'semantic') placeConcept(database, String(row.concept))
    else placeDocument(database, label, memoryId, liesInSession(kind, row.scope) ? (session ?? null) : null)
    linkNew(graph, { ...memory, row }, like)
    return { kind, memory: answeredNode(label, nodeRow(database, label, memoryId) ?? {}) }
  })
}

/** One more than the concept's last. Of what kind the concept is stays as it was unless it is said anew. */
function nextVersion(database: Database, row: CheckedMemory['row']): CheckedMemory['row'] {
  const last = currentVersion(database, String(row.concept))
  if (last === null) return row
  return {
    ...row,
    category: row.category ?? last.category ?? null,
    version: numberAfter('version', Number(last.version)),
  }
}

function likeTo(
  { kind, memoryId, session, text }: CheckedMemory,
  embedded: EmbeddedText | null,
  likeness: Likeness,
): readonly LikeMemory[] {
  const compared = { memoryId, text, embedded }
  if (kind === 'episodic') return likeness.events(compared, session ?? '')
  return kind === 'working' ? likeness.concepts(compared) : []
}

function linkNew({ database, clock }: MemoryGraph, memory: CheckedMemory, like: readonly LikeMemory[]): void {
  const { kind, memoryId, session, row } = memory
  const now = isoTime(clock.now())
  switch (kind) {
    case 'episodic': {
      const contained = { sequence_number: nextSequenceNumber(database, session ?? '') }
      putRelation(database, { relation: 'CONTAINS_EPISODIC', from: session ?? '', to: memoryId }, contained)
      for (const { memoryId: to, likeness } of like)
        putRelation(
          database,
          { relation: 'RECALLS', from: memoryId, to },
          { similarity_score: likeness, recall_reason: 'semantic_similarity' },
        )
      return
    }
    case 'working':
      putRelation(
        database,
        { relation: 'CONTAINS_WORKING', from: session ?? '', to: memoryId },
        { activation_level: 1 },
      )
      for (const { memoryId: to, likeness } of like)
        putRelation(
          database,
          { relation: 'ACTIVATES', from: memoryId, to },
          { activation_strength: likeness, timestamp: now },
        )
      return
    case 'prospective':
      if (session !== undefined)
        putRelation(database, { relation: 'CREATES_INTENTION', from: session, to: memoryId }, { timestamp: now })
      return
    case 'semantic':
      if (session !== undefined) contribute(database, memory, session, row, now)
      return
    case 'procedural':
  }
}

function contribute(
  database: Database,
  { memoryId, contribution, delta }: CheckedMemory,
  session: string,
  row: CheckedMemory['row'],
  now: string,
): void {
  const version = Number(row.version)
  const [before] = database.all(
    'SELECT * FROM "SemanticMemory" WHERE concept = $concept AND version < $version ORDER BY version DESC LIMIT 1',
    { concept: row.concept ?? null, version },
  )
  const properties = checkedProperties('CONTRIBUTES_TO_SEMANTIC', {
    contribution_type: contribution ?? (before === undefined ? 'created' : 'updated'),
    timestamp: now,
    delta: delta ?? (before === undefined ? null : changedFields(before, row)),
  })
  putRelation(database, { relation: 'CONTRIBUTES_TO_SEMANTIC', from: session, to: memoryId }, properties)
}
