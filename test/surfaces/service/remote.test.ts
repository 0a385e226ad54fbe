import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { askService } from '../../../src/adapters/service-client.ts'
import { operationsFor } from '../../../src/app/operation-table.ts'
import { runCaptured } from '../../fakes/captured-terminal.ts'
import { diskMachine } from '../../fakes/disk-machine.ts'
import { FixedClock } from '../../fakes/fixed-clock.ts'
import { RunningService } from '../../fakes/running-service.ts'

/** What is recalled depends on how old it is. */
const machine = { ...diskMachine(), clock: new FixedClock() }

let service: RunningService

beforeAll(async () => {
  service = await RunningService.start([], {}, machine)
  service.putExperience('clear-cache', { when: 'the build cache is stale', content: 'Clear it.' })
  service.putOriginal('run.log', 'one line\nand another\n')
  await service.ask('memory_remember', { kind: 'semantic', concept: 'cache', content: 'it goes stale' })
})

afterAll(() => service[Symbol.asyncDispose]())

const run = (argv: readonly string[], environment: Record<string, string> = {}) =>
  runCaptured(argv, { ...machine, environment })
const here = (...argv: string[]) => run([...argv, '--workspace', service.root])
const there = (...argv: string[]) => run([...argv, '--remote', service.url])

describe('a command with --remote', () => {
  const COMMANDS = [
    ['search', 'stale cache'],
    ['search', 'stale cache', '--index', 'when_to_use_content', '--limit', '1', '--min-fit', '0.1'],
    ['search', 'nothing of the kind'],
    ['read', 'procedures/clear-cache.json'],
    ['read', 'session/trajectories/run.log', '--offset', '4', '--length', '8'],
    ['memory', 'recall', 'stale', '--types', 'semantic'],
  ]

  test.each(COMMANDS)('prints what it prints here: %s %s %s', async (...argv) => {
    for (const flags of [[], ['--json']]) {
      const [local, remote] = [await here(...argv, ...flags), await there(...argv, ...flags)]
      expect(remote.out).toBe(local.out)
      expect(remote).toMatchObject({ exit: 0, error: '' })
    }
  })

  test.each([
    [['read', 'procedures/none.json'], 1, 'not_found'],
    [['read', '../../etc/passwd'], 1, 'path_outside'],
    [['search', ' '], 2, 'invalid_argument'],
    [['search', 'x', '--limit', '900'], 2, 'invalid_argument'],
    [['memory', 'recall', 'x', '--session', 'none'], 1, 'session_not_found'],
    [['memory', 'recall', 'x', '--types', 'none'], 2, 'invalid_argument'],
  ] as const)('ends as it does here: %j', async (argv, exit, code) => {
    const [local, remote] = [await here(...argv, '--json'), await there(...argv, '--json')]
    expect(remote).toEqual(local)
    expect([remote.exit, JSON.parse(remote.out).error.code]).toEqual([exit, code])
  })

  test('is one that asks for nothing but an answer', () => {
    const remote = operationsFor('cli').filter(({ isRemote }) => isRemote === true)
    expect(remote.map(({ command }) => command)).toEqual(['search', 'read', 'memory recall'])
    for (const { writes, exposure } of remote) expect([writes, exposure.includes('service')]).toEqual([false, true])
  })

  test('is shown by help, and others do not take it', async () => {
    expect((await run(['search', '--help'])).out).toContain('--remote <URL>')
    expect(await run(['status', '--remote', service.url])).toMatchObject({ exit: 2 })
  })

  test.each([
    ['127.0.0.1:2433', /takes an http or https address/],
    ['ftp://127.0.0.1', /takes an http or https address/],
    ['', /takes an http or https address/],
    ['http://ann:hidden@127.0.0.1', /takes no user and password/],
    ['http://127.0.0.1/?key=hidden', /without \? and #/],
  ])('refuses the address %p', async (url, words) => {
    const { exit, error } = await run(['search', 'x', `--remote=${url}`])
    expect(exit).toBe(2)
    expect(error).toMatch(words)
    expect(error).not.toContain('hidden')
  })

  test('has no workspace here', async () => {
    const { exit, error } = await run(['search', 'x', '--remote', service.url, '--workspace', service.root])
    expect([exit, error]).toEqual([2, expect.stringContaining('leave out --workspace and --config')])
  })
})

/** A program that answers every request this way. @returns what it was asked, and where it is */
async function other(answer: RequestListener) {
  const asked: IncomingMessage[] = []
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming)
    answer(incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, url, [Symbol.dispose]: () => void server.close() }
}

async function refusal(url: string, environment: Record<string, string> = {}) {
  const { exit, out } = await run(['search', 'x', '--json', '--remote', url], environment)
  expect(exit).toBe(1)
  return JSON.parse(out).error as { readonly code: string; readonly message: string; readonly resumable: boolean }
}

