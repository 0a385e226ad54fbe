/** Knowledge out of events: which events are ready for it, and what is written when somebody has read them. */
import { isoTime } from '../model/iso-time.ts'
import { invariant, MemoryError } from '../model/memory-error.ts'
import type { Database } from '../ports.ts'
import { currentVersion } from './concept-versions.ts'
import type { EmbeddedText } from './embedding.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { type NodeAnswer, nodeRow } from './nodes.ts'
import { checkedProperties, insertRelation, putRelation, relationBetween } from './relations.ts'
import { type CheckedMemory, checkedMemory, placeMemory } from './remember.ts'
import type { ExtractionMethod } from './schema.ts'

/** An event that matters and is no longer new, and that no knowledge derives from yet: the seed's Query 2. */
export interface Candidate {
  readonly session_id: string
  readonly memory_id: string
  readonly content: string
  readonly importance_score: number
  readonly event_type: string | null
  readonly timestamp: string
  /** When somebody found nothing in it that is worth knowing; null before. */
  readonly passed_over: string | null
}

export interface CandidateChoice {
  /** Candidates matter more than that, 0…1. */
  readonly minImportance: number
  /** Epoch milliseconds; candidates are older. */
  readonly beforeMs: number
}

const CANDIDATES = `
SELECT contained.from_id AS session_id, event.memory_id, event.content, event.importance_score, event.event_type,
  event."timestamp", passed.passed_over
FROM "EpisodicMemory" AS event
JOIN "CONTAINS_EPISODIC" AS contained ON contained.to_id = event.memory_id
LEFT JOIN consolidation_skip AS passed ON passed.memory_id = event.memory_id
WHERE event.importance_score > $minImportance AND event."timestamp" < $before
  AND NOT EXISTS (SELECT 1 FROM "DERIVES_FROM" WHERE to_id = event.memory_id)
ORDER BY event.importance_score DESC, event."timestamp", event.memory_id`

/** The most important first, of equal ones the oldest. */
export function consolidationCandidates(
  database: Database,
  { minImportance, beforeMs }: CandidateChoice,
): readonly Candidate[] {
  return database.all(CANDIDATES, { minImportance, before: isoTime(beforeMs) }).map((row) => ({
    session_id: String(row.session_id),
    memory_id: String(row.memory_id),
    content: String(row.content),
    importance_score: Number(row.importance_score),
    event_type: row.event_type === null ? null : String(row.event_type),
    timestamp: String(row.timestamp),
    passed_over: row.passed_over === null ? null : String(row.passed_over),
  }))
}

export interface Knowledge {
  readonly concept: string
  readonly content: string
  /** Undefined: as of the concept's former version. */
  readonly category?: string | undefined
  /** 0…1. */
  readonly confidence: number
  readonly method: ExtractionMethod
  readonly events: readonly { readonly memoryId: string; readonly confidence: number }[]
}

export interface Consolidated {
  readonly memory: NodeAnswer
  readonly derives_from: readonly string[]
  /** Procedures of the events' sessions, which now refer to it. */
  readonly references: readonly string[]
}

/** Throws `invalid_argument` naming the field. */
export function checkedKnowledge(
  graph: Pick<MemoryGraph, 'clock' | 'ids'>,
  { concept, content, category, confidence }: Knowledge,
): CheckedMemory {
  const fields = { concept, content, category, confidence_score: confidence }
  return checkedMemory(graph, { kind: 'semantic', fields })
}

/**
 * Writes it as a new concept, or as the next version of one, with what it derives from and who refers to it: all of it
 * or nothing. Throws `not_found` for an event that is gone, `name_taken` for one that knowledge derives from already.
 */
export function writeKnowledge(
  graph: MemoryGraph,
  knowledge: Knowledge,
  checked: CheckedMemory,
  embedded: EmbeddedText | null,
): Consolidated {
  const { database } = graph
  return database.transact(() => {
    const sessions = sessionsOf(database, knowledge)
    const [first, ...others] = sessions
    invariant(first !== undefined, 'knowledge derives from an event at least')
    const { memory } = placeMemory(graph, { ...checked, session: first }, embedded, NONE_ALIKE)
    const id = checked.memoryId
    alsoContributed(database, id, first, others)
    for (const { memoryId, confidence } of knowledge.events)
      putRelation(
        database,
        { relation: 'DERIVES_FROM', from: id, to: memoryId },
        checkedProperties('DERIVES_FROM', { extraction_method: knowledge.method, confidence }),
      )
    return {
      memory,
      derives_from: knowledge.events.map(({ memoryId }) => memoryId),
      references: refer(database, id, sessions),
    }
  })
}

