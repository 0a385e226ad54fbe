/** Commands that open another surface instead of giving one answer. Each imports what it opens when it is opened. */
import * as v from 'valibot'
import { type SurfaceCommand, surfaceCommand } from './surface-command.ts'

const serve = surfaceCommand({
  command: 'serve',
  summary: 'Answer over HTTP: search, read, recall and remember, for agents and programs beside this one.',
  positionals: [],
  examples: ['knowhow serve', 'knowhow serve --port 0 --json --log', 'KNOWHOW_TOKEN=… knowhow serve --host 0.0.0.0'],
  input: () =>
    v.strictObject({
      host: v.optional(
        v.pipe(v.string(), v.description('Address to listen at; one that others can reach needs KNOWHOW_TOKEN.')),
        '127.0.0.1',
      ),
      port: v.optional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(0),
          v.maxValue(65_535),
          v.description('Port to listen at; 0 for any that is free.'),
        ),
        2433,
      ),
      log: v.optional(v.pipe(v.boolean(), v.description('Tell of each request on standard error.')), false),
    }),
  open: async (opening, input) => (await import('./service/serve.ts')).serve(opening, input),
})

export const SURFACE_COMMANDS: readonly SurfaceCommand[] = [serve]
