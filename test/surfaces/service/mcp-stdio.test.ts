/** `knowhow mcp` as clients start it: the sources, and the compiled program. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { operationsFor } from '../../../src/app/operation-table.ts'
import { compiledProgram } from '../../fakes/compiled-program.ts'
import { HoldingEmbedder } from '../../fakes/holding-embedder.ts'
import { CALLS, connected, ERAS, makeKnownWorkspace, programTransport, textOf } from '../../fakes/mcp-client.ts'
import { McpProgram, SOURCES } from '../../fakes/mcp-program.ts'
import { runtimeArguments } from '../../fakes/runtime.ts'

/** Compiling the program; no test waits for it to be over. */
const PATIENT_MS = 180_000

const MAIN = resolve(import.meta.dir, '../../../src/main.ts')
const deno = runtimeArguments('deno')
const UNDER_DENO = ['node', ...(deno ?? []), MAIN]
const DENO_ENVIRONMENT = { PATH: process.env.PATH ?? '', DENO_NO_UPDATE_CHECK: '1' }

const folder = mkdtempSync(join(tmpdir(), 'knowhow-mcp-'))
let compiled = ''
let workspaces = 0

beforeAll(async () => {
  compiled = await compiledProgram()
}, PATIENT_MS)

afterAll(() => {
  rmSync(folder, { recursive: true })
  rmSync(dirname(compiled), { recursive: true })
})

function newRoot(): string {
  return join(folder, `workspace-${++workspaces}`)
}

function knownRoot(): string {
  const root = newRoot()
  makeKnownWorkspace(root)
  return root
}

const mcp = (root: string, program: readonly string[] = [compiled]) => [...program, 'mcp', '--workspace', root]

async function callAll(client: Client): Promise<void> {
  await client.listTools()
  for (const [name, input] of CALLS) {
    const answer = await client.callTool({ name, arguments: { ...input } })
    expect([name, answer.isError]).toEqual([name, undefined])
  }
}

describe('the official client', () => {
  for (const [name, program] of [
    ['the sources', () => SOURCES],
    ['the compiled program', () => [compiled]],
  ] as const)
    for (const [revision, mode] of ERAS)
      test(`lists and calls every tool of ${name} (${revision})`, async () => {
        const client = await connected(programTransport(mcp(knownRoot(), program())), mode)
        const { tools } = await client.listTools()
        expect(tools.map((tool) => tool.name)).toEqual(operationsFor('service').map((operation) => operation.name))
        expect(client.getServerVersion()).toMatchObject({ name: 'knowhow' })
        await callAll(client)
        await client.close()
      })

  test.skipIf(deno === null)('calls every tool of the sources under Deno', async () => {
    const client = await connected(programTransport(mcp(knownRoot(), UNDER_DENO), DENO_ENVIRONMENT))
    await callAll(client)
    await client.close()
  })

  test('gets answers from a workspace that is not there, which its first write makes', async () => {
    const root = newRoot()
    const client = await connected(programTransport(mcp(root)))
    const answer = await client.callTool({ name: 'procedure_search', arguments: { query: 'stale cache' } })
    expect(answer.structuredContent).toMatchObject({ results: [] })
    expect(existsSync(root)).toBe(false)
    await client.callTool({ name: 'session_start', arguments: { id: 's' } })
    expect(existsSync(root)).toBe(true)
    await client.close()
  })

  test('may ask many things at once, beside another client of the same workspace', async () => {
    const root = knownRoot()
    const clients = await Promise.all([0, 1].map(() => connected(programTransport(mcp(root)))))
    const starts = clients.flatMap((client, at) =>
      Array.from({ length: 20 }, (_, number) =>
        client.callTool({ name: 'session_start', arguments: { id: `s-${at}-${number}` } }),
      ),
    )
    for (const answer of await Promise.all(starts)) expect(answer.isError).toBeUndefined()
    for (const client of clients) {
      const { structuredContent } = await client.callTool({ name: 'session_list', arguments: {} })
      expect((structuredContent as { sessions: unknown[] }).sessions.length).toBe(40)
      await client.close()
    }
  })

  for (const [revision, mode] of ERAS)
    test(`stops what it cancels, and asks on (${revision})`, async () => {
      using embedder = new HoldingEmbedder()
      const client = await connected(programTransport(mcp(knownRoot()), embedder.environment), mode)
      const cancelling = new AbortController()
      const search = { name: 'procedure_search', arguments: { query: 'stale cache' } }
      const called = client.callTool(search, { signal: cancelling.signal })
      await embedder.asked
      cancelling.abort()
      await expect(called).rejects.toThrow()
      await embedder.left
      expect(textOf(await client.callTool({ name: 'session_list', arguments: {} }))).toBe('{"sessions":[]}')
      await client.close()
    })
})

