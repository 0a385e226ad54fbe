/** How good is one ranking, given what was judged relevant? Pure: sees ids and grades, never texts. */
import { invariant } from '../model/memory-error.ts'
import { naturalLogarithm } from './logarithm.ts'

const TOP = 10

/** So much of a ranking is looked at. */
export const RANKED_MAX = 100

/**
 * Of one query: each 0…1, 1 is best. A document is relevant when its grade is above 0, one that nobody judged has
 * grade 0. Of many queries: the mean.
 *
 * - `ndcg_at_10`: DCG of the first ten divided by that of the best ten there could be; DCG is the sum over ranks i from
 *   1 of gain / log2(i + 1), and the gain of a relevant document is 1, whatever its grade.
 * - `graded_ndcg_at_10`: the same with gain 2^grade - 1; equal to it where all grades are 0 or 1.
 * - `recall_at_10`, `recall_at_100`: share of the relevant documents that is among the first ten, the first hundred.
 * - `mrr_at_10`: 1 / rank of the first relevant document; 0 when the first ten have none.
 */
export const MEASURES = ['ndcg_at_10', 'graded_ndcg_at_10', 'recall_at_10', 'recall_at_100', 'mrr_at_10'] as const

export type RankingQuality = Readonly<Record<(typeof MEASURES)[number], number>>

/**
 * @param ranked ids of documents, best first, none twice
 * @param grades by id of the document; one at least is above 0
 */
export function rankingQuality(ranked: readonly string[], grades: ReadonlyMap<string, number>): RankingQuality {
  const found = ranked.slice(0, RANKED_MAX).map((id) => grades.get(id) ?? 0)
  const best = [...grades.values()].filter(isRelevant).sort((a, b) => b - a)
  invariant(best.length > 0, 'a query without a relevant document measures nothing')
  const firstIndex = found.slice(0, TOP).findIndex(isRelevant)
  return {
    ndcg_at_10: discountedGain(found, binaryGain) / discountedGain(best, binaryGain),
    graded_ndcg_at_10: discountedGain(found, gradedGain) / discountedGain(best, gradedGain),
    recall_at_10: found.slice(0, TOP).filter(isRelevant).length / best.length,
    recall_at_100: found.filter(isRelevant).length / best.length,
    mrr_at_10: firstIndex === -1 ? 0 : 1 / (firstIndex + 1),
  }
}

/** @param qualities one a query, one at least */
export function meanQuality(qualities: readonly RankingQuality[]): RankingQuality {
  invariant(qualities.length > 0, 'there is no mean of nothing')
  const means = MEASURES.map((measure) => {
    const sum = qualities.reduce((total, quality) => total + quality[measure], 0)
    return [measure, sum / qualities.length]
  })
  return Object.fromEntries(means) as RankingQuality
}

/** DCG of the first ten, in a unit of its own: the base of the logarithm is the same in both parts of a quotient. */
function discountedGain(grades: readonly number[], gain: (grade: number) => number): number {
  return grades.slice(0, TOP).reduce((sum, grade, index) => sum + gain(grade) / naturalLogarithm(index + 2), 0)
}

function isRelevant(grade: number): boolean {
  return grade > 0
}

function binaryGain(grade: number): number {
  return isRelevant(grade) ? 1 : 0
}

function gradedGain(grade: number): number {
  return 2 ** grade - 1
}
