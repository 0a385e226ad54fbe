/** Whether a service can answer: its workspace opens, its experiences are looked at, its memory graph is one that can be read. */
import * as v from 'valibot'
import { operation } from '../../app/operation.ts'

export const healthOutput = () =>
  v.strictObject({ status: v.literal('ready'), service: v.literal('knowhow'), version: v.string() })

/** Asks no embedder, and counts nothing: probes come every second. */
export const readiness = operation({
  name: 'health',
  command: null,
  exposure: [],
  summary: 'Whether the workspace can be read.',
  positionals: [],
  examples: [],
  writes: false,
  silentOfMissing: true,
  input: () => v.strictObject({}),
  output: () => v.null(),
  run: async ({ workspace }) => {
    await workspace.indexStats()
    ;(await workspace.memory()).file.asItLies()
    return null
  },
})
