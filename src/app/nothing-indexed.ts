/** What both views know of an empty workspace: told without loading what searches. */
import type { IndexState } from './index-state.ts'

export const NOTHING_INDEXED: IndexState = {
  count: 0,
  invalid: [],
  leftOut: [],
  facts: { generation: 0, bytes: 0, documents: 0, invalid: 0, terms: 0, beside: 0 },
  vectors: null,
}
