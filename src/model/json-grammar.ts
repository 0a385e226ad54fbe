/**
 * Is a text JSON, and if not, where does it stop being it? Builds nothing: numbers of any size, repeated keys and any
 * depth are as valid as RFC 8259 says, whatever a parser would make of them.
 */

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The first line, from 1, with which a text stops being JSON; null for one that is. */
export function malformedJsonLine(text: string): number | null {
  const fault = jsonFault(text)
  if (fault === -1) return null
  // What is missing at the end is missing from the last line that holds something.
  const whole = text.slice(0, Math.min(fault, text.trimEnd().length))
  return whole.split(/\r\n|\r|\n/).length
}

/**
 * @param start,end the part of `text` to look at, in code units
 * @returns the offset of the first character that cannot stand there (`end` when more had to come), or -1 for one
 * whole JSON value with white space around it
 */
export function jsonFault(text: string, start = 0, end = text.length): number {
  const scan: Scan = { text, end, at: start, fault: -1 }
  // The containers around the current place: a list of its own, so that depth costs no stack.
  const open: number[] = []
  do {
    skipSpace(scan)
    const unit = peek(scan)
    if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      scan.at++
      open.push(unit)
      skipSpace(scan)
      const empty = peek(scan) === closerOf(unit)
      if (!empty && unit === OPEN_OBJECT && !readKey(scan)) return scan.fault
      if (!empty) continue
    } else if (!readScalar(scan, unit)) return scan.fault
    if (!closeContainers(scan, open)) return scan.fault
  } while (open.length > 0)
  skipSpace(scan)
  return scan.at < end ? scan.at : -1
}

interface Scan {
  readonly text: string
  readonly end: number
  at: number
  fault: number
}

function closerOf(opener: number): number {
  return opener === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY
}

function readScalar(scan: Scan, unit: number): boolean {
  if (unit === QUOTE) return readString(scan)
  if (unit === 0x74) return readWord(scan, 'true')
  if (unit === 0x66) return readWord(scan, 'false')
  if (unit === 0x6e) return readWord(scan, 'null')
  return readNumber(scan)
}

/** After a value: closes what ends here, or steps over the comma (and key) before the next value. */
function closeContainers(scan: Scan, open: number[]): boolean {
  for (;;) {
    const container = open.at(-1)
    if (container === undefined) return true
    skipSpace(scan)
    const unit = peek(scan)
    if (unit === closerOf(container)) {
      scan.at++
      open.pop()
      continue
    }
    if (unit !== COMMA) return fail(scan)
    scan.at++
    skipSpace(scan)
    return container === OPEN_ARRAY || readKey(scan)
  }
}

function readKey(scan: Scan): boolean {
  if (peek(scan) !== QUOTE) return fail(scan)
  if (!readString(scan)) return false
  skipSpace(scan)
  if (peek(scan) !== COLON) return fail(scan)
  scan.at++
  return true
}

function readString(scan: Scan): boolean {
  scan.at++
  for (;;) {
    const unit = peek(scan)
    if (unit === QUOTE) {
      scan.at++
      return true
    }
    if (unit < SPACE) return fail(scan)
    scan.at++
    if (unit === BACKSLASH && !readEscape(scan)) return false
  }
}

function readEscape(scan: Scan): boolean {
  const letter = scan.at < scan.end ? scan.text.charAt(scan.at) : ''
  if (letter === '' || !'"\\/bfnrtu'.includes(letter)) return fail(scan)
  scan.at++
  if (letter !== 'u') return true
  for (let digit = 0; digit < 4; digit++, scan.at++) if (!isHexDigit(peek(scan))) return fail(scan)
  return true
}

function readWord(scan: Scan, word: string): boolean {
  for (let i = 0; i < word.length; i++, scan.at++) if (peek(scan) !== word.charCodeAt(i)) return fail(scan)
  return true
}

function readNumber(scan: Scan): boolean {
  if (peek(scan) === 0x2d) scan.at++
  if (peek(scan) === ZERO) scan.at++
  else if (!readDigits(scan)) return false
  if (peek(scan) === 0x2e) {
    scan.at++
    if (!readDigits(scan)) return false
  }
  if ((peek(scan) | 0x20) !== 0x65) return true
  scan.at++
  if (peek(scan) === 0x2b || peek(scan) === 0x2d) scan.at++
  return readDigits(scan)
}

function readDigits(scan: Scan): boolean {
  const start = scan.at
  while (isDigit(peek(scan))) scan.at++
  return scan.at > start || fail(scan)
}

function skipSpace(scan: Scan): void {
  for (;;) {
    const unit = peek(scan)
    if (unit !== SPACE && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && unit !== TAB) return
    scan.at++
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE
}

function isHexDigit(unit: number): boolean {
  return isDigit(unit) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66)
}

/** The code unit here; -1, which nothing expects, at the end. */
function peek(scan: Scan): number {
  return scan.at < scan.end ? scan.text.charCodeAt(scan.at) : -1
}

function fail(scan: Scan): false {
  scan.fault = scan.at
  return false
}
