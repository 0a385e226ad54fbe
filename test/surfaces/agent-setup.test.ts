import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AGENT_CLIENTS, type AgentClient, setupFor } from '../../src/surfaces/agent-setup.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'

interface Entry {
  readonly type?: string
  readonly command: string
  readonly args: readonly string[]
}

/** What a client reads out of the snippet. */
function entryIn(client: AgentClient, snippet: string): Entry {
  const read = (client === 'codex' ? Bun.TOML.parse(snippet) : JSON.parse(snippet)) as Record<
    string,
    Record<string, Entry>
  >
  const key = { codex: 'mcp_servers', vscode: 'servers' }[client as string] ?? 'mcpServers'
  expect(Object.keys(read)).toEqual([key])
  return read[key]?.knowhow as Entry
}

test.each([
  ['claude-code', '.mcp.json'],
  ['codex', '~/.codex/config.toml'],
  ['cursor', '.cursor/mcp.json'],
  ['gemini', '.gemini/settings.json'],
  ['vscode', '.vscode/mcp.json'],
] as const)('%s is set up in %s to start the server', (client, file) => {
  const setup = setupFor(client, { program: ['/opt/knowhow'], flags: [] })
  expect(setup).toMatchObject({ client, file })
  const type = client === 'vscode' ? { type: 'stdio' } : {}
  expect(entryIn(client, setup.snippet)).toEqual({ ...type, command: '/opt/knowhow', args: ['mcp'] })
})

const NASTY = [
  '/home/a b/know "how"',
  "/it's/here",
  'C:\\Program Files\\new\\table',
  '/tab\there/und\u007f/\u0001',
  '/größe/日本/🗂',
  '/# [x] = "y"/$HOME/`id`/%PATH%',
]

describe.each(AGENT_CLIENTS)('the snippet of %s', (client) => {
  test.each(NASTY)('holds the path %j as it is', (path) => {
    const { snippet } = setupFor(client, { program: [path, 'run', path], flags: ['--workspace', path] })
    expect(entryIn(client, snippet)).toMatchObject({ command: path, args: ['run', path, 'mcp', '--workspace', path] })
  })

  test('holds any words as they are', () => {
    const word = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(word, word, (command, workspace) => {
        const { snippet } = setupFor(client, { program: [command], flags: ['--workspace', workspace] })
        expect(entryIn(client, snippet)).toMatchObject({ command, args: ['mcp', '--workspace', workspace] })
      }),
    )
  })
})

test('the command of Claude Code reaches it word by word, whatever the shell makes of it', () => {
  const program = ['/opt/know "how"', "it's", '$HOME `id` \\'] as const
  const { command } = setupFor('claude-code', { program, flags: ['--workspace', '/a b'] })
  const typed = command?.replace(/^claude mcp add knowhow -- /, '') ?? ''
  const { stdout } = Bun.spawnSync(['sh', '-c', `printf '%s\\n' ${typed}`])
  expect(stdout.toString().split('\n').slice(0, -1)).toEqual([...program, 'mcp', '--workspace', '/a b'])
})

describe('what is printed', () => {
  const printed = (...flags: string[]) =>
    runCaptured(['mcp', '--print-config', 'claude-code', ...flags], new FakeMachine())

  test('is the snippet alone, and the name of the file beside it', async () => {
    const { exit, out, error } = await printed()
    expect(exit).toBe(0)
    expect(entryIn('claude-code', out)).toEqual({ command: '/opt/knowhow', args: ['mcp'] })
    expect(error).toContain('this is for .mcp.json')
    expect(error).toContain('claude mcp add knowhow -- /opt/knowhow mcp\n')
    expect((await printed('--quiet')).error).toBe('')
  })

  test('names the workspace that a flag named', async () => {
    const { out } = await printed('--workspace', '/srv/w')
    expect(entryIn('claude-code', out).args).toEqual(['mcp', '--workspace', '/srv/w'])
  })

  test('names all else that was chosen here and that the client need not know of', async () => {
    const machine = new FakeMachine()
    machine.environment.KNOWHOW_WORKSPACE = '/srv/w'
    machine.files.write('/srv/own.json', '{}')
    machine.files.write('/srv/own.env', '')
    const argv = ['mcp', '--print-config', 'codex', '--config', '/srv/own.json', '--env-file', '/srv/own.env']
    const { out } = await runCaptured(argv, machine)
    const args = ['mcp', '--workspace', '/srv/w', '--config', '/srv/own.json', '--env-file', '/srv/own.env']
    expect(entryIn('codex', out).args).toEqual(args)
  })

  test('is one document with --json', async () => {
    const { out, error } = await printed('--json')
    const { client, file, snippet, ...rest } = JSON.parse(out)
    expect({ client, file, rest, error }).toEqual({ client: 'claude-code', file: '.mcp.json', rest: {}, error: '' })
    expect(entryIn('claude-code', snippet).command).toBe('/opt/knowhow')
  })
})
