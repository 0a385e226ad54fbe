/** Importing logs: the one operation that takes files from outside the workspace. */
import * as v from 'valibot'
import { type ImportForecast, importForecastSchema } from '../../importer/import-forecast.ts'
import { EXTRACTORS, ON_MALFORMED } from '../../importer/import-request.ts'
import { type ImportResult, importResultSchema } from '../../importer/import-result.ts'
import { interrupted } from '../../importer/running.ts'
import { errorReportSchema, reportOf } from '../../model/error-report.ts'
import { MemoryError, scopeOf } from '../../model/memory-error.ts'
import type { ImportOptions } from '../import-options.ts'
import { type OperationContext, operation } from '../operation.ts'

const failedFile = () => v.strictObject({ status: v.literal('failed'), file: v.string(), error: errorReportSchema() })
type FailedFile = v.InferOutput<ReturnType<typeof failedFile>>

export const importOutput = () =>
  v.union([
    importResultSchema(),
    importForecastSchema(),
    v.strictObject({ imports: v.array(v.union([importResultSchema(), importForecastSchema(), failedFile()])) }),
  ])

export const procedureImport = operation({
  name: 'procedure_import',
  command: 'import',
  exposure: ['cli'],
  summary: 'Import logs of agent runs: copy each, and extract experiences from it.',
  positionals: ['files'],
  examples: [
    'knowhow import run.jsonl',
    'knowhow import build.log --request-id ci-4711 --extractor offline --json',
    'knowhow import --resume ci-4711',
  ],
  writes: true,
  isLong: true,
  input: () =>
    v.strictObject({
      files: v.optional(
        v.pipe(v.array(v.string()), v.description('Text, Markdown, JSON, JSONL or log files, one run each.')),
      ),
      filename: v.optional(v.pipe(v.string(), v.description("Name in the workspace; default: the file's own."))),
      request_id: v.optional(
        v.pipe(v.string(), v.description('Makes the import resumable under this name; else one is made up.')),
      ),
      source_id: v.optional(v.pipe(v.string(), v.description('A label of yours, kept in the import log.'))),
      memory_hint: v.optional(v.pipe(v.string(), v.description('What is worth remembering; focuses the extraction.'))),
      session: v.optional(
        v.pipe(
          v.string(),
          v.description('Session of the memory graph that the run belongs to; default: one of its own.'),
        ),
      ),
      extractor: v.optional(
        v.pipe(
          v.picklist(['auto', ...EXTRACTORS]),
          v.description('auto (default): llm when LLM_MODEL_NAME is set, else offline.'),
        ),
      ),
      on_malformed: v.optional(
        v.pipe(
          v.picklist(ON_MALFORMED),
          v.description('What to do with broken JSON: fail (default), or read it as text.'),
        ),
      ),
      max_requests: v.optional(
        v.pipe(
          v.number(),
          v.integer('must be a whole number'),
          v.minValue(1, 'must be at least 1'),
          v.description('Most model calls for this import, over all its runs; without it a resumed one has no cap.'),
        ),
      ),
      dry_run: v.optional(
        v.pipe(
          v.boolean(),
          v.description('Tell segments, tokens and the model calls to expect; call no model, store nothing.'),
        ),
        false,
      ),
      redact: v.optional(v.pipe(v.boolean(), v.description('Mask secrets before a model sees the text.')), true),
      resume: v.optional(v.pipe(v.string(), v.description('Continue the import of this request id.'))),
    }),
  terms: {
    imports: 'of several files: such an answer for each; of one file the answer is it',
    replacements: 'invalid byte sequences that were read as U+FFFD',
    redactions: 'secrets that are masked wherever a model reads the text',
    reply: 'what was learnt, or why nothing was',
    usage_by_segment: 'the same as usage, for each segment that a model was asked about, from 1; empty offline',
    requests:
      'with --dry-run: model calls, at least one a segment, at most what extraction.iterations_max and --max-requests allow; requests that fail and are repeated come on top',
  },
  output: importOutput,
  run: async ({ workspace, ...run }, input) => {
    const files = input.files ?? []
    requireFitting(files, input)
    const [first, ...others] = files
    if (first !== undefined && input.dry_run) return forecasts(files, input, { workspace, ...run })
    if (others.length === 0) {
      const result = await workspace.importTrajectory(first ?? null, input, run)
      await workspace.catchUp(writtenBy([result]), run)
      return result
    }
    const imports: (ImportResult | FailedFile)[] = []
    for (const [index, file] of files.entries()) {
      try {
        if (run.signal.aborted) throw interrupted()
        imports.push(await workspace.importTrajectory(file, input, run))
      } catch (error) {
        if (!(error instanceof MemoryError)) throw error
        const endsAll = scopeOf(error.code) === 'machine'
        // The answers so far are worth more than the error alone.
        if (endsAll && index === 0) throw error
        if (error.code !== 'interrupted') imports.push(failed(file, error))
        // Whatever ends all has met no file behind this one.
        const left = endsAll ? files.slice(error.code === 'interrupted' ? index : index + 1) : []
        imports.push(...left.map((name) => failed(name, notBegun(error))))
        if (endsAll) break
      }
    }
    // Once for all: each may have to wait for an embedder that does not answer.
    await workspace.catchUp(writtenBy(imports), run)
    return { imports }
  },
  endingOf: (output) => {
    const all = ('imports' in output ? output.imports : [output]).filter((one) => 'status' in one)
    if (all.some(({ error }) => error?.code === 'interrupted')) return 'interrupted'
    if (all.some(({ status }) => status === 'failed')) return 'failed'
    return all.some(({ status }) => status === 'incomplete') ? 'incomplete' : 'done'
  },
})

