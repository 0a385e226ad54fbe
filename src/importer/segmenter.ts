/** Cuts a trajectory into pieces that the model can take. Lossless and exactly counted. */
import { MemoryError } from '../model/memory-error.ts'
import { nextSafeCut } from '../model/safe-cut.ts'
import type { Tokenizer } from '../ports.ts'

/** Part of a checkpoint's fingerprint, raised when the same text is cut otherwise. */
export const SEGMENTATION_VERSION = 3

/** Whether this version goes on where that one stopped: 2 cut as 3 does, and left segments emptier. */
export function continuesCuts(version: number): boolean {
  return version === SEGMENTATION_VERSION || version === 2
}

/** Of the budget; what is estimated may be more than that. */
const FILL_TARGET = 0.95
/** Of the budget: a candidate that counts less is made longer. */
const FILL_MIN = 0.9
/** How many times as long at once: behind what counts little there may be what counts much. */
const GROWTH_MAX = 4
/** Counts of one segment for that; four are enough for the longest tokens, the others find a place between two. */
const GROWTHS_MAX = 8
/** Of a stretch, in code units, by token of the budget. */
const STRETCH_SHARE = 1 / 16
/** So that what makes a cut safe lies in the stretch before it. */
const STRETCH_UNITS_MIN = 2
/** How many stretches long one becomes at most until it ends where counts add up. */
const STRETCHES_JOINED_MAX = 16
/** Where counts do not add up, one stretch in eight tells the density, for the candidate has to be counted as a whole. */
const STRETCHES_SAMPLED = 8

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
 * Depends on the end of `previous` alone, so that a resumed import cuts as the interrupted one would have.
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
  const { marks, limit } = measured(text, start, budget, tokenizer)
  const count = (end: number) => countedFromMark(text, end, marks, tokenizer)
  const { end, tokens } = grown(text, start, budget, fitting(text, start, budget, limit, count), count)
  return { index, start, end, tokens }
}

/** A piece that fits. */
interface Fit {
  readonly end: number
  readonly tokens: number
  /** The candidate that it is the piece of, whose last line end may lie far before. */
  readonly candidate: number
  /** The shortest piece that does not fit; null when none was met. */
  readonly tooLong: Mark | null
}

/** Halves the candidate until it fits. */
function fitting(text: string, start: number, budget: number, limit: number, count: (end: number) => number): Fit {
  let tooLong: Mark | null = null
  for (let candidate = limit; ; ) {
    const end = cutBefore(text, start, candidate)
    const tokens = count(end)
    if (tokens <= budget) return { end, tokens, candidate, tooLong }
    if (end - start <= 2 && end === cutBefore(text, start, start + 1))
      throw new MemoryError(
        'budget_too_small',
        `one character of the trajectory counts ${tokens} tokens, the segment target is ${budget}; raise token_limits.segment`,
      )
    tooLong = { end, tokens }
    candidate = start + Math.max(1, Math.floor((end - start) / 2))
  }
}

/** What was estimated, or halved, may be much less than fits, as where long runs of one character are few tokens. */
function grown(text: string, start: number, budget: number, first: Fit, count: (end: number) => number): Fit {
  let fit = first
  for (let growths = 0; growths < GROWTHS_MAX; growths += 1) {
    const candidate = longerCandidate(text, start, budget, fit)
    if (candidate === null) return fit
    const end = cutBefore(text, start, candidate)
    const tokens = end === fit.end ? fit.tokens : count(end)
    fit = tokens <= budget ? { ...fit, end, tokens, candidate } : { ...fit, tooLong: { end, tokens } }
  }
  return fit
}

