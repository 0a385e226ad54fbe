/** Puts the queries of a retrieval set to a ranking and measures what comes back. Reads and writes no file. */
import { IndexBuilder } from './index-builder.ts'
import { meanQuality, RANKED_MAX, type RankingQuality, rankingQuality } from './retrieval-metrics.ts'
import type { RetrievalSet } from './retrieval-set.ts'
import { KeywordView } from './view.ts'

/** Ids of documents, best first; those past RANKED_MAX count for nothing. */
export type RankDocuments = (query: string) => readonly string[]

/** The product's own keyword leg, over the documents as contents. */
export function keywordRanking(documents: RetrievalSet['documents']): RankDocuments {
  const ids = [...documents.keys()]
  const builder = new IndexBuilder()
  for (const text of documents.values()) builder.add('', text)
  const beside = builder.finish()
  const view = new KeywordView(
    'when_to_use_content',
    { base: null, dead: new Uint8Array(), beside, pathOf: (slot) => ids[slot] ?? '' },
    new Map(beside.terms.map((term, position) => [term, position])),
  )
  return (query) => view.search(query, RANKED_MAX).candidates.map(({ path }) => path)
}

/**
 * Mean over the queries of the set. One call a leg.
 * @param pause awaited before each query; throws to stop
 */
export async function evaluateRanking(
  { queries }: RetrievalSet,
  rank: RankDocuments,
  pause: () => Promise<void>,
): Promise<RankingQuality> {
  const qualities: RankingQuality[] = []
  for (const { text, grades } of queries) {
    await pause()
    qualities.push(rankingQuality(rank(text), grades))
  }
  return meanQuality(qualities)
}
