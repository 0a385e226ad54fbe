/** Recall in a workspace: what is asked for is checked, the query embedded, and what is missing said. */
import type { MemoryGraph } from '../graph/memory-graph.ts'
import { type RecallHit, type RecallRequest, recall } from '../graph/recall.ts'
import { requireSession } from '../graph/sessions.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { FusionChoice } from '../search/fusion.ts'
import { SEARCH_LIMIT_MAX } from '../search/search-request.ts'
import type { MemoryCollection } from './memory-collection.ts'

/** What a recall may wait for its query's vector. */
const QUERY_LIMIT_MS = 3_000

export interface RecallSurroundings {
  readonly collection: MemoryCollection
  /** Why an embedder that is asked for is not used; null when it is, and when none is. */
  readonly openingNotice: string | null
  readonly choice: FusionChoice
  readonly halfLifeSeconds: number
}

export interface RecallAnswer {
  readonly mode: 'hybrid' | 'keyword'
  /** Why it is by keywords alone, though an embedder is asked for; null otherwise. */
  readonly notice: string | null
  readonly hits: readonly RecallHit[]
}

/** Writes no memory. Throws `session_not_found`, `invalid_argument`, `interrupted`. */
export async function recallMemories(
  { database, clock }: MemoryGraph,
  request: RecallRequest,
  { collection, openingNotice, choice, halfLifeSeconds }: RecallSurroundings,
  signal?: AbortSignal,
): Promise<RecallAnswer> {
  requireAnswerable(request)
  if (request.session !== null) requireSession(database, request.session)
  const { documents, search, vectors } = collection.on(database)
  search.refresh()
  const untilMs = clock.now() + QUERY_LIMIT_MS
  const asked = vectors === null ? null : await vectors.queryVector(request.query, { signal, untilMs })
  const vector = asked !== null && 'vector' in asked ? asked.vector : null
  const hits = recall({ database, documents, search, vector, choice, atMs: clock.now(), halfLifeSeconds }, request)
  const missing = asked !== null && 'missing' in asked ? asked.missing : openingNotice
  const notice = missing === null ? null : `recalled by keywords alone: ${missing}`
  return { mode: vector === null ? 'keyword' : 'hybrid', notice, hits }
}

function requireAnswerable({ query, limit }: RecallRequest): void {
  if (query.trim() === '')
    throw new MemoryError('invalid_argument', 'query: it is empty; say what you look for', { field: 'query' })
  if (!Number.isInteger(limit) || limit < 1 || limit > SEARCH_LIMIT_MAX)
    throw new MemoryError(
      'invalid_argument',
      `limit: must be a whole number from 1 to ${SEARCH_LIMIT_MAX} (given: ${limit})`,
      {
        field: 'limit',
      },
    )
}
