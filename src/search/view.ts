/** One search view: the texts of one field set, found by keywords. Knows paths and texts; knows nothing of files. */
import { create, insert, remove, search } from '@orama/orama'
import type { ViewName } from '../model/experience.ts'
import { invariant } from '../model/memory-error.ts'
import { analyzeQuery } from './analyzer.ts'
import { byScoreThenPath, type Candidate } from './best-candidates.ts'
import { inverseDocumentFrequency, scoreLimit } from './bm25.ts'
import {
  documentsStoreComponent,
  indexComponent,
  queryTokenizer,
  VIEW_SCHEMA,
  type ViewState,
} from './orama-components.ts'
import { Postings } from './postings.ts'

/** What the terms of one query weigh in one view as it is now. */
export interface QueryWeight {
  /** No document can score as much; 0 for a query without terms. */
  readonly upperBound: number
  /** Share of the query's weight (IDF) that the document's terms carry: 0…1, 0 for a path that is not in the view. */
  coverageOf(path: string): number
}

export interface SearchView {
  readonly name: ViewName
  readonly size: number
  /** Adds the text or replaces what stood under the path. */
  set(path: string, text: string): void
  /** Missing is fine. */
  remove(path: string): void
  /** The best `limit` documents with a term of the query, best first, ties by path. */
  rank(query: string, limit: number): readonly Candidate[]
  weigh(query: string): QueryWeight
}

export class KeywordView implements SearchView {
  readonly name: ViewName
  readonly #state: ViewState = { postings: new Postings(), paths: [null], limit: 0 }
  readonly #slots = new Map<string, number>()
  // Orama numbers ids in the order it first sees them and never forgets one: recycled slots keep that list short.
  readonly #freeSlots: number[] = []
  readonly #database

  constructor(name: ViewName) {
    this.name = name
    this.#database = create({
      schema: VIEW_SCHEMA,
      sort: { enabled: false },
      components: {
        tokenizer: queryTokenizer,
        index: indexComponent(this.#state),
        documentsStore: documentsStoreComponent(this.#state),
      },
    })
  }

  get size(): number {
    return this.#slots.size
  }

  set(path: string, text: string): void {
    this.remove(path)
    const slot = this.#freeSlots.pop() ?? this.#state.paths.length
    settled(insert(this.#database, { id: String(slot), text }))
    this.#state.paths[slot] = path
    this.#slots.set(path, slot)
  }

  remove(path: string): void {
    const slot = this.#slots.get(path)
    if (slot === undefined) return
    settled(remove(this.#database, String(slot)))
    this.#state.paths[slot] = null
    this.#slots.delete(path)
    this.#freeSlots.push(slot)
  }

  rank(query: string, limit: number): readonly Candidate[] {
    this.#state.limit = limit
    const results = settled(search(this.#database, { term: query, properties: ['text'], limit }))
    // Orama breaks ties by its own numbers.
    return results.hits.map(({ document, score }) => ({ path: String(document.path), score })).sort(byScoreThenPath)
  }

  weigh(query: string): QueryWeight {
    const { postings } = this.#state
    const terms = analyzeQuery(query)
    const weights = terms.map((term) =>
      inverseDocumentFrequency(postings.documentCount, postings.documentFrequency(term)),
    )
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    return {
      upperBound: weights.reduce((sum, weight) => sum + scoreLimit(weight), 0),
      coverageOf: (path) => {
        const slot = this.#slots.get(path)
        if (slot === undefined || total === 0) return 0
        return terms.reduce((sum, term, at) => (postings.has(slot, term) ? sum + (weights[at] ?? 0) : sum), 0) / total
      },
    }
  }
}

/** With components that are all synchronous, Orama answers at once. */
function settled<T>(value: T | Promise<T>): T {
  invariant(!(value instanceof Promise), 'Orama worked asynchronously')
  return value
}
