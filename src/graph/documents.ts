/** What recall looks through: which memories there are to be found, and whose. A text that changes is another document. */
import type { Database, SqlParameters, SqlRow, SqlValue } from '../ports.ts'
import type { MemoryKind, NodeLabel } from './schema.ts'

/** @param session whose own it is; null when it is everybody's */
export function placeDocument(database: Database, label: NodeLabel, memoryId: string, session: string | null): void {
  database.run('DELETE FROM memory_document WHERE label = $label AND memory_id = $memoryId', { label, memoryId })
  database.run('INSERT INTO memory_document (label, memory_id, session_id) VALUES ($label, $memoryId, $session)', {
    label,
    memoryId,
    session,
  })
}

/** Of a concept its current version is found, and no other. */
export function placeConcept(database: Database, concept: string): void {
  const [current, ...former] = database.all(
    'SELECT memory_id FROM "SemanticMemory" WHERE concept = $concept ORDER BY version DESC',
    { concept },
  )
  if (current === undefined) return
  for (const { memory_id } of former)
    forgetDocuments(database, 'SemanticMemory', '$memoryId', { memoryId: memory_id ?? null })
  const memoryId = String(current.memory_id)
  const place = { label: 'SemanticMemory', memoryId }
  const [found] = database.all('SELECT 1 FROM memory_document WHERE label = $label AND memory_id = $memoryId', place)
  if (found === undefined) placeDocument(database, 'SemanticMemory', memoryId, null)
}

/** @param selection what `IN` takes: a query of memory ids, or a parameter that is one */
export function forgetDocuments(
  database: Database,
  label: NodeLabel,
  selection: string,
  parameters: SqlParameters,
): void {
  database.run(`DELETE FROM memory_document WHERE label = $label AND memory_id IN (${selection})`, {
    ...parameters,
    label,
  })
}

/** By what words a memory is found. */
export function memoryText(kind: MemoryKind, row: SqlRow): string {
  return textColumns(kind)
    .map((name) => (LISTS.has(name) ? listText(row[name]) : row[name]))
    .filter((text) => typeof text === 'string' && text !== '')
    .join('\n\n')
}

/** Columns that hold JSON arrays. */
const LISTS: ReadonlySet<string> = new Set(['preconditions', 'steps', 'postconditions'])

function listText(stored: SqlValue | undefined): string {
  return typeof stored === 'string' ? (JSON.parse(stored) as readonly string[]).join('\n') : ''
}

function textColumns(kind: MemoryKind): readonly string[] {
  switch (kind) {
    case 'episodic':
    case 'working':
      return ['content']
    case 'semantic':
      return ['concept', 'content']
    case 'procedural':
      return ['procedure_name', 'description', 'preconditions', 'steps', 'postconditions']
    case 'prospective':
      return ['intention', 'trigger_condition', 'completion_criteria']
  }
}
