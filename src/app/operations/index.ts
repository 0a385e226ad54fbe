/** The search index, for people who want to look inside it or to take it elsewhere. */
import * as v from 'valibot'
import { VIEW_NAMES } from '../../model/experience.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { operation } from '../operation.ts'

const count = v.number()
const vectorsOfView = v.strictObject({ documents: count, present: count, owed: count })

export const indexExport = operation({
  name: 'index_export',
  command: 'index export',
  exposure: ['cli'],
  summary: 'Write a view as a plain Orama database that other programs restore and search, without vectors.',
  positionals: ['view', 'file'],
  examples: ['knowhow index export when_to_use when-to-use.json'],
  writes: false,
  input: () =>
    v.strictObject({
      view: v.pipe(v.picklist(VIEW_NAMES), v.description('when_to_use or when_to_use_content.')),
      file: v.pipe(v.string(), v.minLength(1, 'must not be empty'), v.description('A new file for the database.')),
    }),
  output: () => v.strictObject({ view: v.picklist(VIEW_NAMES), file: v.string(), documents: count, bytes: count }),
  run: async ({ workspace, yieldToSignals, signal }, { view, file }) => {
    const path = workspace.newOutside(file)
    const texts = (await workspace.library()).viewTexts(view)
    const { exportedView } = await import('../../search/orama-export.ts')
    const json = await exportedView(texts, async () => {
      await yieldToSignals()
      if (signal.aborted) throw new MemoryError('interrupted', 'interrupted before the file was written; run it again')
    })
    const bytes = new TextEncoder().encode(json)
    await workspace.publishOutside(path, bytes)
    return { view, file: path, documents: texts.length, bytes: bytes.length }
  },
})

export const indexStats = operation({
  name: 'index_stats',
  command: 'index stats',
  exposure: ['cli'],
  summary: 'Show the size and generation of the search index, and which vectors are there.',
  positionals: [],
  examples: ['knowhow index stats', 'knowhow index stats --json'],
  writes: false,
  input: () => v.strictObject({}),
  output: () =>
    v.strictObject({
      generation: count,
      bytes: count,
      documents: count,
      terms: count,
      beside: count,
      analyzer: count,
      vectors: v.exactOptional(
        v.strictObject({ packs: count, bytes: count, ...v.entriesFromList(VIEW_NAMES, vectorsOfView) }),
      ),
    }),
  run: async ({ workspace }) => workspace.indexStats(),
})
