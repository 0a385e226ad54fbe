/** New memories of all types, each with the links that its type has from the beginning. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlValue } from '../ports.ts'
import { changedFields } from './delta.ts'
import { memoryText, placeDocument } from './documents.ts'
import { type EmbeddedText, embeddingColumns } from './embedding.ts'
import { nextSequenceNumber } from './linking.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { answeredNode, checkedRow, insertNode, type MemoryAnswer, nodeRow, requireId } from './nodes.ts'
import { checkedProperties, putRelation } from './relations.ts'
import { labelOf, type MemoryKind } from './schema.ts'
import { requireActive } from './sessions.ts'

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
  readonly row: Readonly<Record<string, SqlValue>>
  /** By what it is found, and what is embedded. */
  readonly text: string
}

/** A memory like another. */
export interface LikeMemory {
  readonly memoryId: string
  /** 0…1, the larger the more alike. */
  readonly likeness: number
}

export interface RememberDefaults {
  readonly workingTtlSeconds: number
}

/** Throws `invalid_argument` naming the field. */
export function checkedMemory(
  { clock, ids }: MemoryGraph,
  memory: NewMemory,
  defaults: RememberDefaults,
): CheckedMemory {
  const { kind, session, fields, memoryId } = memory
  const now = isoTime(clock.now())
  if (session === undefined && needsSession(kind, fields))
    throw new MemoryError('invalid_argument', `session: ${kind} memory lies in a session; give one`, {
      field: 'session',
    })
  if (kind !== 'semantic' && (memory.contribution !== undefined || memory.delta !== undefined))
    throw new MemoryError('invalid_argument', 'contribution: only semantic memory is contributed to', {
      field: 'contribution',
    })
  const row = checkedRow(labelOf(kind), { ...startingValues(kind, session, now, defaults), ...fields })
  const id = memoryId === undefined ? ids.next() : requireId('memory_id', memoryId)
  return { ...memory, memoryId: id, row, text: memoryText(kind, row) }
}

function needsSession(kind: MemoryKind, fields: NewMemory['fields']): boolean {
  if (kind === 'prospective') return fields.scope === 'session'
  return kind === 'episodic' || kind === 'working'
}

/** Of properties that are never null and need not be given. */
function startingValues(
  kind: MemoryKind,
  session: string | undefined,
  now: string,
  { workingTtlSeconds }: RememberDefaults,
): Record<string, unknown> {
  switch (kind) {
    case 'episodic':
      return { timestamp: now }
    case 'semantic':
      // The version is found out when it is written.
      return { last_updated: now, version: 1 }
    case 'procedural':
      return { steps: [], preconditions: [], postconditions: [], usage_count: 0 }
    case 'prospective':
      return { priority: 'medium', status: 'pending', scope: session === undefined ? 'global' : 'session' }
    case 'working':
      return { memory_type: 'context', priority: 0, created_at: now, ttl_seconds: workingTtlSeconds }
  }
}

/**
 * Writes it with its links: all of it or nothing.
 * @param like memories like it, the most alike first: of an event earlier ones of its session, of working memory semantic ones
 * Throws `session_not_found`, `session_ended`, `name_taken`.
 */
export function writeMemory(
  graph: MemoryGraph,
  memory: CheckedMemory,
  embedded: EmbeddedText | null,
  like: readonly LikeMemory[],
): MemoryAnswer {
  const { database } = graph
  const { kind, memoryId, session } = memory
  const label = labelOf(kind)
  return database.transact(() => {
    if (session !== undefined) requireActive(database, session)
    if (nodeRow(database, label, memoryId) !== null)
      throw new MemoryError('name_taken', `memory_id: there is a ${kind} memory ${JSON.stringify(memoryId)} already`)
    const row = kind === 'semantic' ? nextVersion(database, memory.row) : memory.row
    insertNode(database, label, memoryId, { ...row, ...embeddingColumns(embedded) })
    placeDocument(database, label, memoryId, isOwn(memory) ? (session ?? null) : null)
    linkNew(graph, { ...memory, row }, like)
    return { kind, memory: answeredNode(label, nodeRow(database, label, memoryId) ?? {}) }
  })
}

/** Whether it is a session's own. */
function isOwn({ kind, row }: CheckedMemory): boolean {
  return kind === 'episodic' || kind === 'working' || (kind === 'prospective' && row.scope === 'session')
}

/** One more than the concept's last; what was current until now is found no more. */
function nextVersion(database: Database, row: CheckedMemory['row']): CheckedMemory['row'] {
  const last = currentVersion(database, String(row.concept))
  if (last === null) return row
  database.run(`DELETE FROM memory_document WHERE label = 'SemanticMemory' AND memory_id = $id`, { id: last.memoryId })
  return { ...row, version: last.version + 1 }
}

interface CurrentVersion {
  readonly memoryId: string
  readonly version: number
}

/** Null for a concept there is not. */
export function currentVersion(database: Database, concept: string): CurrentVersion | null {
  const [row] = database.all(
    'SELECT memory_id, version FROM "SemanticMemory" WHERE concept = $concept ORDER BY version DESC LIMIT 1',
    { concept },
  )
  return row === undefined ? null : { memoryId: String(row.memory_id), version: Number(row.version) }
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
  const [before] = database.all('SELECT * FROM "SemanticMemory" WHERE concept = $concept AND version = $version - 1', {
    concept: row.concept ?? null,
    version,
  })
  const properties = checkedProperties('CONTRIBUTES_TO_SEMANTIC', {
    contribution_type: contribution ?? (before === undefined ? 'created' : 'updated'),
    timestamp: now,
    delta: delta ?? (before === undefined ? null : changedFields(before, row)),
  })
  putRelation(database, { relation: 'CONTRIBUTES_TO_SEMANTIC', from: session, to: memoryId }, properties)
}
