/**
 * Brings records of other stores into the graph: sessions, then memories, then what links them. Each step is skipped where
 * its outcome is there, so it may be stopped anywhere and run again, and what it reports depends on the records alone.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow } from '../ports.ts'
import { currentVersion, takenVersion } from './concept-versions.ts'
import { placeConcept, placeDocument } from './documents.ts'
import type { LineFault } from './json-lines.ts'
import type { Likeness } from './likeness.ts'
import { memoryConflict, sessionConflict } from './migration-conflicts.ts'
import { linkRecords } from './migration-links.ts'
import { type MemoryRecord, type MigrationDefaults, migrationRecords, type SessionRecord } from './migration-records.ts'
import { insertNode, nodeRow } from './nodes.ts'
import { conflictOf, liesInSession, nextSequenceNumber } from './ownership.ts'
import { checkedProperties, insertRelation } from './relations.ts'
import { labelOf, MEMORY_KINDS, type MemoryKind } from './schema.ts'
import { numberAfter } from './values.ts'

export interface MigrationReport {
  /** Lines that were not blank. */
  readonly records: number
  readonly created: Readonly<Record<'session' | MemoryKind, number>>
  /** Records whose node was there already, or in an earlier line. */
  readonly present: number
  readonly links: { readonly created: number; readonly present: number }
  /** What could not be placed, by line. */
  readonly failed: readonly LineFault[]
}

/** Records in one transaction: what a kill costs. */
const STEP_RECORDS = 500

export interface MigrationOptions extends MigrationDefaults {
  /** Epoch milliseconds: working memory that is over by then activates nothing. */
  readonly atMs: number
  /** Asked for once all memories are placed. */
  readonly likenessAmong: () => Likeness
  /** Awaited before each step; throws to stop. */
  readonly pause: () => Promise<void>
}

/** Throws what `pause` throws: what was placed until then stays. */
export async function migrateRecords(
  database: Database,
  bytes: Uint8Array,
  { likenessAmong, pause, ...options }: MigrationOptions,
): Promise<MigrationReport> {
  const { sessions, memories, faults, repeated, count } = migrationRecords(bytes, options)
  const placing = new Placing(database, pause)
  placing.present = repeated
  const described = sessions.filter((session) => placing.isFree(session.line, sessionConflict(database, session)))
  const own = memories.filter((memory) => placing.isFree(memory.line, memoryConflict(database, memory)))
  const named = namedSessions(sessions, own).filter(({ id }) => nodeRow(database, 'Session', id) === null)
  await placing.inSteps([...described, ...named], (session) => placing.placeSession(session))
  await placing.inSteps(inOrder(own), (memory) => placing.placeMemory(memory))
  const placed = own.filter(({ kind, id }) => nodeRow(database, labelOf(kind), id) !== null)
  const likeness = likenessAmong()
  const links = { created: 0, present: 0 }
  await placing.inSteps(placed, (memory) => {
    const { created, present, failed } = linkRecords(database, memory, likeness, options.atMs)
    links.created += created
    links.present += present
    placing.failed.push(...failed.map((error) => ({ line: memory.line, error })))
  })
  const failed = [...faults, ...placing.failed].sort((a, b) => a.line - b.line || (a.error < b.error ? -1 : 1))
  return { records: count, created: placing.created, present: placing.present, links, failed }
}

class Placing {
  readonly #database: Database
  readonly #pause: MigrationOptions['pause']
  readonly created = Object.fromEntries(['session', ...MEMORY_KINDS].map((kind) => [kind, 0])) as Record<
    'session' | MemoryKind,
    number
  >
  present = 0
  readonly failed: LineFault[] = []

  constructor(database: Database, pause: MigrationOptions['pause']) {
    this.#database = database
    this.#pause = pause
  }

  /** @param conflict of the record, which is then told */
  isFree(line: number, conflict: string | null): boolean {
    if (conflict !== null) this.failed.push({ line, error: conflict })
    return conflict === null
  }

