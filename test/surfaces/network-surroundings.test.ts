/** The compiled program behind certificates of a network's own and behind proxies. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { outboundProxy } from '../../src/adapters/outbound-proxy.ts'
import { hasOpenssl, type ServerIdentity, serverIdentity } from '../fakes/certificate-authority.ts'
import { compiledProgram, newWorkspace, start } from '../fakes/compiled-program.ts'
import { type ChatServer, faultyChat, json, sayOnly } from '../fakes/faulty-chat.ts'
import { ForwardProxy } from '../fakes/forward-proxy.ts'

const KEY = 'Zebra7421Quartz9058Lantern'
const USER = 'ann-7719'
const PASSWORD = 'Walnut5530Harbour'
const NOBODY = '127.0.0.1:1'
const TIMEOUT_MS = 5 * 60_000
const HAS_OPENSSL = hasOpenssl()

if (!HAS_OPENSSL) console.log('no openssl: what needs certificates is not tested')

let program: string
let folder: string
let plain: ChatServer

beforeAll(async () => {
  program = await compiledProgram()
  folder = mkdtempSync(join(tmpdir(), 'knowhow-network-'))
  plain = faultyChat([sayOnly('Nothing to note.')])
}, TIMEOUT_MS)

afterAll(() => {
  plain[Symbol.dispose]()
  rmSync(dirname(program), { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

type Environment = Readonly<Record<string, string>>

/** What the program prints and leaves behind holds neither the key nor the password of a proxy. */
async function run(environment: Environment, ...argv: string[]) {
  const place = mkdtempSync(join(folder, 'place-'))
  const { root, file } = newWorkspace(place, 'step one went wrong\n')
  const config = join(place, 'config.json')
  writeFileSync(config, JSON.stringify({ tokenizer: join(place, 'tokenizer.json'), llm: { retries: 1 } }))
  mkdirSync(join(root, 'procedures'), { recursive: true })
  writeFileSync(join(root, 'procedures', 'mend-it.json'), EXPERIENCE)
  const command = argv.length > 0 ? argv : ['import', file]
  const keys = { LLM_API_KEY: KEY, EMBEDDING_API_KEY: KEY }
  const { exit, out, error } = await start(
    program,
    [...command, '--workspace', root, '--config', config, '--json'],
    { LLM_MODEL_NAME: 'm', ...keys, ...environment },
    place,
  ).finished
  const left = [out, error, ...textsIn(root)]
  for (const secret of [KEY, PASSWORD, USER]) expect(left.filter((text) => text.includes(secret))).toEqual([])
  const answer = JSON.parse(out) as { error?: { code: string; message: string; resumable: boolean } }
  return { exit, code: answer.error?.code, message: answer.error?.message ?? '' }
}

const EXPERIENCE = JSON.stringify({ description: 'Mend', 'when-to-use': 'broken', content: 'Mend it.', sources: [] })

function textsIn(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
}

const proxyAt = ({ port }: { readonly port: number }): string => `http://127.0.0.1:${port}`
const withUser = ({ port }: { readonly port: number }): string => `http://${USER}:${PASSWORD}@127.0.0.1:${port}`

