/** Cuts a trajectory into pieces that the model can take. Lossless and exactly counted. */
import { MemoryError } from '../model/memory-error.ts'
import type { Tokenizer } from '../ports.ts'

/** Part of a checkpoint's fingerprint: cuts made by another version cannot be continued. */
export const SEGMENTATION_VERSION = 1

/** Aimed at below the budget, so that most candidates need one count only. */
const FILL_TARGET = 0.95
/** Until something was measured; English prose has about four characters a token, so the first guess is rather short. */
const TOKENS_PER_CHARACTER_FIRST = 0.3

export interface Segment {
  readonly index: number
  /** Code units of the decoded text; `end` is exclusive. */
  readonly start: number
  readonly end: number
  readonly tokens: number
}

/**
 * The segment after `previous`, or the first one.
 * @param budget tokens; the segment never counts more under `tokenizer`
 * @returns null at the end of `text`. Never splits a surrogate pair, prefers a line end in the candidate's latter half.
 * Depends on `previous` alone, so that a resumed import cuts as the interrupted one would have.
 * Throws `budget_too_small` if one character does not fit.
 */
export function nextSegment(
  text: string,
  previous: Segment | null,
  budget: number,
  tokenizer: Tokenizer,
): Segment | null {
  const start = previous?.end ?? 0
  if (start >= text.length) return null
  const index = previous === null ? 0 : previous.index + 1
  let length = Math.min(text.length - start, predictedLength(previous, budget))
  for (;;) {
    const end = cutBefore(text, start, start + length)
    const tokens = tokenizer.count(text.slice(start, end))
    if (tokens <= budget) return { index, start, end, tokens }
    if (end - start <= 2 && end === cutBefore(text, start, start + 1))
      throw new MemoryError(
        'budget_too_small',
        `one character of the trajectory counts ${tokens} tokens, the segment target is ${budget}; raise token_limits.segment`,
      )
    length = Math.max(1, Math.floor((end - start) / 2))
  }
}

/** Characters that should come to `FILL_TARGET` of the budget at the density of the segment before. */
function predictedLength(previous: Segment | null, budget: number): number {
  const density =
    previous === null || previous.tokens === 0
      ? TOKENS_PER_CHARACTER_FIRST
      : previous.tokens / (previous.end - previous.start)
  return Math.max(1, Math.floor((budget * FILL_TARGET) / density))
}

/** The end of the piece: the text's, else behind the last line end of the latter half, else no later than `limit`. */
function cutBefore(text: string, start: number, limit: number): number {
  if (limit >= text.length) return text.length
  const lineEnd = text.lastIndexOf('\n', limit - 1)
  if (lineEnd + 1 > start + (limit - start) / 2) return lineEnd + 1
  if (!splitsPair(text, limit)) return limit
  return limit - 1 > start ? limit - 1 : limit + 1
}

function splitsPair(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1)
  const after = text.charCodeAt(offset)
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000
}
