/** The story of one import as its log tells it: what was asked, copied, read, and how it ended. */
import * as v from 'valibot'
import { errorReportSchema } from '../model/error-report.ts'
import type { RequestId } from '../model/request-id.ts'
import type { LogKind, RequestLog } from '../workspace/request-log.ts'
import { importResultSchema } from './import-result.ts'
import { EXTRACTORS, ON_MALFORMED, TRAJECTORY_FORMATS } from './intake/trajectory-format.ts'

/** What must stay the same for an import to be continued. */
const settingsSchema = v.strictObject({
  tokenizer: v.string(),
  segment: v.number(),
  extractor: v.picklist(EXTRACTORS),
  segmentation: v.number(),
})
export type ImportSettings = Readonly<v.InferOutput<typeof settingsSchema>>

const time = v.string()

/** What was asked, and the name reserved for it: with it the import exists. */
const headingSchema = v.strictObject({
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
})
export type ImportHeading = Readonly<v.InferOutput<typeof headingSchema>>

const recordSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('copied'), at: time }),
  v.strictObject({
    kind: v.literal('read'),
    at: time,
    format: v.picklist(TRAJECTORY_FORMATS),
    encoding: v.picklist(['utf-8', 'utf-16le', 'utf-16be']),
    on_malformed: v.picklist(ON_MALFORMED),
    replacements: v.number(),
    redactions: v.number(),
  }),
  v.strictObject({ kind: v.literal('stopped'), at: time, error: errorReportSchema }),
  v.strictObject({ kind: v.literal('completed'), at: time, result: importResultSchema }),
])
type ImportRecord = v.InferOutput<typeof recordSchema>
type RecordOf<K extends ImportRecord['kind']> = Readonly<Extract<ImportRecord, { kind: K }>>

/** The heading, and the latest record of each kind. */
export interface ImportState extends ImportHeading {
  readonly requestId: RequestId
  readonly copied: boolean
  readonly read: RecordOf<'read'> | null
  readonly stopped: RecordOf<'stopped'> | null
  readonly completed: RecordOf<'completed'> | null
}

export const IMPORT_LOG: LogKind<ImportHeading, ImportRecord, ImportState> = {
  format: { name: 'knowhow-import', version: 1 },
  folder: (layout) => layout.imports,
  heading: headingSchema,
  record: recordSchema,
  start: (heading, requestId) => ({
    ...heading,
    requestId,
    copied: false,
    read: null,
    stopped: null,
    completed: null,
  }),
  step: (state, record) => ({ ...state, [record.kind]: record.kind === 'copied' ? true : record }),
}

export type ImportLog = RequestLog<ImportHeading, ImportRecord, ImportState>

/** Names that imports have reserved, whether or not their copy exists yet. */
export function reservedNames(states: readonly ImportState[]): ReadonlySet<string> {
  return new Set(states.map(({ trajectory }) => lastPart(trajectory)))
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