  async inSteps<T extends { readonly line: number }>(records: readonly T[], place: (record: T) => void): Promise<void> {
    for (let start = 0; start < records.length; start += STEP_RECORDS) {
      await this.#pause()
      this.#database.transact(() => {
        for (const record of records.slice(start, start + STEP_RECORDS)) this.#placed(record, place)
      })
    }
  }

  #placed<T extends { readonly line: number }>(record: T, place: (record: T) => void): void {
    try {
      place(record)
    } catch (error) {
      // A fault of the record leaves the others alone; one of the disk does not.
      if (!(error instanceof MemoryError) || error.code !== 'invalid_argument') throw error
      this.failed.push({ line: record.line, error: error.message })
    }
  }

  placeSession({ id, row }: SessionRecord): void {
    if (nodeRow(this.#database, 'Session', id) !== null) this.present += 1
    else {
      insertNode(this.#database, 'Session', id, row)
      this.created.session += 1
    }
  }

  placeMemory(memory: MemoryRecord): void {
    const database = this.#database
    const { kind, id, session } = memory
    const label = labelOf(kind)
    if (nodeRow(database, label, id) !== null) {
      this.present += 1
      return
    }
    const contained = containment(database, memory)
    const row = kind === 'semantic' ? versioned(database, memory) : memory.row
    insertNode(database, label, id, row)
    if (contained !== null && session !== null)
      insertRelation(database, { relation: contained.relation, from: session, to: id }, contained.row)
    if (kind === 'semantic') placeConcept(database, String(row.concept))
    else placeDocument(database, label, id, liesInSession(kind, row.scope) ? session : null)
    this.created[kind] += 1
  }
}

/** How a session holds it; null where none does. Throws `invalid_argument`. */
function containment(database: Database, { kind, id, row, session, sequenceNumber, activationLevel }: MemoryRecord) {
  if (session === null || kind === 'semantic' || kind === 'procedural') return null
  const owner = nodeRow(database, 'Session', session)
  if (owner === null)
    throw new MemoryError(
      'invalid_argument',
      `session_id: there is no session ${JSON.stringify(session)}, and nothing tells when it was`,
    )
  // Events tell what happened in it; the rest went when it ended.
  if (kind !== 'episodic' && owner.status !== 'active' && liesInSession(kind, row.scope))
    throw new MemoryError(
      'invalid_argument',
      `session_id: session ${JSON.stringify(session)} is ${String(owner.status)}, and what it had in mind or meant to do for itself is over`,
    )
  switch (kind) {
    case 'episodic': {
      const sequence_number = sequenceNumber ?? nextSequenceNumber(database, session)
      const relation = 'CONTAINS_EPISODIC' as const
      const row = checkedProperties(relation, { sequence_number })
      const conflict = conflictOf(database, { relation, from: session, to: id }, row)
      if (conflict?.taken === 'number')
        throw new MemoryError(
          'invalid_argument',
          `sequence_number: ${conflict.number} is that of ${conflict.memoryId} already`,
        )
      return { relation, row }
    }
    case 'working': {
      const relation = 'CONTAINS_WORKING' as const
      return { relation, row: checkedProperties(relation, { activation_level: activationLevel ?? 1 }) }
    }
    case 'prospective': {
      const relation = 'CREATES_INTENTION' as const
      const begun = owner.start_time
      return { relation, row: checkedProperties(relation, { timestamp: begun }) }
    }
  }
}

/** Throws `invalid_argument` for a version that another node is. */
function versioned(database: Database, { row }: MemoryRecord): SqlRow {
  const concept = String(row.concept)
  if (row.version === null)
    return { ...row, version: numberAfter('version', Number(currentVersion(database, concept)?.version ?? 0)) }
  const taken = takenVersion(database, row)
  if (taken === null) return row
  throw new MemoryError(
    'invalid_argument',
    `version: version ${Number(row.version)} of ${JSON.stringify(concept)} is ${taken} already`,
  )
}

/** What is numbered already comes first. Numbers that are counted follow the time, and the lines where that is the same. */
function inOrder(memories: readonly MemoryRecord[]): readonly MemoryRecord[] {
  const isCounted = ({ kind, sequenceNumber, row }: MemoryRecord) =>
    kind === 'episodic' ? sequenceNumber === null : row.version === null
  const time = ({ row }: MemoryRecord) => String(row.timestamp ?? row.last_updated ?? '')
  return memories.toSorted(
    (a, b) =>
      Number(isCounted(a)) - Number(isCounted(b)) || (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : a.line - b.line),
  )
}

/** Sessions that memories name only: they began with the first of their memories. */
function namedSessions(
  described: readonly SessionRecord[],
  memories: readonly MemoryRecord[],
): readonly SessionRecord[] {
  const known = new Set(described.map(({ id }) => id))
  const named = new Map<string, { line: number; times: string[]; isActive: boolean }>()
  for (const { line, kind, row, session, links } of memories) {
    const contributed = links
      .filter(({ relation }) => relation === 'CONTRIBUTES_TO_SEMANTIC' || relation === 'USES_PROCEDURE')
      .map(({ id }) => id)
    for (const id of new Set([...(session === null ? [] : [session]), ...contributed])) {
      if (known.has(id)) continue
      const found = named.get(id) ?? { line, times: [], isActive: false }
      found.times.push(...timesIn(row))
      // What is in mind, or is still to be done there, is so in a session that goes on.
      found.isActive ||= kind === 'working' || (kind === 'prospective' && row.scope === 'session')
      named.set(id, found)
    }
  }
  return [...named].flatMap(([id, found]) => namedSession(id, found))
}

const TIMES = ['timestamp', 'last_updated', 'created_at', 'last_used'] as const

function timesIn(row: MemoryRecord['row']): readonly string[] {
  return TIMES.map((name) => row[name]).filter((time) => typeof time === 'string')
}

/** None where nothing tells when it was. */
function namedSession(
  id: string,
  { line, times, isActive }: { line: number; times: readonly string[]; isActive: boolean },
): readonly SessionRecord[] {
  const sorted = times.toSorted()
  const [start_time] = sorted
  if (start_time === undefined) return []
  const end_time = isActive ? null : (sorted.at(-1) ?? null)
  const status = isActive ? 'active' : 'completed'
  return [{ line, id, row: { start_time, end_time, user_id: null, context: null, status } }]
}
