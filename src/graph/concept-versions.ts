/** The versions of a concept: each a node, told apart by their numbers. */
import type { Database, SqlRow } from '../ports.ts'

/** Null for a concept there is not. */
export function currentVersion(database: Database, concept: string): SqlRow | null {
  const [row] = database.all('SELECT * FROM "SemanticMemory" WHERE concept = $concept ORDER BY version DESC LIMIT 1', {
    concept,
  })
  return row ?? null
}

/** Id of the memory that is this version already; null where it is free. */
export function takenVersion(database: Database, { concept = null, version = null }: SqlRow): string | null {
  const [taken] = database.all(
    'SELECT memory_id FROM "SemanticMemory" WHERE concept = $concept AND version = $version',
    { concept, version },
  )
  return taken === undefined ? null : String(taken.memory_id)
}
