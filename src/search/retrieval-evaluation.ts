/** Puts the queries of a retrieval set to the legs of a search and measures what comes back. Reads and writes no file. */
import type { Kernel } from '../ports.ts'
import type { Candidate } from './best-candidates.ts'
import { type FusionChoice, fuseAsChosen } from './fusion.ts'
import { IndexBuilder } from './index-builder.ts'
import { besideContents } from './keyword-ranking.ts'
import { type MeanInterval, pairedBootstrap } from './paired-bootstrap.ts'
import { MEASURES, meanQuality, RANKED_MAX, type RankingQuality, rankingQuality } from './retrieval-metrics.ts'
import type { JudgedQuery, RetrievalSet } from './retrieval-set.ts'
import { DocumentVectors, type EmbeddingRun, embedTexts } from './retrieval-vectors.ts'
import { candidatesPerLeg } from './search-request.ts'
import { type KeywordAnswer, KeywordView } from './view.ts'

/** Ids of documents, best first; those past RANKED_MAX count for nothing. */
export type RankDocuments = (query: string) => readonly string[]

type HybridLeg = 'keyword' | 'vector' | 'fused'

/** The nearest documents, best first; none for a query without a vector. */
type FindNearest = (query: string, limit: number) => readonly Candidate[]

/** The product's own keyword leg, over the documents as contents. */
export function keywordRanking(documents: RetrievalSet['documents']): RankDocuments {
  const find = keywordSearch(documents)
  return (query) => idsOf(find(query, RANKED_MAX).candidates)
}

/** Both legs, and their fusion from as many candidates of each as a search for RANKED_MAX results takes. */
function hybridLegs(
  documents: RetrievalSet['documents'],
  findNearest: FindNearest,
  choice: FusionChoice,
): (query: string) => Readonly<Record<HybridLeg, readonly string[]>> {
  const find = keywordSearch(documents)
  const limit = candidatesPerLeg({ limit: RANKED_MAX, fusion: choice.fusion })
  return (query) => {
    const { candidates: keyword, upperBound } = find(query, limit)
    const vector = findNearest(query, limit)
    const fused = fuseAsChosen({ vector, keyword }, choice, upperBound)
    return { keyword: idsOf(keyword), vector: idsOf(vector), fused: idsOf(fused) }
  }
}

function keywordSearch(documents: RetrievalSet['documents']): (query: string, limit: number) => KeywordAnswer {
  const ids = [...documents.keys()]
  const builder = new IndexBuilder()
  for (const text of documents.values()) builder.add('', text)
  const contents = besideContents(builder.finish())
  const pathOf = (slot: number) => ids[slot] ?? ''
  const view = new KeywordView('when_to_use_content', { base: null, dead: new Uint8Array(), ...contents, pathOf })
  return (query, limit) => view.search(query, limit)
}

function idsOf(candidates: readonly Candidate[]): readonly string[] {
  return candidates.map(({ path }) => path)
}

/**
 * What `judge` makes of each query, in the order of the set.
 * @param pause awaited before each query; throws to stop
 */
async function ofEachQuery<T>(
  { queries }: RetrievalSet,
  judge: (query: JudgedQuery) => T,
  pause: () => Promise<void>,
): Promise<readonly T[]> {
  const judged: T[] = []
  for (const query of queries) {
    await pause()
    judged.push(judge(query))
  }
  return judged
}

/** Mean over the queries of the set. @param pause as in `ofEachQuery` */
export async function evaluateRanking(
  set: RetrievalSet,
  rank: RankDocuments,
  pause: () => Promise<void>,
): Promise<RankingQuality> {
  return meanQuality(await ofEachQuery(set, ({ text, grades }) => rankingQuality(rank(text), grades), pause))
}

export interface HybridRun extends EmbeddingRun {
  readonly kernel: Kernel
  readonly choice: FusionChoice
}

export interface HybridEvaluation {
  /** Means. */
  readonly legs: Readonly<Record<HybridLeg, RankingQuality>>
  /** What the fusion adds to keywords alone. */
  readonly fusedMinusKeyword: Readonly<Record<keyof RankingQuality, MeanInterval>>
  /** Documents in no leg, as a search leaves them out: the embedder refuses their texts. */
  readonly refusedCount: number
  /** Queries that rank by keywords alone for the same reason. */
  readonly refusedQueryCount: number
  /** Queries that rank by keywords alone, since the embedder knows too few of their words. */
  readonly vagueQueryCount: number
  readonly dividedCount: number
}

/** Embeds every text first. Throws `embedder_unavailable`, `interrupted` and what `pause` throws. */
export async function evaluateHybrid(set: RetrievalSet, run: HybridRun): Promise<HybridEvaluation> {
  const { documents, queries } = set
  const texts = [...documents.values(), ...queries.map(({ text }) => text)]
  const { vectors, vague, dividedCount } = await embedTexts(texts, run)
  const known = new Map<string, Float32Array>()
  for (const [id, text] of documents) {
    const vector = vectors.get(text)
    if (vector !== undefined) known.set(id, vector)
  }
  const taken = new Map([...documents].filter(([id]) => known.has(id)))
  using nearest = new DocumentVectors(known, run.kernel)
  const findNearest: FindNearest = (query, limit) => {
    const vector = vectors.get(query)
    return vector === undefined || vague.has(query) ? [] : nearest.nearest(vector, limit)
  }
  const rank = hybridLegs(taken, findNearest, run.choice)
  const judge = ({ text, grades }: JudgedQuery): Record<HybridLeg, RankingQuality> => {
    const { keyword, vector, fused } = rank(text)
    const qualityOf = (ids: readonly string[]) => rankingQuality(ids, grades)
    return { keyword: qualityOf(keyword), vector: qualityOf(vector), fused: qualityOf(fused) }
  }
  const judged = await ofEachQuery(set, judge, run.pause)
  const meanOf = (leg: HybridLeg) => meanQuality(judged.map((qualities) => qualities[leg]))
  const gains = MEASURES.map((measure) => {
    const differences = judged.map(({ fused, keyword }) => fused[measure] - keyword[measure])
    return [measure, pairedBootstrap(differences)]
  })
  return {
    legs: { keyword: meanOf('keyword'), vector: meanOf('vector'), fused: meanOf('fused') },
    fusedMinusKeyword: Object.fromEntries(gains),
    refusedCount: documents.size - known.size,
    refusedQueryCount: queries.filter(({ text }) => !vectors.has(text)).length,
    vagueQueryCount: queries.filter(({ text }) => vague.has(text)).length,
    dividedCount,
  }
}
