/**
 * From a text to the terms it is found by, the same for documents and queries. A hand-written scanner: linear, and
 * equal on every runtime. Knows nothing of indexes or scores.
 */
import {
  astralKind,
  CONNECTOR,
  DIGIT,
  HAN,
  HIRAGANA,
  KINDS,
  LETTER,
  SEPARATOR,
  UNDERSCORE,
  UPPER,
} from './character-class.ts'
import { addName, addWord, type TermSink } from './name-terms.ts'
import { isStopWord } from './stop-words.ts'
import { foldedTerm } from './word-term.ts'

/** Goes up whenever some text gets other terms than before: what was built with another number is built anew. */
export const ANALYZER_VERSION = 1

/** A run this long of base64 or hexadecimal letters is data, not words: it becomes one term. UTF-16 code units. */
const DATA_UNITS_MIN = 256
/** Only a run this long, or one with a `+` in it, is looked at as data. */
const DATA_SUSPECT_UNITS = 40
export interface Analysis {
  /** In text order, with repeats. */
  readonly terms: readonly string[]
  /**
   * Words as a person counts them: `fooBar` is one, `src/a.ts` three, a Chinese character one. The additional terms of
   * names and pairs are left out, or a text would rank lower for naming a file than for describing it.
   */
  readonly length: number
}

interface Scan extends TermSink {
  /** A query is precise: a run of Chinese characters is found by its pairs alone. */
  readonly isQuery: boolean
}

export function analyzeDocument(text: string): Analysis {
  const sink: Scan = { terms: [], length: 0, isQuery: false }
  scan(readable(text), sink)
  return sink
}

/** @returns the query's distinct terms, sorted; stop words only when there is nothing else */
export function analyzeQuery(text: string): readonly string[] {
  const sink: Scan = { terms: [], length: 0, isQuery: true }
  scan(readable(text), sink)
  const terms = [...new Set(sink.terms)].sort()
  const telling = terms.filter((term) => !isStopWord(term))
  return telling.length > 0 ? telling : terms
}

/** Compatible forms made one, invisible characters gone, typographic hyphens and apostrophes as typed. */
function readable(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text
  return text
    .normalize('NFKC')
    .replace(/\u00ad|\u034f|[\u200c-\u200d]|\u2060|\ufeff|[\ufe00-\ufe0f]/g, '')
    .replace(/\u2010/g, '-')
    .replace(/\u2019/g, "'")
}

function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit >= 0xd800 && unit < 0xdc00) return astralKindAt(text, at)
  return KINDS[unit] ?? SEPARATOR
}

function astralKindAt(text: string, at: number): number {
  const codePoint = text.codePointAt(at) ?? 0
  return codePoint > 0xffff ? astralKind(codePoint) : SEPARATOR
}

const unitsOf = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
const isNameKind = (kind: number) => kind >= LETTER && kind <= UNDERSCORE

function scan(text: string, sink: Scan): void {
  let at = 0
  while (at < text.length) {
    const kind = kindAt(text, at)
    if (kind === SEPARATOR) at += 1
    else if (kind === CONNECTOR) at = text[at] === '-' ? scanFlag(text, at, sink) : at + 1
    else if (kind >= HAN) at = scanSpaceless(text, at, kind, sink)
    else at = scanName(text, at, sink)
  }
}

/** `-x` and `--long-name` behind a space or a quote are found with their hyphens and without. */
function scanFlag(text: string, start: number, sink: Scan): number {
  let at = start
  while (text[at] === '-') at += 1
  if (at - start > 2 || (start > 0 && kindAt(text, start - 1) !== SEPARATOR)) return at
  const kind = at < text.length ? kindAt(text, at) : SEPARATOR
  if (!isNameKind(kind)) return at
  const end = scanName(text, at, sink)
  sink.terms.push(foldedTerm(text.slice(start, end)))
  return end
}

/** Scripts without spaces: every pair of neighbours, and in documents every character too. */
function scanSpaceless(text: string, start: number, kind: number, sink: Scan): number {
  let at = start
  let previous = -1
  let count = 0
  while (at < text.length && (kindAt(text, at) === kind || (kind === HIRAGANA && text[at] === 'ー'))) {
    const end = at + (kind === HAN ? unitsOf(text, at) : 1)
    if (!sink.isQuery) sink.terms.push(text.slice(at, end))
    if (previous >= 0) sink.terms.push(text.slice(previous, end))
    previous = at
    at = end
    count += 1
  }
  if (sink.isQuery && count === 1) sink.terms.push(text.slice(start, at))
  sink.length += count
  return at
}

/** One name or word from `start`: letters, digits and underscores, joined by connectors. Returns its end. */
function scanName(text: string, start: number, sink: Scan): number {
  let at = start
  let kinds = 0
  while (at < text.length) {
    const kind = KINDS[text.charCodeAt(at)] ?? SEPARATOR
    if (isNameKind(kind)) {
      // A capital at the start says nothing: only one inside makes a `fooBar`.
      if (kind !== UPPER || at > start) kinds |= 1 << kind
      at += 1
    } else if (kind === CONNECTOR) {
      const next = connectedTo(text, at)
      if (next === -1) break
      kinds |= 1 << CONNECTOR
      at = next
    } else if (kind === SEPARATOR && astralKindAt(text, at) === LETTER) at += 2
    else break
  }
  if (at - start > DATA_SUSPECT_UNITS || text[at] === '+') {
    const end = dataEnd(text, start)
    if (end - start >= DATA_UNITS_MIN) {
      sink.terms.push(foldedTerm(text.slice(start, end)))
      sink.length += 1
      return end
    }
  }
  const name = text.slice(start, at)
  if ((kinds & ((1 << CONNECTOR) | (1 << UNDERSCORE))) !== 0) addName(name, sink)
  else {
    addWord(name, sink, (kinds & ((1 << UPPER) | (1 << DIGIT))) !== 0)
    addOperatorName(text, start, at, sink)
  }
  return contractionEnd(text, at)
}

/** @returns where the name goes on behind the connector at `at` (`.`, `-`, …, or `::`), or -1 */
function connectedTo(text: string, at: number): number {
  const next = text[at] === ':' && text[at + 1] === ':' ? at + 2 : at + 1
  return next < text.length && isNameKind(kindAt(text, next)) ? next : -1
}

function dataEnd(text: string, start: number): number {
  const data = /[A-Za-z0-9+/=_-]*/y
  data.lastIndex = start
  data.test(text)
  return data.lastIndex
}

/** `c++`, `g++`, `c#`. */
function addOperatorName(text: string, start: number, end: number, sink: Scan): void {
  const unit = text.charCodeAt(end)
  if (unit !== 0x2b && unit !== 0x23) return
  const operator = unit === 0x23 ? '#' : '++'
  if (!text.startsWith(operator, end) || end - start > (unit === 0x23 ? 1 : 10)) return
  const after = end + operator.length
  if (after < text.length && kindAt(text, after) !== SEPARATOR) return
  sink.terms.push(foldedTerm(text.slice(start, after)))
}

const CONTRACTIONS: ReadonlySet<string> = new Set(['s', 't', 'd', 'm', 'll', 're', 've'])

/** Behind `user's`, `don't`, `we'll` nothing more is to be found. */
function contractionEnd(text: string, end: number): number {
  if (text.charCodeAt(end) !== 0x27) return end
  let at = end + 1
  while (at < text.length && at - end < 4 && isNameKind(kindAt(text, at))) at += 1
  return CONTRACTIONS.has(text.slice(end + 1, at).toLowerCase()) ? at : end
}
