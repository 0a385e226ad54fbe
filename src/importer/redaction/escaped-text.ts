/**
 * What a text says behind escapes: letters spelled as JSON and code spell them (`\u003d`, `\\u003d`, `\x3d`, `\/`), colours and
 * other signs to a terminal left out. Read only near such escapes, with the way back to the text as written. Knows nothing of secrets.
 */
import type { Span } from './known-values.ts'

export interface EscapedPart {
  /** Without the escapes. Letters beyond ASCII, `\n` and `\"` stay as they are written. */
  readonly text: string
  /** Where a part of `text` stands in the whole as written. */
  readonly written: (span: Span) => Span
}

const SLASHES = String.raw`(?<!\\)\\+`
const LETTER = String.raw`${SLASHES}(?:u00(?<unicode>[2-6][\da-fA-F]|7[\da-eA-E]|0[9aAdD])|x(?<hex>[2-6][\da-fA-F]|7[\da-eA-E])|(?<slash>/))`
const ESC = String.raw`(?:\u001b|${SLASHES}(?:u001[bB]|x1[bB]|033|e(?=\[)))`
// What follows ESC: CSI, OSC with its end, and the short ones. A title is no longer than a line.
const OSC_END = String.raw`(?:\u0007|\u001b\\|\\+(?:u0007|x07|a)|\\+(?:u001[bB]|x1[bB]|033|e)\\+)`
const SEQUENCE = String.raw`(?:\[[\d:-?]{0,40}[ -/]{0,4}[@-~]|\][^\u0007\u001b\\\n]{0,2000}${OSC_END}|[()#][\dA-Za-z]|[=>A-Za-z])`
// No terminal shows the others either. NUL stays, for it parts the variables of an environment.
const CONTROL = String.raw`[\u0001-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]|${SLASHES}u00(?:0[1-8bcefBCEF]|1[\dacdefACDEF]|7[fF])`
const ESCAPES = new RegExp(`${LETTER}|${ESC}${SEQUENCE}?|${CONTROL}`, 'g')

/** Names and separators in front of a value, and the options of a command, are no further away. */
const AROUND_UNITS = 300
/** A part begins and ends between words, unless one is longer. */
const WORD_UNITS_MAX = 8_192

interface Escape extends Span {
  /** '' where nothing is shown. */
  readonly letter: string
}

function escapesOf(text: string): readonly Escape[] {
  return Array.from(text.matchAll(ESCAPES), ({ 0: whole, index, groups }): Escape => {
    const code = groups?.unicode ?? groups?.hex
    const letter = code === undefined ? (groups?.slash ?? '') : String.fromCharCode(Number.parseInt(code, 16))
    return { start: index, end: index + whole.length, letter }
  })
}

/** All of it; what `EscapedPart.text` is of a part. */
export function unescaped(text: string): string {
  return decoded(text, escapesOf(text), 0, text.length).text
}

/** In order, without overlaps; none where no escape is. Takes time in proportion to the text. */
export function escapedParts(text: string): readonly EscapedPart[] {
  const parts: EscapedPart[] = []
  let readTo = 0
  let near: Escape[] = []
  for (const next of [...escapesOf(text), null]) {
    const last = near.at(-1)
    if (last === undefined || (next !== null && next.start - last.end <= 2 * AROUND_UNITS)) {
      if (next !== null) near.push(next)
      continue
    }
    const end = wordEnd(text, last.end + AROUND_UNITS)
    if (next !== null && next.start - AROUND_UNITS < end) {
      near.push(next)
      continue
    }
    const start = wordStart(text, (near[0] ?? last).start - AROUND_UNITS, readTo)
    parts.push(decoded(text, near, start, end))
    readTo = end
    near = next === null ? [] : [next]
  }
  return parts
}

function wordStart(text: string, from: number, least: number): number {
  const floor = Math.max(least, from - WORD_UNITS_MAX)
  let at = Math.max(floor, from)
  while (at > floor && !isBlank(text, at - 1)) at -= 1
  return at
}

function wordEnd(text: string, from: number): number {
  const ceiling = Math.min(text.length, from + WORD_UNITS_MAX)
  let at = Math.min(ceiling, from)
  while (at < ceiling && !isBlank(text, at)) at += 1
  return at
}

function isBlank(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

/** From `at` on the decoded text goes as that from `source` on; a letter that was escaped takes `units` there. */
interface Mark {
  readonly at: number
  readonly source: number
  /** 0 of what stands as it is written. */
  readonly units: number
}

function decoded(text: string, escapes: readonly Escape[], start: number, end: number): EscapedPart {
  const marks: Mark[] = [{ at: 0, source: start, units: 0 }]
  const pieces: string[] = []
  let at = 0
  let source = start
  for (const { start: from, end: to, letter } of escapes) {
    pieces.push(text.slice(source, from), letter)
    at += from - source
    if (letter !== '') marks.push({ at, source: from, units: to - from })
    at += letter.length
    source = to
    marks.push({ at, source, units: 0 })
  }
  pieces.push(text.slice(source, end))
  return { text: pieces.join(''), written: (span) => writtenAt(marks, span) }
}

function writtenAt(marks: readonly Mark[], span: Span): Span {
  const first = markAt(marks, span.start)
  const last = markAt(marks, span.end - 1)
  return {
    start: first.source + span.start - first.at,
    end: last.source + (last.units > 0 ? last.units : span.end - last.at),
  }
}

/** The last one that does not begin behind `offset`. */
function markAt(marks: readonly Mark[], offset: number): Mark {
  let low = 0
  let high = marks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((marks[middle]?.at ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return marks[low] ?? { at: 0, source: 0, units: 0 }
}
