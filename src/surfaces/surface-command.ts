/** What a command is that opens another surface instead of giving one answer. */
import type * as v from 'valibot'
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
