/** Commands that open another surface instead of giving one answer. Each imports what it opens when it is opened. */
import * as v from 'valibot'
import { AGENT_CLIENTS, printSetup } from './agent-setup.ts'
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

const mcp = surfaceCommand({
  command: 'mcp',
  summary: 'Give an agent its memory over MCP, on standard input and output.',
  positionals: [],
  examples: ['knowhow mcp --workspace /home/ann/.knowhow', 'knowhow mcp --print-config claude-code'],
  input: () =>
    v.strictObject({
      print_config: v.optional(
        v.pipe(
          v.picklist(AGENT_CLIENTS),
          v.description('Serve nothing; print what this client needs to start the server.'),
        ),
      ),
    }),
  open: async (opening, { print_config: client }) => {
    if (client !== undefined) return printSetup(client, opening)
    return (await import('./service/mcp-stdio.ts')).serveMcpOnStdio(opening)
  },
})

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

export const SURFACE_COMMANDS: readonly SurfaceCommand[] = [repl, serve, mcp, completion]
