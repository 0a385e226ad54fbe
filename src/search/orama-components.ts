/**
 * What makes an Orama database rank by exact BM25: our index, tokenizer and document store in the places that Orama
 * keeps for such components. Orama's own index matches prefixes and its score is not BM25.
 */
import type { AnyIndexStore, IDocumentsStore, IIndex, Tokenizer, TokenScore } from '@orama/orama'
import { invariant } from '../model/memory-error.ts'
import { analyzeDocument, analyzeQuery } from './analyzer.ts'
import { rankedSlots } from './keyword-ranking.ts'
import type { Postings } from './postings.ts'

export const VIEW_SCHEMA = { text: 'string' } as const

/** What the components share with the view that made them. */
export interface ViewState {
  readonly postings: Postings
  /** Path by slot; null where the slot is free. */
  readonly paths: (string | null)[]
  /** How many candidates the running search wants: Orama does not hand its `limit` to the index. */
  limit: number
}

/** A part of Orama's interface that only its own index and its persistence call. */
const neverCalled = (): never => invariant(false, 'Orama called a component it was not given') as never

export function indexComponent(state: ViewState): IIndex<AnyIndexStore> {
  const { postings } = state
  return {
    create: () => ({ vectorIndexes: {} }),
    insert: (_implementation, _index, _property, id, slot, value) => {
      invariant(id === String(slot), `Orama gave slot ${id} the number ${slot}`)
      invariant(typeof value === 'string', 'the schema has one text field')
      postings.add(slot, analyzeDocument(value))
    },
    remove: (_implementation, _index, _property, _id, slot) => {
      postings.remove(slot)
      return true
    },
    search: (_index, query, tokenizer): TokenScore[] => {
      const terms = tokenizer.tokenize(query)
      return rankedSlots(postings, terms, state.limit, (slot) => state.paths[slot] ?? '').map(({ slot, score }) => [
        slot,
        score,
      ])
    },
    getSearchableProperties: () => Object.keys(VIEW_SCHEMA),
    getSearchablePropertiesWithTypes: () => VIEW_SCHEMA,
    searchByWhereClause: neverCalled,
    insertDocumentScoreParameters: neverCalled,
    insertTokenScoreParameters: neverCalled,
    removeDocumentScoreParameters: neverCalled,
    removeTokenScoreParameters: neverCalled,
    calculateResultScores: neverCalled,
    load: neverCalled,
    save: neverCalled,
  }
}

/** Documents are files and stay there: Orama sees a path and an empty text. */
export function documentsStoreComponent(state: ViewState): IDocumentsStore {
  const documentOf = (slot: string | number) => {
    const path = state.paths[Number(slot)] ?? null
    return path === null ? undefined : { id: String(slot), path, text: '' }
  }
  return {
    create: () => ({ docs: {} }),
    get: (_store, slot) => documentOf(slot),
    getMultiple: (_store, slots) => slots.map(documentOf),
    getAll: neverCalled,
    store: () => true,
    remove: () => true,
    count: () => state.postings.documentCount,
    load: neverCalled,
    save: neverCalled,
  }
}

export const queryTokenizer: Tokenizer = {
  language: 'english',
  normalizationCache: new Map(),
  tokenize: (text) => [...analyzeQuery(text)],
}
