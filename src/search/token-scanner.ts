/**
 * Where the tokens of a text start and end: names and words, flags, `c++`, runs of scripts without spaces. Hand-written,
 * linear, and equal on every runtime. Knows nothing of terms: a sink makes them.
 */
import {
  astralKind,
  CONNECTOR,
  DIGIT,
  HAN,
  HIRAGANA,
  KINDS,
  LETTER,
  learnAllKinds,
  SEPARATOR,
  UNDERSCORE,
  UPPER,
} from './character-class.ts'
import { HASH_SEED, withUnit } from './unit-hash.ts'

/** A run this long of base64 or hexadecimal letters is data, not words: it becomes one term. UTF-16 code units. */
const DATA_UNITS_MIN = 256
/** Only a run this long, or one with a `+` in it, is looked at as data. */
const DATA_SUSPECT_UNITS = 40

const PLUS = 0x2b
const HASH_SIGN = 0x23
const APOSTROPHE = 0x27
const COLON = 0x3a
const HYPHEN = 0x2d
const FIRST_SURROGATE = 0xd800

/** A name with a connector or an underscore in it. */
export const JOINED = (1 << CONNECTOR) | (1 << UNDERSCORE)
/** A word with a capital or a digit: it may fall apart. */
export const HUMPED = (1 << UPPER) | (1 << DIGIT)

/** Offsets are UTF-16 code units, ends exclusive. What a token means depends on its own characters alone. */
export interface TokenSink {
  /**
   * A name or word: letters, digits and underscores, joined by connectors.
   * @param hash `withUnit` over its code units from HASH_SEED
   * @param traits bits of JOINED and HUMPED
   */
  addName(text: string, start: number, end: number, hash: number, traits: number): void
  /** A flag with its hyphens, a name with its operator, or data: one term, not stemmed. Data counts as one word. */
  addWhole(text: string, start: number, end: number, words: 0 | 1): void
  /** Characters of one script without spaces. Only Han has some of two code units. */
  addRun(text: string, start: number, end: number): void
}

/**
 * What a terminal obeys and does not show: colours and other control sequences, titles and links, character sets, the
 * cursor saved and brought back. None reaches over the end of a line. An escape before a letter alone (`ESC M`) is left
 * out: the letter may be the first of a word.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0000-\u001f]*(?:\u0007|\u001b\\)|[()][0-9A-Z]|#\d|[78=>])/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const UNUSUAL = /[\u001b\u0080-\uffff]/

/**
 * Compatible forms made one, invisible characters gone, typographic hyphens and apostrophes as typed, and a space for
 * each escape sequence of a terminal: the letter that ends one would otherwise start the word behind it.
 */
export function readable(text: string): string {
  if (!UNUSUAL.test(text)) return text
  const shown = text.replace(ESCAPE_SEQUENCE, ' ')
  if (!/[\u0080-\uffff]/.test(shown)) return shown
  learnAllKinds()
  return shown
    .normalize('NFKC')
    .replace(/\u00ad|\u034f|[\u200c-\u200d]|\u2060|\ufeff|[\ufe00-\ufe0f]/g, '')
    .replace(/\u2010/g, '-')
    .replace(/\u2019/g, "'")
}

/** @param text as `readable` made it */
export function scanTokens(text: string, sink: TokenSink): void {
  const { length } = text
  let at = 0
  while (at < length) {
    const unit = text.charCodeAt(at)
    const kind = unit < FIRST_SURROGATE ? (KINDS[unit] ?? SEPARATOR) : kindAt(text, at)
    if (kind === SEPARATOR) at += 1
    else if (kind === CONNECTOR) at = unit === HYPHEN ? scanFlag(text, at, sink) : at + 1
    else if (kind >= HAN) at = scanRun(text, at, kind, sink)
    else at = scanName(text, at, sink)
  }
}

function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit >= FIRST_SURROGATE && unit < 0xdc00) return astralKindAt(text, at)
  return KINDS[unit] ?? SEPARATOR
}

function astralKindAt(text: string, at: number): number {
  const codePoint = text.codePointAt(at) ?? 0
  return codePoint > 0xffff ? astralKind(codePoint) : SEPARATOR
}

/** Of the character at `at`: 1 or 2. */
export const unitsAt = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
const isNameKind = (kind: number) => kind >= LETTER && kind <= UNDERSCORE

