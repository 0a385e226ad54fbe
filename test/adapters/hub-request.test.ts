/** What a hub is asked, and where its redirects lead. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { hubTokenizerFile } from '../../src/adapters/hub-tokenizer.ts'
import { BODY, COMMIT } from './hub-home.ts'
import { file, hubOptions, NAME, redirect, status, TOKEN } from './hub-server.ts'
import { HubStage, type StageOptions } from './hub-stage.ts'

let stage: HubStage
beforeEach(() => {
  stage = new HubStage()
})
afterEach(() => stage[Symbol.dispose]())

const withToken: StageOptions = { variables: { HF_TOKEN: TOKEN } }

describe('a request', () => {
  test('asks for the tokenizer.json of the main branch, and says who asks', async () => {
    const agents: (string | null)[] = []
    const seen = (address: string, init: RequestInit) => {
      agents.push(new Headers(init.headers).get('user-agent'))
      return fetch(address, init)
    }
    const server = stage.serve(file())
    expect(await stage.textFrom(server, { fetch: seen })).toBe(BODY)
    expect(server.requests).toEqual([
      { method: 'GET', path: `/${NAME}/resolve/main/tokenizer.json`, authorization: null },
    ])
    expect(agents).toEqual(['knowhow'])
  })

  test('asks for another revision in one part of the path, below the path of the endpoint', async () => {
    const server = stage.serve(file())
    const endpoint = { address: `${server.address}/api/hub/` }
    await hubTokenizerFile(`${NAME}@refs/pr/1`, hubOptions(stage.home, endpoint))
    expect(server.paths).toEqual([`/api/hub/${NAME}/resolve/refs%2Fpr%2F1/tokenizer.json`])
  })

  test.each([
    ['HF_TOKEN', { HF_TOKEN: ` ${TOKEN}\n` }],
    ['HUGGING_FACE_HUB_TOKEN', { HUGGING_FACE_HUB_TOKEN: TOKEN }],
  ])('carries the token of %s', async (_, variables) => {
    const server = stage.serve(file())
    await stage.textFrom(server, { variables })
    expect(server.requests[0]?.authorization).toBe(`Bearer ${TOKEN}`)
  })

  test('carries no token when HF_HUB_DISABLE_IMPLICIT_TOKEN keeps it back', async () => {
    const server = stage.serve(file())
    await stage.textFrom(server, { variables: { HF_TOKEN: TOKEN, HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' } })
    expect(server.requests[0]?.authorization).toBeNull()
  })

  test.each([['workspace'], [undefined]] as const)('carries no token at the word of %p', async (namedBy) => {
    const server = stage.serve(file())
    const environment = stage.home.environment({ HF_ENDPOINT: server.address, HF_TOKEN: TOKEN })
    const { namedBy: _, ...options } = hubOptions(stage.home, server, { environment })
    await hubTokenizerFile(NAME, namedBy === undefined ? options : { ...options, namedBy })
    expect(server.requests[0]?.authorization).toBeNull()
  })

  test('carries no token of a file at the word of a workspace', async () => {
    const path = `${stage.home.folder}/my-token`
    await Bun.write(path, TOKEN)
    const server = stage.serve(file())
    await stage.textFrom(server, { variables: { HF_TOKEN_PATH: path }, namedBy: 'workspace' })
    expect(server.requests[0]?.authorization).toBeNull()
  })

  test('is not sent with a token that no header can carry, nor to what is no address', async () => {
    const server = stage.serve(file())
    const token = await stage.faultFrom(server, { variables: { HF_TOKEN: 'two words' } })
    expect(token.message).toMatch(/: HF_TOKEN holds white space .*; set it anew$/)
    expect(token.message).not.toContain('two words')
    const endpoint = await stage.faultFrom({ address: 'http://ann:pass@127.0.0.1:1' })
    expect(endpoint.message).toMatch(
      /HF_ENDPOINT is "http:\/\/\[credentials\]@127.*", which is no http or https address .*; set one such as/,
    )
    expect(endpoint.message).not.toContain('pass@')
    expect(server.requests).toEqual([])
  })

  test('takes compressed bytes from a server that sends them unasked', async () => {
    const headers = { 'content-encoding': 'gzip', 'x-repo-commit': COMMIT }
    const server = stage.serve(() => new Response(gzipSync(BODY), { headers }))
    expect(await stage.textFrom(server)).toBe(BODY)
  })
})

describe('a redirect', () => {
  test('is followed, relative ones with the token', async () => {
    const server = stage.serve(redirect('/moved?x=1'), redirect('again', {}, 307), file())
    expect(await stage.textFrom(server, withToken)).toBe(BODY)
    expect(server.requests.map(({ path, authorization }) => [path, authorization])).toEqual([
      [`/${NAME}/resolve/main/tokenizer.json`, `Bearer ${TOKEN}`],
      ['/moved?x=1', `Bearer ${TOKEN}`],
      ['/again', `Bearer ${TOKEN}`],
    ])
  })

  test('to another origin takes no token along, nor does the way back', async () => {
    const server = stage.serve((request) =>
      request.path === '/back'
        ? redirect(`${other.address}/last`)(request)
        : redirect(`${other.address}/first`)(request),
    )
    const other = stage.serve(redirect(`${server.address}/back`), file())
    expect(await stage.textFrom(server, withToken)).toBe(BODY)
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([`Bearer ${TOKEN}`, null])
    expect(other.requests.map(({ authorization }) => authorization)).toEqual([null, null])
  })

  test('to the same host under another port is one to another origin', async () => {
    const other = stage.serve(file())
    const server = stage.serve(redirect(other.address.replace('http:', '')))
    await stage.textFrom(server, withToken)
    expect(other.requests[0]?.authorization).toBeNull()
  })

  test('with a user and password in it is asked without them', async () => {
    const other = stage.serve(file())
    const server = stage.serve(redirect(other.address.replace('//', '//ann:pass@')))
    await stage.textFrom(server)
    expect(other.requests[0]?.authorization).toBeNull()
  })

  test('five times is followed, six times is none', async () => {
    const hops = Array.from({ length: 5 }, (_, at) => redirect(`/hop-${at}`))
    expect(await stage.textFrom(stage.serve(...hops, file()))).toBe(BODY)
    rmSync(stage.home.repository, { recursive: true })
    const server = stage.serve(redirect('/loop'))
    expect((await stage.faultFrom(server)).message).toMatch(/redirects more than 5 times\); check HF_ENDPOINT/)
    expect(server.requests).toHaveLength(6)
  })

  test.each([
    ['ftp://127.0.0.1/x', /an address that begins with ftp:/],
    ['file:///etc/passwd', /an address that begins with file:/],
    ['data:application/json,{}', /an address that begins with data:/],
    ['http://', /to what is no address/],
    [null, /without saying where to/],
  ])('to %p is refused at once', async (location, message) => {
    const headers: Record<string, string> = location === null ? {} : { location }
    const server = stage.serve(status(302, '', headers))
    expect((await stage.faultFrom(server)).message).toMatch(message)
    expect(server.requests).toHaveLength(1)
  })

  test('from https to http is refused', async () => {
    const answer = async () => new Response(null, { status: 302, headers: { location: 'http://hf.example/x' } })
    const fault = await stage.faultFrom({ address: 'https://hf.example' }, { fetch: answer })
    expect(fault.message).toContain('redirects from https to http')
  })

  test('to a server that wants a key says that it has seen none', async () => {
    const other = stage.serve(status(401))
    const server = stage.serve(redirect(other.address))
    const { message } = await stage.faultFrom(server, withToken)
    expect(message).toMatch(/HTTP 401, from 127\.0\.0\.1:\d+\); HF_TOKEN is sent to the hub alone/)
  })
})
