/** How a concept came to be what it is: all its versions, and who gave what to each. */
import type { Database } from '../ports.ts'
import { answeredNode, type NodeAnswer } from './nodes.ts'
import { answeredRelation } from './relations.ts'
import type { PropertyValue } from './values.ts'

export interface Contribution extends Readonly<Record<string, PropertyValue>> {
  readonly session_id: string
}

export interface ConceptVersion {
  readonly memory: NodeAnswer
  /** In order. */
  readonly contributions: readonly Contribution[]
  /** Ids of the events it derives from. */
  readonly derived_from: readonly string[]
}

/** The first version first; none for a concept there is not. */
export function conceptHistory(database: Database, concept: string): readonly ConceptVersion[] {
  return database.snapshot(() =>
    database
      .all('SELECT * FROM "SemanticMemory" WHERE concept = $concept ORDER BY version', { concept })
      .map((row) => ({
        memory: answeredNode('SemanticMemory', row),
        contributions: contributionsTo(database, String(row.memory_id)),
        derived_from: database
          .all('SELECT to_id FROM "DERIVES_FROM" WHERE from_id = $id ORDER BY to_id', { id: String(row.memory_id) })
          .map(({ to_id }) => String(to_id)),
      })),
  )
}

function contributionsTo(database: Database, id: string): ConceptVersion['contributions'] {
  return database
    .all('SELECT * FROM "CONTRIBUTES_TO_SEMANTIC" WHERE to_id = $id ORDER BY "timestamp", id', { id })
    .map((row) => ({ session_id: String(row.from_id), ...answeredRelation('CONTRIBUTES_TO_SEMANTIC', row) }))
}
