/** Makes one ranking of two. Pure: sees paths and scores, never texts or vectors. */
import { byScoreThenPath, type Candidate } from './best-candidates.ts'

export const FUSION_NAMES = ['rrf', 'score'] as const
export type FusionName = (typeof FUSION_NAMES)[number]
/** For people: the sums of `fuseByRank` and `fuseByScore`. */
export const FUSION_MEANING =
  'rrf, by ranks: w / (60 + vector rank) + (1 - w) / (60 + keyword rank), w being the vector weight; score, by scores: keyword score / the most that this query could get + 0.75 * cosine, without a weight'

/** Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion" (2009). */
const RANK_OFFSET = 60
const COSINE_WEIGHT = 0.75
const SCORE_DIGITS = 12

/** Where one ranking put a document: ranks count from 1, the score is in that ranking's own unit. */
export interface Placing {
  readonly rank: number
  readonly score: number
}

export interface FusedHit extends Candidate {
  /** Null where the ranking does not have the document. */
  readonly vector: Placing | null
  readonly keyword: Placing | null
}

export interface Rankings {
  /** Best first; no path twice. */
  readonly vector: readonly Candidate[]
  readonly keyword: readonly Candidate[]
}

/**
 * `w / (60 + vector rank) + (1 - w) / (60 + keyword rank)`; a ranking that lacks the document adds 0.
 * @param vectorWeight w, 0…1
 */
export function fuseByRank(rankings: Rankings, vectorWeight: number): readonly FusedHit[] {
  return fuse(
    rankings,
    ({ vector, keyword }) =>
      (vector === null ? 0 : vectorWeight / (RANK_OFFSET + vector.rank)) +
      (keyword === null ? 0 : (1 - vectorWeight) / (RANK_OFFSET + keyword.rank)),
    byRoundedScoreThenPath,
  )
}

/**
 * `keyword / upper + 0.75 * cosine`; a ranking that lacks the document adds 0. What neither speaks for is no hit.
 * @param keywordUpper the most that keywords could score for this query; 0 only if none did
 */
export function fuseByScore(rankings: Rankings, keywordUpper: number): readonly FusedHit[] {
  const hits = fuse(
    rankings,
    ({ vector, keyword }) =>
      (keyword === null || keywordUpper === 0 ? 0 : keyword.score / keywordUpper) +
      (vector === null ? 0 : COSINE_WEIGHT * vector.score),
  )
  return hits.filter(({ keyword, score }) => keyword !== null || score > 0)
}

/** 1 - 0.7 is not 0.3: unrounded, what the formula gives one score would not tie. No two sums of ranks are so near. */
function byRoundedScoreThenPath(a: Candidate, b: Candidate): number {
  const rounded = ({ path, score }: Candidate) => ({ path, score: Number(score.toPrecision(SCORE_DIGITS)) })
  return byScoreThenPath(rounded(a), rounded(b))
}

/** What a person sets. */
export interface FusionChoice {
  readonly fusion: FusionName
  /** Share of the vector ranking in the fusion by ranks, 0…1. */
  readonly vectorWeight: number
}

/** The fusion that was chosen. @param keywordUpper as in `fuseByScore` */
export function fuseAsChosen(
  rankings: Rankings,
  { fusion, vectorWeight }: FusionChoice,
  keywordUpper: number,
): readonly FusedHit[] {
  return fusion === 'rrf' ? fuseByRank(rankings, vectorWeight) : fuseByScore(rankings, keywordUpper)
}

/** The score of a document that both rankings put first with all that a query can get. */
export function fusedMax(fusion: FusionName): number {
  return fusion === 'rrf' ? 1 / (RANK_OFFSET + 1) : 1 + COSINE_WEIGHT
}

function fuse(
  rankings: Rankings,
  scoreOf: (placings: Pick<FusedHit, 'vector' | 'keyword'>) => number,
  order = byScoreThenPath,
) {
  const vectors = placingsOf(rankings.vector)
  const keywords = placingsOf(rankings.keyword)
  const hits: FusedHit[] = []
  for (const path of new Set([...vectors.keys(), ...keywords.keys()])) {
    const placings = { vector: vectors.get(path) ?? null, keyword: keywords.get(path) ?? null }
    hits.push({ path, score: scoreOf(placings), ...placings })
  }
  return hits.sort(order)
}

function placingsOf(ranking: readonly Candidate[]): ReadonlyMap<string, Placing> {
  return new Map(ranking.map(({ path, score }, index) => [path, { rank: index + 1, score }]))
}
