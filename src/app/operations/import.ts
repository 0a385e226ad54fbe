/** Importing logs: the one operation that takes files from outside the workspace. */
import * as v from 'valibot'
import { type ImportResult, importResultSchema } from '../../importer/import-result.ts'
import { interrupted } from '../../importer/import-surroundings.ts'
import { EXTRACTORS, ON_MALFORMED } from '../../importer/intake/trajectory-format.ts'
import { errorReportSchema, reportOf } from '../../model/error-report.ts'
import { MemoryError, scopeOf } from '../../model/memory-error.ts'
import { operation } from '../operation.ts'

const failedFile = () => v.strictObject({ status: v.literal('failed'), file: v.string(), error: errorReportSchema() })
type FailedFile = v.InferOutput<ReturnType<typeof failedFile>>

export const importOutput = () =>
  v.union([importResultSchema(), v.strictObject({ imports: v.array(v.union([importResultSchema(), failedFile()])) })])

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
      extractor: v.optional(
        v.pipe(
          v.picklist(['auto', ...EXTRACTORS]),
          v.description('llm, offline, or auto (default): llm when LLM_MODEL_NAME is set.'),
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
          v.description('Most model calls for this import.'),
        ),
      ),
      redact: v.optional(v.pipe(v.boolean(), v.description('Mask secrets before a model sees the text.')), true),
      resume: v.optional(v.pipe(v.string(), v.description('Continue the import of this request id.'))),
    }),
  terms: {
    imports: 'of several files: such an answer for each; of one file the answer is it',
    replacements: 'invalid byte sequences that were read as U+FFFD',
    redactions: 'secrets that are masked wherever a model reads the text',
    reply: 'what was learnt, or why nothing was',
  },
  output: importOutput,
  run: async ({ workspace, ...run }, input) => {
    const files = input.files ?? []
    requireFitting(files, input)
    const [first, ...others] = files
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
        const left = endsAll ? files.slice(index) : [file]
        imports.push(...left.map((name) => ({ status: 'failed' as const, file: name, error: reportOf(error) })))
        if (endsAll) break
      }
    }
    // Once for all: each may have to wait for an embedder that does not answer.
    await workspace.catchUp(writtenBy(imports), run)
    return { imports }
  },
  endingOf: (output) => {
    const all = 'imports' in output ? output.imports : [output]
    if (all.some(({ error }) => error?.code === 'interrupted')) return 'interrupted'
    if (all.some(({ status }) => status === 'failed')) return 'failed'
    return all.some(({ status }) => status === 'incomplete') ? 'incomplete' : 'done'
  },
})

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
  },
): void {
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