/** Null when the piece is as full as it should be, or nothing is left between it and what does not fit. */
function longerCandidate(text: string, start: number, budget: number, fit: Fit): number | null {
  const { end, tokens, candidate, tooLong } = fit
  const [length, unitsByToken] = [candidate - start, (end - start) / tokens]
  if (end === text.length || length >= budget * FILL_MIN * unitsByToken) return null
  const goal = budget * FILL_TARGET
  if (tooLong === null) {
    const longer = start + Math.floor(Math.min(length * GROWTH_MAX, goal * unitsByToken))
    return longer > candidate ? Math.min(longer, text.length) : null
  }
  const gap = tooLong.end - candidate
  const between = end + ((goal - tokens) / (tooLong.tokens - tokens)) * (tooLong.end - end)
  // Never close to either, so that the gap shrinks wherever the tokens lie in it.
  const longer = Math.floor(Math.max(candidate + gap / 4, Math.min(between, tooLong.end - gap / 4)))
  return longer > candidate ? longer : null
}

/** How many tokens the text has from the segment's start on to `end`. */
interface Mark {
  readonly end: number
  readonly tokens: number
}

interface Measured {
  /** Exact ones, ascending; the first is the start. */
  readonly marks: readonly Mark[]
  /** Where the candidate ends at the latest. */
  readonly limit: number
}

/** Counts stretch after stretch, until there are as many tokens as a segment aims at; exactly as long as counts add up. */
function measured(text: string, start: number, budget: number, tokenizer: Tokenizer): Measured {
  const goal = budget * FILL_TARGET
  const length = Math.max(STRETCH_UNITS_MIN, Math.floor(budget * STRETCH_SHARE))
  const marks: Mark[] = [{ end: start, tokens: 0 }]
  let limit: number | null = null
  let [at, tokens, isExact] = [start, 0, tokenizer.addsUp]
  while (at < text.length) {
    const stretch = nextStretch(text, at, length, isExact)
    isExact &&= stretch.isSafe
    const end = isExact ? stretch.end : Math.min(text.length, at + STRETCHES_SAMPLED * (stretch.end - at))
    const sum = tokens + (tokenizer.count(text.slice(at, stretch.end)) * (end - at)) / (stretch.end - at)
    if (isExact) marks.push({ end, tokens: sum })
    if (sum > goal) {
      limit ??= Math.max(start + 1, at + Math.floor(((goal - tokens) / (sum - tokens)) * (end - at)))
      // A text that fits as a whole leaves no small segment over.
      const rest = (sum / (end - start)) * (text.length - end)
      if (!isExact || sum + rest > budget) return { marks, limit }
    }
    ;[at, tokens] = [end, sum]
  }
  return { marks, limit: text.length }
}

/** To the text's end or a place where counts add up, if there is one in reach, else as long as it has to be. */
function nextStretch(
  text: string,
  at: number,
  length: number,
  isExact: boolean,
): { readonly end: number; readonly isSafe: boolean } {
  if (at + length >= text.length) return { end: text.length, isSafe: true }
  const safe = isExact ? nextSafeCut(text, at + length, at + length * STRETCHES_JOINED_MAX) : null
  if (safe !== null) return { end: safe, isSafe: true }
  return { end: splitsPair(text, at + length) ? at + length + 1 : at + length, isSafe: false }
}

/** Tokens from the first mark to `end`; what lies behind the last mark that helps is counted. */
function countedFromMark(text: string, end: number, marks: readonly Mark[], tokenizer: Tokenizer): number {
  // What makes a cut safe stands up to two characters behind it, and has to be part of what is counted.
  const mark = marks.findLast((one, at) => at === 0 || one.end === end || one.end + 2 <= end)
  if (mark === undefined) return tokenizer.count(text.slice(0, end))
  return mark.end === end ? mark.tokens : mark.tokens + tokenizer.count(text.slice(mark.end, end))
}

/** The end of the piece: the text's, else behind the last line end of the latter half, else no later than `limit`. */
function cutBefore(text: string, start: number, limit: number): number {
  if (limit >= text.length) return text.length
  const middle = start + Math.floor((limit - start) / 2)
  // Of a part, so that a search in vain looks no further than it.
  const lineEnd = text.slice(middle, limit).lastIndexOf('\n')
  if (lineEnd >= 0) return middle + lineEnd + 1
  if (!splitsPair(text, limit)) return limit
  return limit - 1 > start ? limit - 1 : limit + 1
}

function splitsPair(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1)
  const after = text.charCodeAt(offset)
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000
}
