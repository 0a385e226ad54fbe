/**
 * Whether the counts of a tokenizer add up where a text is cut as `safe-cut.ts` says, and sums of such counts. Knows nothing
 * of how counting is done.
 */
import { nextSafeCut } from '../model/safe-cut.ts'
import type { ByteLevelBpe } from './byte-level-bpe.ts'

/** What NFC makes of another character, or may: U+212A becomes `K`, U+037E `;` and U+1FEF a grave accent. */
const COMPOSED = /[K;`\u0080-\uffff]/

/**
 * Pieces of the known patterns reach across no such cut. Added tokens may that have in them what is cut at; and one that is
 * spelled otherwise before NFC counts as one only where it is all that stands between two others, so that a cut beside it
 * changes its count.
 */
export function countsAddUp({ added, isNormalized }: ByteLevelBpe): boolean {
  return !added.some((token) => /[\s",]/.test(token) || (isNormalized && COMPOSED.test(token)))
}

/**
 * The count of a text, as the sum of those of its parts; right only where counts add up.
 * @param partUnits above 0: UTF-16 units of a part, which goes on from there to the next safe cut
 */
export function countByParts(text: string, count: (part: string) => number, partUnits: number): number {
  let tokens = 0
  let start = 0
  while (start + partUnits < text.length) {
    const cut = nextSafeCut(text, start + partUnits, text.length)
    if (cut === null) break
    tokens += count(text.slice(start, cut))
    start = cut
  }
  return tokens + count(text.slice(start))
}
