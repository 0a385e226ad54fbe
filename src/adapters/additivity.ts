/** Whether the counts of a tokenizer add up where a text is cut as `safe-cut.ts` says. Knows nothing of how counting is done. */
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
