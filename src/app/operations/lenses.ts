/** Looking at a log before, or instead of, importing it. */
import * as v from 'valibot'
import { TRAJECTORY_FORMATS } from '../../importer/intake/trajectory-format.ts'
import { operation } from '../operation.ts'
import { valuesOf } from '../value-source.ts'

const file = () =>
  v.strictObject({
    file: v.pipe(v.string(), v.description('A text, Markdown, JSON, JSONL or log file.'), valuesOf('file')),
  })
const count = () => v.number()

export const inspectOutput = () =>
  v.strictObject({
    format: v.picklist(TRAJECTORY_FORMATS),
    producer: v.nullable(v.string()),
    records: count(),
    turns: count(),
    tools: count(),
    failures: count(),
    fixes: count(),
    tokens: count(),
  })

export const inspect = operation({
  name: 'inspect',
  command: 'inspect',
  exposure: ['cli', 'repl'],
  summary: 'Say what wrote a log and what an offline import would find in it. Stores nothing.',
  positionals: ['file'],
  examples: ['knowhow inspect run.jsonl', 'knowhow inspect build.log --json'],
  writes: false,
  silentOfMissing: true,
  input: file,
  terms: {
    producer: 'whose log it is, by its content; without one an offline import learns nothing from it',
    records: 'JSON values in it, 0 for plain text',
    turns: 'messages of people and of the model',
    tools: 'tool calls and shell commands',
    failures: 'of these: failed',
    fixes: 'failing commands that were later seen passing after something was changed',
  },
  output: inspectOutput,
  run: async ({ workspace, ...run }, { file: path }) => {
    const { inspected } = await import('../file-lenses.ts')
    const bytes = workspace.readOutside(path)
    return inspected(path, bytes, await workspace.openTokenizer(run), run)
  },
})

export const scanOutput = () =>
  v.strictObject({
    secrets: v.array(v.strictObject({ kind: v.string(), line: count(), mask: v.string() })),
    kinds: v.record(v.string(), count()),
  })

export const scan = operation({
  name: 'scan',
  command: 'scan',
  exposure: ['cli', 'repl'],
  summary:
    'Find the secrets of a file by kind and line, as an import masks them; never shows one. Stores nothing; to find some is no failure (exit code 0).',
  positionals: ['file'],
  examples: ['knowhow scan run.jsonl', 'knowhow scan run.jsonl --json'],
  writes: false,
  silentOfMissing: true,
  input: file,
  terms: {
    mask: 'what a model sees in its place; the same value has the same mask',
    kinds: 'how many there are of each kind',
  },
  output: scanOutput,
  run: async ({ workspace }, { file: path }) => {
    const { scanned } = await import('../file-lenses.ts')
    const secrets = scanned(path, workspace.readOutside(path))
    const kinds: Record<string, number> = {}
    for (const { kind } of secrets) kinds[kind] = (kinds[kind] ?? 0) + 1
    return { secrets: [...secrets], kinds }
  },
})
