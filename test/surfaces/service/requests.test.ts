import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OPERATIONS, operationsFor } from '../../../src/app/operation-table.ts'
import { RunningService } from '../../fakes/running-service.ts'

let service: RunningService

beforeAll(async () => {
  service = await RunningService.start(['--log'])
  service.putExperience('clear-cache', { when: 'the build cache is stale' })
})

afterAll(() => service[Symbol.asyncDispose]())

const POST = (path: string, body: string, headers = 'Content-Type: application/json\r\n') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const GET = (path: string, headers = 'Host: localhost\r\n') =>
  `GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`

function refusalIn(answer: string): readonly [status: number, code: string, message: string] {
  const { error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as {
    readonly error: { readonly code: string; readonly message: string }
  }
  return [Number(answer.split(' ')[1]), error.code, error.message]
}

describe('a route', () => {
  test('answers as the command with --json does', async () => {
    const { status, body, headers, text } = await service.ask('procedure_search', { query: 'stale cache', limit: 3 })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(body).toMatchObject({ query: 'stale cache', results: [{ path: 'procedures/clear-cache.json' }] })
    expect(text).toBe(`${JSON.stringify(body)}\n`)
  })

  test('is there for each operation of the service, and for no other', async () => {
    const offered = new Set(operationsFor('service').map(({ name }) => name))
    for (const { name } of OPERATIONS) {
      const { status } = await service.send(`/${name}`, { method: 'OPTIONS' })
      expect([name, status]).toEqual([name, offered.has(name) ? 204 : 404])
    }
  })

  test('sends the request id back, made anew where it is not sane', async () => {
    const idFor = async (id: string) =>
      (await service.send('/health', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
    expect(await idFor('run-7.a_B')).toBe('run-7.a_B')
    expect(await idFor('two words')).toMatch(/^[a-z0-9]+$/)
    expect(await idFor('x'.repeat(101))).toMatch(/^[a-z0-9]{1,100}$/)
  })

  test('lets no answer be kept, guessed at, or read from another origin', async () => {
    for (const path of ['/health', '/nothing', '/procedure_search']) {
      const { headers } = await service.send(path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})

describe('a method', () => {
  test.each([
    ['GET', '/procedure_search', 'POST, OPTIONS'],
    ['PUT', '/session_list', 'POST, OPTIONS'],
    ['DELETE', '/memory_recall', 'POST, OPTIONS'],
    ['POST', '/health', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('that a route does not take is refused with those it takes: %s %s', async (method, path, allow) => {
    const { status, headers, body } = await service.send(path, { method })
    expect([status, headers.get('allow')]).toEqual([405, allow])
    expect(body).toMatchObject({ error: { code: 'method_not_allowed' } })
  })

  test('OPTIONS names the others, and HEAD answers without a body', async () => {
    expect((await service.send('/memory_recall', { method: 'OPTIONS' })).headers.get('allow')).toBe('POST, OPTIONS')
    expect(await service.send('/health', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    expect(await service.send('/session_list', { method: 'HEAD' })).toMatchObject({ status: 405, text: '' })
  })
})

describe('a body', () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  test.each([
    ['', /^arguments: not valid JSON/],
    ['{', /^arguments: not valid JSON/],
    ['{"query":"x"} {}', /^arguments: not valid JSON/],
    ["{'query':'x'}", /^arguments: not valid JSON/],
    ['[]', /^arguments: takes an object/],
    ['"query"', /^arguments: takes an object/],
    ['null', /^arguments: takes an object/],
    ['{}', /^query: it is missing/],
    ['{"query":7}', /^query: takes string, not 7/],
    ['{"query":["x"]}', /^query: /],
    ['{"query":"x","limits":3}', /^limits: there is no such argument/],
    ['{"query":"x","limit":1.5}', /^limit: must be a whole number/],
    ['{"query":"x","limit":1e999}', /^limit: /],
    ['{"query":"x","query":"y"}', /^query: it is given twice/],
    ['{"query":"x","\\u0071uery":"y"}', /^query: it is given twice/],
    ['{"query":"x","__proto__":{"limit":1}}', /^__proto__: there is no such argument/],
    ['{"query":"x","constructor":{}}', /^constructor: there is no such argument/],
    ['{"query":"\\ud800"}', /^query: holds half of a surrogate pair/],
    ['{"query":"x","\\udfff":1}', /half of a surrogate pair/],
    [deep(33), /^a\.a\..*: nested more than 32 levels deep/],
    ['['.repeat(500_000), /^arguments: not valid JSON/],
    [`${'['.repeat(500_000)}${']'.repeat(500_000)}`, /nested more than 32 levels deep/],
  ])('that is wrong is refused by naming what is: %p', async (body, words) => {
    const [status, code, message] = refusalIn(await service.raw(POST('/procedure_search', body)))
    expect([status, code]).toEqual([400, 'invalid_argument'])
    expect(message).toMatch(words)
  })

  test('that is not in UTF-8 is refused', async () => {
    const head =
      'POST /procedure_search HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n'
    const bytes = Buffer.concat([
      Buffer.from(`${head}Content-Length: 13\r\n\r\n{"query":"`),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ])
    expect(refusalIn(await service.raw(bytes))).toEqual([400, 'invalid_argument', 'arguments: not in UTF-8'])
  })

  test.each([
    'Content-Type: text/plain\r\n',
    'Content-Type: application/x-www-form-urlencoded\r\n',
    'Content-Type: application/json; charset=latin1\r\n',
    'Content-Type: application/jsonp\r\n',
    'Content-Type: application/json\r\nContent-Encoding: gzip\r\n',
    '',
  ])('of another kind is refused: %p', async (headers) => {
    const [status, code] = refusalIn(await service.raw(POST('/procedure_search', '{"query":"x"}', headers)))
    expect([status, code]).toEqual([415, 'media_type_unsupported'])
  })

  test('may name its encoding', async () => {
    const answer = await service.raw(POST('/session_list', '{}', 'Content-Type: Application/JSON; charset=UTF-8\r\n'))
    expect(answer).toStartWith('HTTP/1.1 200 ')
  })

  test('that is declared too long is refused without waiting for it', async () => {
    const head = 'POST /procedure_search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    const [status, code] = refusalIn(await service.raw(`${head}Content-Length: 99999999999\r\n\r\n{`))
    expect([status, code]).toEqual([413, 'body_too_large'])
  })

  test('that comes in chunks is refused once there is too much of it, though it has no end', async () => {
    const head =
      'POST /procedure_search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const [status, code] = refusalIn(await service.raw(head + chunk.repeat(17)))
    expect([status, code]).toEqual([413, 'body_too_large'])
  })

  test('as long as is allowed is taken', async () => {
    const query = 'x'.repeat(2 ** 20 - 12)
    expect((await service.ask('procedure_search', { query })).status).not.toBe(413)
    expect((await service.ask('procedure_search', { query: `${query}x` })).status).toBe(413)
  })
})

describe('a path', () => {
  test.each([
    '/',
    '/import',
    '/procedure_import',
    '/procedure_create',
    '/procedure_update',
    '/procedure_reindex',
    '/mcp/x',
    '/health/',
  ])('that leads nowhere is not found: %s', async (path) => {
    expect(refusalIn(await service.raw(GET(path))).slice(0, 2)).toEqual([404, 'not_found'])
  })

  test.each([
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2fknowhow.json',
    '/procedures/clear-cache.json',
    '//health',
    '/\\health',
  ])('names no file: %s', async (path) => {
    expect(refusalIn(await service.raw(GET(path)))[0]).toBeOneOf([400, 404])
  })

  test('takes no arguments of its own where a body has them', async () => {
    const [status, , message] = refusalIn(await service.raw(POST('/session_list?id=x', '{}')))
    expect([status, message]).toEqual([400, 'arguments stand in the body, and not behind a question mark'])
  })

  test('that is an address is refused, for this is no proxy', async () => {
    expect(refusalIn(await service.raw(GET('http://localhost/health')))[0]).toBe(400)
  })
})

describe('what is no request', () => {
  test.each([
    ['NONSENSE\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    [GET('/health', `Host: localhost\r\nX-Long: ${'y'.repeat(40_000)}\r\n`), 431],
  ])('is told so in JSON: %#', async (bytes, expected) => {
    expect(refusalIn(await service.raw(bytes)).slice(0, 2)).toEqual([expected, 'invalid_argument'])
  })
})

test.each(['TRACE', 'CONNECT', 'PROPFIND', 'BREW'])('the method %s gets no answer but a refusal', async (method) => {
  const answer = await service.raw(`${method} /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  expect(answer).not.toMatch(/^HTTP\/1\.1 [23]/)
})

test('an upgrade to another protocol is not made', async () => {
  const upgrade =
    'Host: localhost\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\nSec-WebSocket-Version: 13\r\n'
  const answer = await service.raw(`GET /health HTTP/1.1\r\nConnection: Upgrade, close\r\n${upgrade}\r\n`)
  expect(answer).not.toStartWith('HTTP/1.1 101')
})

describe('what is not there', () => {
  test.each([
    ['procedure_read', { path: 'procedures/none.json' }, 404, 'not_found'],
    ['procedure_read', { path: '../../etc/passwd' }, 400, 'path_outside'],
    ['session_show', { id: 'none' }, 404, 'session_not_found'],
    ['memory_remember', { kind: 'episodic', content: 'c', session: 'none' }, 404, 'session_not_found'],
  ] as const)('has a status of its own: %s %j', async (route, input, status, code) => {
    expect(await service.ask(route, input)).toMatchObject({ status, body: { error: { code } } })
  })

  test('and what is there already is a conflict', async () => {
    expect((await service.ask('session_start', { id: 'twice' })).status).toBe(200)
    expect(await service.ask('session_start', { id: 'twice' })).toMatchObject({
      status: 409,
      body: { error: { code: 'session_exists', resumable: false } },
    })
  })
})

test('the log tells of each request once, and neither what it asked nor what it sent', async () => {
  await service.ask('procedure_search', { query: 'a private matter' }, { 'x-request-id': 'logged-1' })
  await service.send('/health?token=unseen-word', {
    headers: { 'x-request-id': 'logged-2', authorization: 'Bearer hidden' },
  })
  const lines = service.told().split('\n')
  expect(lines.filter((line) => line.includes('logged-1'))).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z logged-1 POST \/procedure_search 200 \d+ ms \d+ bytes$/),
  ])
  expect(lines.filter((line) => line.includes('logged-2'))).toEqual([expect.stringMatching(/ GET \/health 200 /)])
  for (const hidden of ['private', 'unseen-word', 'hidden']) expect(service.told()).not.toContain(hidden)
})
