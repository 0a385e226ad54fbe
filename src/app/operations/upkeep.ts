/** Operations that look after a workspace. */
import * as v from 'valibot'
import { MEMORY_KINDS } from '../../graph/schema.ts'
import { experienceSchema } from '../../model/experience.ts'
import { configSchema } from '../config-schema.ts'
import { operation } from '../operation.ts'
import { fileFault, leftOutFile } from './file-fault.ts'
import { indexFacts, vectorFacts } from './index.ts'
import { countsOf } from './memory-fields.ts'

const count = () => v.number()

export const reindexOutput = () =>
  v.strictObject({
    experiences: count(),
    indexed: count(),
    invalid: v.array(fileFault()),
    pending: v.array(leftOutFile()),
    embedded: count(),
    reused: count(),
    /** Texts embedded in parts. */
    divided: v.exactOptional(count()),
  })

export const reindex = operation({
  name: 'procedure_reindex',
  command: 'reindex',
  exposure: ['cli'],
  summary:
    'Rebuild both search views from the experience files, and make vectors that are missing, those of memories too.',
  positionals: [],
  examples: ['knowhow reindex'],
  writes: true,
  isLong: true,
  needsEmbedder: true,
  input: () => v.strictObject({}),
  output: reindexOutput,
  run: async ({ workspace, ...run }) => workspace.reindex(run),
})

export const statusOutput = () =>
  v.strictObject({
    workspace: v.string(),
    experiences: count(),
    trajectories: count(),
    imports: v.strictObject({ complete: count(), incomplete: count() }),
    pending: count(),
    invalid: count(),
    index: v.strictObject({
      when_to_use: count(),
      when_to_use_content: count(),
      ...indexFacts(),
      vectors: v.exactOptional(vectorFacts()),
    }),
    /** Null when the memory graph cannot be read. */
    memory: v.nullable(countsOf(['sessions', ...MEMORY_KINDS])),
    damaged: v.exactOptional(v.array(fileFault())),
    engines: v.strictObject({ search: v.string(), tokens: v.nullable(v.picklist(['wasm', 'js'])) }),
  })

export const status = operation({
  name: 'status',
  command: 'status',
  exposure: ['cli', 'repl'],
  summary:
    'Show what is in the workspace and what waits to be done. Where many files are new it writes the index first, as a search does.',
  positionals: [],
  examples: ['knowhow status', 'knowhow status --json'],
  writes: false,
  input: () => v.strictObject({}),
  output: statusOutput,
  run: async ({ workspace }) => workspace.status(),
})

export const configOutput = () =>
  v.strictObject({
    workspace: v.string(),
    settings: v.record(v.string(), v.strictObject({ value: v.unknown(), source: v.string() })),
    keys: v.record(v.string(), v.picklist(['set', 'unset'])),
    notices: v.array(v.string()),
  })

export const config = operation({
  name: 'config',
  command: 'config',
  exposure: ['cli', 'repl'],
  summary: 'Show the effective settings and where each came from.',
  positionals: [],
  examples: ['knowhow config', 'knowhow config --config team.json --json'],
  writes: false,
  silentOfMissing: true,
  input: () => v.strictObject({}),
  output: configOutput,
  run: async ({ workspace }) => workspace.settings(),
})

export const schema = operation({
  name: 'schema',
  command: 'schema',
  exposure: ['cli'],
  summary: 'Print a JSON Schema: that of an experience, or that of the config file.',
  positionals: ['kind'],
  examples: ['knowhow schema experience', 'knowhow schema config'],
  writes: false,
  silentOfMissing: true,
  input: () =>
    v.strictObject({
      kind: v.pipe(v.picklist(['experience', 'config']), v.description('The schema to print.')),
    }),
  output: () => v.looseObject({ $schema: v.string() }),
  run: async (_, { kind }) => {
    const { jsonSchemaOf } = await import('../json-schema.ts')
    return kind === 'experience' ? jsonSchemaOf(experienceSchema()) : withoutRequired(jsonSchemaOf(configSchema()))
  },
})

/** In a file every setting is optional. */
function withoutRequired<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'required' ? undefined : value)))
}