describe.skipIf(!HAS_OPENSSL)('a certificate of an authority of its own', () => {
  let identity: ServerIdentity
  let server: ChatServer
  let embedder: ChatServer

  beforeAll(() => {
    identity = serverIdentity(mkdtempSync(join(folder, 'authority-')), ['localhost', 'models.localhost'])
    server = faultyChat([sayOnly('Nothing to note.')], { identity })
    const data = [{ object: 'embedding', index: 0, embedding: [1, 0] }]
    embedder = faultyChat([json({ object: 'list', data })], { identity })
  })

  afterAll(() => {
    server[Symbol.dispose]()
    embedder[Symbol.dispose]()
  })

  const embedding = () => ({
    EMBEDDING_BACKEND: 'openai',
    EMBEDDING_BASE_URL: embedder.baseUrl,
    EMBEDDING_MODEL_NAME: 'e',
  })

  test('is refused at once, and what to set is told', async () => {
    const { exit, code, message } = await run({ LLM_BASE_URL: server.baseUrl })
    expect({ exit, code }).toEqual({ exit: 3, code: 'llm_unavailable' })
    expect(message).toContain("name the file of your network's certificate authority in NODE_EXTRA_CA_CERTS")
    expect(message).not.toContain('attempts')
  })

  test('for another name is told as that', async () => {
    const { message } = await run({
      LLM_BASE_URL: server.baseUrl.replace('localhost', '127.0.0.1'),
      NODE_EXTRA_CA_CERTS: identity.authority,
    })
    expect(message).toContain('its certificate is for another name: check the address; resume to go on')
    expect(message).not.toContain('NODE_EXTRA_CA_CERTS')
  })

  test('of an embedder is told alike', async () => {
    const { exit, code, message } = await run(embedding(), 'reindex')
    expect({ exit, code }).toEqual({ exit: 1, code: 'embedder_unavailable' })
    expect(message).toContain('NODE_EXTRA_CA_CERTS')
  })

  test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])('is believed with %s', async (variable) => {
    const trust = { [variable]: identity.authority }
    expect(await run({ LLM_BASE_URL: server.baseUrl, ...trust })).toMatchObject({ exit: 0 })
    expect(await run({ ...embedding(), ...trust }, 'reindex')).toMatchObject({ exit: 0 })
  })

  describe('behind a proxy', () => {
    const trusting = () => ({ NODE_EXTRA_CA_CERTS: identity.authority, LLM_BASE_URL: tunnelled() })
    const tunnelled = () => `https://models.localhost:${server.port}/v1`

    test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])(
      'of %s is asked through a tunnel, which the key is not told to',
      async (variable) => {
        using proxy = await ForwardProxy.open()
        expect(await run({ ...trusting(), [variable]: proxyAt(proxy) })).toMatchObject({ exit: 0 })
        expect(proxy.requests.map(({ line }) => line)).toEqual([`CONNECT models.localhost:${server.port} HTTP/1.1`])
        expect(proxy.requests[0]?.head).not.toContain(KEY)
      },
    )

    test('of HTTP_PROXY is asked directly', async () => {
      using proxy = await ForwardProxy.open()
      await run({ ...trusting(), HTTP_PROXY: proxyAt(proxy) })
      expect(proxy.requests).toEqual([])
    })

    test('an embedder is asked through a tunnel too', async () => {
      using proxy = await ForwardProxy.open()
      const trust = { NODE_EXTRA_CA_CERTS: identity.authority, HTTPS_PROXY: proxyAt(proxy) }
      expect(await run({ ...embedding(), ...trust }, 'reindex')).toMatchObject({ exit: 0 })
      expect(proxy.requests[0]?.line).toBe(`CONNECT localhost:${embedder.port} HTTP/1.1`)
    })

    test('that is asked over TLS itself is believed alike', async () => {
      using proxy = await ForwardProxy.open(null, identity)
      const variable = `https://localhost:${proxy.port}`
      expect(await run({ ...trusting(), HTTPS_PROXY: variable })).toMatchObject({ exit: 0 })
      expect(proxy.requests.map(({ line }) => line)).toEqual([`CONNECT models.localhost:${server.port} HTTP/1.1`])
    })

    test('that wants a login is told at once, with its place and without what is sent to it', async () => {
      using proxy = await ForwardProxy.open(refusal('407 Proxy Authentication Required'))
      const { exit, message } = await run({ ...trusting(), HTTPS_PROXY: withUser(proxy) })
      expect(exit).toBe(3)
      expect(message).toContain(`the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY) wants a user and a password`)
      expect(proxy.requests).toHaveLength(1)
    })

    test('that refuses the server is told with its place', async () => {
      using proxy = await ForwardProxy.open(refusal('403 Forbidden'))
      const { message } = await run({ ...trusting(), HTTPS_PROXY: withUser(proxy) })
      expect(message).toContain(`403 Forbidden); check the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY)`)
    })
  })
})

