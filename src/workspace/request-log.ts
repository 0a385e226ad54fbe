/**
 * The logs that belong to requests: one file a request and kind, its records checked against a schema and folded into a
 * state. Knows how they are read, begun and continued; what they mean is their kind's business.
 */
import * as v from 'valibot'
import { invariant, MemoryError } from '../model/memory-error.ts'
import { parseRequestId, type RequestId } from '../model/request-id.ts'
import type { Digest, Files } from '../ports.ts'
import { refuseLinks } from './confinement.ts'
import { inWorkspace, type Layout } from './layout.ts'
import { isLogName, logName } from './log-name.ts'
import {
  endsTorn,
  type LogContents,
  type LogFormat,
  type LogRecord,
  LogWriter,
  parseLog,
  readFirstLine,
  readLog,
} from './record-log.ts'

/** Where the logs of a kind lie, and how their lines are written. */
export interface LogPlace {
  readonly format: LogFormat
  readonly folder: (layout: Layout) => string
}

/** H: the heading, R: one record, S: the state that they fold into. */
export interface LogKind<H, R extends LogRecord, S> extends LogPlace {
  readonly heading: v.GenericSchema<unknown, H>
  readonly record: v.GenericSchema<unknown, R>
  /** Why no log in this workspace has this heading, or null. */
  readonly headingFault?: (heading: H, layout: Layout) => string | null
  readonly start: (heading: H, id: RequestId) => S
  /** Why `record` cannot follow what led to `state`, or null; asked before each step. */
  readonly fault?: (state: S, record: R) => string | null
  /** May change `state` and give it back: nobody else has it. */
  readonly step: (state: S, record: R) => S
}

export interface DamagedLog {
  readonly path: string
  readonly error: string
}

type ReadingPorts = { readonly files: Files; readonly digest: Digest }

/** Relative to the workspace. */
export function requestLogPath(digest: Digest, layout: Layout, kind: LogPlace, id: RequestId): string {
  return `${kind.folder(layout)}/${logName(digest, id)}`
}

/** Null when nothing was ever logged for this request. Throws `log_corrupt`, `format_too_new`, `format_unsupported`. */
export function readRequestLog<H, R extends LogRecord, S>(
  ports: ReadingPorts,
  layout: Layout,
  kind: LogKind<H, R, S>,
  id: RequestId,
): S | null {
  return readNamedLog(ports, layout, kind, logName(ports.digest, id))?.state ?? null
}

/** Every log of a kind, by request id; those that cannot be read, and whatever else has a log's name, beside them; of a folder that is a link, the folder. */
export function readRequestLogs<H, R extends LogRecord, S>(
  ports: ReadingPorts,
  layout: Layout,
  kind: LogKind<H, R, S>,
): {
  readonly logs: readonly { readonly id: RequestId; readonly state: S }[]
  readonly damaged: readonly DamagedLog[]
} {
  const refusal = folderRefusal(ports.files, layout, kind)
  if (refusal !== null) return { logs: [], damaged: [refusal] }
  const logs: { id: RequestId; state: S }[] = []
  const damaged: DamagedLog[] = []
  for (const { path, fileKind } of logPaths(ports, layout, kind)) {
    // Never opened: to open a pipe or a device is not without effect.
    if (fileKind !== 'file') {
      damaged.push({ path, error: 'it is no regular file, so it cannot be a log; remove it' })
      continue
    }
    try {
      const log = readNamedLog(ports, layout, kind, path.slice(path.lastIndexOf('/') + 1))
      if (log !== null) logs.push(log)
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      damaged.push({ path, error: error.message })
    }
  }
  return { logs: logs.sort((a, b) => (a.id < b.id ? -1 : 1)), damaged }
}

/** Names of the logs of a kind; none when their folder is missing or leads elsewhere. */
export function logNames(files: Files, layout: Layout, kind: LogPlace): readonly string[] {
  if (folderRefusal(files, layout, kind) !== null) return []
  return (files.names(inWorkspace(layout, kind.folder(layout))) ?? []).filter(isLogName).sort()
}

