/** What recall looks through: which memories there are to be found, and whose. A text that changes is another document. */
import type { Database, SqlParameters, SqlRow } from '../ports.ts'
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

/** @param selection a query of memory ids */
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
    .map((name) => row[name])
    .filter((text) => typeof text === 'string' && text !== '')
    .join('\n\n')
}

function textColumns(kind: MemoryKind): readonly string[] {
  switch (kind) {
    case 'episodic':
    case 'working':
      return ['content']
    case 'semantic':
      return ['concept', 'content']
    case 'procedural':
      return ['procedure_name', 'description', 'preconditions']
    case 'prospective':
      return ['intention', 'trigger_condition', 'completion_criteria']
  }
}
