/** Recall in a workspace: its memories as a searched collection, kept open from one question to the next. */
import { modelName } from '../graph/embedding.ts'
import { MemoryDocuments } from '../graph/memory-documents.ts'
import type { MemoryGraph } from '../graph/memory-graph.ts'
import { type RecallHit, type RecallRequest, recall } from '../graph/recall.ts'
import { requireSession } from '../graph/sessions.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Database } from '../ports.ts'
import type { FusionChoice } from '../search/fusion.ts'
import { NumberedDocuments } from '../search/numbered-documents.ts'
import { NumberedVectors } from '../search/numbered-vectors.ts'
import { SEARCH_LIMIT_MAX } from '../search/search-request.ts'
import type { Layout } from '../workspace/layout.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import type { WorkspaceEmbedder } from './workspace-embedder.ts'

/** What a recall may wait for its query's vector. */
const QUERY_LIMIT_MS = 3_000

export interface RecallSurroundings {
  readonly ports: WorkspacePorts
  readonly layout: Layout
  readonly embedder: WorkspaceEmbedder
  readonly choice: FusionChoice
  readonly halfLifeSeconds: number
}

export interface RecallAnswer {
  readonly mode: 'hybrid' | 'keyword'
  /** Why it is by keywords alone, though an embedder is asked for; null otherwise. */
  readonly notice: string | null
  readonly hits: readonly RecallHit[]
}

interface OpenedCollection {
  readonly database: Database
  readonly documents: MemoryDocuments
  readonly search: NumberedDocuments
  /** Null without an embedder. */
  readonly vectors: NumberedVectors | null
}

export class MemoryRecall implements Disposable {
  readonly #around: RecallSurroundings
  #opened: OpenedCollection | null = null

  constructor(around: RecallSurroundings) {
    this.#around = around
  }

  /** Writes no memory. Throws `session_not_found`, `invalid_argument`, `interrupted`. */
  async recall(graph: MemoryGraph, request: RecallRequest, signal?: AbortSignal): Promise<RecallAnswer> {
    const { database, clock } = graph
    requireAnswerable(request)
    if (request.session !== null) requireSession(database, request.session)
    const { documents, search, vectors } = await this.#collection(database)
    search.refresh()
    const untilMs = clock.now() + QUERY_LIMIT_MS
    const asked = vectors === null ? null : await vectors.queryVector(request.query, { signal, untilMs })
    const vector = asked !== null && 'vector' in asked ? asked.vector : null
    const { choice, halfLifeSeconds } = this.#around
    const hits = recall({ database, documents, search, vector, choice, atMs: clock.now(), halfLifeSeconds }, request)
    return { mode: vector === null ? 'keyword' : 'hybrid', notice: this.#noticeOf(asked), hits }
  }

  #noticeOf(asked: Awaited<ReturnType<NumberedVectors['queryVector']>> | null): string | null {
    const { openingNotice } = this.#around.embedder
    const missing = asked !== null && 'missing' in asked ? asked.missing : openingNotice
    return missing === null ? null : `recalled by keywords alone: ${missing}`
  }

  /** Of another file than before another one. */
  async #collection(database: Database): Promise<OpenedCollection> {
    if (this.#opened?.database === database) return this.#opened
    this.#close()
    const { ports, layout, embedder } = this.#around
    const documents = new MemoryDocuments(database)
    const search = new NumberedDocuments(ports, { ...layout, index: `${layout.index}/memory` }, documents)
    const options = await embedder.openIfUsable()
    const kept = options === null ? null : documents.keptVectors(modelName(options.embedder.key))
    const vectors = options === null || kept === null ? null : new NumberedVectors(ports, layout, options, kept)
    if (vectors !== null) search.useVectors(vectors)
    this.#opened = { database, documents, search, vectors }
    return this.#opened
  }

  #close(): void {
    this.#opened?.search[Symbol.dispose]()
    this.#opened = null
  }

  [Symbol.dispose](): void {
    this.#close()
  }
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
