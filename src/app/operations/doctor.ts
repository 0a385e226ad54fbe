/** Is everything there that a run relies on? */
import * as v from 'valibot'
import { operation } from '../operation.ts'

export const doctorOutput = () =>
  v.strictObject({
    ok: v.boolean(),
    checks: v.array(
      v.strictObject({ name: v.string(), ok: v.boolean(), detail: v.string(), fix: v.nullable(v.string()) }),
    ),
  })

export const doctor = operation({
  name: 'doctor',
  command: 'doctor',
  exposure: ['cli', 'repl'],
  summary:
    'Check the workspace, its disk and logs, and whether tokenizer, embedder and model answer. Changes no experience, log or original, but downloads a tokenizer of the hub that is not cached yet; exits with 1 when something is wrong.',
  positionals: [],
  examples: ['knowhow doctor', 'knowhow doctor --json'],
  writes: false,
  silentOfMissing: true,
  input: () => v.strictObject({}),
  output: doctorOutput,
  run: async ({ workspace, ...run }) => workspace.doctor(run),
  endingOf: ({ ok }) => (ok ? 'done' : 'failed'),
  whenUnopened: ({ message }) => ({
    ok: false,
    checks: [{ name: 'settings', ok: false, detail: message, fix: 'mend that first; the rest was not looked at' }],
  }),
})
