/**
 * Procedural memory: every experience file is a node, brought in step with the files; how often it was used and how well
 * is kept apart from them, and stays when the file goes.
 */

import type { Experience } from '../model/experience.ts'
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlValue } from '../ports.ts'
import { forgetDocuments, placeDocument } from './documents.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { answeredNode, insertNode, type NodeAnswer, nodeRow, updateNode } from './nodes.ts'
import { procedureOf } from './procedure-text.ts'
import { checkedProperties, putRelation } from './relations.ts'
import { COUNT_MAX } from './schema.ts'
import { requireActive } from './sessions.ts'

/** An experience file as it is now. */
export interface ProcedureFile {
  readonly path: string
  readonly version: string
}

/**
 * Brings the nodes in step with the files there are.
 * @param files all of them
 * @param read  the texts of a file; null when it is no longer of this version
 */
export function followFiles(
  { database }: MemoryGraph,
  files: readonly ProcedureFile[],
  read: (file: ProcedureFile) => Experience | null,
): void {
  const known = knownFiles(database)
  const changed = files.filter(({ path, version }) => known.get(path) !== version)
  const there = new Set(files.map(({ path }) => path))
  const gone = [...known].filter(([path, version]) => version !== null && !there.has(path)).map(([path]) => path)
  if (changed.length === 0 && gone.length === 0) return
  const texts = new Map(changed.map((file) => [file.path, read(file)]))
  database.transact(() => {
    for (const { path, version } of changed) {
      const experience = texts.get(path) ?? null
      if (experience !== null) putProcedure(database, path, version, experience)
    }
    for (const path of gone) hideProcedure(database, path)
  })
}

/** Whether `followFiles` would write: a reader then needs the right to. */
export function isInStep(database: Database, files: readonly ProcedureFile[]): boolean {
  const known = knownFiles(database)
  let standing = 0
  for (const version of known.values()) if (version !== null) standing += 1
  return standing === files.length && files.every(({ path, version }) => known.get(path) === version)
}

function knownFiles(database: Database): ReadonlyMap<string, string | null> {
  const rows = database.all('SELECT memory_id, version FROM procedure_file')
  return new Map(rows.map(({ memory_id, version }) => [String(memory_id), version === null ? null : String(version)]))
}

function putProcedure(database: Database, path: string, version: string, experience: Experience): void {
  const { name, steps, preconditions, postconditions } = procedureOf(path, experience)
  const row: Record<string, SqlValue> = {
    procedure_name: name,
    description: experience.description,
    steps: JSON.stringify(steps),
    preconditions: JSON.stringify(preconditions),
    postconditions: JSON.stringify(postconditions),
    // Of the former text.
    embedding: null,
    embedding_model: null,
    embedding_dimension: null,
  }
  if (nodeRow(database, 'ProceduralMemory', path) === null)
    insertNode(database, 'ProceduralMemory', path, { ...row, success_rate: null, usage_count: 0, last_used: null })
  else updateNode(database, 'ProceduralMemory', path, row)
  database.run(
    'INSERT INTO procedure_file (memory_id, version) VALUES ($path, $version) ON CONFLICT (memory_id) DO UPDATE SET version = $version',
    { path, version },
  )
  placeDocument(database, 'ProceduralMemory', path, null)
}

function hideProcedure(database: Database, path: string): void {
  database.run('UPDATE procedure_file SET version = NULL WHERE memory_id = $path', { path })
  forgetDocuments(database, 'ProceduralMemory', '$path', { path })
}

/** Whether a procedure may be shown: one whose file is gone is hidden. */
export const SHOWN_PROCEDURE =
  'NOT EXISTS (SELECT 1 FROM procedure_file WHERE procedure_file.memory_id = "ProceduralMemory".memory_id AND procedure_file.version IS NULL)'

export interface Use {
  readonly procedure: string
  readonly session: string
  readonly success: boolean
  readonly notes?: string | undefined
}

/** Records that a session used a procedure. Throws `not_found`, `session_not_found`, `session_ended`. */
export function recordUse({ database, clock }: MemoryGraph, { procedure, session, success, notes }: Use): NodeAnswer {
  return database.transact(() => {
    requireActive(database, session)
    const memoryId = requireProcedure(database, procedure)
    const row = checkedProperties('USES_PROCEDURE', { timestamp: isoTime(clock.now()), success, notes })
    return countingUse(database, memoryId, () =>
      putRelation(database, { relation: 'USES_PROCEDURE', from: session, to: memoryId }, row),
    )
  })
}

/** By its id, by its path, or by its name if only one has that. Throws `not_found`. */
function requireProcedure(database: Database, given: string): string {
  const rows = database.all(
    `SELECT memory_id FROM "ProceduralMemory" WHERE (memory_id = $given OR procedure_name = $given) AND ${SHOWN_PROCEDURE}
     ORDER BY memory_id <> $given, memory_id LIMIT 2`,
    { given },
  )
  const [first, second] = rows
  if (first === undefined)
    throw new MemoryError(
      'not_found',
      `there is no procedure ${JSON.stringify(given)}; name it by its path, as search and recall do`,
    )
  if (second !== undefined && first.memory_id !== given)
    throw new MemoryError(
      'not_found',
      `several procedures are called ${JSON.stringify(given)}; name one by its memory_id`,
    )
  return String(first.memory_id)
}

/**
 * Makes count, rate and last use those of the records once `record` has added some. Uses that the node counted before
 * without a record of each, as one that came from another store does, go on counting.
 */
export function countingUse(database: Database, memoryId: string, record: () => void): NodeAnswer {
  const before = nodeRow(database, 'ProceduralMemory', memoryId) ?? {}
  const recordedBefore = recordedUse(database, memoryId)
  record()
  const recorded = recordedUse(database, memoryId)
  const unrecorded = Math.max(0, Number(before.usage_count ?? 0) - recordedBefore.uses)
  const rate = before.success_rate === null ? null : Number(before.success_rate)
  const successes = rate === null ? null : Math.max(0, rate * Number(before.usage_count) - recordedBefore.successes)
  const isCounted = unrecorded > 0 && successes !== null
  const rated = recorded.uses + (isCounted ? unrecorded : 0)
  const times = [before.last_used, recorded.last].filter((time) => typeof time === 'string').sort()
  updateNode(database, 'ProceduralMemory', memoryId, {
    usage_count: Math.min(COUNT_MAX, recorded.uses + unrecorded),
    success_rate: rated === 0 ? null : Math.min(1, (recorded.successes + (isCounted ? successes : 0)) / rated),
    last_used: times.at(-1) ?? null,
  })
  return answeredNode('ProceduralMemory', nodeRow(database, 'ProceduralMemory', memoryId) ?? {})
}

function recordedUse(database: Database, memoryId: string) {
  const [uses] = database.all(
    'SELECT count(*) AS uses, total(success) AS successes, max("timestamp") AS last FROM "USES_PROCEDURE" WHERE to_id = $memoryId',
    { memoryId },
  )
  return { uses: Number(uses?.uses ?? 0), successes: Number(uses?.successes ?? 0), last: uses?.last ?? null }
}
