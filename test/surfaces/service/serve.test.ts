import { describe, expect, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { KeptWorkspace } from '../../../src/app/kept-workspace.ts'
import { operationsFor } from '../../../src/app/operation-table.ts'
import { MemoryError } from '../../../src/model/memory-error.ts'
import { type ServiceSetup, serviceFetch } from '../../../src/surfaces/service/service-app.ts'
import { SERVICE_LIMITS } from '../../../src/surfaces/service/service-limits.ts'
import { ServiceLog } from '../../../src/surfaces/service/service-log.ts'
import { runCaptured } from '../../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../../fakes/fake-machine.ts'
import { RunningService } from '../../fakes/running-service.ts'

const stopped = AbortSignal.abort()
const serve = (...flags: string[]) => runCaptured(['serve', ...flags], new FakeMachine(), stopped)

describe('serve', () => {
  test('says where it answers, and ends well when it is told to', async () => {
    const { exit, out, error } = await serve('--port', '0')
    expect([exit, out]).toEqual([0, ''])
    expect(error).toMatch(/^knowhow: answering at http:\/\/127\.0\.0\.1:\d+; GET /)
    const told = await serve('--port', '0', '--json', '--quiet')
    expect(told.error).toBe('')
    const { url, host, port } = JSON.parse(told.out) as {
      readonly url: string
      readonly host: string
      readonly port: number
    }
    expect(url).toBe(`http://${host}:${port}`)
  })

  test('makes nothing in a workspace that is not there', async () => {
    await using service = await RunningService.start()
    expect((await service.ask('procedure_search', { query: 'x' })).status).toBe(200)
    expect((await service.ask('memory_recall', { query: 'x' })).status).toBe(200)
    expect((await service.send('/health')).status).toBe(200)
    expect(existsSync(service.root)).toBe(false)
  })

  test.each([
    ['--port', '65536', /--port: must be at most 65535/],
    ['--port', '-1', /--port/],
    ['--port', '1.5', /--port: must be a whole number/],
    ['--port', 'http', /--port takes a number/],
    ['--host', '', /--host: at "" others can ask too; set KNOWHOW_TOKEN/],
    ['--host', '0.0.0.0', /--host: at "0\.0\.0\.0" others can ask too; set KNOWHOW_TOKEN/],
    ['--host', '::', /set KNOWHOW_TOKEN/],
    ['--host', '127.0.0.1.example', /set KNOWHOW_TOKEN/],
  ])('refuses %s %p', async (flag, value, words) => {
    const { exit, error } = await serve(flag, value)
    expect(exit).toBe(2)
    expect(error).toMatch(words)
  })

  test('refuses a host that is no address of this machine', async () => {
    const machine = new FakeMachine()
    machine.environment = { KNOWHOW_TOKEN: 'open-sesame' }
    const { exit, error } = await runCaptured(['serve', '--host', '203.0.113.1', '--port', '0'], machine, stopped)
    expect([exit, error]).toEqual([2, expect.stringContaining('"203.0.113.1" is no address of this machine')])
  })

  test('refuses a token that no request can carry, without showing it', async () => {
    const machine = new FakeMachine()
    machine.environment = { KNOWHOW_TOKEN: 'two words' }
    const { exit, out } = await runCaptured(['serve', '--port', '0', '--json'], machine, stopped)
    expect([exit, JSON.parse(out).error.code]).toEqual([1, 'invalid_config'])
    expect(out).not.toContain('two words')
  })

  test('names a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { readonly port: number }
    const { exit, out } = await serve('--port', String(port), '--json')
    other.close()
    expect([exit, JSON.parse(out).error]).toEqual([
      1,
      { code: 'address_in_use', message: expect.stringContaining(`port ${port}`), resumable: true },
    ])
  })

  test('config says whether there is a token, and not which', async () => {
    const machine = new FakeMachine()
    const shown = async () => (await runCaptured(['config', '--json'], machine)).out
    expect(JSON.parse(await shown()).keys.KNOWHOW_TOKEN).toBe('unset')
    machine.environment.KNOWHOW_TOKEN = 'open-sesame'
    expect(JSON.parse(await shown()).keys.KNOWHOW_TOKEN).toBe('set')
    expect(await shown()).not.toContain('open-sesame')
  })
})

describe('health', () => {
  test('is bad while the settings are wrong, says why, and good once they are mended', async () => {
    await using service = await RunningService.start()
    service.putExperience('a', { when: 'a' })
    const settings = join(service.root, 'knowhow.json')
    writeFileSync(settings, '{"search":{"limit":"many"}}')
    expect(await service.send('/health')).toMatchObject({ status: 503, body: { error: { code: 'invalid_config' } } })
    expect((await service.ask('session_list', {})).status).toBe(503)
    rmSync(settings)
    expect(await service.send('/health')).toMatchObject({ status: 200, body: { status: 'ready', version: '1.2.3' } })
  })

  test('is bad while the memory graph cannot be read', async () => {
    await using service = await RunningService.start()
    await service.ask('session_start', { id: 's' })
    const file = join(service.root, 'memory', 'memory.db')
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    writeFileSync(file, 'no database at all, whatever it is called')
    expect(await service.send('/health')).toMatchObject({ status: 503, body: { error: { code: 'memory_corrupt' } } })
  })
})

