/** Scripts by which shells complete the program's command lines. */
import type { CommandDeclaration } from '../../app/operation.ts'
import { unreachable } from '../../model/memory-error.ts'
import { COMMANDS } from '../commands.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { Opening } from '../surface-command.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import type { Shell } from './shells.ts'
import { wordTree } from './word-tree.ts'
import { zshScript } from './zsh.ts'

export function completionScript(shell: Shell, commands: readonly CommandDeclaration[]): string {
  const tree = wordTree(commands)
  switch (shell) {
    case 'bash':
      return bashScript(tree)
    case 'zsh':
      return zshScript(tree)
    case 'fish':
      return fishScript(tree)
    default:
      return unreachable(shell)
  }
}

export function printCompletion(shell: Shell, { common, terminal }: Opening): ExitCode {
  const script = completionScript(shell, COMMANDS)
  terminal.out(common.json ? `${JSON.stringify({ shell, script })}\n` : script)
  return EXIT.done
}
