/** Recall in a workspace: what is asked for is checked, the query embedded, and what is missing said. */
import type { MemoryDocuments } from '../graph/memory-documents.ts'
import type { MemoryGraph } from '../graph/memory-graph.ts'
import { type RecallHit, type RecallRequest, recall } from '../graph/recall.ts'
import { requireSession } from '../graph/sessions.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { FusionChoice } from '../search/fusion.ts'
import type { NumberedVectors } from '../search/numbered-vectors.ts'
import { SEARCH_LIMIT_MAX } from '../search/search-request.ts'
import type { AskOptions } from '../search/text-embedder.ts'
import { noticeOfOwed } from '../search/vector-notices.ts'
import type { MemoryCollection } from './memory-collection.ts'

/** What a recall may wait for vectors. */
const VECTORS_LIMIT_MS = 3_000

export interface RecallSurroundings {
  readonly collection: MemoryCollection
  /** Why an embedder that is asked for is not used; null when it is, and when none is. */
  readonly openingNotice: string | null
  readonly choice: FusionChoice
  readonly halfLifeSeconds: number
}

export interface RecallAnswer {
  readonly mode: 'hybrid' | 'keyword'
  /** Why all or some rank by keywords alone, though an embedder is asked for; null where none do. */
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
  const options = { signal, untilMs: clock.now() + VECTORS_LIMIT_MS }
  const meaning = vectors === null ? null : await meaningOf(request.query, vectors, documents, options)
  const vector = meaning?.vector ?? null
  const hits = recall({ database, documents, search, vector, choice, atMs: clock.now(), halfLifeSeconds }, request)
  return {
    mode: vector === null ? 'keyword' : 'hybrid',
    notice: meaning === null ? alone(openingNotice) : meaning.notice,
    hits,
  }
}

interface Meaning {
  /** Null where the query has none, or no memory has one to compare it with. */
  readonly vector: Float32Array | null
  readonly notice: string | null
}

/** The query's vector; and of memories that have none yet as many vectors as a search makes. */
async function meaningOf(
  query: string,
  vectors: NumberedVectors,
  documents: MemoryDocuments,
  options: AskOptions,
): Promise<Meaning> {
  const asked = await vectors.queryVector(query, options)
  if ('missing' in asked) return { vector: null, notice: alone(asked.missing) }
  const fault = await vectors.embedSomeOwed({ ...options, isUrgent: true, textsOf: documents.textsOf })
  const notice = noticeOfOwed(vectors.owedCount, fault, { one: 'memory', many: 'memories' })
  const isUseless = vectors.owedCount > 0 && vectors.owedCount === documents.numbers().length
  return { vector: isUseless ? null : asked.vector, notice }
}

function alone(missing: string | null): string | null {
  return missing === null ? null : `recalled by keywords alone: ${missing}`
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