describe('the program', () => {
  test('answers what has come when its input ends, also a last line without an end', async () => {
    const program = new McpProgram(mcp(knownRoot()))
    await program.begin()
    for (let id = 0; id < 300; id++) program.call(id, 'procedure_search', { query: 'stale cache' })
    program.write('{"jsonrpc":"2.0","id":300,"method":"ping"}')
    program.endInput()
    const ids = (await program.rest()).map(({ id }) => Number(id))
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 301 }, (_, id) => id))
    expect(await program.finished()).toEqual({ exit: 0, error: '' })
  })

  for (const name of ['SIGTERM', 'SIGINT'] as const)
    test(`answers what has come, and then ends, at ${name}`, async () => {
      using embedder = new HoldingEmbedder()
      const program = new McpProgram(mcp(knownRoot()), embedder.environment)
      await program.begin()
      program.call(1, 'procedure_search', { query: 'stale cache' })
      await embedder.asked
      program.signal(name)
      embedder.release()
      expect((await program.rest()).map(({ id }) => id)).toEqual([1])
      expect(await program.finished()).toEqual({ exit: 0, error: '' })
    })

  test('ends at once when nobody sends anything', async () => {
    const program = new McpProgram(mcp(newRoot()))
    program.endInput()
    expect(await program.rest()).toEqual([])
    expect(await program.finished()).toEqual({ exit: 0, error: '' })
  })

  async function expectQuietEnd(program: McpProgram): Promise<void> {
    await program.begin()
    program.leave()
    for (let id = 0; id < 10; id++) program.send({ id, method: 'ping' })
    expect(await program.finished()).toEqual({ exit: 0, error: '' })
  }

  test('ends without a word when nobody reads its answers', async () => {
    await expectQuietEnd(new McpProgram(mcp(newRoot())))
  })

  test.skipIf(deno === null)('does so under Deno, whose output throws', async () => {
    await expectQuietEnd(new McpProgram(mcp(newRoot(), UNDER_DENO), DENO_ENVIRONMENT))
  })

  test.skipIf(!existsSync('/dev/full'))('fails and says why when its answers cannot be written', async () => {
    const command = ['sh', '-c', '"$0" "$@" > /dev/full', ...mcp(newRoot())]
    const program = new McpProgram(command)
    program.send({ id: 1, method: 'ping' })
    expect(await program.finished()).toEqual({
      exit: 1,
      error: 'knowhow: the answers could not be written to standard output (ENOSPC)\n',
    })
  })

  test('keeps what a package prints away from its answers', async () => {
    const noisy = join(folder, 'noisy.ts')
    // Prints once somebody begins to read.
    writeFileSync(noisy, "process.stdin.on('newListener', (event) => event === 'data' && console.log('noise'))")
    const program = new McpProgram(mcp(newRoot(), [process.execPath, 'run', '--preload', noisy, MAIN]))
    expect((await program.begin()).id).toBe('begin')
    program.endInput()
    expect(await program.rest()).toEqual([])
    expect(await program.finished()).toEqual({ exit: 0, error: 'noise\n' })
  })

  test('tells notices once on standard error, and none when it is to be quiet', async () => {
    const told = async (...flags: readonly string[]) => {
      const program = new McpProgram([...mcp(newRoot()), ...flags])
      await program.begin()
      for (const id of [1, 2]) program.call(id, 'procedure_search', { query: 'stale cache' })
      program.endInput()
      expect(await program.rest()).toHaveLength(2)
      return (await program.finished()).error
    }
    expect(await told()).toMatch(/^knowhow: there is no workspace at .+\n$/)
    expect(await told('--quiet')).toBe('')
  })

  test('refuses arguments that it does not take, with nothing on standard output', async () => {
    const program = new McpProgram([...mcp(newRoot()), '--port', '1'])
    expect(await program.rest()).toEqual([])
    expect(await program.finished()).toMatchObject({ exit: 2, error: expect.stringContaining('--port') })
  })
})
