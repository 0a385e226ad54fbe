/** From bytes to text: byte order marks, invalid bytes, and what is no text at all. */
import { MemoryError } from '../model/memory-error.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

export interface DecodedText {
  /** Without the byte order mark. */
  readonly text: string
  readonly encoding: Encoding
  /** Invalid sequences, each read as U+FFFD. */
  readonly replacements: number
  /** Offset in bytes of the first invalid sequence's line, as a line number from 1; null when there is none. */
  readonly firstInvalidLine: number | null
}

/** File signatures that no text begins with. Sources: the formats' own specifications. */
const MAGIC: readonly (readonly [name: string, bytes: readonly number[], offset?: number])[] = [
  ['PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['JPEG image', [0xff, 0xd8, 0xff]],
  ['GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['PDF document', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
  ['gzip archive', [0x1f, 0x8b]],
  ['Zstandard archive', [0x28, 0xb5, 0x2f, 0xfd]],
  ['XZ archive', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['bzip2 archive', [0x42, 0x5a, 0x68]],
  ['7z archive', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['RAR archive', [0x52, 0x61, 0x72, 0x21, 0x1a]],
  ['tar archive', [0x75, 0x73, 0x74, 0x61, 0x72], 257],
  ['ELF program', [0x7f, 0x45, 0x4c, 0x46]],
  ['Mach-O program', [0xcf, 0xfa, 0xed, 0xfe]],
  ['Java class', [0xca, 0xfe, 0xba, 0xbe]],
  ['WebAssembly module', [0x00, 0x61, 0x73, 0x6d]],
  ['SQLite database', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66, 0x6f, 0x72, 0x6d, 0x61, 0x74, 0x20, 0x33, 0x00]],
  ['UTF-32 text', [0xff, 0xfe, 0x00, 0x00]],
  ['UTF-32 text', [0x00, 0x00, 0xfe, 0xff]],
]

/** Share of control and undecodable characters above which a file is not text; random bytes come to about 0.6. */
const ODD_SHARE_MAX = 0.5

/** Throws `unsupported_format` for what is not text. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const magic = MAGIC.find(([, signature, offset = 0]) => signature.every((byte, i) => bytes[offset + i] === byte))
  if (magic !== undefined) throw notText(`it is a ${magic[0]}`)
  const decoded = decodeAs(encodingOf(bytes), bytes)
  if (isMostlyOdd(decoded.text)) throw notText('most of it is control or undecodable characters')
  return decoded
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
  const result = bytes.slice()
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
  let valid = 0
  let invalid = bytes.length
  while (invalid - valid > unit) {
    const middle = valid + Math.floor((invalid - valid) / 2 / unit) * unit
    if (decodesSoFar(encoding, bytes.subarray(0, middle))) valid = middle
    else invalid = middle
  }
  const prefix = new TextDecoder(encoding === 'utf-8' ? 'utf-8' : 'utf-16le').decode(bytes.subarray(0, valid))
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
    else if (unit === 0xfffd || (unit < 0x20 && !isUsualControl(unit))) odd++
  }
  const judged = text.length - nul
  return judged === 0 ? nul > 0 : odd / judged > ODD_SHARE_MAX
}

/** Backspace to carriage return, and escape: what terminals write. */
function isUsualControl(unit: number): boolean {
  return (unit >= 0x08 && unit <= 0x0d) || unit === 0x1b
}
