/** The official client of MCP, connected to what is tested, and calls that give each tool something to do. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { KeptWorkspace } from '../../src/app/kept-workspace.ts'
import { type McpEndpoint, openMcpEndpoint } from '../../src/surfaces/service/mcp-endpoint.ts'
import { FakeMachine, ROOT } from './fake-machine.ts'

/** Both ways to begin a connection: by the handshake, and without one since 2026. */
export const ERAS = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const

export type Mode = (typeof ERAS)[number][1]

export async function connected(transport: Transport, mode: Mode = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return client
}

/** Nothing of this process' environment; without an embedder unless one is given. */
export function programTransport(
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): StdioClientTransport {
  const env = { EMBEDDING_BACKEND: 'none', ...environment }
  return new StdioClientTransport({ command, args: [...args], env, stderr: 'pipe' })
}

/** Without a network between. */
export function endpointTransport(endpoint: McpEndpoint): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: (url, init) => endpoint.fetch(new Request(url, init)),
  })
}

export interface Said {
  readonly notices: string[]
  readonly faults: unknown[]
}

/** An endpoint over a machine in memory, and what it says aside. */
export function endpointOn(machine: FakeMachine): { readonly endpoint: McpEndpoint; readonly said: Said } {
  const said: Said = { notices: [], faults: [] }
  const workspace = new KeptWorkspace(
    machine,
    { root: ROOT, configPath: null, command: 'test' },
    { masksOriginals: true },
  )
  const endpoint = openMcpEndpoint({
    workspace,
    version: '1.2.3',
    say: (notice) => said.notices.push(notice),
    onFault: (fault) => said.faults.push(fault),
  })
  return { endpoint, said }
}

const EXPERIENCE = JSON.stringify({
  description: 'Clear the cache of the build',
  'when-to-use': 'The build fails with a stale cache',
  content: 'Remove the folder of the cache, then build again.',
  sources: ['session/trajectories/run.log'],
})
const TRAJECTORY = '$ make\nstale cache\n'

/** A machine with one experience and the log behind it. */
export function knownMachine(): FakeMachine {
  const machine = new FakeMachine()
  machine.files.write(`${ROOT}/procedures/cache.json`, EXPERIENCE)
  machine.files.write(`${ROOT}/session/trajectories/run.log`, TRAJECTORY)
  return machine
}

/** The same on the disk. */
export function makeKnownWorkspace(root: string): void {
  mkdirSync(join(root, 'procedures'), { recursive: true })
  mkdirSync(join(root, 'session/trajectories'), { recursive: true })
  writeFileSync(join(root, 'procedures/cache.json'), EXPERIENCE)
  writeFileSync(join(root, 'session/trajectories/run.log'), TRAJECTORY)
}

/** In this order all of them succeed; each tool is among them. */
export const CALLS: readonly (readonly [name: string, input: Readonly<Record<string, unknown>>])[] = [
  ['session_start', { id: 's', context: 'repair the build' }],
  ['memory_remember', { kind: 'episodic', memory_id: 'event', session: 's', content: 'the cache was stale' }],
  ['memory_remember', { kind: 'semantic', memory_id: 'fact', session: 's', concept: 'cache', content: 'goes stale' }],
  ['memory_remember', { kind: 'prospective', memory_id: 'plan', intention: 'look again', trigger_condition: 'build' }],
  ['memory_remember', { kind: 'working', session: 's', content: 'find the leak', priority: 2 }],
  ['memory_link', { relation: 'DERIVES_FROM', from: 'fact', to: 'event', set: { confidence: 0.5 } }],
  ['memory_used', { procedure: 'procedures/cache.json', session: 's', success: true }],
  ['memory_due', { at: '2030-01-01' }],
  ['memory_trigger', { event: 'the build is red', session: 's' }],
  ['memory_complete', { id: 'plan' }],
  ['memory_recall', { query: 'stale cache', session: 's' }],
  ['procedure_search', { query: 'stale cache', min_fit: 0.1 }],
  ['procedure_read', { path: 'procedures/cache.json' }],
  ['procedure_read', { path: 'session/trajectories/run.log', offset: 2, length: 4 }],
  ['session_show', { id: 's' }],
  ['session_list', {}],
  ['session_end', { id: 's' }],
]

export function textOf(answer: { readonly content: readonly unknown[] }): string {
  const [text, ...others] = textsOf(answer)
  if (text === undefined || others.length > 0) throw new Error(`not one text: ${JSON.stringify(answer.content)}`)
  return text
}

export function textsOf({ content }: { readonly content: readonly unknown[] }): readonly string[] {
  return (content as readonly { readonly text: string }[]).map(({ text }) => text)
}
