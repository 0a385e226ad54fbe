/** The append-only story of one import: what was asked, copied, read, and how it ended. */
import * as v from 'valibot'
import { MemoryError } from '../model/memory-error.ts'
import { parseRequestId, type RequestId } from '../model/request-id.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { logName } from '../workspace/log-name.ts'
import { type LogContents, type LogFormat, type LogRecord, LogWriter, readLog } from '../workspace/record-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import { importResultSchema } from './import-result.ts'

const FORMAT: LogFormat = { name: 'knowhow-import', version: 1 }

/** What must stay the same for an import to be continued. */
const settingsSchema = v.strictObject({
  tokenizer: v.string(),
  segment: v.number(),
  extractor: v.picklist(['llm', 'offline']),
  segmentation: v.number(),
})
export type ImportSettings = Readonly<v.InferOutput<typeof settingsSchema>>

const time = v.string()
const errorReport = v.strictObject({ code: v.string(), message: v.string(), resumable: v.boolean() })

const recordSchema = v.variant('kind', [
  /** What was asked, and the name reserved for it: from here on the import exists. */
  v.strictObject({
    kind: v.literal('requested'),
    at: time,
    /** The original's absolute path, and the name asked for. */
    source: v.string(),
    name: v.string(),
    trajectory: v.string(),
    sha256: v.string(),
    bytes: v.number(),
    settings: settingsSchema,
    source_id: v.nullable(v.string()),
    memory_hint: v.nullable(v.string()),
  }),
  v.strictObject({ kind: v.literal('copied'), at: time }),
  v.strictObject({
    kind: v.literal('read'),
    at: time,
    format: v.picklist(['text', 'markdown', 'log', 'json', 'jsonl']),
    encoding: v.picklist(['utf-8', 'utf-16le', 'utf-16be']),
    on_malformed: v.picklist(['fail', 'text']),
    replacements: v.number(),
    redactions: v.number(),
  }),
  v.strictObject({ kind: v.literal('stopped'), at: time, error: errorReport }),
  v.strictObject({ kind: v.literal('completed'), at: time, result: importResultSchema }),
])
type ImportRecord = v.InferOutput<typeof recordSchema>
type RecordOf<K extends ImportRecord['kind']> = Readonly<Extract<ImportRecord, { kind: K }>>

/** The log folded: the latest record of each kind. */
export interface ImportState {
  readonly requestId: RequestId
  readonly requested: RecordOf<'requested'> | null
  readonly copied: boolean
  readonly read: RecordOf<'read'> | null
  readonly stopped: RecordOf<'stopped'> | null
  readonly completed: RecordOf<'completed'> | null
}

export function pathOfImportLog(ports: Pick<WorkspacePorts, 'digest'>, layout: Layout, id: RequestId): string {
  return inWorkspace(layout, `${layout.imports}/${logName(ports.digest, id)}`)
}

/** Null when nothing was ever logged under this id. */
export function readImport(
  ports: Pick<WorkspacePorts, 'files' | 'digest'>,
  layout: Layout,
  id: RequestId,
): ImportState | null {
  const path = pathOfImportLog(ports, layout, id)
  return stateOf(readLog(ports.files, ports.digest, path, FORMAT), path)
}

/** Every import of the workspace, by request id. */
export function readImports(ports: Pick<WorkspacePorts, 'files' | 'digest'>, layout: Layout): readonly ImportState[] {
  const states: ImportState[] = []
  for (const entry of ports.files.list(inWorkspace(layout, layout.imports)) ?? []) {
    if (entry.kind !== 'file' || !entry.name.endsWith('.jsonl')) continue
    const path = inWorkspace(layout, `${layout.imports}/${entry.name}`)
    const state = stateOf(readLog(ports.files, ports.digest, path, FORMAT), path)
    if (state !== null) states.push(state)
  }
  return states.sort((a, b) => (a.requestId < b.requestId ? -1 : 1))
}

/** Names that imports have reserved, whether or not their copy exists yet. */
export function reservedNames(states: readonly ImportState[]): ReadonlySet<string> {
  return new Set(states.flatMap(({ requested }) => (requested === null ? [] : [lastPart(requested.trajectory)])))
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function stateOf(contents: LogContents | null, path: string): ImportState | null {
  if (contents === null) return null
  const requestId = parseRequestId(String(contents.heading.request_id))
  const latest = new Map<ImportRecord['kind'], ImportRecord>()
  for (const [index, record] of contents.records.entries()) {
    const parsed = readRecord(record, path, index)
    latest.set(parsed.kind, parsed)
  }
  const of = <K extends ImportRecord['kind']>(kind: K) => (latest.get(kind) as RecordOf<K> | undefined) ?? null
  return {
    requestId,
    requested: of('requested'),
    copied: latest.has('copied'),
    read: of('read'),
    stopped: of('stopped'),
    completed: of('completed'),
  }
}

function readRecord(record: LogRecord, path: string, index: number): ImportRecord {
  const parsed = v.safeParse(recordSchema, record)
  if (parsed.success) return parsed.output
  throw new MemoryError(
    'log_corrupt',
    `${path}, line ${index + 2}: ${parsed.issues[0].message}; restore it from a backup`,
  )
}

/** The writer's end. Each method returns when its record is on the disk. */
export class ImportLog implements Disposable {
  readonly #writer: LogWriter
  #state: ImportState

  private constructor(writer: LogWriter, state: ImportState) {
    this.#writer = writer
    this.#state = state
  }

  static open(ports: WorkspacePorts, layout: Layout, id: RequestId): ImportLog {
    const path = pathOfImportLog(ports, layout, id)
    const heading = { request_id: id }
    const { writer, contents } = LogWriter.open({ ...ports, path, format: FORMAT, heading })
    const state = stateOf(contents ?? { records: [], heading, wholeBytes: 0, tornBytes: 0, lastSum: '' }, path)
    if (state === null) throw new Error('a log that is open has a state')
    return new ImportLog(writer, state)
  }

  get state(): ImportState {
    return this.#state
  }

  append(record: ImportRecord): void {
    this.#writer.append(record)
    this.#state = { ...this.#state, [record.kind]: record.kind === 'copied' ? true : record }
  }

  [Symbol.dispose](): void {
    this.#writer[Symbol.dispose]()
  }
}
