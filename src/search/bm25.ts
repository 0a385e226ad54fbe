/** The formula of Okapi BM25. Exact: every score is computed from whole numbers at the moment it is asked for. */
import { naturalLogarithm } from './logarithm.ts'

const K1 = 1.2
const B = 0.75

/** How much a term tells: the rarer, the more. Above zero even when every document has it. */
export function inverseDocumentFrequency(documentCount: number, documentFrequency: number): number {
  return naturalLogarithm(1 + (documentCount - documentFrequency + 0.5) / (documentFrequency + 0.5))
}

/** The most that a term of this weight can add to a score; never reached. */
export function scoreLimit(idf: number): number {
  return idf * (K1 + 1)
}

export interface LengthNorm {
  readonly base: number
  readonly perWord: number
}

/** What stands under the fraction besides the frequency: `base + perWord * length`. */
export function lengthNorm(documentCount: number, lengthTotal: number): LengthNorm {
  return { base: K1 * (1 - B), perWord: lengthTotal === 0 ? 0 : (K1 * B * documentCount) / lengthTotal }
}

/** @param frequency of the term in the document, from 1; `length` of the document in words */
export function termScore(limit: number, frequency: number, length: number, norm: LengthNorm): number {
  return (limit * frequency) / (frequency + norm.base + norm.perWord * length)
}
