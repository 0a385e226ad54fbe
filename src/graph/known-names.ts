/** By what sessions and concepts are named, sorted. */
import type { Database } from '../ports.ts'

export function sessionIds(database: Database): readonly string[] {
  return namesIn(database, 'SELECT session_id AS name FROM "Session" ORDER BY name')
}

export function conceptNames(database: Database): readonly string[] {
  return namesIn(database, 'SELECT DISTINCT concept AS name FROM "SemanticMemory" ORDER BY name')
}

function namesIn(database: Database, query: string): readonly string[] {
  return database.all(query).map(({ name }) => String(name))
}
