/** Private keys: blocks of PEM, of SSH2 and of PuTTY, whole or cut off, and PEM in base64. */
import { execAt, matchedAt } from '../../model/match-at.ts'
import { nothingRead, type Reading } from './secret.ts'

const PEM_HEADER = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y
const PEM_FOOTER = /-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y
const SSH2_HEADER = /---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----/y
const SSH2_FOOTER = /---- END SSH2 (?:ENCRYPTED )?PRIVATE KEY ----/y
// Everything of a key block in files, in JSON and in code, up to the next `--`.
const BLOCK = /(?:[^-]|-(?!-))*/y
const BLOCK_UNITS_MAX = 64_000
// For a key that was cut off: lines of base64, with what stands between them in JSON and code.
const LINES = /(?:(?:[\s"',>|#*]|\\+[nrt"])*[A-Za-z0-9+/=]{16,})+/y

export function readPemKey(text: string, start: number): Reading {
  return readBlock(text, start, PEM_HEADER, PEM_FOOTER)
}

/** Its headers (`Comment: …`) are hidden with it, where it is whole. */
export function readSsh2Key(text: string, start: number): Reading {
  return readBlock(text, start, SSH2_HEADER, SSH2_FOOTER)
}

function readBlock(text: string, start: number, begin: RegExp, finish: RegExp): Reading {
  const header = matchedAt(begin, text, start)
  if (header === '') return nothingRead(start + 1)
  const bodyStart = start + header.length
  const block = matchedAt(BLOCK, text, bodyStart)
  const footer = matchedAt(finish, text, bodyStart + block.length)
  const isWhole = footer !== '' && block.length <= BLOCK_UNITS_MAX && /[A-Za-z0-9+/=]{16}/.test(block)
  const length = isWhole ? block.length + footer.length : matchedAt(LINES, text, bodyStart).length
  const end = bodyStart + length
  return { secrets: length > 0 ? [{ start, end, kind: 'private-key' }] : [], readTo: end }
}

// A line of base64 and nothing else, its end escaped or not.
const BASE64_LINE = /(?:\r?\n|(?:\\+[nr]){1,2})[ \t]{0,20}([A-Za-z0-9+/=]{1,100})(?=[\r\n\\"']|$)/y
const LINES_MAX = 1_000

interface Lines {
  /** Where the last of them ends. */
  readonly end: number
  readonly unitsOfLast: number
}

/** Lines of base64 that follow `at`, as long as `goesOn` holds for what was read; `end` is `at` when there is none. */
function linesFrom(text: string, at: number, goesOn: (count: number, unitsOfLast: number) => boolean): Lines {
  let lines: Lines = { end: at, unitsOfLast: 0 }
  for (let count = 0; count < LINES_MAX && goesOn(count, lines.unitsOfLast); count += 1) {
    const [whole, line] = execAt(BASE64_LINE, text, lines.end) ?? []
    if (whole === undefined || line === undefined) break
    lines = { end: lines.end + whole.length, unitsOfLast: line.length }
  }
  return lines
}

export const PUTTY_KEY = 'Private-Lines:'
const PUTTY_COUNT = /[ \t]{0,4}\d{1,3}/y

/** As many lines as are told in front of them. */
export function readPuttyKey(text: string, at: number): Reading {
  const told = matchedAt(PUTTY_COUNT, text, at + PUTTY_KEY.length)
  const bodyStart = at + PUTTY_KEY.length + told.length
  const { end } = linesFrom(text, bodyStart, (count) => count < Number(told))
  const start =
    bodyStart + (/^(?:\s|\\+[nr])*/.exec(text.slice(bodyStart, Math.min(end, bodyStart + 40)))?.[0].length ?? 0)
  return { secrets: end - start >= 16 ? [{ start, end, kind: 'private-key' }] : [], readTo: end }
}

/** Base64 of `-----BEGIN `, as certificates and keys stand in settings of Kubernetes. */
export const PEM_IN_BASE64 = 'LS0tLS1CRUdJTi'
const BASE64 = /[A-Za-z0-9+/]+={0,2}/y
// A multiple of four, and long enough for every header.
const HEADER_UNITS = 64
// Where `base64` and PEM end a line.
const LINE_UNITS: ReadonlySet<number> = new Set([64, 76])

export function readEncodedPemKey(text: string, start: number): Reading {
  const encoded = matchedAt(BASE64, text, start)
  const isBroken = LINE_UNITS.has(encoded.length)
  // A line that is shorter is the last one.
  const { end } = linesFrom(
    text,
    start + encoded.length,
    (count, unitsOfLast) => isBroken && (count === 0 || unitsOfLast === encoded.length),
  )
  const isKey = encoded.length >= HEADER_UNITS && atob(encoded.slice(0, HEADER_UNITS)).includes('PRIVATE KEY')
  return { secrets: isKey ? [{ start, end, kind: 'private-key' }] : [], readTo: end }
}
