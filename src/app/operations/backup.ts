/** A copy of everything that is truth. */
import * as v from 'valibot'
import { operation } from '../operation.ts'
import { fileFault } from './file-fault.ts'

const count = () => v.number()

export const backupOutput = () =>
  v.strictObject({
    backup: v.string(),
    experiences: count(),
    trajectories: count(),
    imports: count(),
    files: count(),
    bytes: count(),
    /** What lies among them and was not copied. */
    skipped: v.exactOptional(v.array(fileFault())),
  })

export const backup = operation({
  name: 'backup',
  command: 'backup',
  exposure: ['cli'],
  summary: 'Copy the workspace into a new folder, whole at one moment, also while others write. The index is left out.',
  positionals: ['dir'],
  examples: ['knowhow backup ../knowhow-backup', 'knowhow backup /mnt/backup/knowhow-monday --json'],
  writes: false,
  silentOfMissing: true,
  input: () =>
    v.strictObject({
      dir: v.pipe(
        v.string(),
        v.nonEmpty('must not be empty'),
        v.description('A folder outside the workspace that is not there yet, or is empty.'),
      ),
    }),
  terms: {
    backup: 'the copy, which is a workspace itself: search it with --workspace, or put it in the place of the old one',
    skipped: 'links and other things that are no regular files',
  },
  output: backupOutput,
  run: async ({ workspace, ...run }, { dir }) => workspace.backup(dir, run),
})
