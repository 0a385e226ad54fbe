/** Commands that open another surface instead of giving one answer. Each imports what it opens when it is opened. */
import * as v from 'valibot'
import type { Machine } from '../app/machine.ts'
import type { CommandDeclaration } from '../app/operation.ts'
import type { WorkspaceChoice } from '../app/workspace-settings.ts'
import type { ExitCode } from './exit-codes.ts'
import type { CommonFlags } from './flags.ts'
import type { Terminal } from './terminal.ts'

/** What a surface is opened with. */
export interface Opening {
  readonly machine: Machine
  readonly choice: WorkspaceChoice
  readonly common: CommonFlags
  readonly terminal: Terminal
  /** Of the program. */
  readonly version: string
}

type Fields = v.ObjectEntries

export interface SurfaceCommand<E extends Fields = Fields> extends CommandDeclaration<E> {
  readonly command: string
  readonly open: (opening: Opening, input: v.InferOutput<v.StrictObjectSchema<E, undefined>>) => Promise<ExitCode>
}

/** Keeps the types of input and `open` tied within a declaration, and forgets them in the list. */
export function surfaceCommand<E extends Fields>(declared: SurfaceCommand<E>): SurfaceCommand {
  return declared as unknown as SurfaceCommand
}

/** What the program is on a terminal where it is told nothing. */
export const REPL_COMMAND = 'repl'

const repl = surfaceCommand({
  command: REPL_COMMAND,
  summary:
    'Search as you type, line by line, in a workspace that stays open; /help there tells the commands. Without a terminal it answers each line of standard input; its exit code is then the highest of them.',
  positionals: [],
  examples: ['knowhow repl', "printf '%s\\n' 'stale builds' '/read 1' | knowhow repl --json"],
  input: () => v.strictObject({}),
  open: async (opening) => (await import('./repl/open-repl.ts')).openRepl(opening),
})

export const SURFACE_COMMANDS: readonly SurfaceCommand[] = [repl]
