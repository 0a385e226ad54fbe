/** Experiences for other programs: skills that agents load, or JSON lines. */
import * as v from 'valibot'
import { EXPORT_FORMATS } from '../export/export-format.ts'
import { operation } from '../operation.ts'
import { fileFault, leftOutFile } from './file-fault.ts'

export const procedureExportOutput = () =>
  v.strictObject({
    format: v.picklist(EXPORT_FORMATS),
    dir: v.string(),
    experiences: v.number(),
    files: v.array(v.string()),
    stale: v.array(v.string()),
    pending: v.array(leftOutFile()),
    invalid: v.array(fileFault()),
  })

export const procedureExport = operation({
  name: 'procedure_export',
  command: 'export',
  exposure: ['cli'],
  summary:
    'Write all experiences into a folder, as skills that agents load or as JSON lines. Of what is there it replaces only what it made and nobody changed; where it would have to replace anything else it names that and writes nothing.',
  positionals: ['format', 'dir'],
  examples: ['knowhow export skills .claude/skills', 'knowhow export jsonl ../experiences --json'],
  writes: false,
  input: () =>
    v.strictObject({
      format: v.pipe(
        v.picklist(EXPORT_FORMATS),
        v.description('skills makes DIR/<name>/SKILL.md of each, jsonl one file DIR/experiences.jsonl.'),
      ),
      dir: v.pipe(
        v.string(),
        v.nonEmpty('must not be empty'),
        v.description('A folder outside the workspace; made if it is missing.'),
      ),
    }),
  terms: {
    files: 'what is in the folder now, by paths in it',
    stale: 'skills that an export made of experiences which are no longer here: left there, remove them yourself',
    pending: 'experiences that are in no view, as the embedder refuses their texts: not exported',
    invalid: 'files that are no experiences: not exported',
  },
  output: procedureExportOutput,
  run: async ({ workspace, ...run }, { format, dir }) => workspace.exportExperiences(format, dir, run),
})
