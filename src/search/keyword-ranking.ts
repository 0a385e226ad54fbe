/** Ranks the documents of one view for the terms of a query. Reads postings, changes nothing. */
import { BestCandidates, type Candidate } from './best-candidates.ts'
import { inverseDocumentFrequency, lengthNorm, scoreLimit, termScore } from './bm25.ts'
import { POSTING_CELLS } from './posting-lists.ts'
import type { Postings } from './postings.ts'

export interface SlotCandidate extends Candidate {
  readonly slot: number
}

// One for all views: a search is synchronous and leaves it filled with zeros.
let scores = new Float64Array(64)

/**
 * @param terms distinct and sorted: sums of floats depend on their order
 * @returns the best `limit` of the documents that have a term, best first
 */
export function rankedSlots(
  postings: Postings,
  terms: readonly string[],
  limit: number,
  pathOf: (slot: number) => string,
): readonly SlotCandidate[] {
  if (scores.length < postings.lengths.length) scores = new Float64Array(postings.lengths.length)
  const touched = accumulate(postings, terms, scores)
  const best = new BestCandidates<SlotCandidate>(limit)
  for (const slot of touched) {
    const score = scores[slot] ?? 0
    scores[slot] = 0
    if (score >= best.scoreMin) best.add({ slot, score, path: pathOf(slot) })
  }
  return best.sorted()
}

/** @returns the slots that have a score now, each once */
function accumulate(postings: Postings, terms: readonly string[], scores: Float64Array): readonly number[] {
  const norm = lengthNorm(postings.documentCount, postings.lengthTotal)
  const { lengths, lists } = postings
  const { cells } = lists
  const touched: number[] = []
  for (const term of terms) {
    const list = postings.idOf(term)
    if (list === null) continue
    const start = lists.start(list)
    const count = lists.count(list)
    const limit = scoreLimit(inverseDocumentFrequency(postings.documentCount, count))
    for (let at = start; at < start + count * POSTING_CELLS; at += POSTING_CELLS) {
      const slot = cells[at] ?? 0
      const before = scores[slot] ?? 0
      // Every term adds more than zero, so zero means: not seen yet.
      if (before === 0) touched.push(slot)
      scores[slot] = before + termScore(limit, cells[at + 1] ?? 0, lengths[slot] ?? 0, norm)
    }
  }
  return touched
}