/** Knowledge recalls and activates nothing by itself. */
const NONE_ALIKE = { events: () => [], concepts: () => [] }

const SESSION = `SELECT from_id FROM "CONTAINS_EPISODIC" WHERE to_id = $id`
/** Whether an event is there, and no knowledge derives from it. */
export function isUndecided(database: Database, id: string): boolean {
  return nodeRow(database, 'EpisodicMemory', id) !== null && database.all(DERIVED, { id }).length === 0
}

const DERIVED = `SELECT from_id FROM "DERIVES_FROM" WHERE to_id = $id LIMIT 1`

/** In the order of the events, each once. */
function sessionsOf(database: Database, { events }: Knowledge): readonly string[] {
  const sessions = new Set<string>()
  for (const { memoryId: id } of events) {
    const [contained] = database.all(SESSION, { id })
    if (contained === undefined)
      throw new MemoryError('not_found', `derived_from: there is no event ${JSON.stringify(id)} any more`)
    const [derived] = database.all(DERIVED, { id })
    if (derived !== undefined)
      throw new MemoryError('name_taken', `derived_from: ${String(derived.from_id)} derives from ${id} already`)
    sessions.add(String(contained.from_id))
  }
  return [...sessions]
}

/** The other sessions had the same part in it. */
function alsoContributed(database: Database, id: string, first: string, others: readonly string[]): void {
  const part = relationBetween(database, { relation: 'CONTRIBUTES_TO_SEMANTIC', from: first, to: id })
  for (const from of others)
    putRelation(
      database,
      { relation: 'CONTRIBUTES_TO_SEMANTIC', from, to: id },
      checkedProperties('CONTRIBUTES_TO_SEMANTIC', part?.properties ?? {}),
    )
}

const USED = `SELECT DISTINCT to_id FROM "USES_PROCEDURE" WHERE from_id = $session ORDER BY to_id`

/** What the sessions did belongs to what they taught. */
function refer(database: Database, id: string, sessions: readonly string[]): readonly string[] {
  const procedures = new Map<string, string>()
  for (const session of sessions)
    for (const { to_id } of database.all(USED, { session }))
      if (!procedures.has(String(to_id))) procedures.set(String(to_id), session)
  for (const [from, session] of procedures)
    insertRelation(
      database,
      { relation: 'REFERENCES', from, to: id },
      checkedProperties('REFERENCES', { reference_type: 'related_concept', context: `used in session ${session}` }),
    )
  return [...procedures.keys()].sort()
}

/** Remembers that there is nothing worth knowing in events; for those that are gone meanwhile nothing. */
export function passOverEvents({ database, clock }: MemoryGraph, memoryIds: readonly string[]): void {
  const ms = clock.now()
  database.transact(() => {
    for (const id of memoryIds) passOver(database, id, ms)
  })
}

export function passOver(database: Database, id: string, ms: number): void {
  database.run(
    `INSERT INTO consolidation_skip (memory_id, passed_over)
     SELECT memory_id, $time FROM "EpisodicMemory" WHERE memory_id = $id
     ON CONFLICT (memory_id) DO UPDATE SET passed_over = $time`,
    { id, time: isoTime(ms) },
  )
}

/** What is known of each concept now. */
export interface KnownConcept {
  readonly concept: string
  readonly content: string
  readonly confidence: number | null
  /** Events it derives from, in all its versions. */
  readonly events: number
}

const KNOWN = `
SELECT one.concept, one.content, one.confidence_score,
  (SELECT count(*) FROM "DERIVES_FROM" JOIN "SemanticMemory" AS version ON version.memory_id = from_id
   WHERE version.concept = one.concept) AS events
FROM "SemanticMemory" AS one
WHERE NOT EXISTS (SELECT 1 FROM "SemanticMemory" AS later WHERE later.concept = one.concept AND later.version > one.version)
ORDER BY one.concept`

export function knownConcepts(database: Database): readonly KnownConcept[] {
  return database.all(KNOWN).map(({ concept, content, confidence_score, events }) => ({
    concept: String(concept),
    content: String(content),
    confidence: confidence_score === null ? null : Number(confidence_score),
    events: Number(events),
  }))
}

/** Whether there is a concept of that name. */
export function isConcept(database: Database, concept: string): boolean {
  return currentVersion(database, concept) !== null
}
