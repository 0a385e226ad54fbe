/** The terms of one name: whole and by part. Knows where a name falls apart, not where it starts and ends in a text. */
import { DIGIT, KINDS, LETTER, UPPER } from './character-class.ts'
import { foldedTerm, wordTerm } from './word-term.ts'

/** A word with more changes of case, or between letters and digits, is a hash, not a name. */
export const HUMPS_MAX = 8

export interface TermSink {
  readonly terms: string[]
  /** Counts words as a person does; see `Analysis.length`. */
  length: number
}

const HYPHEN = /-/
/** From the outermost joint inwards: `a::b`, `src/a`, `a.ts`, `dry-run`, `foo_bar`. */
const JOINTS: readonly RegExp[] = [/::?/, /[/\\]/, /\./, HYPHEN, /_/]

/** @param name words joined by the connectors of `JOINTS`; `from` is the first joint that can occur in it */
export function addName(name: string, sink: TermSink, from = 0): void {
  const index = JOINTS.findIndex((joint, at) => at >= from && joint.test(name))
  const joint = JOINTS[index]
  if (joint === undefined) {
    addWord(name, sink, true)
    return
  }
  // `boundary-layer` is prose: the next writer leaves the hyphen out. Its parts find both, and rank better alone.
  if (joint !== HYPHEN || /[\d_]/.test(name)) {
    const whole = foldedTerm(name)
    sink.terms.push(whole)
    if (/^v\d+\./.test(whole)) sink.terms.push(whole.slice(1))
  }
  for (const part of name.split(joint)) if (part !== '') addName(part, sink, index + 1)
}

export function addWord(word: string, sink: TermSink, mayHaveHumps: boolean): void {
  sink.length += 1
  sink.terms.push(wordTerm(word))
  if (!mayHaveHumps) return
  const humps = humpsOf(word)
  if (humps.length < 2 || humps.length > HUMPS_MAX) return
  for (const hump of humps) if (hump.length > 1) sink.terms.push(wordTerm(hump))
}

/** `HTTPServer` → HTTP, Server; `E0308` → E, 0308; `URLs` stays whole. */
function humpsOf(word: string): readonly string[] {
  const humps: string[] = []
  let start = 0
  for (let at = 1; at < word.length; at += 1) {
    const before = KINDS[word.charCodeAt(at - 1)]
    const here = KINDS[word.charCodeAt(at)]
    if (!startsHump(before, here, word.charCodeAt(at + 1), at + 2 === word.length)) continue
    humps.push(word.slice(start, at))
    start = at
  }
  humps.push(word.slice(start))
  return humps
}

/** @param next the code unit behind, NaN at the end; `isLast` when no other follows it */
export function startsHump(
  before: number | undefined,
  here: number | undefined,
  next: number,
  isLast: boolean,
): boolean {
  if ((here === DIGIT) !== (before === DIGIT)) return true
  if (here !== UPPER) return false
  const isPlural = isLast && next === 0x73
  return before !== UPPER || (KINDS[next] === LETTER && !isPlural)
}
