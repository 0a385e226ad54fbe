/** How agents are told of the program as an MCP server: what to put into which file of each client. Writes no file. */
import { unreachable } from '../model/memory-error.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { shellWord } from './shell-word.ts'
import type { Opening } from './surface-command.ts'
import { shownSafely } from './terminal-text.ts'

export const AGENT_CLIENTS = ['claude-code', 'codex', 'cursor', 'gemini', 'vscode'] as const
export type AgentClient = (typeof AGENT_CLIENTS)[number]

/** The words by which the client starts the server. */
export interface ServerStart {
  /** Executable and arguments of the program; absolute, for a client starts it in a folder of its own choice. */
  readonly program: readonly [string, ...string[]]
  /** Of workspace and settings; none to leave the choice to the environment and the folder that the client starts it in. */
  readonly flags: readonly string[]
}

export interface AgentSetup {
  readonly client: AgentClient
  /** As the client's manual names it: from the folder of the project, or from the person's own (`~`). */
  readonly file: string
  /** Of the whole file, where there is none yet. Ends with a line end. */
  readonly snippet: string
  /** A command of the client that does the same; null where there is none. */
  readonly command: string | null
}

const SERVER = 'knowhow'

export function setupFor(client: AgentClient, { program, flags }: ServerStart): AgentSetup {
  const [command, ...first] = program
  const args = [...first, 'mcp', ...flags]
  const inJson = (key: string, entry: object) => `${JSON.stringify({ [key]: { [SERVER]: entry } }, null, 2)}\n`
  switch (client) {
    case 'claude-code': {
      const typed = [command, ...args].map(shellWord).join(' ')
      const snippet = inJson('mcpServers', { command, args })
      return { client, file: '.mcp.json', snippet, command: `claude mcp add ${SERVER} -- ${typed}` }
    }
    case 'codex': {
      const list = args.map(tomlText).join(', ')
      const snippet = `[mcp_servers.${SERVER}]\ncommand = ${tomlText(command)}\nargs = [${list}]\n`
      return { client, file: '~/.codex/config.toml', snippet, command: null }
    }
    case 'cursor':
      return { client, file: '.cursor/mcp.json', snippet: inJson('mcpServers', { command, args }), command: null }
    case 'gemini':
      return { client, file: '.gemini/settings.json', snippet: inJson('mcpServers', { command, args }), command: null }
    case 'vscode': {
      const snippet = inJson('servers', { type: 'stdio', command, args })
      return { client, file: '.vscode/mcp.json', snippet, command: null }
    }
    default:
      return unreachable(client)
  }
}

/** A basic string of TOML. Its escapes are those of JSON, which leaves one control character as it is. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}

/**
 * Prints the snippet on standard output, and on stderr where it belongs, so that the output may go into that file.
 * A workspace is named in it only if it was named here, by a flag or by the environment, which the client need not have; else
 * the client's folder decides, as it does for every command.
 */
export async function printSetup(
  client: AgentClient,
  { machine, choice, common, terminal }: Pick<Opening, 'machine' | 'choice' | 'common' | 'terminal'>,
): Promise<ExitCode> {
  const { environment, outside } = machine
  const isNamed = common.workspace !== null || (environment.KNOWHOW_WORKSPACE ?? '') !== ''
  const flags = [
    ...(isNamed ? ['--workspace', choice.root] : []),
    ...(choice.configPath === null ? [] : ['--config', choice.configPath]),
    ...(common.envFile === null ? [] : ['--env-file', outside.absolutePath(common.envFile)]),
  ]
  const { file, snippet, command } = setupFor(client, { program: await machine.ownProgram(), flags })
  if (common.json) {
    terminal.out(`${JSON.stringify({ client, file, snippet })}\n`)
    return EXIT.done
  }
  terminal.out(snippet)
  if (!common.quiet) {
    const also = command === null ? '' : `\nknowhow: or run: ${shownSafely(command)}`
    terminal.error(`knowhow: this is for ${file}; where that file is there already, add the entry to it${also}\n`)
  }
  return EXIT.done
}
