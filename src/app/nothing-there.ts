/** What is known of an empty workspace: told without loading what searches, imports and remembers. */
import type { IndexState } from './index-state.ts'
import type { ImportCounts } from './listed-imports.ts'

export const NO_IMPORTS: ImportCounts = { complete: 0, incomplete: 0, damaged: [] }
export const NOTHING_REMEMBERED = { sessions: 0, episodic: 0, semantic: 0, procedural: 0, prospective: 0, working: 0 }

const NO_FACTS = { generation: 0, bytes: 0, documents: 0, invalid: 0, terms: 0, beside: 0 }
const NO_TEXTS = { documents: 0, present: 0, owed: 0 }
const NO_VECTORS = {
  packs: 0,
  bytes: 0,
  when_to_use: NO_TEXTS,
  when_to_use_content: NO_TEXTS,
  embedder_changed: false,
  embedder: 'builtin',
}

/** @param isBuiltin whether there is an embedder to make vectors, then the built-in one */
export function nothingIndexed(isBuiltin: boolean): IndexState {
  return { count: 0, invalid: [], leftOut: [], facts: NO_FACTS, vectors: isBuiltin ? NO_VECTORS : null }
}
