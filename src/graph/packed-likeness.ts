/**
 * Likeness among very many memories: what `exactLikeness` finds, found in the collection that recall looks through. Texts
 * are compared, so that one whose vector another memory of the same text has is compared by that.
 */
import type { NumberedDocuments } from '../search/numbered-documents.ts'
import { wordCounts } from '../search/numbered-likeness.ts'
import type { NumberedVectors } from '../search/numbered-vectors.ts'
import type { EmbeddedText } from './embedding.ts'
import {
  byLikeness,
  type ComparedMemory,
  LIKE_MAX,
  type LikeMemory,
  type Likeness,
  VECTOR_LIKENESS_MIN,
  WORD_LIKENESS_MIN,
} from './likeness.ts'
import type { MemoryDocuments } from './memory-documents.ts'

export interface PackedMemories {
  readonly documents: MemoryDocuments
  readonly search: NumberedDocuments
  /** Null without an embedder. */
  readonly vectors: NumberedVectors | null
  /** That made the vectors, see `modelName`; null without an embedder. */
  readonly model: string | null
}

interface LikeNumber {
  readonly number: number
  readonly likeness: number
}

/** The memory that is compared may be one of them. */
const WANTED = LIKE_MAX + 1
const GROWTH = 4

/** The collection is brought in step with the memories where it does not know all that are compared. */
export function packedLikeness(memories: PackedMemories): Likeness {
  const { documents, search } = memories
  const among = (compared: ComparedMemory, shown: Int32Array) => {
    if (!search.knows(shown)) search.refresh()
    return mostAlike(memories, compared, shown)
  }
  return {
    events: (compared, session) => among(compared, documents.visible(session, ['episodic'])),
    concepts: (compared) => among(compared, documents.visible(null, ['semantic'])),
  }
}

function mostAlike(memories: PackedMemories, compared: ComparedMemory, shown: Int32Array): readonly LikeMemory[] {
  const { documents, search, vectors, model } = memories
  const embedded = compared.embedded?.model === model ? compared.embedded : null
  const byVector = embedded === null || vectors === null ? null : nearest(vectors, embedded, shown)
  const byWords = search.likeTexts({
    words: wordCounts(compared.text),
    shown: byVector === null || vectors === null ? shown : byVector.others,
    limit: WANTED,
    cosineMin: WORD_LIKENESS_MIN,
  })
  const found = [...(byVector?.found ?? []), ...byWords.map(({ number, cosine }) => ({ number, likeness: cosine }))]
  const known = documents.documentsOf(found.map(({ number }) => number))
  return found
    .flatMap(({ number, likeness }): LikeMemory[] => {
      const memoryId = known.get(number)?.memoryId
      return memoryId === undefined || memoryId === compared.memoryId ? [] : [{ memoryId, likeness }]
    })
    .sort(byLikeness)
    .slice(0, LIKE_MAX)
}

/** With all that are as much alike as the last one wanted; `others` have no vector to compare. */
function nearest(
  vectors: NumberedVectors,
  { vector }: EmbeddedText,
  shown: Int32Array,
): { readonly found: readonly LikeNumber[]; readonly others: Int32Array } {
  const others = vectors.withoutVector(shown, vector.length)
  for (let limit = WANTED * GROWTH; ; limit *= GROWTH) {
    const candidates = vectors.nearest(vector, shown, limit)
    const found = candidates.map(({ path, score }) => ({ number: Number(path), likeness: Math.min(1, score) }))
    const [last, least] = [found.at(-1)?.likeness ?? 0, found[WANTED - 1]?.likeness ?? 0]
    if (found.length === limit && last >= Math.max(least, VECTOR_LIKENESS_MIN)) continue
    return { found: found.filter(({ likeness }) => likeness >= Math.max(least, VECTOR_LIKENESS_MIN)), others }
  }
}
