/** Commands that open another surface instead of giving one answer. Each imports what it opens when it is opened. */
import * as v from 'valibot'
import { SHELLS } from './completion/shells.ts'
import { type SurfaceCommand, surfaceCommand } from './surface-command.ts'

const completion = surfaceCommand({
  command: 'completion',
  summary:
    'Print what completes commands, options and file names in a shell. The line of your shell below, put into its start-up file, installs it.',
  positionals: ['shell'],
  examples: [
    'eval "$(knowhow completion bash)"   # in ~/.bashrc',
    'eval "$(knowhow completion zsh)"    # in ~/.zshrc',
    'knowhow completion fish | source    # in ~/.config/fish/config.fish',
  ],
  input: () => v.strictObject({ shell: v.pipe(v.picklist(SHELLS), v.description('The shell that you type in.')) }),
  open: async (opening, { shell }) => (await import('./completion/completion.ts')).printCompletion(shell, opening),
})

export const SURFACE_COMMANDS: readonly SurfaceCommand[] = [completion]
