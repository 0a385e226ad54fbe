/**
 * Append-only JSONL log. Knows bytes, checksums and torn tails; knows nothing of what the records mean.
 *
 * A line is one JSON object whose last member is `sum`: the first 16 hex digits of the SHA-256 over the sum of the line
 * before it (nothing for the first) and the object's text without `sum`. Chaining the sums makes a removed, repeated or
 * moved line as visible as a changed one. The first object names format and version.
 */
import { invariant, MemoryError } from '../model/memory-error.ts'
import type { AppendFile, Digest, Files } from '../ports.ts'

export interface LogFormat {
  readonly name: string
  readonly version: number
}

export type LogRecord = Readonly<Record<string, unknown>>

export interface LogContents {
  /** Without the heading. */
  readonly records: readonly LogRecord[]
  readonly heading: LogRecord
  /** Bytes that hold whole records; what follows is a torn write. */
  readonly wholeBytes: number
  readonly tornBytes: number
  readonly lastSum: string
}

const SUM_DIGITS = 16
const SUM_TAIL = /,"sum":"([0-9a-f]{16})"\}$/
const LINE_END = 0x0a
const encoder = new TextEncoder()

/**
 * Everything acknowledged in the log at `path`; null when it is missing or its first record was torn.
 * Throws `log_corrupt` with file and line, `format_too_new`, `format_unsupported`.
 */
export function readLog(files: Files, digest: Digest, path: string, format: LogFormat): LogContents | null {
  const bytes = files.read(path)
  return bytes === null ? null : parseLog(digest, bytes, path, format)
}

/** The same of bytes that were read before. @param path for messages */
export function parseLog(digest: Digest, bytes: Uint8Array, path: string, format: LogFormat): LogContents | null {
  const wholeBytes = wholeLength(bytes)
  if (wholeBytes === 0) return null
  const text = decodeLines(bytes.subarray(0, wholeBytes), path)
  const lines = text.slice(0, -1).split('\n')
  refuseOtherFormat(lines[0] ?? '', path, format)
  const records: LogRecord[] = []
  let sum = ''
  for (const [lineIndex, line] of lines.entries()) {
    const record = readLine(digest, sum, line)
    if (record === null) throw corrupt(path, lineIndex + 1)
    sum = record.sum
    records.push(record.value)
  }
  const [heading, ...rest] = records
  invariant(heading !== undefined, 'a whole log has a first line')
  return { records: rest, heading, wholeBytes, tornBytes: bytes.length - wholeBytes, lastSum: sum }
}

/** The heading of the log at `path` without its checksum asked; null when there is none that can be read. */
export function readFirstLine(files: Files, path: string): LogRecord | null {
  const bytes = files.read(path)
  const end = bytes?.indexOf(LINE_END) ?? -1
  if (bytes === null || end < 0) return null
  try {
    const heading: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)))
    return typeof heading === 'object' ? (heading as LogRecord | null) : null
  } catch {
    // Damaged beyond what it may have said.
    return null
  }
}

/**
 * Length of the part before a torn last line: one without its line end, or one that a power cut left filled with NULs
 * from its start or to its end.
 */
function wholeLength(bytes: Uint8Array): number {
  const end = bytes.lastIndexOf(LINE_END) + 1
  if (end === 0) return 0
  const start = bytes.subarray(0, end - 1).lastIndexOf(LINE_END) + 1
  const torn = end - 1 > start && (bytes[start] === 0 || bytes[end - 2] === 0)
  return torn ? start : end
}

const TAIL_BYTES = 4096

/** Whether the last record was written in part, found without a look at those before it; false when there is no log. */
export function endsTorn(files: Files, path: string): boolean {
  using file = files.openRead(path)
  if (file === null || file.bytes === 0) return false
  for (let length = TAIL_BYTES; ; length *= 8) {
    const start = Math.max(0, file.bytes - length)
    const tail = file.read(start, file.bytes - start)
    const isWholeLine = start === 0 || tail.subarray(0, -1).includes(LINE_END)
    if (isWholeLine) return wholeLength(tail) < tail.length
  }
}

function decodeLines(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw corrupt(path, firstUndecodableLine(bytes))
  }
}

function firstUndecodableLine(bytes: Uint8Array): number {
  let lineNumber = 1
  for (let start = 0; start < bytes.length; lineNumber++) {
    const end = bytes.indexOf(LINE_END, start)
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(start, end))
    } catch {
      return lineNumber
    }
    start = end + 1
  }
  return lineNumber
}

