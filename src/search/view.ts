/** One search view, hosted in Orama: the base and what lies beside it, searched as one. Knows nothing of files. */
import { create, search } from '@orama/orama'
import type { ViewName } from '../model/experience.ts'
import { invariant } from '../model/memory-error.ts'
import { byScoreThenPath } from './best-candidates.ts'
import { type SlotCandidate, type ViewContents, ViewTotals, WeighedQuery } from './keyword-ranking.ts'
import {
  documentsStoreComponent,
  indexComponent,
  queryTokenizer,
  type SearchedView,
  VIEW_SCHEMA,
} from './orama-components.ts'

/** The answer of one keyword query. */
export interface KeywordAnswer {
  /** Best first, ties by path. */
  readonly candidates: readonly SlotCandidate[]
  /** No document can score as much; 0 for a query without terms. */
  readonly upperBound: number
  /** Share of the query's weight (IDF) that the document's terms carry, 0…1. */
  readonly coverageOf: (slot: number) => number
}

export class KeywordView implements SearchedView {
  readonly #name: ViewName
  /** Null until the first query: most processes ask one view only, and many none. */
  #database: Database | null = null
  #contents: ViewContents
  #totals: ViewTotals | null = null
  // Orama hands neither its limit to the index nor the index's knowledge to the caller.
  #limit = 0
  #query: WeighedQuery | null = null

  constructor(name: ViewName, contents: ViewContents) {
    this.#name = name
    this.#contents = contents
  }

  /** From here on the view has these contents. */
  show(contents: ViewContents): void {
    this.#contents = contents
    this.#totals = null
  }

  get #current(): ViewTotals {
    this.#totals ??= new ViewTotals(this.#name, this.#contents)
    return this.#totals
  }

  get documentCount(): number {
    return this.#current.documentCount
  }

  pathOf(slot: number): string {
    return this.#contents.pathOf(slot)
  }

  rank(terms: readonly string[]): readonly SlotCandidate[] {
    this.#query = new WeighedQuery(this.#current, terms)
    return this.#query.ranked(this.#limit)
  }

  search(query: string, limit: number): KeywordAnswer {
    this.#limit = limit
    this.#query = null
    const { dead, beside } = this.#contents
    this.#database ??= openDatabase(this)
    // Orama knows a document's number only within the length of this list, and reads nothing from it.
    this.#database.internalDocumentIDStore.internalIdToId.length = dead.length + beside.documentCount
    const results = search(this.#database, { term: query, properties: ['text'], limit })
    invariant(!(results instanceof Promise), 'with components that are all synchronous, Orama answers at once')
    const candidates = results.hits.map(({ document, score }) => {
      const { slot, path } = document as unknown as { slot: number; path: string }
      return { slot, path, score }
    })
    const weighed = this.#query ?? new WeighedQuery(this.#current, [])
    return {
      // Orama breaks ties by its own numbers.
      candidates: candidates.sort(byScoreThenPath),
      upperBound: weighed.upperBound,
      coverageOf: (slot) => weighed.coverageOf(slot),
    }
  }
}

type Database = ReturnType<typeof openDatabase>

function openDatabase(view: SearchedView) {
  return create({
    schema: VIEW_SCHEMA,
    sort: { enabled: false },
    components: {
      tokenizer: queryTokenizer,
      index: indexComponent(view),
      documentsStore: documentsStoreComponent(view),
    },
  })
}