function failed(file: string, error: MemoryError): FailedFile {
  return { status: 'failed', file, error: reportOf(error) }
}

function notBegun({ code, message }: MemoryError): MemoryError {
  const why =
    code === 'interrupted' ? 'interrupted before' : `not begun, as an import before could not be done: ${message}`
  return new MemoryError(code, `${why}; import the file again`, { resumable: false })
}

type Forecasts = ImportForecast | { imports: (ImportForecast | FailedFile)[] }

/** Of one file the answer; of several one each, a fault of a file included. */
async function forecasts(
  files: readonly string[],
  input: ImportOptions,
  { workspace, ...run }: OperationContext,
): Promise<Forecasts> {
  const [first = '', ...others] = files
  if (others.length === 0) return workspace.forecastImport(first, input, run)
  const imports: (ImportForecast | FailedFile)[] = []
  for (const file of files) {
    try {
      imports.push(await workspace.forecastImport(file, input, run))
    } catch (error) {
      if (!(error instanceof MemoryError) || scopeOf(error.code) === 'machine') throw error
      imports.push({ status: 'failed', file, error: reportOf(error) })
    }
  }
  return { imports }
}

/** Paths of the experiences. */
function writtenBy(imports: readonly (ImportResult | FailedFile)[]): ReadonlySet<string> {
  return new Set(imports.flatMap((one) => (one.status === 'failed' ? [] : one.experiences.map(({ path }) => path))))
}

function requireFitting(
  files: readonly string[],
  input: {
    readonly filename?: string | undefined
    readonly request_id?: string | undefined
    readonly resume?: string | undefined
    readonly dry_run?: boolean
  },
): void {
  if (input.resume !== undefined && input.dry_run === true)
    throw new MemoryError('invalid_argument', '--dry-run tells of a new import; leave out --resume, or --dry-run')
  if (
    input.resume !== undefined &&
    (files.length > 0 || input.request_id !== undefined || input.filename !== undefined)
  )
    throw new MemoryError(
      'invalid_argument',
      '--resume takes the request id alone; leave out FILE, --request-id and --filename',
    )
  if (input.resume === undefined && files.length === 0)
    throw new MemoryError('invalid_argument', 'give at least one FILE to import, or --resume ID')
  if (files.length < 2) return
  for (const [flag, value] of [
    ['--request-id', input.request_id],
    ['--filename', input.filename],
  ] as const)
    if (value !== undefined)
      throw new MemoryError(
        'invalid_argument',
        `${flag} names one import, but ${files.length} files were given; import them one by one`,
      )
}
