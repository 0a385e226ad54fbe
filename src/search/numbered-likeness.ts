/**
 * Which texts have their words in common with another: the cosine of how often each word stands in them, stop words left
 * out. Exact, by the postings of the words asked for, so that few texts are read. Knows numbers of slots, and no documents.
 */
import { analyzeDocument } from './analyzer.ts'
import type { ViewTotals } from './keyword-ranking.ts'
import { isStopWord, stopWords } from './stop-words.ts'

/** How often each word stands in a text. */
export type WordCounts = ReadonlyMap<string, number>

/** Texts that are read in one go. */
const READ_COUNT = 64

export function wordCounts(text: string): WordCounts {
  const counts = new Map<string, number>()
  for (const word of analyzeDocument(text).terms) if (!isStopWord(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** 0…1; 0 where no word is shared. */
export function wordCosine(words: WordCounts, others: WordCounts): number {
  let shared = 0
  for (const [word, count] of words) shared += count * (others.get(word) ?? 0)
  return shared === 0 ? 0 : cosineOf(shared, squares(words), squares(others))
}

/** @param shared sum over what both hold of the product of both counts */
export function cosineOf(shared: number, squaresOfOne: number, squaresOfOther: number): number {
  return Math.min(1, shared / Math.sqrt(squaresOfOne * squaresOfOther))
}

export function squares(counts: WordCounts): number {
  let sum = 0
  for (const count of counts.values()) sum += count * count
  return sum
}

/** How often stop words stand in each text, by slot: what is left of its length are words. */
export function stopWordCounts(totals: ViewTotals): Uint32Array {
  const counts = new Uint32Array(totals.slotCount)
  for (const word of stopWords()) {
    const { documents, frequencies, count } = totals.postingsOf(word)
    for (let at = 0; at < count; at += 1) {
      const slot = documents[at] ?? 0
      counts[slot] = (counts[slot] ?? 0) + (frequencies[at] ?? 0)
    }
  }
  return counts
}

export interface LikeSlot {
  readonly slot: number
  readonly cosine: number
}

export interface LikeSlotsWanted {
  /** How many, and all that are as much alike as the last of them. */
  readonly limit: number
  readonly cosineMin: number
  /** In the order of the slots. */
  readonly textsOf: (slots: readonly number[]) => readonly string[]
}

/** The most alike first. @param stops see `stopWordCounts` */
export function likeSlots(
  totals: ViewTotals,
  stops: Uint32Array,
  words: WordCounts,
  { limit, cosineMin, textsOf }: LikeSlotsWanted,
): readonly LikeSlot[] {
  const bounded = boundedSlots(totals, stops, words).filter(({ cosine }) => cosine >= cosineMin)
  bounded.sort((a, b) => b.cosine - a.cosine)
  const found: LikeSlot[] = []
  for (let start = 0; start < bounded.length; start += READ_COUNT) {
    // No text that is left can be as much alike as the last one wanted.
    if ((bounded[start]?.cosine ?? 0) < (found[limit - 1]?.cosine ?? cosineMin)) break
    const slots = bounded.slice(start, start + READ_COUNT).map(({ slot }) => slot)
    for (const [at, text] of textsOf(slots).entries()) {
      const cosine = wordCosine(words, wordCounts(text))
      if (cosine >= cosineMin) found.push({ slot: slots[at] ?? -1, cosine })
    }
    found.sort((a, b) => b.cosine - a.cosine)
  }
  const least = found[limit - 1]?.cosine ?? 0
  return found.filter(({ cosine }) => cosine >= least)
}

/**
 * What each text's cosine is at most. Of its words beside the shared ones only their number is known, and their squares
 * are least where each stands once.
 */
function boundedSlots(totals: ViewTotals, stops: Uint32Array, words: WordCounts): LikeSlot[] {
  const { slotCount, lengths } = totals
  const shared = new Float64Array(slotCount)
  const sharedSquares = new Float64Array(slotCount)
  const sharedCounts = new Uint32Array(slotCount)
  const touched: number[] = []
  for (const [word, wanted] of words) {
    const { documents, frequencies, count } = totals.postingsOf(word)
    for (let at = 0; at < count; at += 1) {
      const slot = documents[at] ?? 0
      const frequency = frequencies[at] ?? 0
      if (shared[slot] === 0) touched.push(slot)
      shared[slot] = (shared[slot] ?? 0) + wanted * frequency
      sharedSquares[slot] = (sharedSquares[slot] ?? 0) + frequency * frequency
      sharedCounts[slot] = (sharedCounts[slot] ?? 0) + frequency
    }
  }
  const own = squares(words)
  return touched.map((slot) => {
    const others = Math.max(0, (lengths[slot] ?? 0) - (stops[slot] ?? 0) - (sharedCounts[slot] ?? 0))
    return { slot, cosine: cosineOf(shared[slot] ?? 0, own, (sharedSquares[slot] ?? 0) + others) }
  })
}
