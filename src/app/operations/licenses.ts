/** Under which licences the program and all that is inside it may be used. */
import * as v from 'valibot'
import { operation } from '../operation.ts'

export const licensesOutput = () =>
  v.strictObject({
    packages: v.array(v.strictObject({ name: v.string(), version: v.string(), license: v.string(), text: v.string() })),
  })

export const licenses = operation({
  name: 'licenses',
  command: 'licenses',
  exposure: ['cli'],
  summary: 'Print the licences of this program and of all that is inside it.',
  positionals: [],
  examples: ['knowhow licenses', 'knowhow licenses --json'],
  writes: false,
  silentOfMissing: true,
  input: () => v.strictObject({}),
  terms: { packages: 'the program first, then what runs it, the packages in it, and its data' },
  output: licensesOutput,
  run: async () => {
    const { default: list } = await import('../licenses/licenses.json', { with: { type: 'json' } })
    return list
  },
})
