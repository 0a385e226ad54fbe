/** The search index, for people who want to look inside it or to take it elsewhere. */
import * as v from 'valibot'
import { throwIfInterrupted } from '../../importer/running.ts'
import { VIEW_NAMES } from '../../model/experience.ts'
import { operation } from '../operation.ts'
import { leftOutFile } from './file-fault.ts'

const count = () => v.number()
const VIEWS = 'when_to_use holds the situation of each experience, when_to_use_content the situation and the content.'
const vectorsOfView = () => v.strictObject({ documents: count(), present: count(), owed: count() })

/** Of the packed base on the disk, and of what differs from it. */
export const indexFacts = () => ({
  analyzer: count(),
  generation: count(),
  bytes: count(),
  documents: count(),
  invalid: count(),
  terms: count(),
  beside: count(),
})

export const INDEX_TERMS = {
  bytes: 'of the base',
  documents: 'experiences in the base',
  terms: 'distinct words of both views in the base',
  generation: 'how often the base, the index file on the disk, was written',
  invalid: 'files that are no experiences, in the base or not',
  analyzer: 'version of the rules that make terms of a text; with another the base is built anew',
  beside: 'files that differ from the base: analysed in memory, taken in at the next rebuild',
}

export const indexExportOutput = () =>
  v.strictObject({
    view: v.picklist(VIEW_NAMES),
    file: v.string(),
    documents: count(),
    bytes: count(),
    words_left_out: count(),
    /** Experiences that are in no view, and not in the file. */
    pending: v.array(leftOutFile()),
  })

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
      view: v.pipe(v.picklist(VIEW_NAMES), v.description(VIEWS)),
      file: v.pipe(v.string(), v.nonEmpty('must not be empty'), v.description('A new file for the database.')),
    }),
  terms: {
    documents: 'experiences in the file',
    words_left_out:
      'words too long for Orama, or in letters that its English tokenizer does not know: in the documents, but no search of the file finds them',
    pending: 'experiences that are in no view, as the embedder refuses their texts: not in the file',
  },
  output: indexExportOutput,
  run: async ({ workspace, ...run }, { view, file }) => {
    const { path, publish } = workspace.newOutside(file)
    const { texts, leftOut } = (await workspace.library()).viewTexts(view)
    const { exportedView } = await import('../../search/orama-export.ts')
    const { json, wordsLeftOut } = await exportedView(texts, () =>
      throwIfInterrupted(run, 'no file was written; run it again'),
    )
    const bytes = new TextEncoder().encode(json)
    publish(bytes)
    const pending = [...leftOut]
    return { view, file: path, documents: texts.length, bytes: bytes.length, words_left_out: wordsLeftOut, pending }
  },
})

/** Of this embedder. */
export const vectorFacts = () =>
  v.strictObject({
    packs: count(),
    bytes: count(),
    embedder_changed: v.boolean(),
    embedder: v.string(),
    ...v.entriesFromList(VIEW_NAMES, vectorsOfView()),
  })

export const indexStatsOutput = () =>
  v.strictObject({ ...indexFacts(), pending: count(), vectors: v.exactOptional(vectorFacts()) })

export const indexStats = operation({
  name: 'index_stats',
  command: 'index stats',
  exposure: ['cli'],
  summary:
    'Show the size and generation of the search index, and which vectors are there. Where many files are new it writes the index first, as a search does.',
  positionals: [],
  examples: ['knowhow index stats', 'knowhow index stats --json'],
  writes: false,
  terms: {
    ...INDEX_TERMS,
    pending: 'experiences that are in no view, as the embedder refuses their texts',
    vectors: 'texts of each view that have theirs; missing ones are owed, and rank by keywords alone',
    packs: 'files that the vectors lie in',
  },
  input: () => v.strictObject({}),
  output: indexStatsOutput,
  run: async ({ workspace }) => workspace.indexStats(),
})