const refusal = (status: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno`

describe('a proxy for plain addresses', () => {
  test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('of %s is asked for the whole address', async (variable) => {
    using proxy = await ForwardProxy.open()
    const address = `http://models.localhost:${plain.port}/v1`
    expect(await run({ LLM_BASE_URL: address, [variable]: proxyAt(proxy) })).toMatchObject({ exit: 0 })
    expect(proxy.requests.map(({ line }) => line)).toEqual([`POST ${address}/chat/completions HTTP/1.1`])
  })

  const DEAD = `http://${NOBODY}`
  const OURS = 'http://127.0.0.1:{port}'
  const SETTINGS: readonly (readonly [environment: Environment, isAsked: boolean])[] = [
    [{ http_proxy: OURS, HTTP_PROXY: DEAD }, true],
    [{ http_proxy: '', HTTP_PROXY: OURS }, true],
    [{ http_proxy: '""', HTTP_PROXY: OURS }, false],
    [{ HTTP_PROXY: '127.0.0.1:{port}' }, true],
    [{ HTTP_PROXY: OURS, all_proxy: DEAD }, true],
    [{ all_proxy: OURS, ALL_PROXY: DEAD }, true],
    [{ ALL_PROXY: `socks5://${NOBODY}` }, false],
  ]

  test.concurrent.each(SETTINGS)('is, with %p, asked: %p', async (settings, isAsked) => {
    using proxy = await ForwardProxy.open()
    const ours = Object.entries(settings).map(([name, value]) => [name, value.replace('{port}', String(proxy.port))])
    const environment: Environment = Object.fromEntries(ours)
    expect(await run({ ...environment, LLM_BASE_URL: plain.baseUrl })).toMatchObject({ exit: 0 })
    expect(proxy.requests).toHaveLength(isAsked ? 1 : 0)
    const place = outboundProxy(new URL(plain.baseUrl), environment)?.place
    expect(place).toBe(isAsked ? `127.0.0.1:${proxy.port}` : undefined)
  })

  test('of HTTPS_PROXY is not asked', async () => {
    using proxy = await ForwardProxy.open()
    expect(await run({ LLM_BASE_URL: plain.baseUrl, HTTPS_PROXY: proxyAt(proxy) })).toMatchObject({ exit: 0 })
    expect(proxy.requests).toEqual([])
  })

  test('gets user and password, and nobody else does', async () => {
    using proxy = await ForwardProxy.open()
    expect(await run({ LLM_BASE_URL: plain.baseUrl, HTTP_PROXY: withUser(proxy) })).toMatchObject({ exit: 0 })
    const sent = Buffer.from(`${USER}:${PASSWORD}`).toString('base64')
    expect(proxy.requests.map(({ authorization }) => authorization)).toEqual([`Basic ${sent}`])
  })

  test('that wants a login is told at once, with its place', async () => {
    using proxy = await ForwardProxy.open(refusal('407 Proxy Authentication Required'))
    const { exit, message } = await run({ LLM_BASE_URL: plain.baseUrl, HTTP_PROXY: withUser(proxy) })
    expect(exit).toBe(3)
    expect(message).toContain(`the proxy 127.0.0.1:${proxy.port} (HTTP_PROXY) wants a user and a password`)
    expect(proxy.requests).toHaveLength(1)
  })

  test('that may have answered itself is told beside what the status means', async () => {
    using proxy = await ForwardProxy.open(refusal('403 Forbidden'))
    const { message } = await run({ LLM_BASE_URL: plain.baseUrl, HTTP_PROXY: withUser(proxy) })
    expect(message).toContain('check LLM_API_KEY')
    expect(message).toContain(`check the proxy 127.0.0.1:${proxy.port} (HTTP_PROXY)`)
    expect(message).toEndWith('or set NO_PROXY=127.0.0.1 to go past it; resume to go on where it stopped')
  })

  test('that is down is told with its place, and an embedder behind it alike', async () => {
    const environment = { HTTP_PROXY: `http://${USER}:${PASSWORD}@${NOBODY}` }
    const { exit, message } = await run({ ...environment, LLM_BASE_URL: plain.baseUrl })
    expect(exit).toBe(3)
    expect(message).toContain(`check the proxy ${NOBODY} (HTTP_PROXY), and that it reaches the server`)
    const server = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'e', EMBEDDING_BASE_URL: plain.baseUrl }
    expect((await run({ ...environment, ...server }, 'reindex')).message).toContain(`check the proxy ${NOBODY}`)
  })

  test.each([
    ['a password where the host stands', `${PASSWORD}@${NOBODY}`],
    ['a user where the host stands', `${USER}:${PASSWORD}@${NOBODY}`],
    ['a password that hides the host', `http://${USER}:${PASSWORD}#x@${NOBODY}`],
    ['another protocol', `socks5://${USER}:${PASSWORD}@${NOBODY}`],
  ])('written with %s is told at once, and not repeated', async (_, value) => {
    const { exit, message } = await run({ LLM_BASE_URL: plain.baseUrl, HTTP_PROXY: value })
    expect(exit).toBe(3)
    expect(message).toContain('(HTTP_PROXY holds no address of a proxy); set HTTP_PROXY to an address such as')
    expect(message).not.toContain('attempts')
  })
})

