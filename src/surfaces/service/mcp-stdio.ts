/** `knowhow mcp`: MCP on standard input and output, for one client that has started the program. */
import { Console } from 'node:console'
import process from 'node:process'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { KeptWorkspace } from '../../app/kept-workspace.ts'
import type { Machine } from '../../app/machine.ts'
import { sayingOnce } from '../../app/saying-once.ts'
import type { WorkspaceChoice } from '../../app/workspace-settings.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CommonFlags } from '../flags.ts'
import type { Terminal } from '../terminal.ts'
import { shownSafely } from '../terminal-text.ts'
import { traceOf } from '../told-fault.ts'
import { LineTransport } from './line-transport.ts'
import { mcpServers } from './mcp-server.ts'

export interface McpOpening {
  readonly machine: Machine
  readonly choice: WorkspaceChoice
  readonly common: Pick<CommonFlags, 'quiet'>
  readonly terminal: Pick<Terminal, 'error' | 'signal'>
  /** Of the program. */
  readonly version: string
}

/** Until standard input ends, a signal comes or nobody reads the answers. */
export async function serveMcpOnStdio({ machine, choice, common, terminal, version }: McpOpening): Promise<ExitCode> {
  // Standard output carries messages and nothing else, whatever some package prints.
  Object.assign(console, new Console(process.stderr, process.stderr))
  const tell = (text: string) => terminal.error(`knowhow: ${shownSafely(text)}\n`)
  using workspace = new KeptWorkspace(machine, choice, { masksOriginals: true })
  const transport = new LineTransport(process.stdin, process.stdout)
  const stop = () => transport.stop()
  terminal.signal.addEventListener('abort', stop)
  const newServer = mcpServers({
    workspace,
    version,
    say: sayingOnce(common.quiet ? () => {} : tell),
    onFault: (error) => tell(traceOf(error)),
  })
  const connection = serveStdio(newServer, { transport })
  const fault = await transport.settled
  terminal.signal.removeEventListener('abort', stop)
  await connection.close()
  // A client that went away knows why.
  if (fault === null || fault === 'EPIPE') return EXIT.done
  tell(`the answers could not be written to standard output (${fault})`)
  return EXIT.failed
}
