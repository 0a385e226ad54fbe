/** Which memories are like another: what events recall, and what working memory activates. Exact, over all there are. */
import { dotProduct } from '../model/unit-vector.ts'
import type { Database, SqlRow } from '../ports.ts'
import { analyzeDocument } from '../search/analyzer.ts'
import { isStopWord } from '../search/stop-words.ts'
import { memoryText } from './documents.ts'
import { type EmbeddedText, embeddingIn } from './embedding.ts'
import type { MemoryKind } from './schema.ts'

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

const LIKE_MAX = 3
/** Cosines of vectors are seldom near zero, also of texts that have nothing to do with each other. */
const VECTOR_LIKENESS_MIN = 0.3
const WORD_LIKENESS_MIN = 0.1

const EVENTS = `
SELECT "EpisodicMemory".* FROM "CONTAINS_EPISODIC" JOIN "EpisodicMemory" ON memory_id = to_id WHERE from_id = $session`
const CONCEPTS = `
SELECT * FROM "SemanticMemory" AS one WHERE NOT EXISTS (
  SELECT 1 FROM "SemanticMemory" AS later WHERE later.concept = one.concept AND later.version > one.version)`

/**
 * By the cosine of their vectors where one model made both, else by that of how often each word stands in them. For one
 * operation: it looks at the concepts once.
 */
export function exactLikeness(database: Database): Likeness {
  let concepts: readonly Candidate[] | null = null
  return {
    events: (compared, session) => mostAlike(compared, candidates('episodic', database.all(EVENTS, { session }))),
    concepts: (compared) => {
      concepts ??= candidates('semantic', database.all(CONCEPTS))
      return mostAlike(compared, concepts)
    },
  }
}

interface Candidate {
  readonly memoryId: string
  readonly row: SqlRow
  /** Counted when somebody asks. */
  readonly words: () => ReadonlyMap<string, number>
}

function candidates(kind: MemoryKind, rows: readonly SqlRow[]): readonly Candidate[] {
  return rows.map((row) => {
    let words: ReadonlyMap<string, number> | null = null
    return {
      memoryId: String(row.memory_id),
      row,
      words: () => {
        words ??= wordCounts(memoryText(kind, row))
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
    .sort((a, b) => b.likeness - a.likeness || (a.memoryId < b.memoryId ? -1 : 1))
    .slice(0, LIKE_MAX)
}

/** Undefined when they cannot be compared, null when they are not alike. */
function vectorLikeness(embedded: EmbeddedText | null, row: SqlRow): number | null | undefined {
  const other = embedded === null ? null : embeddingIn(row, embedded.model)
  if (embedded === null || other === null || other.length !== embedded.vector.length) return undefined
  const cosine = dotProduct(embedded.vector, other)
  return cosine < VECTOR_LIKENESS_MIN ? null : Math.min(1, cosine)
}

function wordLikeness(words: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): number | null {
  let shared = 0
  for (const [word, count] of words) shared += count * (others.get(word) ?? 0)
  if (shared === 0) return null
  const cosine = shared / Math.sqrt(squares(words) * squares(others))
  return cosine < WORD_LIKENESS_MIN ? null : Math.min(1, cosine)
}

function squares(counts: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const count of counts.values()) sum += count * count
  return sum
}

function wordCounts(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const word of analyzeDocument(text).terms) if (!isStopWord(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