describe('the hub of tokenizers', () => {
  const hub = () => ({
    PROCEDURE_TOKENIZER_SOURCE: 'acme/small-model',
    HF_ENDPOINT: 'http://hub.localhost:1',
    HF_HOME: mkdtempSync(join(folder, 'hub-')),
  })

  test('is asked through a proxy', async () => {
    using proxy = await ForwardProxy.open(refusal('404 Not Found'))
    const { code } = await run({ ...hub(), LLM_BASE_URL: plain.baseUrl, HTTP_PROXY: withUser(proxy) })
    expect(code).toBe('tokenizer_unavailable')
    expect(proxy.requests.map(({ line }) => line)).toEqual([
      'GET http://hub.localhost:1/acme/small-model/resolve/main/tokenizer.json HTTP/1.1',
    ])
  })

  test('shows no password that a proxy is written with', async () => {
    const { code, message } = await run({
      ...hub(),
      LLM_BASE_URL: plain.baseUrl,
      HTTP_PROXY: `${PASSWORD}@${NOBODY}`,
    })
    expect(code).toBe('tokenizer_unavailable')
    expect(message).toContain('(HTTP_PROXY holds no address of a proxy); set HTTP_PROXY to')
  })
})

describe('NO_PROXY', () => {
  const PORT = '{port}'
  const NAMES: readonly (readonly [entries: string, host: string, isLeftOut: boolean])[] = [
    ['models.localhost', 'models.localhost', true],
    ['MODELS.localhost', 'models.localhost', true],
    ['localhost', 'models.localhost', true],
    ['.localhost', 'models.localhost', true],
    ['*.localhost', 'models.localhost', true],
    ['els.localhost', 'models.localhost', false],
    ['models', 'models.localhost', false],
    [`models.localhost:${PORT}`, 'models.localhost', true],
    ['models.localhost:1', 'models.localhost', false],
    ['other.localhost, models.localhost', 'models.localhost', true],
    ['other.localhost models.localhost', 'models.localhost', true],
    ['http://models.localhost', 'models.localhost', false],
    ['*', 'models.localhost', true],
    ['127.0.0.0/8', 'models.localhost', false],
    ['127.0.0.1', '127.0.0.1', true],
    [`127.0.0.1:${PORT}`, '127.0.0.1', true],
    ['127.0.0.0/8', '127.0.0.1', true],
    ['127.0.0.1/32', '127.0.0.1', true],
    ['10.0.0.0/8', '127.0.0.1', false],
    ['127.0.0.0/33', '127.0.0.1', false],
    ['127.*', '127.0.0.1', false],
    ['::1', '[::1]', true],
    ['[::1]', '[::1]', true],
    [`[::1]:${PORT}`, '[::1]', true],
    ['::1/128', '[::1]', true],
    ['fd00::/8', '[::1]', false],
  ]

  // Whether somebody answers past the proxy is another matter: not every system knows these hosts.
  test.concurrent.each(NAMES)('%p leaves out %s: %p', async (entries, host, isLeftOut) => {
    using proxy = await ForwardProxy.open()
    const address = `http://${host}:${plain.port}/v1`
    const environment = { HTTP_PROXY: proxyAt(proxy), NO_PROXY: entries.replace(PORT, String(plain.port)) }
    await run({ LLM_BASE_URL: address, ...environment })
    expect(proxy.requests).toHaveLength(isLeftOut ? 0 : 1)
    expect(outboundProxy(new URL(address), environment) === null).toBe(isLeftOut)
  })

  test('counts in lower case before upper case', async () => {
    using proxy = await ForwardProxy.open()
    const both = { HTTP_PROXY: proxyAt(proxy), no_proxy: '127.0.0.1', NO_PROXY: 'other.localhost' }
    await run({ LLM_BASE_URL: plain.baseUrl, ...both })
    expect(proxy.requests).toEqual([])
    expect(outboundProxy(new URL(plain.baseUrl), both)).toBeNull()
  })
})
