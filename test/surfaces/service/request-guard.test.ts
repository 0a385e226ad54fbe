import { describe, expect, test } from 'bun:test'
import { isLoopbackHost } from '../../../src/surfaces/loopback-host.ts'
import { requestGuard } from '../../../src/surfaces/service/request-guard.ts'
import { RunningService } from '../../fakes/running-service.ts'

const HOST = ['Host', 'localhost:2433']
const local = requestGuard({ isLoopback: true, token: null })
const withToken = requestGuard({ isLoopback: false, token: 'open-sesame' })
const codeOf = (guard: typeof local, headers: readonly string[], target = '/health') =>
  guard(target, headers)?.code ?? null

describe('on a loopback address', () => {
  test.each(['localhost', 'LOCALHOST:1', 'localhost:2433', '127.0.0.1', '127.255.0.9:80', '[::1]', '[::1]:2433'])(
    'Host %s is this machine',
    (host) => expect(codeOf(local, ['Host', host])).toBeNull(),
  )

  test.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:2433',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.io',
    '127.1',
    '0x7f000001',
    '0.0.0.0',
    '192.168.0.1',
    '[::]',
    '[::ffff:8.8.8.8]',
    '::1',
    'localhost.',
    'localhost@evil.example',
    'localhost:port',
    'localhost, evil.example',
    '',
    ' ',
  ])('Host %p is somebody else', (host) => expect(codeOf(local, ['Host', host])).toBe('forbidden'))

  test('a Host that is missing or sent twice is refused', () => {
    expect(codeOf(local, [])).toBe('forbidden')
    expect(codeOf(local, [...HOST, 'host', 'localhost'])).toBe('forbidden')
  })

  test.each(['http://localhost:3000', 'https://localhost', 'http://127.0.0.1:8080', 'http://[::1]:1'])(
    'a page of %s may ask',
    (origin) => expect(codeOf(local, [...HOST, 'Origin', origin])).toBeNull(),
  )

  test.each([
    'null',
    'https://evil.example',
    'http://localhost.evil.example',
    'http://evil.example#localhost',
    'http://evil.example/?http://localhost',
    'http://localhost@evil.example',
    'file://localhost',
    'chrome-extension://localhost',
    'localhost',
    '',
  ])('a page of %p may not', (origin) => expect(codeOf(local, [...HOST, 'Origin', origin])).toBe('forbidden'))

  test('of two origins both have to be pages of this machine', () => {
    const both = ['Origin', 'http://localhost', 'origin', 'http://evil.example']
    expect(codeOf(local, [...HOST, ...both])).toBe('forbidden')
  })

  test('what a browser calls cross-site is refused without an origin too', () => {
    expect(codeOf(local, [...HOST, 'Sec-Fetch-Site', 'cross-site'])).toBe('forbidden')
    expect(codeOf(local, [...HOST, 'Sec-Fetch-Site', 'same-origin'])).toBeNull()
  })
})

describe('a token', () => {
  test.each([['Bearer open-sesame'], ['bearer open-sesame'], ['BEARER   open-sesame']])('is taken: %s', (value) =>
    expect(codeOf(withToken, ['Host', 'any.example', 'Authorization', value])).toBeNull(),
  )

  test.each([
    ['Bearer open-sesam'],
    ['Bearer open-sesamee'],
    ['Bearer OPEN-SESAME'],
    ['Bearer '],
    ['Bearer'],
    [''],
    ['Basic open-sesame'],
    ['open-sesame'],
    ['Bearer open-sesame x'],
    ['Bearer open-sesame, Bearer open-sesame'],
  ])('is none: %p', (value) =>
    expect(codeOf(withToken, ['Host', 'any.example', 'Authorization', value])).toBe('unauthorized'),
  )

  test('that is sent twice or not at all is refused', () => {
    const line = ['Authorization', 'Bearer open-sesame']
    expect(codeOf(withToken, ['Host', 'any.example'])).toBe('unauthorized')
    expect(codeOf(withToken, ['Host', 'any.example', ...line, ...line])).toBe('unauthorized')
  })
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.0.0.1.example', false],
  ['', false],
])('%p is a loopback address: %p', (host, expected) => expect(isLoopbackHost(host)).toBe(expected))

describe('a service with KNOWHOW_TOKEN', () => {
  test('wants it for every route on a loopback address too, and shows it nowhere', async () => {
    await using service = await RunningService.start(['--log'], { KNOWHOW_TOKEN: 'open-sesame' })
    const sent = { authorization: 'Bearer open-sesame' }
    for (const path of ['/health', '/openapi.json', '/nothing']) {
      const { status, headers, body } = await service.send(path)
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="knowhow"'])
      expect(body).toMatchObject({ error: { code: 'unauthorized' } })
    }
    expect((await service.send('/health', { headers: sent })).status).toBe(200)
    const answers = [
      await service.ask('session_list', {}, sent),
      await service.send('/openapi.json', { headers: sent }),
    ]
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).not.toContain('open-sesame')
    }
    expect(service.told()).not.toContain('open-sesame')
  })

  test('refuses a Host from elsewhere on a loopback address, whoever has the token', async () => {
    await using service = await RunningService.start([], { KNOWHOW_TOKEN: 'open-sesame' })
    const answer = await service.raw(
      'GET /health HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer open-sesame\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toStartWith('HTTP/1.1 403 ')
  })

  test('answers on every address, under any name', async () => {
    await using service = await RunningService.start(['--host', '0.0.0.0'], { KNOWHOW_TOKEN: 'open-sesame' })
    const ask = (line: string) =>
      service.raw(`GET /health HTTP/1.1\r\nHost: box.example\r\n${line}Connection: close\r\n\r\n`)
    expect(await ask('')).toStartWith('HTTP/1.1 401 ')
    expect(await ask('Authorization: Bearer open-sesame\r\n')).toStartWith('HTTP/1.1 200 ')
  })
})
