/** Reading one experience, or a part of an original. */
import * as v from 'valibot'
import { experienceSchema } from '../../model/experience.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { operation } from '../operation.ts'
import { valuesOf } from '../value-source.ts'

const CHARACTERS_DEFAULT = 8_192

const wholeNumber = (about: string) =>
  v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(0, 'must not be negative'), v.description(about))

export const readOutput = () =>
  v.union([
    v.strictObject({
      path: v.string(),
      kind: v.literal('experience'),
      version: v.string(),
      experience: experienceSchema(),
      source_missing: v.optional(v.boolean()),
    }),
    v.strictObject({
      path: v.string(),
      kind: v.literal('trajectory'),
      offset: v.number(),
      length: v.number(),
      total: v.number(),
      text: v.string(),
      truncated: v.boolean(),
    }),
  ])

export const procedureRead = operation({
  name: 'procedure_read',
  command: 'read',
  exposure: ['cli', 'repl', 'service', 'extraction'],
  summary: 'Read one experience, or a part of an original trajectory.',
  positionals: ['path'],
  examples: [
    'knowhow read procedures/rebuild-search-index.json',
    'knowhow read session/trajectories/run.jsonl --kind trajectory --offset 0 --length 2000',
  ],
  writes: false,
  whenToUse: 'Call it for an experience whose path you know, or for what the run behind one did and printed.',
  recallsPast: true,
  isRemote: true,
  input: () =>
    v.strictObject({
      path: v.pipe(
        v.string(),
        v.description('Workspace path, as search results and sources give it.'),
        valuesOf('path'),
      ),
      kind: v.optional(
        v.pipe(
          v.picklist(['experience', 'trajectory']),
          v.description('experience, or trajectory for an original; told by the path when left out.'),
        ),
      ),
      offset: v.optional(wholeNumber('First character of a trajectory to read, from 0.')),
      length: v.optional(wholeNumber(`Most characters of a trajectory to read. Default: ${CHARACTERS_DEFAULT}.`)),
    }),
  terms: {
    'offset, length, total': 'of the text, in characters; what is left is read with --offset',
    truncated: 'whether the text is shorter than asked for, as it would be too many tokens (token_limits.read)',
    source_missing: 'whether it names no trajectory, or one that is not in this workspace',
  },
  output: readOutput,
  run: async ({ workspace, extraction, masksOriginals, ...run }, { path, kind, offset, length }) => {
    if (kind === 'trajectory' || (kind === undefined && workspace.isTrajectory(path))) {
      const range = { offset: offset ?? 0, length: length ?? CHARACTERS_DEFAULT }
      const masking = masksOriginals ? 'alone' : (extraction?.redactor ?? null)
      return workspace.readTrajectory(path, range, masking, run)
    }
    if (offset !== undefined || length !== undefined)
      throw new MemoryError('invalid_argument', 'offset and length are for trajectories, and this path is none')
    return { kind: 'experience' as const, ...(await workspace.library()).read(path) }
  },
})
