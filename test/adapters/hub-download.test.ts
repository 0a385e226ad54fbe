/** One test per fault of a hub, with the requests it costs. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { hubTokenizerFile } from '../../src/adapters/hub-tokenizer.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { errorOf } from './chat-model.ts'
import { BODY, COMMIT, sha256 } from './hub-home.ts'
import { file, type HubAnswer, hubOptions, NAME, redirect, status, TOKEN } from './hub-server.ts'
import { HubStage, type StageOptions } from './hub-stage.ts'

let stage: HubStage
beforeEach(() => {
  stage = new HubStage()
})
afterEach(() => stage[Symbol.dispose]())

const never: HubAnswer = () => new Promise(() => {})
const withToken: StageOptions = { variables: { HF_TOKEN: TOKEN } }

describe('a refusal', () => {
  test.each([
    [401, {}, {}, /private or gated, or does not exist: look at http.*\/acme\/small-model, then set HF_TOKEN/],
    [403, {}, {}, /private or gated, or does not exist.* set HF_TOKEN/],
    [401, { HF_TOKEN: TOKEN }, {}, /the token of HF_TOKEN may not read it, or it does not exist.* set HF_TOKEN/],
    [403, { HF_TOKEN: TOKEN }, {}, /the token of HF_TOKEN may not read it: ask for access at http/],
    [401, { HUGGING_FACE_HUB_TOKEN: TOKEN }, {}, /the token of HUGGING_FACE_HUB_TOKEN/],
    [401, { HF_TOKEN: TOKEN, HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' }, {}, /unset HF_HUB_DISABLE_IMPLICIT_TOKEN/],
    [404, {}, {}, /no such repository or revision, or no tokenizer\.json in it.*check the name$/],
    [404, {}, { 'x-error-code': 'EntryNotFound' }, /acme\/small-model has no tokenizer\.json at main: name one/],
    [404, {}, { 'x-error-code': 'RevisionNotFound' }, /acme\/small-model has no revision main: name one of its/],
    [400, {}, {}, /HTTP 400: .*; check HF_ENDPOINT and the name/],
    [204, {}, {}, /HTTP 204\); check HF_ENDPOINT and the name/],
    [304, {}, {}, /HTTP 304\)/],
    [451, {}, {}, /HTTP 451/],
  ])('HTTP %p with %j and %j tells what to do, after one request', async (code, variables, headers, message) => {
    const server = stage.serve(status(code, code < 400 ? '' : 'so it is', headers))
    const fault = await stage.faultFrom(server, { variables })
    expect(fault.message).toMatch(message)
    expect(fault.details).toMatchObject({ status: code, attempts: 1 })
    expect(server.requests).toHaveLength(1)
  })

  const KEPT = /; no token was sent, as only the workspace names this tokenizer: .* PROCEDURE_TOKENIZER_SOURCE/

  test.each([
    [401, {}, /is private or gated, or does not exist: look at http[^,;]*; no token/],
    [403, {}, /is private or gated/],
    [404, {}, /there is no such repository/],
    [404, { 'x-error-code': 'RepoNotFound' }, /there is no such repository/],
  ])('HTTP %p with %j says that a workspace alone sends no token, and how to send it', async (code, headers, why) => {
    const server = stage.serve(status(code, '', headers))
    const { message } = await stage.faultFrom(server, { ...withToken, namedBy: 'workspace' })
    expect(message).toMatch(why)
    expect(message).toMatch(KEPT)
  })

  test.each([
    [404, { 'x-error-code': 'EntryNotFound' }],
    [404, { 'x-error-code': 'RevisionNotFound' }],
    [429, {}],
  ])('HTTP %p with %j, which no token would change, says nothing of one', async (code, headers) => {
    const server = stage.serve(status(code, '', headers))
    const { message } = await stage.faultFrom(server, { namedBy: 'workspace', retries: 0 })
    expect(message).not.toContain('PROCEDURE_TOKENIZER_SOURCE')
  })

  test("repeats the hub's own words, of a page its title, and never the token", async () => {
    const echo = `Bearer ${TOKEN} and ${TOKEN.slice(0, 16)} and ${encodeURIComponent(TOKEN)}`
    const said = await stage.faultFrom(stage.serve(status(403, `no: ${echo}`)), withToken)
    expect(said.message).toContain('HTTP 403: no: ')
    expect(said.message).not.toContain(TOKEN.slice(0, 16))
    const header = await stage.faultFrom(
      stage.serve(status(403, 'body', { 'x-error-message': `Access is restricted ${echo}` })),
      withToken,
    )
    expect(header.message).toContain('HTTP 403: Access is restricted')
    expect(header.message).not.toContain(TOKEN.slice(0, 16))
    const page = await stage.faultFrom(stage.serve(status(404, '<html><title>404 here</title>')))
    expect(page.message).toContain('HTTP 404: a web page "404 here"')
  })

  test('never repeats a token that a redirect put into the name of a server', async () => {
    const host = `${TOKEN}.invalid`.toLowerCase()
    const answers = [
      new Response(null, { status: 302, headers: { location: `http://${host}/` } }),
      new Response('no', { status: 404 }),
    ]
    const refusing = () => Promise.resolve(answers.shift() ?? Response.error())
    const refused = await stage.faultFrom({ address: 'http://hf.example' }, { ...withToken, fetch: refusing })
    expect(refused.message).toContain('HTTP 404: no, from [key]')
    const lost = () => Promise.reject(new TypeError(`getaddrinfo ENOTFOUND ${host}`))
    const unknown = await stage.faultFrom({ address: 'http://hf.example' }, { ...withToken, fetch: lost })
    expect(unknown.message).toContain('getaddrinfo ENOTFOUND [key]')
  })

  test('names the file that the token is of', async () => {
    const path = `${stage.home.folder}/my-token`
    await Bun.write(path, TOKEN)
    const fault = await stage.faultFrom(stage.serve(status(401)), { variables: { HF_TOKEN_PATH: path } })
    expect(fault.message).toContain(`the token of ${path} may not read it`)
  })
})

describe('a passing fault', () => {
  test.each([408, 425, 429, 500, 502, 503, 504])('HTTP %p is tried again and then forgotten', async (code) => {
    const options = hubOptions(stage.home, stage.serve(status(code), file()))
    expect((await hubTokenizerFile(NAME, options)).from).toBe('download')
    expect(options.waits).toEqual([500])
  })

  test('waits as long as Retry-After says', async () => {
    const asks = (value: string) => status(429, '', { 'retry-after': value })
    const options = hubOptions(
      stage.home,
      stage.serve(asks('7'), asks('Fri, 02 Jan 2026 03:04:14 GMT'), asks('60'), file()),
    )
    await hubTokenizerFile(NAME, options)
    expect(options.waits).toEqual([7_000, 9_000, 60_000])
  })

  test('is waited for no longer than a minute: a hub that asks for more is not asked again', async () => {
    const server = stage.serve(status(429, 'busy', { 'retry-after': '100000' }))
    const options = hubOptions(stage.home, server)
    const { message } = await errorOf(hubTokenizerFile(NAME, options))
    expect(message).toMatch(/\(HTTP 429: busy\); it asks to be left alone for 1667 minutes: try again then; or give/)
    expect(options.waits).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    [429, /after 4 attempts \(HTTP 429: busy\); it is asked too often: wait, then try again$/],
    [503, /after 4 attempts \(HTTP 503: busy\); the hub is out of order: wait, then try again; or give the path/],
  ])('HTTP %p that does not pass is told after four requests', async (code, message) => {
    const server = stage.serve(status(code, 'busy'))
    const options = hubOptions(stage.home, server)
    expect((await errorOf(hubTokenizerFile(NAME, options))).message).toMatch(message)
    expect(server.requests).toHaveLength(4)
    expect(options.waits).toEqual([500, 1_000, 2_000])
  })

  test.each([
    ['a body shorter than its length', `HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n${BODY}`, /./],
    ['a chunked body without its end', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":`, /./],
    ['a body without a length that ends early', 'HTTP/1.0 200 OK\r\n\r\n{"a":{"b":1}', /is no whole JSON object/],
    ['no answer but the end', '', /./],
    ['no HTTP', 'hello\r\n\r\n', /./],
    ['an empty body', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', /is no whole JSON object/],
  ])('%s is asked for again, and never kept', async (_, answer, message) => {
    const server = stage.serveRaw(answer)
    const fault = await stage.faultFrom(server, { retries: 1 })
    expect(fault.message).toMatch(message)
    expect(fault.message).toContain('after 2 attempts')
    expect(fault.message).not.toContain('verbose: true')
    expect(server.connections).toBe(2)
  })

  test('a body shorter than its length is found where the runtime does not mind', async () => {
    const answer = async () => new Response(BODY, { headers: { 'content-length': '1000' } })
    const fault = await stage.faultFrom({ address: 'http://hf.example' }, { fetch: answer })
    expect(fault.message).toContain(`after 4 attempts (the answer broke off after ${BODY.length} of 1000 bytes)`)
  })

  test('what is not what the hub says it has is asked for again', async () => {
    const linked = (digest: string) => redirect('/cdn', { 'x-linked-etag': `"${digest}"`, 'x-repo-commit': COMMIT })
    const good = stage.serve(linked(sha256(BODY)), file('{"other":1}'), linked(sha256(BODY)), file())
    expect(await stage.textFrom(good)).toBe(BODY)
    expect(good.requests).toHaveLength(4)
    rmSync(stage.home.repository, { recursive: true })
    const bad = await stage.faultFrom(stage.serve(linked('0'.repeat(64)), file(), linked('0'.repeat(64)), file()), {
      retries: 1,
    })
    expect(bad.message).toContain('what it sent is not what the hub says it has')
  })

  test('a hub that nobody can reach is one', async () => {
    const server = stage.serve()
    const { address } = server
    server[Symbol.dispose]()
    const fault = await stage.faultFrom({ address })
    expect(fault.message).toMatch(/after 4 attempts \(.+\); check the network and HF_ENDPOINT, then try again; or give/)
    expect(fault.details).toMatchObject({ status: null, attempts: 4 })
  })

  // As Bun 1.4 and Deno 2.9 throw them.
  test.each([
    ['Bun', new TypeError('getaddrinfo ENOTFOUND hf.example')],
    ['Deno', new TypeError('fetch failed', { cause: new Error('dns error: Name or service not known') })],
  ])('a name that no DNS knows is one under %s', async (_, thrown) => {
    const fault = await stage.faultFrom({ address: 'http://hf.example' }, { fetch: () => Promise.reject(thrown) })
    expect(fault.message).toMatch(
      /from http:\/\/hf\.example after 4 attempts \(.*(?:ENOTFOUND|not known).*\); check the/,
    )
  })

  test('https at a server that speaks http is one', async () => {
    const server = stage.serve(file())
    const fault = await stage.faultFrom({ address: server.address.replace('http:', 'https:') }, { retries: 0 })
    expect(fault.message).toContain('check the network and HF_ENDPOINT')
  })

  test('is told before the request is repeated', async () => {
    const told: string[] = []
    await stage.textFrom(stage.serve(status(503, 'busy'), file()), { onWait: (sentence) => told.push(sentence) })
    expect(told).toEqual([
      expect.stringMatching(/^downloading tokenizer acme\/small-model from http:\/\/127/),
      expect.stringMatching(/^HTTP 503: busy; http:\/\/127.* is asked again in 1 s$/),
    ])
  })
})

// As Bun 1.4 and Deno 2.9 throw them of a server with a certificate of its own.
test.each([
  ['Bun', Object.assign(new TypeError('self signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
  ['Deno', new TypeError('fetch failed', { cause: new Error('invalid peer certificate: UnknownIssuer') })],
])('a certificate that %s does not believe is told at once, and what to do', async (_, thrown) => {
  let requests = 0
  const refuse = () => {
    requests += 1
    return Promise.reject(thrown)
  }
  const fault = await stage.faultFrom({ address: 'https://hf.example' }, { fetch: refuse })
  expect(fault.message).toMatch(
    /certificate.*; name the file of your network's certificate authority in NODE_EXTRA_CA_CERTS/,
  )
  expect(requests).toBe(1)
})

describe('a file that is none', () => {
  test.each([
    ['a login page', '<!doctype html><html><title>Sign in</title></html>', /it sent a web page "Sign in" instead of a/],
    ['a page without title', '\n <html><body>hello', /it sent a web page instead of a tokenizer\.json/],
  ])('%s is told at once', async (_, body, message) => {
    const server = stage.serve(file(body))
    const fault = await stage.faultFrom(server)
    expect(fault.message).toMatch(message)
    expect(fault.message).toContain('whether the network asks for a login')
    expect(server.requests).toHaveLength(1)
  })

  test('a login page elsewhere is told with the place', async () => {
    const other = stage.serve(file('<html><title>Sign in</title>'))
    const fault = await stage.faultFrom(stage.serve(redirect(`${other.address}/login`)))
    expect(fault.message).toContain(`instead of a tokenizer.json, from ${new URL(other.address).host}`)
  })

  test.each([['version https://git-lfs.github.com/spec/v1'], ['[1,2]'], ['null'], ['"text"'], ['{"a":1'], ['']])(
    '%p is no whole JSON object',
    async (body) => {
      const fault = await stage.faultFrom(stage.serve(file(body)), { retries: 0 })
      expect(fault.message).toContain('what it sent is no whole JSON object')
    },
  )
})

describe('a file that is too large', () => {
  const large = `{"a":"${'x'.repeat(1_000)}"}`

  test('by its length is told before it is read', async () => {
    const server = stage.serve(file(large))
    const fault = await stage.faultFrom(server, { bytesMax: 100 })
    expect(fault.message).toMatch(/the file has 1008 bytes, more than the 100 bytes allowed\); name another tokenizer$/)
    expect(server.requests).toHaveLength(1)
  })

  test('without a length is told once it is', async () => {
    const server = stage.serveRaw(`HTTP/1.0 200 OK\r\n\r\n${large}`)
    expect((await stage.faultFrom(server, { bytesMax: 100 })).message).toContain('has more than the 100 bytes allowed')
    expect(server.connections).toBe(1)
  })

  test('of exactly the cap is not', async () => {
    expect(await stage.textFrom(stage.serve(file(large)), { bytesMax: large.length })).toBe(large)
  })
})

describe('time', () => {
  /** Sends the start of a file, and then nothing, or a byte now and then. */
  const dripping = (everyMs: number | null): HubAnswer => {
    return () => {
      let timer: ReturnType<typeof setInterval> | undefined
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"a":"'))
          if (everyMs !== null) timer = setInterval(() => controller.enqueue(new TextEncoder().encode('x')), everyMs)
        },
        cancel: () => clearInterval(timer),
      })
      return new Response(body)
    }
  }

  /** A hub without a network between, so that what it sends comes before any time is over, however busy the machine is. */
  const near = (...answers: readonly HubAnswer[]) => {
    const hub = { address: 'http://hf.example', requests: 0 }
    const ask = async (): Promise<Response> => {
      const answer = answers[Math.min(hub.requests, answers.length - 1)] ?? never
      hub.requests += 1
      return answer({ method: 'GET', path: '', authorization: null })
    }
    return { hub, ask }
  }

  test('a hub that does not answer is asked again', async () => {
    const { hub, ask } = near(never, file())
    expect(await stage.textFrom(hub, { fetch: ask, silenceMs: 50 })).toBe(BODY)
    expect(hub.requests).toBe(2)
  })

  test('a hub that falls silent in the middle is asked again', async () => {
    const { hub, ask } = near(dripping(null))
    const fault = await stage.faultFrom(hub, { fetch: ask, silenceMs: 50, retries: 1 })
    expect(fault.message).toMatch(/after 2 attempts \(no answer for 0\.05 s\); check the network, then try again/)
    expect(hub.requests).toBe(2)
  })

  test('a hub that falls silent while it tells of a refusal is understood by the status', async () => {
    const hanging = () =>
      new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array([0x6e])) }), { status: 404 })
    const { hub, ask } = near(hanging)
    expect((await stage.faultFrom(hub, { fetch: ask, silenceMs: 50 })).message).toContain('HTTP 404: n)')
  })

  test('one byte now and then is no silence, and ends with the time for the whole', async () => {
    const { hub, ask } = near(dripping(10))
    const fault = await stage.faultFrom(hub, { fetch: ask, silenceMs: 1_000, timeoutMs: 1_500 })
    expect(fault.message).toMatch(/it did not come from http.* within 1\.5 s; check the network, then try again/)
    expect(hub.requests).toBe(1)
  })

  test('a body that takes long is told of once', async () => {
    const clock = new FixedClock()
    const told: string[] = []
    const slow = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            clock.advance(15_000)
            controller.enqueue(new TextEncoder().encode(' '))
            if (clock.now() - Date.parse('2026-01-02T03:04:05.000Z') < 90_000) return
            controller.enqueue(new TextEncoder().encode(BODY))
            controller.close()
          },
        }),
        { headers: { 'x-repo-commit': COMMIT } },
      )
    const { hub, ask } = near(slow)
    await stage.textFrom(hub, { fetch: ask, clock, onWait: (sentence) => told.push(sentence) })
    expect(told).toHaveLength(2)
    expect(told[1]).toMatch(/^tokenizer acme\/small-model is still coming: \d+ bytes in \d\d s$/)
  })

  test('silence ends a request over the network too', async () => {
    const server = stage.serve(never)
    const fault = await stage.faultFrom(server, { silenceMs: 50, retries: 0 })
    expect(fault.message).toContain('no answer for 0.05 s')
  })

  test('the time for the whole counts waiting too', async () => {
    const { hub, ask } = near(status(503, 'busy', { 'retry-after': '60' }))
    const { sleep: _, ...options } = hubOptions(stage.home, hub, { fetch: ask, timeoutMs: 50 })
    const error = await errorOf(hubTokenizerFile(NAME, options))
    expect(error.message).toMatch(/within 0\.05 s \(before: HTTP 503: busy\)/)
  })

  test('of more than a timer can count is no time-out at once', async () => {
    const server = stage.serve(async (request) => {
      await Bun.sleep(30)
      return file()(request)
    })
    expect(await stage.textFrom(server, { timeoutMs: 1e12, silenceMs: 1e12 })).toBe(BODY)
    expect(server.requests).toHaveLength(1)
  })
})

describe('an interruption', () => {
  test('ends the download, and is not blamed on the hub', async () => {
    const stop = new AbortController()
    const server = stage.serve(() => {
      stop.abort()
      return never({ method: '', path: '', authorization: null })
    })
    const error = await errorOf(hubTokenizerFile(NAME, hubOptions(stage.home, server, { signal: stop.signal })))
    expect(error).toMatchObject({ code: 'interrupted', resumable: true })
  })

  test('throws what the signal is aborted with, and asks nobody', async () => {
    const server = stage.serve(file())
    const signal = AbortSignal.abort(new MemoryError('budget_reached', 'enough'))
    const error = await errorOf(hubTokenizerFile(NAME, hubOptions(stage.home, server, { signal })))
    expect(error.code).toBe('budget_reached')
    expect(server.requests).toEqual([])
  })
})
