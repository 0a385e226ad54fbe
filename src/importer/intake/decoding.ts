/** From bytes to text: byte order marks, invalid bytes, and what is no text at all. */
import { MemoryError } from '../../model/memory-error.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

export interface DecodedText {
  /** Without the byte order mark. */
  readonly text: string
  readonly encoding: Encoding
  /** Invalid sequences, each read as U+FFFD. */
  readonly replacements: number
  /** Line, from 1, that holds the first invalid sequence; null when there is none. */
  readonly firstInvalidLine: number | null
}

/**
 * File signatures that no text begins with, as Latin-1: each holds a byte that is neither printable ASCII nor a line
 * end, and short ones go on to what follows them in every such file. Sources: the formats' own specifications.
 */
const MAGIC: readonly (readonly [name: string, signature: string, offset?: number])[] = [
  ['PNG image', '\x89PNG'],
  ['JPEG image', '\xff\xd8\xff'],
  ['ZIP archive', 'PK\x03\x04'],
  ['gzip archive', '\x1f\x8b'],
  ['Zstandard archive', '\x28\xb5\x2f\xfd'],
  ['archive (XZ)', '\xfd7zXZ\0'],
  ['7z archive', '7z\xbc\xaf\x27\x1c'],
  // A DOS text may end with the Ctrl-Z that follows "Rar!".
  ['RAR archive', 'Rar!\x1a\x07'],
  // POSIX, then GNU; the bare word may stand there in a text.
  ['tar archive', 'ustar\x0000', 257],
  ['tar archive', 'ustar  \0', 257],
  ['program (ELF)', '\x7fELF'],
  ['Mach-O program', '\xcf\xfa\xed\xfe'],
  ['Java class', '\xca\xfe\xba\xbe'],
  // With the version of a module or a component: a log may begin with a stray NUL.
  ['WebAssembly module', '\0asm\x01\0\0\0'],
  ['WebAssembly module', '\0asm\x0d\0\x01\0'],
  ['SQLite database', 'SQLite format 3\0'],
  ['UTF-32 text', '\xff\xfe\0\0'],
  ['UTF-32 text', '\0\0\xfe\xff'],
]

interface PrintableMagic {
  readonly name: string
  readonly start: RegExp
  /** How many bytes behind the start are asked, and whether they are what this format has there. */
  readonly restBytes: number
  readonly isBinary: (rest: Uint8Array) => boolean
}

/** Signatures that a text may well begin with, such as a log about that very format: the bytes behind them decide. */
const PRINTABLE_MAGIC: readonly PrintableMagic[] = [
  // Width, height, flags, background and aspect ratio: small numbers and zeros.
  { name: 'GIF image', start: /^GIF8[79]a/, restBytes: 7, isBinary: (rest) => rest.some(isControl) },
  // The specification asks for a comment of bytes over 127 in the next line; without one, streams come soon.
  { name: 'PDF document', start: /^%PDF-\d\.\d[ \t]*[\r\n%]/, restBytes: 4_096, isBinary: holdsNonText },
  // Level, then the magic number of a block (pi) or, in an empty archive, of the stream's end (its square root).
  { name: 'bzip2 archive', start: /^BZh[1-9](?=1AY&SY|[^ -~]rE8P[^ -~])/, restBytes: 64, isBinary: holdsNonText },
]
const PRINTABLE_START_BYTES = 32

/** Share of control and undecodable characters above which a file is not text; random bytes come to about 0.6. */
const ODD_SHARE_MAX = 0.5

/** Throws `unsupported_format` for what is not text. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const format = binaryFormat(bytes)
  if (format !== null) throw notText(`it is a ${format}`)
  const decoded = decodeAs(encodingOf(bytes), bytes)
  if (isMostlyOdd(decoded.text)) throw notText('most of it is control or undecodable characters')
  return decoded
}

function binaryFormat(bytes: Uint8Array): string | null {
  const magic = MAGIC.find(([, signature, offset = 0]) => latin1(bytes, offset, signature.length) === signature)
  if (magic !== undefined) return magic[0]
  const start = latin1(bytes, 0, PRINTABLE_START_BYTES)
  const found = PRINTABLE_MAGIC.find((printable) => {
    const length = printable.start.exec(start)?.[0].length
    return length !== undefined && printable.isBinary(bytes.subarray(length, length + printable.restBytes))
  })
  return found?.name ?? null
}

/** Not by TextDecoder, whose `latin1` is Windows-1252. */
function latin1(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length))
}

