/** Listing what was imported. */
import * as v from 'valibot'
import { writtenExperienceSchema } from '../../importer/import-result.ts'
import { errorReportSchema } from '../../model/error-report.ts'
import { operation } from '../operation.ts'
import { fileFault } from './file-fault.ts'

export const importsOutput = () =>
  v.strictObject({
    imports: v.array(
      v.strictObject({
        request_id: v.string(),
        status: v.picklist(['complete', 'incomplete']),
        trajectory: v.string(),
        segments: v.strictObject({ done: v.number(), total: v.nullable(v.number()) }),
        experiences: v.array(writtenExperienceSchema()),
        error: v.nullable(errorReportSchema()),
      }),
    ),
    damaged: v.exactOptional(v.array(fileFault())),
  })

export const procedureImports = operation({
  name: 'procedure_imports',
  command: 'imports',
  exposure: ['cli', 'repl'],
  summary: 'List the imports of this workspace and where each stands.',
  positionals: [],
  examples: ['knowhow imports', 'knowhow imports --json'],
  writes: false,
  input: () => v.strictObject({}),
  output: importsOutput,
  run: async ({ workspace }) => workspace.imports(),
})
