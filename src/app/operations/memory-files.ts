/** The memory graph as a whole: brought in from elsewhere, checked, written out, counted. Local, over all sessions. */
import * as v from 'valibot'
import { MEMORY_KINDS, RELATION_NAMES, SESSION_STATUSES } from '../../graph/schema.ts'
import { operation } from '../operation.ts'
import { valuesOf } from '../value-source.ts'
import { countsOf, listOf } from './memory-fields.ts'

const count = () => v.number()
const file = (about: string) => v.pipe(v.string(), v.description(about), valuesOf('file'))

export const migrateOutput = () =>
  v.strictObject({
    records: count(),
    created: countsOf(['session', ...MEMORY_KINDS]),
    present: count(),
    links: v.strictObject({ created: count(), present: count() }),
    failed: listOf(v.strictObject({ line: count(), error: v.string() })),
  })

export const memoryMigrate = operation({
  name: 'memory_migrate',
  command: 'memory migrate',
  exposure: ['cli', 'repl'],
  summary: 'Take in memories of another store from JSON lines. Run again, it goes on, and makes nothing twice.',
  positionals: ['file'],
  examples: ['knowhow memory migrate old-memories.jsonl --json'],
  writes: true,
  input: () => v.strictObject({ file: file('JSON lines, each with a memory_type.') }),
  terms: {
    created: 'sessions and memories that were made',
    present: 'records that are there already',
    failed: 'what could not be placed, by line, and why; mended, the file can be migrated again',
  },
  output: migrateOutput,
  run: async ({ workspace, ...run }, input) =>
    (await workspace.memory()).migrate(workspace.readOutside(input.file, 'graph'), run),
  endingOf: ({ created, present, failed }) => {
    const isAnyThere = present > 0 || Object.values(created).some((count) => count > 0)
    return failed.length > 0 && !isAnyThere ? 'failed' : 'done'
  },
})

export const validateOutput = () =>
  v.strictObject({
    ok: v.boolean(),
    counts: countsOf(MEMORY_KINDS),
    sessions: listOf(v.strictObject({ session_id: v.string(), episodic_count: count(), working_count: count() })),
    problems: listOf(v.strictObject({ table: v.string(), id: v.nullable(v.string()), error: v.string() })),
  })

export const memoryValidate = operation({
  name: 'memory_validate',
  command: 'memory validate',
  exposure: ['cli', 'repl'],
  summary: 'Check the memory graph: counts by kind, what lies in each session, ends of relations, ranges of values.',
  positionals: [],
  examples: ['knowhow memory validate', 'knowhow memory validate --json'],
  writes: false,
  input: () => v.strictObject({}),
  output: validateOutput,
  run: async ({ workspace, say }) => {
    const [{ validateGraph }, memory] = await Promise.all([import('../../graph/validation.ts'), workspace.memory()])
    return validateGraph(await memory.reading({ say }))
  },
  endingOf: ({ ok }) => (ok ? 'done' : 'failed'),
})

export const exportOutput = () =>
  v.strictObject({
    file: v.nullable(v.string()),
    nodes: count(),
    relations: count(),
    /** Without a file. */
    records: v.exactOptional(listOf(v.record(v.string(), v.unknown()))),
  })

export const memoryExport = operation({
  name: 'memory_export',
  command: 'memory export',
  exposure: ['cli', 'repl'],
  summary: 'Write the whole memory graph as JSON lines, sorted and without loss: to a new file, or to standard output.',
  positionals: ['file'],
  examples: ['knowhow memory export graph.jsonl', 'knowhow memory export | grep SemanticMemory'],
  writes: false,
  input: () =>
    v.strictObject({ file: v.optional(file('New file, outside the workspace; without it: standard output.')) }),
  terms: { records: 'with --json and without a file: the lines, as a list' },
  output: exportOutput,
  run: async ({ workspace, say }, input) => {
    const target = input.file === undefined ? null : workspace.newOutside(input.file)
    const [{ exportGraph, exportText }, memory] = await Promise.all([
      import('../../graph/export.ts'),
      workspace.memory(),
    ])
    const { records, nodes, relations } = exportGraph((await memory.reading({ say })).database)
    if (target === null) return { file: null, nodes, relations, records }
    target.publish(new TextEncoder().encode(exportText(records)))
    return { file: target.path, nodes, relations }
  },
})

export const graphImportOutput = () => v.strictObject({ nodes: count(), relations: count(), unchanged: count() })

export const memoryImport = operation({
  name: 'memory_import',
  command: 'memory import',
  exposure: ['cli', 'repl'],
  summary: 'Take in what memory export wrote: all of it or nothing, and nothing twice. What is there is never changed.',
  positionals: ['file'],
  examples: ['knowhow memory import graph.jsonl'],
  writes: true,
  input: () => v.strictObject({ file: file('File that memory export wrote.') }),
  terms: { unchanged: 'records that were there already' },
  output: graphImportOutput,
  run: async ({ workspace }, input) => {
    const bytes = workspace.readOutside(input.file, 'graph')
    const [{ importGraph, readExport }, memory] = await Promise.all([
      import('../../graph/import.ts'),
      workspace.memory(),
    ])
    const read = readExport(bytes)
    return importGraph((await memory.writing()).database, read)
  },
})

export const memoryStatsOutput = () =>
  v.strictObject({
    sessions: countsOf(SESSION_STATUSES),
    memories: countsOf(MEMORY_KINDS),
    relations: countsOf(RELATION_NAMES),
    embedded: count(),
    bytes: count(),
  })

export const memoryStats = operation({
  name: 'memory_stats',
  command: 'memory stats',
  exposure: ['cli', 'repl'],
  summary: 'Count what the memory graph holds, over all sessions.',
  positionals: [],
  examples: ['knowhow memory stats'],
  writes: false,
  input: () => v.strictObject({}),
  terms: { embedded: 'memories with a vector', bytes: 'size of the database' },
  output: memoryStatsOutput,
  run: async ({ workspace, say }) => {
    const [{ graphStats }, memory] = await Promise.all([import('../../graph/stats.ts'), workspace.memory()])
    const stats = graphStats(await memory.reading({ say }))
    return memory.file.isMade ? stats : { ...stats, bytes: 0 }
  },
})
