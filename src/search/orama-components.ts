/**
 * What makes an Orama database answer for a view: components in the places that Orama keeps for them. Orama's own index
 * matches prefixes, its score is not BM25 and its vectors are scanned one by one; it neither inserts nor removes here.
 */
import type { AnyIndexStore, IDocumentsStore, IIndex, Tokenizer, TokenScore } from '@orama/orama'
import { invariant } from '../model/memory-error.ts'
import { analyzeQuery } from './analyzer.ts'

export const VIEW_SCHEMA = { text: 'string' } as const

/** What a view tells Orama while it searches. Orama counts documents from 1: its numbers are our slots and one. */
export interface SearchedView {
  readonly documentCount: number
  pathOf(slot: number): string
  /** Best first. */
  rank(terms: readonly string[]): readonly { readonly slot: number; readonly score: number }[]
}

/** A part of Orama's interface that only insertion, filters and persistence call. */
const neverCalled = (): never => invariant(false, 'Orama called a component it was not given') as never

export function indexComponent(view: SearchedView): IIndex<AnyIndexStore> {
  return {
    create: () => ({ vectorIndexes: {} }),
    search: (_index, query, tokenizer): TokenScore[] =>
      view.rank(tokenizer.tokenize(query)).map(({ slot, score }) => [slot + 1, score]),
    getSearchableProperties: () => Object.keys(VIEW_SCHEMA),
    getSearchablePropertiesWithTypes: () => VIEW_SCHEMA,
    insert: neverCalled,
    remove: neverCalled,
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

/** Documents are files and stay there: Orama sees a slot and a path. */
export function documentsStoreComponent(view: SearchedView): IDocumentsStore {
  const documentOf = (number: string | number) => {
    const slot = Number(number) - 1
    return { id: String(number), slot, path: view.pathOf(slot) }
  }
  return {
    create: () => ({ docs: {} }),
    get: (_store, number) => documentOf(number),
    getMultiple: (_store, numbers) => numbers.map(documentOf),
    count: () => view.documentCount,
    getAll: neverCalled,
    store: neverCalled,
    remove: neverCalled,
    load: neverCalled,
    save: neverCalled,
  }
}

export const queryTokenizer: Tokenizer = {
  language: 'english',
  normalizationCache: new Map(),
  tokenize: (text) => [...analyzeQuery(text)],
}