/** The log of that name; null when it is missing or its first record was torn. Throws as `readRequestLog` does. */
export function readNamedLog<H, R extends LogRecord, S>(
  ports: ReadingPorts,
  layout: Layout,
  kind: LogKind<H, R, S>,
  name: string,
): { readonly id: RequestId; readonly state: S } | null {
  const bytes = ports.files.read(inWorkspace(layout, `${kind.folder(layout)}/${name}`))
  return bytes === null ? null : logStateIn(ports.digest, layout, kind, name, bytes)
}

/** The same as far as the first `bytes` of the log tell it. */
export function logStateIn<H, R extends LogRecord, S>(
  digest: Digest,
  layout: Layout,
  kind: LogKind<H, R, S>,
  name: string,
  bytes: Uint8Array,
): { readonly id: RequestId; readonly state: S } | null {
  const path = `${kind.folder(layout)}/${name}`
  const contents = parseLog(digest, bytes, path, kind.format)
  return contents === null ? null : folded(digest, layout, kind, contents, path)
}

/** The first line of every log of a kind, believed unchecked: what a damaged log may have meant. None of one that cannot be read. */
export function readHeadings({ files }: ReadingPorts, layout: Layout, kind: LogPlace): readonly LogRecord[] {
  return logPaths({ files }, layout, kind)
    .filter(({ fileKind }) => fileKind === 'file')
    .map(({ path }) => headingAt(files, inWorkspace(layout, path)))
    .filter((heading) => heading !== null)
}

function headingAt(files: Files, path: string): LogRecord | null {
  try {
    return readFirstLine(files, path)
  } catch (error) {
    if (error instanceof MemoryError) return null
    throw error
  }
}

/** A link leads to what others may fill or change; what is no folder at all holds no logs. Null for a folder, and for none. */
export function folderRefusal(files: Files, layout: Layout, kind: LogPlace): DamagedLog | null {
  const path = kind.folder(layout)
  try {
    refuseLinks(files, layout, path)
  } catch (error) {
    if (error instanceof MemoryError && error.code === 'path_outside') return { path, error: error.message }
    throw error
  }
  const found = files.stat(inWorkspace(layout, path))?.kind ?? 'folder'
  return found === 'folder' ? null : { path, error: 'it is no folder, so it cannot hold logs; move it away' }
}

/** A log that ends with half a record, as a power cut leaves it. */
interface TornLog {
  readonly path: string
  readonly wholeBytes: number
  readonly tornBytes: number
}

/** None in a folder that is a link. */
export function tornLogs(ports: ReadingPorts, layout: Layout, kind: LogPlace): readonly TornLog[] {
  if (folderRefusal(ports.files, layout, kind) !== null) return []
  return logPaths(ports, layout, kind).flatMap(({ path, fileKind }) => {
    const wholeBytes = fileKind === 'file' ? wholeLengthOf(ports, inWorkspace(layout, path), kind.format) : null
    const tornBytes = (ports.files.stat(inWorkspace(layout, path))?.bytes ?? 0) - (wholeBytes ?? 0)
    return wholeBytes === null || tornBytes === 0 ? [] : [{ path, wholeBytes, tornBytes }]
  })
}

/** Takes off what is half-written behind each log's last whole record. For the holder of the writer's lock. */
export function cutTornLogs(ports: ReadingPorts, layout: Layout, kind: LogPlace): readonly TornLog[] {
  const torn = tornLogs(ports, layout, kind)
  for (const { path, wholeBytes } of torn) {
    using file = ports.files.openAppend(inWorkspace(layout, path))
    file.truncate(wholeBytes)
    file.sync()
  }
  return torn
}

/** Bytes of the whole records of a log that ends with half a one; null for all others, and for one that cannot be read. */
function wholeLengthOf({ files, digest }: ReadingPorts, path: string, format: LogFormat): number | null {
  try {
    return endsTorn(files, path) ? (readLog(files, digest, path, format)?.wholeBytes ?? 0) : null
  } catch (error) {
    if (error instanceof MemoryError) return null
    throw error
  }
}