describe('more requests than are answered at once', () => {
  test('are told to come again, and leave room for others', async () => {
    const held = Promise.withResolvers<unknown>()
    const { fetch } = app({ ask: () => held.promise }, 2)
    const ask = () => fetch(listRequest(), { id: 'r', signal: new AbortController().signal })
    const first = [ask(), ask()]
    const busy = await ask()
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await busy.json()).toMatchObject({ error: { code: 'service_busy', resumable: true } })
    held.resolve({ sessions: [] })
    for (const response of await Promise.all(first)) expect(response.status).toBe(200)
    expect((await ask()).status).toBe(200)
  })
})

test('what an operation says beside its answer stands in the log under its request', async () => {
  const { fetch, lines } = app({
    ask: async (_, __, { say }) => {
      say('a vector is missing')
      return { sessions: [] }
    },
  })
  await fetch(listRequest(), { id: 'r-7', signal: new AbortController().signal })
  expect(lines).toEqual([expect.stringMatching(/Z r-7 a vector is missing$/)])
})

test('a locked workspace is told as 423, with when to come again', async () => {
  const { fetch } = app({
    ask: async () => {
      throw new MemoryError('workspace_locked', 'process 7 (knowhow import) holds it')
    },
  })
  const response = await fetch(listRequest(), { id: 'r', signal: new AbortController().signal })
  expect([response.status, response.headers.get('retry-after')]).toEqual([423, '1'])
})

test('originals are masked, whatever range of them is asked for', async () => {
  await using service = await RunningService.start()
  const secret = `ghp_${'Ab1'.repeat(12)}`
  service.putOriginal('run.log', `export GITHUB_TOKEN=${secret}\nand on it goes\n`)
  for (const range of [{}, { offset: 25, length: 10 }, { offset: 20, length: 50 }]) {
    const { status, text } = await service.ask('procedure_read', { path: 'session/trajectories/run.log', ...range })
    expect(status).toBe(200)
    for (let at = 0; at + 8 <= secret.length; at += 4) expect(text).not.toContain(secret.slice(at, at + 8))
  }
})

test('the description names each operation, its schemas, and what asking it looks like', async () => {
  await using service = await RunningService.start()
  const { body } = await service.send('/openapi.json')
  const { openapi, paths, components } = body as {
    readonly openapi: string
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly securitySchemes: unknown; readonly responses: Readonly<Record<string, unknown>> }
  }
  expect(openapi).toBe('3.1.0')
  expect(Object.keys(paths).sort()).toEqual(
    [...operationsFor('service').map(({ name }) => `/${name}`), '/health', '/openapi.json', '/mcp'].sort(),
  )
  expect(components.securitySchemes).toMatchObject({ token: { type: 'http', scheme: 'bearer' } })
  for (const { name, summary } of operationsFor('service')) {
    const post = paths[`/${name}`]?.post
    expect(post).toMatchObject({ operationId: name, summary, requestBody: { required: true } })
    for (const { $ref } of Object.values(post?.responses ?? {}))
      if ($ref !== undefined) expect(components.responses).toHaveProperty($ref.replace('#/components/responses/', ''))
  }
  const search = paths['/procedure_search']?.post?.requestBody.content['application/json']
  expect(search?.schema).toMatchObject({ additionalProperties: false, required: ['query'] })
  expect(Object.values(search?.examples ?? {})[1]?.value).toEqual({
    query: 'E0308 mismatched types',
    index: 'when_to_use_content',
    limit: 3,
  })
})

interface Operation {
  readonly requestBody: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema: unknown; readonly examples: Readonly<Record<string, { readonly value: unknown }>> }
      >
    >
  }
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>
}

function app(kept: ServiceSetup['kept'], workingMax = 9) {
  const mcp = { fetch: async () => new Response('no message came for this') }
  const lines: string[] = []
  const log = new ServiceLog((line) => lines.push(line), new FakeMachine().clock, true)
  const limits = { ...SERVICE_LIMITS, workingMax }
  return { fetch: serviceFetch({ kept, version: '1', log, limits, mcp }), lines }
}

function listRequest(): Request {
  const headers = { 'content-type': 'application/json' }
  return new Request('http://localhost/session_list', { method: 'POST', headers, body: '{}' })
}

test('every example of the description is a body that the route takes', async () => {
  const machine = new FakeMachine()
  using kept = new KeptWorkspace(machine, { root: ROOT, configPath: null, command: 'test' })
  const { fetch } = app(kept)
  const facts = { id: 'r', signal: new AbortController().signal }
  const { paths } = (await (await fetch(new Request('http://localhost/openapi.json'), facts)).json()) as {
    readonly paths: Readonly<Record<string, { readonly post?: Operation }>>
  }
  let count = 0
  for (const [path, { post }] of Object.entries(paths))
    for (const { value } of Object.values(post?.requestBody.content['application/json']?.examples ?? {})) {
      const headers = { 'content-type': 'application/json' }
      const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(value) })
      expect((await fetch(request, facts)).status).toBeOneOf([200, 404, 409])
      count += 1
    }
  expect(count).toBeGreaterThan(10)
})