/** Asked before the checksum: a later version may compute its sums otherwise. */
function refuseOtherFormat(line: string, path: string, format: LogFormat): void {
  let heading: { format?: unknown; version?: unknown } | null
  try {
    heading = JSON.parse(line)
  } catch {
    throw corrupt(path, 1)
  }
  if (heading?.format !== format.name || typeof heading.version !== 'number') throw corrupt(path, 1)
  if (heading.version > format.version)
    throw new MemoryError(
      'format_too_new',
      `${path} is in version ${heading.version} of its format, this program reads ${format.version}; use a newer knowhow`,
    )
  if (heading.version < format.version)
    throw new MemoryError(
      'format_unsupported',
      `${path} is in version ${heading.version} of its format, this program reads ${format.version}; finish this import with the knowhow that began it`,
    )
}

function readLine(digest: Digest, previousSum: string, line: string): { value: LogRecord; sum: string } | null {
  const tail = SUM_TAIL.exec(line)
  const sum = tail?.[1]
  if (tail === null || sum === undefined) return null
  const body = `${line.slice(0, tail.index)}}`
  if (sumOf(digest, previousSum, body) !== sum) return null
  try {
    return { value: JSON.parse(body), sum }
  } catch {
    // Anybody can compute the sum of what is no JSON.
    return null
  }
}

function sumOf(digest: Digest, previousSum: string, body: string): string {
  return digest.sha256(encoder.encode(previousSum + body)).slice(0, SUM_DIGITS)
}

function corrupt(path: string, lineNumber: number): MemoryError {
  return new MemoryError(
    'log_corrupt',
    `${path}, line ${lineNumber}: the line is damaged; restore the file from a backup or from git`,
    { path, line: lineNumber },
  )
}

interface LogFilePlace {
  readonly files: Files
  readonly digest: Digest
  readonly path: string
}

/** The one writer's end of a log. `append` returns when the record is on the disk. */
export class LogWriter implements Disposable {
  readonly #file: AppendFile
  readonly #digest: Digest
  readonly #files: Files
  readonly #path: string
  /** Of the open file; NaN before it is known. */
  #inode = Number.NaN
  #bytes: number
  #sum: string
  /** Whether what the file ends with is unknown. */
  #isUnsure = false

  private constructor(file: AppendFile, place: LogFilePlace, before: LogContents | null) {
    const { files, path, digest } = place
    this.#file = file
    this.#files = files
    this.#path = path
    this.#digest = digest
    this.#bytes = before?.wholeBytes ?? 0
    this.#sum = before?.lastSum ?? ''
  }

  /**
   * Opens the log at `path` behind its last whole record, cutting a torn one off.
   * @param before what `readLog` gave; null begins the log with `heading`
   */
  static open(
    options: LogFilePlace & {
      readonly format: LogFormat
      readonly heading: LogRecord
      readonly before: LogContents | null
    },
  ): LogWriter {
    const { files, path, format, heading, before } = options
    const file = files.openAppend(path)
    try {
      const writer = new LogWriter(file, options, before)
      if (file.bytes > writer.#bytes) file.truncate(writer.#bytes)
      writer.#inode = files.stat(path)?.inode ?? Number.NaN
      if (before === null) writer.append({ format: format.name, version: format.version, ...heading })
      // A killed run may have left records that can be read and are not on the disk; what they say is acted upon.
      else file.sync()
      // Always: a run that was killed between making the file and this left its name to the next power cut.
      files.syncFolder(path.slice(0, path.lastIndexOf('/')))
      return writer
    } catch (error) {
      file[Symbol.dispose]()
      throw error
    }
  }

  /** After one that failed all others are refused: the record may be there or not, and on the disk or not. */
  append(record: LogRecord): void {
    if (this.#isUnsure)
      throw new MemoryError('io_failed', `writing to ${this.#path} failed before; run it again, which reads it anew`)
    const body = JSON.stringify(record)
    invariant(body.endsWith('}') && body !== '{}' && !('sum' in record), 'a log record is an object with members')
    const sum = sumOf(this.#digest, this.#sum, body)
    const line = encoder.encode(`${body.slice(0, -1)},"sum":"${sum}"}\n`)
    this.#isUnsure = true
    this.#file.append(line)
    this.#file.sync()
    this.#bytes += line.length
    this.requireInPlace()
    this.#isUnsure = false
    this.#sum = sum
  }

  /** Throws `io_failed` when somebody has removed, replaced or changed the file: whoever comes next would not find what was recorded. */
  requireInPlace(): void {
    const found = this.#files.stat(this.#path)
    if (found?.inode === this.#inode && found.bytes === this.#bytes) return
    const what = found === null ? 'removed' : 'replaced or changed'
    throw new MemoryError(
      'io_failed',
      `${this.#path} was ${what} by somebody else during this run, and lacks what was recorded; bring it back if you can, then resume`,
      { path: this.#path },
    )
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}