/** `-x` and `--long-name` behind a space or a quote are found with their hyphens and without. */
function scanFlag(text: string, start: number, sink: TokenSink): number {
  let at = start
  while (text.charCodeAt(at) === HYPHEN) at += 1
  if (at - start > 2 || (start > 0 && kindAt(text, start - 1) !== SEPARATOR)) return at
  const kind = at < text.length ? kindAt(text, at) : SEPARATOR
  if (!isNameKind(kind)) return at
  const end = scanName(text, at, sink)
  sink.addWhole(text, start, end, 0)
  return end
}

function scanRun(text: string, start: number, kind: number, sink: TokenSink): number {
  let at = start
  while (at < text.length && (kindAt(text, at) === kind || (kind === HIRAGANA && text[at] === 'ー')))
    at += kind === HAN ? unitsAt(text, at) : 1
  sink.addRun(text, start, at)
  return at
}

/** One name or word from `start`. Returns its end. */
function scanName(text: string, start: number, sink: TokenSink): number {
  const { length } = text
  let at = start
  let traits = 0
  let hash = HASH_SEED
  while (at < length) {
    const unit = text.charCodeAt(at)
    const kind = KINDS[unit] ?? SEPARATOR
    if (isNameKind(kind)) {
      traits |= 1 << kind
      hash = withUnit(hash, unit)
      at += 1
      continue
    }
    const next = nameGoesOn(text, at, kind)
    if (next === -1) break
    if (kind === CONNECTOR) traits |= 1 << CONNECTOR
    hash = withUnit(hash, unit)
    // The second of `::` or of a surrogate pair.
    if (next > at + 1) hash = withUnit(hash, text.charCodeAt(at + 1))
    at = next
  }
  if (at - start > DATA_SUSPECT_UNITS || text.charCodeAt(at) === PLUS) {
    const end = dataEnd(text, start)
    if (end - start >= DATA_UNITS_MIN) {
      sink.addWhole(text, start, end, 1)
      return end
    }
  }
  sink.addName(text, start, at, hash, traits)
  if (at === length) return at
  const unit = text.charCodeAt(at)
  if ((unit === PLUS || unit === HASH_SIGN) && (traits & JOINED) === 0) addOperatorName(text, start, at, sink)
  return unit === APOSTROPHE ? contractionEnd(text, at) : at
}

/** @returns behind what stands at `at` when it is a connector or a letter beyond U+FFFF of the name, or -1 */
function nameGoesOn(text: string, at: number, kind: number): number {
  if (kind === CONNECTOR) return connectedTo(text, at)
  return kind === SEPARATOR && astralKindAt(text, at) === LETTER ? at + 2 : -1
}

/** @returns where the name goes on behind the connector at `at` (`.`, `-`, …, or `::`), or -1 */
function connectedTo(text: string, at: number): number {
  const isDouble = text.charCodeAt(at) === COLON && text.charCodeAt(at + 1) === COLON
  const next = isDouble ? at + 2 : at + 1
  return next < text.length && isNameKind(kindAt(text, next)) ? next : -1
}

function dataEnd(text: string, start: number): number {
  const data = /[A-Za-z0-9+/=_-]*/y
  data.lastIndex = start
  data.test(text)
  return data.lastIndex
}

/** `c++`, `g++`, `c#`: a `+` or `#` stands at `end`. */
function addOperatorName(text: string, start: number, end: number, sink: TokenSink): void {
  const operator = text[end] === '#' ? '#' : '++'
  if (!text.startsWith(operator, end) || end - start > (operator === '#' ? 1 : 10)) return
  const after = end + operator.length
  if (after < text.length && kindAt(text, after) !== SEPARATOR) return
  sink.addWhole(text, start, after, 0)
}

const CONTRACTIONS: ReadonlySet<string> = new Set(['s', 't', 'd', 'm', 'll', 're', 've'])

/** Behind `user's`, `don't`, `we'll` nothing more is to be found: an apostrophe stands at `end`. */
function contractionEnd(text: string, end: number): number {
  let at = end + 1
  while (at < text.length && at - end < 4 && isNameKind(kindAt(text, at))) at += 1
  return CONTRACTIONS.has(text.slice(end + 1, at).toLowerCase()) ? at : end
}
