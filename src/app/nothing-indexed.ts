/** What both views know of an empty workspace: told without loading what searches. */
import type { IndexState } from './index-state.ts'

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
