/** Writing experiences: offered to an extraction run alone. */
import * as v from 'valibot'
import type { ExtractionRun } from '../../importer/import-surroundings.ts'
import { invariant, MemoryError } from '../../model/memory-error.ts'
import { type OperationContext, operation } from '../operation.ts'

const text = (about: string) => v.pipe(v.string(), v.description(about))
const operationKey = () =>
  v.pipe(
    v.string(),
    v.regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 visible ASCII characters'),
    v.description('Names this write: the same key repeats the same write and no other.'),
  )
const written = () =>
  v.variant('status', [
    v.strictObject({ status: v.literal('committed'), path: v.string(), version: v.string() }),
    v.strictObject({
      status: v.literal('index_pending'),
      path: v.string(),
      version: v.string(),
      error: v.string(),
    }),
  ])

export const procedureCreate = operation({
  name: 'procedure_create',
  command: null,
  exposure: ['extraction'],
  summary: 'Create one experience under a new file name.',
  positionals: [],
  examples: [],
  writes: true,
  input: () =>
    v.strictObject({
      filename: text('Meaningful lower-case words joined by hyphens, such as rebuild-search-index.json.'),
      description: text('What it achieves, in one sentence.'),
      'when-to-use': text('The situation in which to use it, as someone in it would search for it.'),
      content: text('Steps, pitfalls, when it does not apply, and the check that shows success.'),
      operation_key: operationKey(),
    }),
  output: written,
  run: async (context, { filename, operation_key, ...texts }) => {
    const { writer, trajectory, key } = runOf(context, operation_key)
    return writer.create(key, filename.replace(/\.json$/, ''), texts, [trajectory])
  },
})

export const procedureUpdate = operation({
  name: 'procedure_update',
  command: null,
  exposure: ['extraction'],
  summary: 'Change one or more texts of an existing experience; the others and its sources are kept.',
  positionals: [],
  examples: [],
  writes: true,
  input: () =>
    v.strictObject({
      path: text('Path of the experience, as search and read give it.'),
      expected_version: text('Its version as you last read it.'),
      operation_key: operationKey(),
      description: v.exactOptional(text('The new description.')),
      'when-to-use': v.exactOptional(text('The new situation.')),
      content: v.exactOptional(text('The new content.')),
    }),
  output: written,
  run: async (context, { path, expected_version, operation_key, ...changes }) => {
    const { writer, trajectory, key } = runOf(context, operation_key)
    if (Object.keys(changes).length === 0)
      throw new MemoryError('invalid_argument', 'give at least one of description, when-to-use and content')
    return writer.update(key, path, expected_version, changes, [trajectory])
  },
})

/** Keys are scoped to the segment here, and to the request by its journal. */
function runOf({ extraction }: OperationContext, operationKey: string): ExtractionRun & { readonly key: string } {
  invariant(extraction !== null, 'writes exist only inside an extraction run')
  return { ...extraction, key: `${extraction.segmentIndex}/${operationKey}` }
}