describe('what is no service of this version', () => {
  const JSON_TYPE = { 'content-type': 'application/json' }

  test.each([
    [200, { 'content-type': 'text/html' }, '<html>Welcome</html>', /no knowhow service \(HTTP 200\)/],
    [200, JSON_TYPE, '<html>', /no knowhow service/],
    [404, { 'content-type': 'text/plain' }, 'nothing here', /no knowhow service \(HTTP 404\)/],
    [404, JSON_TYPE, '{"detail":"Not Found"}', /no knowhow service/],
    [200, JSON_TYPE, '{"query":"x","results":[]}', /another form than this version knows/],
    [200, JSON_TYPE, 'null', /another form/],
    [418, JSON_TYPE, '{"error":{"code":"of_tomorrow","message":"m","resumable":false}}', /it says of_tomorrow: m/],
    [503, JSON_TYPE, '{"error":{"code":"interrupted","message":"m","resumable":true}}', /it says interrupted/],
  ])('is told as that: %p %j %s', async (status, headers, body, words) => {
    using program = await other((_, outgoing) => outgoing.writeHead(status, headers).end(body))
    const { code, message, resumable } = await refusal(program.url)
    expect([code, resumable]).toEqual(['service_unavailable', true])
    expect(message).toMatch(words)
    expect(message).toContain(program.url)
  })

  test('is told where nobody listens, with what to do', async () => {
    const gone = await other(() => {})
    gone[Symbol.dispose]()
    const { code, message } = await refusal(gone.url)
    expect(code).toBe('service_unavailable')
    expect(message).toMatch(/^no service answers at http:\/\/127\.0\.0\.1:\d+: .*start it with knowhow serve/)
  })

  test('is not followed elsewhere, and the token with it', async () => {
    using elsewhere = await other((_, outgoing) => outgoing.end())
    using program = await other((_, outgoing) => outgoing.writeHead(307, { location: elsewhere.url }).end())
    const { code, message } = await refusal(program.url, { KNOWHOW_TOKEN: 'open-sesame' })
    expect([code, message]).toEqual([
      'service_unavailable',
      expect.stringContaining('redirects, which is not followed'),
    ])
    expect(program.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer open-sesame'])
    expect(elsewhere.asked).toEqual([])
  })

  test('that never answers is left in the end, and one that answers for ever too', async () => {
    using silent = await other(() => {})
    const question = { token: undefined, body: '{}', bytesMax: 10, signal: new AbortController().signal }
    await expect(askService({ ...question, url: new URL(silent.url), timeoutMs: 1 })).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('no answer for 0.001 s'),
    })
    using endless = await other((_, outgoing) => {
      outgoing.on('error', () => {})
      outgoing.writeHead(200, JSON_TYPE).write('x'.repeat(11))
    })
    await expect(askService({ ...question, url: new URL(endless.url), timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('longer than 10 bytes'),
    })
  })

  test('is left at once when the person wants to stop', async () => {
    using silent = await other(() => stop.abort())
    const stop = new AbortController()
    const argv = ['search', 'x', '--json', '--remote', silent.url]
    const { exit, out } = await runCaptured(argv, { ...diskMachine(), environment: {} }, stop.signal)
    expect([exit, JSON.parse(out).error.code]).toEqual([130, 'interrupted'])
  })
})

describe('the token', () => {
  test('opens a service that wants one; without it the next step is told', async () => {
    await using guarded = await RunningService.start([], { KNOWHOW_TOKEN: 'open-sesame' })
    const { code, message } = await refusal(guarded.url)
    expect([code, message]).toEqual(['unauthorized', expect.stringContaining('set KNOWHOW_TOKEN to the token')])
    expect((await refusal(guarded.url, { KNOWHOW_TOKEN: 'open-barley' })).message).not.toContain('barley')
    const { exit } = await run(['search', 'x', '--remote', guarded.url], { KNOWHOW_TOKEN: 'open-sesame' })
    expect(exit).toBe(0)
  })

  test('is shown by nothing that answers with what it was sent', async () => {
    const token = 'open\\"sesame'
    using program = await other((incoming, outgoing) => {
      const message = `you sent ${incoming.headers.authorization}`
      outgoing
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { code: 'x', message, resumable: false } }))
    })
    const { message } = await refusal(program.url, { KNOWHOW_TOKEN: token })
    expect(message).toContain('you sent Bearer [KNOWHOW_TOKEN]')
    expect(message).not.toContain('sesame')
  })

  test('that no request can carry is told before one is sent', async () => {
    using program = await other((_, outgoing) => outgoing.end())
    const { code, message } = await refusal(program.url, { KNOWHOW_TOKEN: 'open\nsesame' })
    expect([code, message]).toEqual(['invalid_config', expect.not.stringContaining('sesame')])
    expect(program.asked).toEqual([])
  })

  test('in plain text to another machine is told', async () => {
    const asked: string[] = []
    const watched = {
      ...machine,
      environment: { KNOWHOW_TOKEN: 'open-sesame' },
      askService: async ({ url }: { readonly url: URL }) => {
        asked.push(url.href)
        return { status: 200, contentType: '', text: '' }
      },
    }
    const { error } = await runCaptured(['search', 'x', '--remote', 'http://box.example/memory/'], watched)
    expect(error).toContain('KNOWHOW_TOKEN goes to box.example as plain text')
    expect(error).not.toContain('open-sesame')
    expect(asked).toEqual(['http://box.example/memory/procedure_search'])
    expect((await runCaptured(['search', 'x', '--remote', 'https://box.example'], watched)).error).not.toContain(
      'plain',
    )
  })
})

test('a proxy of the environment is not asked for a service on this machine', async () => {
  using proxy = await other((_, outgoing) => outgoing.end())
  const before = process.env.HTTP_PROXY
  process.env.HTTP_PROXY = proxy.url
  try {
    expect((await there('search', 'stale cache')).exit).toBe(0)
  } finally {
    if (before === undefined) delete process.env.HTTP_PROXY
    else process.env.HTTP_PROXY = before
  }
  expect(proxy.asked).toEqual([])
})