/** Everything that has a log's name, of whatever kind it is. */
function logPaths({ files }: Pick<ReadingPorts, 'files'>, layout: Layout, kind: LogPlace) {
  const folder = kind.folder(layout)
  return (files.list(inWorkspace(layout, folder)) ?? [])
    .filter(({ name }) => isLogName(name))
    .map(({ name, kind: fileKind }) => ({ path: `${folder}/${name}`, fileKind }))
}

function folded<H, R extends LogRecord, S>(
  digest: Digest,
  layout: Layout,
  kind: LogKind<H, R, S>,
  contents: LogContents,
  path: string,
) {
  const { format: _, version: __, request_id, ...facts } = contents.heading
  const id = ownId(digest, request_id, path)
  const heading = checked(kind.heading, facts, path, 1)
  const headingFault = kind.headingFault?.(heading, layout) ?? null
  if (headingFault !== null) throw logCorrupt(path, 1, headingFault)
  let state = kind.start(heading, id)
  for (const [index, raw] of contents.records.entries()) {
    const record = checked(kind.record, raw, path, index + 2)
    const fault = kind.fault?.(state, record) ?? null
    if (fault !== null) throw logCorrupt(path, index + 2, fault)
    state = kind.step(state, record)
  }
  return { id, state }
}

/** The id of a log's heading: the one that the file is named after. */
function ownId(digest: Digest, requestId: unknown, path: string): RequestId {
  try {
    const id = parseRequestId(String(requestId))
    if (path.endsWith(`/${logName(digest, id)}`)) return id
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
  }
  throw logCorrupt(path, 1, 'its request_id is not the one that the file is named after')
}

function checked<T>(schema: v.GenericSchema<unknown, T>, value: unknown, path: string, lineNumber: number): T {
  const parsed = v.safeParse(schema, value)
  if (parsed.success) return parsed.output
  const issue = parsed.issues[0]
  const field = v.getDotPath(issue)
  throw logCorrupt(path, lineNumber, field === null ? issue.message : `${field}: ${issue.message}`)
}

/** A log whose lines are whole and cannot be true. */
function logCorrupt(path: string, lineNumber: number, reason: string): MemoryError {
  return new MemoryError(
    'log_corrupt',
    `${path}, line ${lineNumber}: ${reason}; restore the file from a backup or from git`,
    { path, line: lineNumber },
  )
}

/** The one writer's end of a request's log. `append` returns when the record is on the disk. */
export class RequestLog<H, R extends LogRecord, S> implements Disposable {
  readonly #kind: LogKind<H, R, S>
  readonly #writer: LogWriter
  #state: S

  private constructor(kind: LogKind<H, R, S>, writer: LogWriter, state: S) {
    this.#kind = kind
    this.#writer = writer
    this.#state = state
  }

  /** Continues the request's log, or begins it with `heading`. Throws what `readRequestLog` throws. */
  static open<H, R extends LogRecord, S>(
    ports: ReadingPorts,
    layout: Layout,
    kind: LogKind<H, R, S>,
    id: RequestId,
    heading: H,
  ): RequestLog<H, R, S> {
    const path = requestLogPath(ports.digest, layout, kind, id)
    const before = readLog(ports.files, ports.digest, inWorkspace(layout, path), kind.format)
    // Folded before anything is opened: what cannot be read is not touched.
    const state = before === null ? kind.start(heading, id) : folded(ports.digest, layout, kind, before, path).state
    const writer = LogWriter.open({
      ...ports,
      path: inWorkspace(layout, path),
      format: kind.format,
      heading: { request_id: id, ...heading },
      before,
    })
    return new RequestLog(kind, writer, state)
  }

  get state(): S {
    return this.#state
  }

  append(record: R): void {
    invariant(v.is(this.#kind.record, record), 'what is logged can be read back')
    const fault = this.#kind.fault?.(this.#state, record) ?? null
    invariant(fault === null, `what is logged can be read back: ${fault}`)
    this.#writer.append(record)
    this.#state = this.#kind.step(this.#state, record)
  }

  /** See `LogWriter.requireInPlace`. */
  requireInPlace(): void {
    this.#writer.requireInPlace()
  }

  [Symbol.dispose](): void {
    this.#writer[Symbol.dispose]()
  }
}
