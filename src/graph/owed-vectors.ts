/** Which memories have no vector of the present embedder, and how one comes to its memory. */
import type { Database } from '../ports.ts'
import { type EmbeddedText, embeddingColumns } from './embedding.ts'
import { assignmentsOf } from './rows.ts'
import { labelOf, MEMORY_KINDS } from './schema.ts'

/**
 * Numbers of documents, ascending.
 * @param model see `modelName`
 * @param width numbers in each of its vectors
 */
export function documentsWithoutVector(database: Database, model: string, width: number): readonly number[] {
  const found = MEMORY_KINDS.flatMap((kind) => {
    const label = labelOf(kind)
    return database.all(
      `SELECT document FROM memory_document JOIN "${label}" USING (memory_id)
       WHERE label = $label AND (embedding_model IS NOT $model OR embedding_dimension IS NOT $width)`,
      { label, model, width },
    )
  })
  return found.map(({ document }) => Number(document)).sort((a, b) => a - b)
}

/** Nothing for a document that is no more: its text is then another, or gone. */
export function putVector(database: Database, document: number, embedded: EmbeddedText): void {
  const columns = embeddingColumns(embedded)
  for (const kind of MEMORY_KINDS) {
    const label = labelOf(kind)
    database.run(
      `UPDATE "${label}" SET ${assignmentsOf(columns)} WHERE memory_id IN (
         SELECT memory_id FROM memory_document WHERE document = $document AND label = $label)`,
      { ...columns, document, label },
    )
  }
}

/** Numbers of the documents that are a session's own. */
export function ownDocuments(database: Database, session: string): readonly number[] {
  return database
    .all('SELECT document FROM memory_document WHERE session_id = $session ORDER BY document', { session })
    .map(({ document }) => Number(document))
}
