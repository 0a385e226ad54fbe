/** Every command there is: those that give one answer, made of operations, and those that open another surface. */
import type { CommandDeclaration, Operation } from '../app/operation.ts'
import { operationsFor } from '../app/operation-table.ts'
import type { SurfaceCommand } from './surface-command.ts'
import { SURFACE_COMMANDS } from './surface-commands.ts'

/** In the order in which help shows them. */
export const COMMANDS: readonly (Operation | SurfaceCommand)[] = [...operationsFor('cli'), ...SURFACE_COMMANDS]

export function namesOf(commands: readonly CommandDeclaration[]): readonly string[] {
  return commands.flatMap(({ command }) => (command === null ? [] : [command]))
}
