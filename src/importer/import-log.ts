/** The story of one import as its log tells it: what was asked, copied, read, and how it ended. */
import * as v from 'valibot'
import { errorReportSchema } from '../model/error-report.ts'
import { fileNameFault, lastPart } from '../model/file-name.ts'
import type { RequestId } from '../model/request-id.ts'
import type { Layout } from '../workspace/layout.ts'
import type { LogRecord } from '../workspace/record-log.ts'
import type { LogKind, RequestLog } from '../workspace/request-log.ts'
import { EXTRACTORS, ON_MALFORMED } from './import-request.ts'
import { type LoggedResult, loggedResultSchema } from './import-result.ts'
import { TRAJECTORY_FORMATS } from './intake/trajectory-format.ts'

/** Names and paths lead to files, so they are checked: a log may have come with a workspace from someone else. */
const fileName = v.pipe(
  v.string(),
  v.check((name) => fileNameFault(name) === null, 'it is no file name'),
)
const workspacePath = v.pipe(v.string(), v.check(isWorkspacePath, 'it is no path inside the workspace'))
const absolutePath = v.pipe(v.string(), v.regex(/^(?:[/\\]|[A-Za-z]:)/, 'it is not absolute'))
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'it is no SHA-256'))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** What must stay the same for an import to be continued. */
const settingsSchema = v.strictObject({
  tokenizer: v.string(),
  segment: count,
  extractor: v.picklist(EXTRACTORS),
  segmentation: count,
})
export type ImportSettings = Readonly<v.InferOutput<typeof settingsSchema>>

const time = v.string()

/** What was asked, and the name reserved for it: with it the import exists. */
const headingSchema = v.strictObject({
  at: time,
  /** The original's absolute path, and the name asked for. */
  source: absolutePath,
  name: fileName,
  trajectory: workspacePath,
  sha256,
  bytes: count,
  settings: settingsSchema,
  source_id: v.nullable(v.string()),
  memory_hint: v.nullable(v.string()),
  /** The memory graph's that the run belongs to. */
  session: v.exactOptional(v.string()),
})
export type ImportHeading = Readonly<v.InferOutput<typeof headingSchema>>

const resultSchema = v.pipe(
  loggedResultSchema(),
  v.check(
    ({ trajectory, experiences }) => [trajectory, ...experiences.map(({ path }) => path)].every(isWorkspacePath),
    'it names what is no path inside the workspace',
  ),
)

const recordSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('copied'), at: time }),
  v.strictObject({
    kind: v.literal('read'),
    at: time,
    format: v.picklist(TRAJECTORY_FORMATS),
    encoding: v.picklist(['utf-8', 'utf-16le', 'utf-16be']),
    on_malformed: v.picklist(ON_MALFORMED),
    replacements: count,
    redactions: count,
  }),
  v.strictObject({ kind: v.literal('stopped'), at: time, error: errorReportSchema() }),
  v.strictObject({ kind: v.literal('completed'), at: time, result: resultSchema }),
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
  headingFault,
  start: (heading, requestId) => ({
    ...heading,
    requestId,
    copied: false,
    read: null,
    stopped: null,
    completed: null,
  }),
  fault,
  step: (state, record) => ({ ...state, [record.kind]: record.kind === 'copied' ? true : record }),
}

export type ImportLog = RequestLog<ImportHeading, ImportRecord, ImportState>

/** No import's original, whatever session_dir and trajectory_subdir were when it began. */
function headingFault({ trajectory }: ImportHeading, layout: Layout): string | null {
  if (trajectory.startsWith(`${layout.trajectories}/`)) return null
  const taken = [layout.procedures, 'metadata'].find((folder) => trajectory.startsWith(`${folder}/`))
  return taken === undefined ? null : `trajectory: ${trajectory} lies in ${taken}, where no original is kept`
}

/** A record that no run could have written here, whatever its checksum says. */
function fault(state: ImportState, record: ImportRecord): string | null {
  if (state.completed !== null) return 'something follows the completion'
  switch (record.kind) {
    case 'copied':
    case 'stopped':
      return null
    case 'read':
      return state.copied ? null : 'it was read before it was copied'
    case 'completed':
      return state.read === null ? 'it was completed before it was read' : contradiction(state, record.result)
  }
}

/** What the result says otherwise than the records before it. */
function contradiction(state: ImportState, result: LoggedResult): string | null {
  if (result.status !== 'complete') return `result.status: a completed import is not ${result.status}`
  const { requestId: request_id, trajectory, sha256, bytes } = state
  const recorded = { request_id, trajectory, sha256, bytes }
  for (const field of ['request_id', 'trajectory', 'sha256', 'bytes'] as const)
    if (result[field] !== recorded[field]) return `result.${field}: it is not the one of this import`
  return null
}

/**
 * Names that imports have reserved, whether or not their copy exists yet. Of a damaged heading too: a name too many only
 * costs a number.
 */
export function reservedNames(headings: readonly LogRecord[]): ReadonlySet<string> {
  return new Set(reservedPaths(headings).map(lastPart))
}

/** Where the copies are, or are to be, relative to the workspace. */
export function reservedPaths(headings: readonly LogRecord[]): readonly string[] {
  return headings.map(({ trajectory }) => trajectory).filter((trajectory) => typeof trajectory === 'string')
}

function isWorkspacePath(path: string): boolean {
  return path.includes('/') && path.split('/').every((part) => fileNameFault(part) === null)
}
