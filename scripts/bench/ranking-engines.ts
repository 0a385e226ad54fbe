/**
 * Search engines behind one face, all in this process and all fed the terms of our analyzer, so that only the engines
 * differ. A term goes to the others as a short name of letters and digits, which no tokenizer cuts or stems.
 */
import { DatabaseSync } from 'node:sqlite'
import { create, insert, search, type Tokenizer } from '@orama/orama'
import { analyzeDocument, analyzeQuery } from '../../src/search/analyzer.ts'
import { installedPeer } from './installed-peer.ts'
import { openSearch } from './opened-experiences.ts'

export interface EngineDocument {
  readonly id: string
  readonly text: string
}

export interface RankingEngine {
  readonly name: string
  /** Ids of the best `limit`, best first. */
  rank(query: string, limit: number): readonly string[]
}

/** Short names of terms, in the order in which they were first seen. */
export class TermNames {
  readonly #numbers = new Map<string, number>()

  document(text: string): string {
    return analyzeDocument(text)
      .terms.map((term) => this.#nameOf(term))
      .join(' ')
  }

  /** Terms that no document has are left out: nobody finds anything by them. */
  query(text: string): readonly string[] {
    return analyzeQuery(text)
      .filter((term) => this.#numbers.has(term))
      .map((term) => this.#nameOf(term))
  }

  #nameOf(term: string): string {
    const number = this.#numbers.get(term) ?? this.#numbers.size
    this.#numbers.set(term, number)
    return `t${number.toString(36)}`
  }
}

/** The product's search on a workspace of the disk; fusion and fit, which the others do not have, are part of it. */
export function ownSearch(root: string): RankingEngine {
  const opened = openSearch(root)
  return {
    name: 'knowhow',
    rank: (query, limit) => opened.search({ query, view: 'when_to_use_content', limit }).hits.map(({ path }) => path),
  }
}

// Terms waiting in memory, in bytes. FTS5 hashes such short names to few places: with 256 MiB of them filling 100,000
// documents takes ten times as long.
const FTS5_HASH_BYTES = 8 * 1024 * 1024

export function fts5(documents: Iterable<EngineDocument>, names: TermNames): RankingEngine {
  const database = new DatabaseSync(':memory:')
  database.exec("CREATE VIRTUAL TABLE documents USING fts5(text, content='', tokenize='unicode61')")
  database.exec(`INSERT INTO documents(documents, rank) VALUES ('hashsize', ${FTS5_HASH_BYTES})`)
  database.exec('BEGIN')
  const put = database.prepare('INSERT INTO documents(rowid, text) VALUES (?, ?)')
  const ids: string[] = []
  for (const { id, text } of documents) put.run(ids.push(id), names.document(text))
  database.exec('COMMIT')
  database.exec("INSERT INTO documents(documents) VALUES ('optimize')")
  const best = database.prepare('SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT ?')
  return {
    name: 'FTS5',
    rank: (query, limit) => {
      const terms = names.query(query)
      return terms.length === 0
        ? []
        : best.all(terms.join(' OR '), limit).map(({ rowid }) => ids[Number(rowid) - 1] ?? '')
    },
  }
}

const MINISEARCH_VERSION = '7.2.0'

interface MiniSearchModule {
  readonly default: new (options: {
    readonly fields: readonly string[]
    readonly tokenize: (text: string) => string[]
    readonly processTerm: (term: string) => string
  }) => {
    addAll(documents: readonly EngineDocument[]): void
    search(query: string): readonly { readonly id: string }[]
  }
}

/** @returns null when it cannot be installed here */
export async function miniSearch(
  data: string,
  documents: Iterable<EngineDocument>,
  names: TermNames,
): Promise<RankingEngine | null> {
  const peer = await installedPeer<MiniSearchModule>(data, 'minisearch', MINISEARCH_VERSION)
  if (peer === null) return null
  const engine = new peer.module.default({
    fields: ['text'],
    tokenize: (text) => text.split(' '),
    processTerm: (term) => term,
  })
  for (const { id, text } of documents) engine.addAll([{ id, text: names.document(text) }])
  return {
    name: `MiniSearch ${peer.version}`,
    rank: (query, limit) =>
      engine
        .search(names.query(query).join(' '))
        .slice(0, limit)
        .map(({ id }) => id),
  }
}

/** With its own index and score; words are never prefixes of one another, since every name ends in a mark. */
export function stockOrama(documents: Iterable<EngineDocument>, names: TermNames): RankingEngine {
  const tokenizer: Tokenizer = {
    language: 'english',
    normalizationCache: new Map(),
    tokenize: (text) => [...new Set(text.split(' '))].map((term) => `${term}!`),
  }
  const database = create({ schema: { text: 'string' }, sort: { enabled: false }, components: { tokenizer } })
  for (const { id, text } of documents) void insert(database, { id, text: names.document(text) })
  return {
    name: 'Orama 3.1.18',
    rank: (query, limit) => {
      const found = search(database, { term: names.query(query).join(' '), threshold: 1, limit })
      if (found instanceof Promise) throw new Error('Orama answers at once with this tokenizer')
      return found.hits.map(({ id }) => id)
    },
  }
}
