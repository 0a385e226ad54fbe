/** What there is to be named in a workspace. Offered to nobody: surfaces that complete what is typed ask it. */
import * as v from 'valibot'
import { operation } from '../operation.ts'
import type { ValueSource } from '../value-source.ts'
import { listOf } from './memory-fields.ts'

export const KNOWN_SOURCES = ['path', 'experience', 'session', 'concept'] as const satisfies readonly ValueSource[]
export type KnownSource = (typeof KNOWN_SOURCES)[number]

export const knownValuesOutput = () => v.strictObject({ values: listOf(v.string()) })

/** Sorted. Writes nothing: the memory graph is read as it lies. */
export const knownValues = operation({
  name: 'known_values',
  command: null,
  exposure: [],
  summary: 'List what a field can be given.',
  positionals: [],
  examples: [],
  writes: false,
  silentOfMissing: true,
  input: () => v.strictObject({ of: v.picklist(KNOWN_SOURCES) }),
  output: knownValuesOutput,
  run: async ({ workspace }, { of }) => {
    if (of === 'path' || of === 'experience') return { values: (await workspace.library()).paths(of) }
    const [{ conceptNames, sessionIds }, memory] = await Promise.all([
      import('../../graph/known-names.ts'),
      workspace.memory(),
    ])
    const database = memory.file.asItLies()
    if (database === null) return { values: [] }
    return { values: of === 'session' ? sessionIds(database) : conceptNames(database) }
  },
})
