/** A part of an original as text: counted in Unicode code points, capped in tokens. */
import type { Tokenizer } from '../../ports.ts'

export interface Excerpt {
  readonly offset: number
  /** Code points in `text`. */
  readonly length: number
  readonly total: number
  readonly text: string
  /** Whether the token cap made it shorter than what was asked for. */
  readonly truncated: boolean
}

export interface CodePointRange {
  readonly offset: number
  readonly length: number
}

/**
 * @param render makes the shown text of code units [start, end) of `text`, masked or as it is
 * The text never counts more than `tokensMax`; a range beyond the end is empty.
 */
export function excerptOf(
  text: string,
  range: CodePointRange,
  render: (start: number, end: number) => string,
  tokenizer: Tokenizer,
  tokensMax: number,
): Excerpt {
  const starts = codePointStarts(text)
  const total = starts.length - 1
  const first = Math.min(range.offset, total)
  const last = Math.min(first + range.length, total)
  const unit = (codePoint: number) => starts[codePoint] ?? text.length
  const fits = (codePoint: number) => tokenizer.count(render(unit(first), unit(codePoint))) <= tokensMax
  const end = lastFitting(first, last, tokensMax, fits)
  return {
    offset: range.offset,
    length: end - first,
    total,
    text: render(unit(first), unit(end)),
    truncated: end < last,
  }
}

/** Offset in code units of every code point, and of the end. */
function codePointStarts(text: string): Uint32Array {
  const starts = new Uint32Array(text.length + 1)
  let count = 0
  for (let i = 0; i < text.length; count++) {
    starts[count] = i
    i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1
  }
  starts[count] = text.length
  return starts.subarray(0, count + 1)
}

/** The largest end that fits: doubled steps up to the first that does not, then halving, so that no count is far over the cap. */
function lastFitting(first: number, last: number, tokensMax: number, fits: (end: number) => boolean): number {
  let fitting = first
  let failing = last + 1
  for (let step = Math.max(1, tokensMax); fitting < last && failing > last; step *= 2) {
    const candidate = Math.min(last, fitting + step)
    if (fits(candidate)) fitting = candidate
    else failing = candidate
  }
  while (fitting < last && failing - fitting > 1) {
    const middle = (fitting + failing) >> 1
    if (fits(middle)) fitting = middle
    else failing = middle
  }
  return fitting
}