/** A control byte, or one that is not UTF-8. NULs prove nothing: crashed writers leave runs of them in real logs. */
function holdsNonText(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte !== 0 && isControl(byte)) || !decodesSoFar('utf-8', bytes)
}

function isControl(unit: number): boolean {
  return unit < 0x20 && !isUsualControl(unit)
}

function notText(why: string): MemoryError {
  return new MemoryError(
    'unsupported_format',
    `the file is not text: ${why}; import the text of the run instead (plain text, Markdown, JSON, JSONL or a log)`,
  )
}

function encodingOf(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}

function decodeAs(encoding: Encoding, bytes: Uint8Array): DecodedText {
  // Swapped by hand: not every runtime knows big-endian UTF-16.
  const ordered = encoding === 'utf-16be' ? swapped(bytes) : bytes
  const text = new TextDecoder(encoding === 'utf-8' ? 'utf-8' : 'utf-16le').decode(ordered)
  const written = encoding === 'utf-8' ? writtenInUtf8(bytes) : writtenInUtf16(ordered)
  const replacements = countReplacementCharacters(text) - written
  return {
    text,
    encoding,
    replacements,
    firstInvalidLine: replacements === 0 ? null : firstInvalidLine(encoding, ordered),
  }
}

function swapped(bytes: Uint8Array): Uint8Array {
  // A copy: `slice` of a Buffer would be a view, and the input must stay as it was read.
  const result = new Uint8Array(bytes)
  for (let i = 0; i + 1 < result.length; i += 2) {
    result[i] = bytes[i + 1] ?? 0
    result[i + 1] = bytes[i] ?? 0
  }
  return result
}

/** U+FFFD that stands in the input itself is no replacement. */
function writtenInUtf8(bytes: Uint8Array): number {
  let count = 0
  for (let i = bytes.indexOf(0xef); i !== -1; i = bytes.indexOf(0xef, i + 1))
    if (bytes[i + 1] === 0xbf && bytes[i + 2] === 0xbd) count++
  return count
}

function writtenInUtf16(bytes: Uint8Array): number {
  let count = 0
  for (let i = 0; i + 1 < bytes.length; i += 2) if (bytes[i] === 0xfd && bytes[i + 1] === 0xff) count++
  return count
}

function countReplacementCharacters(text: string): number {
  let count = 0
  for (let i = text.indexOf('\ufffd'); i !== -1; i = text.indexOf('\ufffd', i + 1)) count++
  return count
}

/** Line, from 1, of the first sequence that does not decode: found by halving, as decoding a prefix is cheap. */
function firstInvalidLine(encoding: Encoding, bytes: Uint8Array): number {
  const unit = encoding === 'utf-8' ? 1 : 2
  // In units: what stands behind the last whole one is invalid by itself.
  let valid = 0
  let invalid = Math.ceil(bytes.length / unit)
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1
    if (decodesSoFar(encoding, bytes.subarray(0, middle * unit))) valid = middle
    else invalid = middle
  }
  const prefix = new TextDecoder(encoding === 'utf-8' ? 'utf-8' : 'utf-16le').decode(bytes.subarray(0, valid * unit))
  return prefix.split('\n').length
}

function decodesSoFar(encoding: Encoding, bytes: Uint8Array): boolean {
  try {
    // In stream mode a sequence that only lacks its end is not yet an error.
    new TextDecoder(encoding === 'utf-8' ? 'utf-8' : 'utf-16le', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/**
 * Stray NULs are let through, for crashed writers leave runs of them in real logs; a file of nothing else is no text.
 */
function isMostlyOdd(text: string): boolean {
  let odd = 0
  let nul = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0) nul++
    else if (unit === 0xfffd || isControl(unit)) odd++
  }
  const judged = text.length - nul
  return judged === 0 ? nul > 0 : odd / judged > ODD_SHARE_MAX
}

/** Backspace to carriage return, and escape: what terminals write. */
function isUsualControl(unit: number): boolean {
  return (unit >= 0x08 && unit <= 0x0d) || unit === 0x1b
}
