/**
 * Which memories are like another: what events recall, and what working memory activates. Found by looking at all there
 * are; where there are many `packed-likeness.ts` finds the same.
 */
import { dotProduct } from '../model/unit-vector.ts'
import type { Database, SqlRow } from '../ports.ts'
import { type WordCounts, wordCosine, wordCounts } from '../search/numbered-likeness.ts'
import { memoryText } from './documents.ts'
import { type EmbeddedText, embeddingIn } from './embedding.ts'
import { nodeRow } from './nodes.ts'
import { labelOf, type MemoryKind } from './schema.ts'

export interface LikeMemory {
  readonly memoryId: string
  /** 0…1, the larger the more alike. */
  readonly likeness: number
}

export interface ComparedMemory {
  readonly memoryId: string
  readonly text: string
  readonly embedded: EmbeddedText | null
}

/** Both answer with few, the most alike first. */
export interface Likeness {
  /** Other events of the session. */
  events(compared: ComparedMemory, session: string): readonly LikeMemory[]
  /** Semantic memories, each concept in its current version. */
  concepts(compared: ComparedMemory): readonly LikeMemory[]
}

export const LIKE_MAX = 3
/** Cosines of vectors are seldom near zero, also of texts that have nothing to do with each other. */
export const VECTOR_LIKENESS_MIN = 0.3
export const WORD_LIKENESS_MIN = 0.1

const OF_LABEL = 'label = $label'
/** Texts are read when somebody asks. */
const COMPARED = 'memory_id, embedding, embedding_model, embedding_dimension'
const EVENTS = `
SELECT ${COMPARED} FROM "CONTAINS_EPISODIC" JOIN "EpisodicMemory" ON memory_id = to_id WHERE from_id = $session`
const CONCEPTS = `
SELECT ${COMPARED} FROM memory_document JOIN "SemanticMemory" USING (memory_id) WHERE label = 'SemanticMemory'`

/**
 * By the cosine of their vectors where one model made both, else by that of how often each word stands in them. For one
 * operation: it looks at the concepts once.
 */
export function exactLikeness(database: Database): Likeness {
  let concepts: readonly Candidate[] | null = null
  return {
    events: (compared, session) =>
      mostAlike(compared, candidates(database, 'episodic', database.all(EVENTS, { session }))),
    concepts: (compared) => {
      concepts ??= candidates(database, 'semantic', database.all(CONCEPTS))
      return mostAlike(compared, concepts)
    },
  }
}

/** How many memories `exactLikeness` looks at. @param session whose events they are; of no meaning for concepts */
export function comparedCount(database: Database, kind: 'episodic' | 'working', session: string | null): number {
  const [found] =
    kind === 'episodic'
      ? database.all(`SELECT count(*) AS count FROM memory_document WHERE session_id = $session AND ${OF_LABEL}`, {
          session,
          label: labelOf('episodic'),
        })
      : database.all(`SELECT count(*) AS count FROM memory_document WHERE ${OF_LABEL}`, { label: labelOf('semantic') })
  return Number(found?.count ?? 0)
}

interface Candidate {
  readonly memoryId: string
  readonly row: SqlRow
  /** Counted when somebody asks. */
  readonly words: () => WordCounts
}

function candidates(database: Database, kind: MemoryKind, rows: readonly SqlRow[]): readonly Candidate[] {
  return rows.map((row) => {
    let words: WordCounts | null = null
    return {
      memoryId: String(row.memory_id),
      row,
      words: () => {
        words ??= wordCounts(memoryText(kind, nodeRow(database, labelOf(kind), String(row.memory_id)) ?? {}))
        return words
      },
    }
  })
}

function mostAlike(compared: ComparedMemory, all: readonly Candidate[]): readonly LikeMemory[] {
  const words = wordCounts(compared.text)
  return all
    .filter(({ memoryId }) => memoryId !== compared.memoryId)
    .flatMap(({ memoryId, row, words: others }) => {
      const byVector = vectorLikeness(compared.embedded, row)
      const likeness = byVector === undefined ? wordLikeness(words, others()) : byVector
      return likeness === null ? [] : [{ memoryId, likeness }]
    })
    .sort(byLikeness)
    .slice(0, LIKE_MAX)
}

/** The most alike first, ties by id. */
export function byLikeness(a: LikeMemory, b: LikeMemory): number {
  return b.likeness - a.likeness || (a.memoryId < b.memoryId ? -1 : 1)
}

/** Undefined when they cannot be compared, null when they are not alike. */
function vectorLikeness(embedded: EmbeddedText | null, row: SqlRow): number | null | undefined {
  const other = embedded === null ? null : embeddingIn(row, embedded.model)
  if (embedded === null || other === null || other.length !== embedded.vector.length) return undefined
  const cosine = dotProduct(embedded.vector, other)
  return cosine < VECTOR_LIKENESS_MIN ? null : Math.min(1, cosine)
}

function wordLikeness(words: WordCounts, others: WordCounts): number | null {
  const cosine = wordCosine(words, others)
  return cosine < WORD_LIKENESS_MIN ? null : cosine
}
