/**
 * The vectors of memories: had when one is remembered, supplied by a reindex where they are missing, and gone with the
 * session that a text was the own of.
 */
import { MemoryDocuments } from '../graph/memory-documents.ts'
import { documentsWithoutVector, ownDocuments, putVector } from '../graph/owed-vectors.ts'
import type { PackedMemories } from '../graph/packed-likeness.ts'
import type { Running } from '../importer/running.ts'
import type { Database } from '../ports.ts'
import { textKey } from '../search/text-key.ts'
import { VectorShelf } from '../search/vector-shelf.ts'
import type { Layout } from '../workspace/layout.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'

/** Memories whose vectors are written in one transaction. */
const STEP_MEMORIES = 500

export interface SuppliedMemories {
  /** Texts that were embedded. */
  readonly embedded: number
  /** Of these: in parts, and averaged. */
  readonly divided: number
}

/** Throws `embedder_unavailable` and `interrupted`; what was embedded until then is kept. */
export async function supplyMemoryVectors(
  database: Database,
  { documents, search, vectors, model }: PackedMemories,
  { signal, progress, onWait }: Pick<Running, 'signal' | 'progress' | 'onWait'>,
): Promise<SuppliedMemories> {
  if (vectors === null || model === null) return { embedded: 0, divided: 0 }
  search.refresh()
  try {
    const { textsOf } = documents
    const { count, divided } = await vectors.embedOwed({ textsOf, signal, onProgress: progress, onWait })
    return { embedded: count, divided }
  } finally {
    const { width } = vectors
    const missing = width === null ? [] : documentsWithoutVector(database, model, width)
    for (let start = 0; start < missing.length; start += STEP_MEMORIES) {
      const numbers = missing.slice(start, start + STEP_MEMORIES)
      const found = vectors.vectorsOf(numbers)
      database.transact(() => {
        for (const [at, number] of numbers.entries()) {
          const vector = found[at] ?? null
          if (vector !== null) putVector(database, number, { vector, model })
        }
      })
    }
  }
}

export interface VectorKeeping extends Pick<Running, 'say'> {
  readonly ports: WorkspacePorts
  readonly layout: Layout
}

const STAYING = 'vectors of what was destroyed stay in metadata/index until knowhow reindex'
const whyNot = ({ fault }: VectorShelf) => fault?.message ?? 'another process is writing there'

/** Vectors are taken off the shelf whatever embedder made them. */
const NO_EMBEDDER = { backend: '', model: '', dimensions: null }

/**
 * Runs what destroys memories of a session, and takes the vectors of their texts off the shelf before that counts: a kill
 * must not leave them there. Where another memory has the same text its vector comes back from its row, as it does where
 * the shelf was lost.
 */
export function forgettingVectors<T>(
  database: Database,
  { ports, layout, say }: VectorKeeping,
  session: string,
  destroy: () => T,
): T {
  return database.transact(() => {
    const numbers = ownDocuments(database, session)
    const texts = new MemoryDocuments(database).textsOf(numbers)
    const answer = destroy()
    const left = new Set(ownDocuments(database, session))
    const gone = texts.filter((_, at) => !left.has(numbers[at] ?? -1))
    const shelf = new VectorShelf(ports, layout, NO_EMBEDDER)
    if (!shelf.forget(gone.map((text) => textKey(ports.digest, text)))) say(`${STAYING}: ${whyNot(shelf)}`)
    return answer
  })
}
