/** MCP over HTTP, behind a server as the service has one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MemoryError } from '../../../src/model/memory-error.ts'
import type { Embedding, EmbedOptions } from '../../../src/ports.ts'
import type { McpEndpoint } from '../../../src/surfaces/service/mcp-endpoint.ts'
import { SERVICE_LIMITS } from '../../../src/surfaces/service/service-limits.ts'
import { FakeEmbedder } from '../../fakes/fake-embedder.ts'
import { CALLS, connected, ERAS, endpointOn, knownMachine } from '../../fakes/mcp-client.ts'
import { McpHttp } from '../../fakes/mcp-http.ts'

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
const SEARCH = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'procedure_search', arguments: { query: 'stale cache' } },
})

let endpoint: McpEndpoint
let http: McpHttp

beforeAll(async () => {
  endpoint = endpointOn(knownMachine()).endpoint
  http = await McpHttp.start(endpoint.fetch)
})

afterAll(() => http[Symbol.asyncDispose]())

describe('the official client', () => {
  for (const [revision, mode] of ERAS) {
    test(`lists and calls every tool (${revision})`, async () => {
      await using fresh = await McpHttp.start(endpointOn(knownMachine()).endpoint.fetch)
      const client = await connected(fresh.transport(), mode)
      await client.listTools()
      for (const [name, input] of CALLS) {
        const answer = await client.callTool({ name, arguments: { ...input } })
        expect([name, answer.isError]).toEqual([name, undefined])
      }
      await client.close()
    })

    test(`is answered among two hundred at once (${revision})`, async () => {
      const paths = await Promise.all(
        Array.from({ length: 200 }, async () => {
          const client = await connected(http.transport(), mode)
          const { structuredContent } = await client.callTool({
            name: 'procedure_search',
            arguments: { query: 'stale cache' },
          })
          await client.close()
          return (structuredContent as { results: { path: string }[] }).results.map(({ path }) => path)
        }),
      )
      expect(paths).toEqual(Array.from({ length: 200 }, () => ['procedures/cache.json']))
    })
  }

  test('is given no session that it could lose', async () => {
    const transport = http.transport()
    const client = await connected(transport)
    expect(transport.sessionId).toBeUndefined()
    await client.close()
  })
})

describe('a request', () => {
  for (const [name, send, status, code] of [
    ['that is no JSON', () => http.post('{'), 400, -32700],
    ['that is empty', () => http.post(''), 400, -32700],
    ['that is no UTF-8', () => http.post(Uint8Array.of(0x22, 0xff, 0x22)), 400, -32700],
    ['that is no message', () => http.post('{"id":1}'), 400, -32600],
    ['of another type', () => http.post(PING, {}, { 'content-type': 'text/plain' }), 415, -32000],
    ['that takes no events', () => http.post(PING, {}, { accept: 'application/json' }), 406, -32000],
    ['of an unknown revision', () => http.post(PING, {}, { 'mcp-protocol-version': '1999-01-01' }), 400, -32000],
    ['that is too long', () => http.post(`"${'x'.repeat(SERVICE_LIMITS.bodyBytesMax)}"`), 413, -32000],
    ['that is too long, and does not say so', () => endpoint.fetch(endlessRequest()), 413, -32000],
    ['of a batch that is too long', () => http.post(`[${Array(101).fill(PING).join()}]`), 400, -32600],
    ['for a stream of events', () => fetch(http.url, { headers: { accept: 'text/event-stream' } }), 405, -32000],
    ['to end a session', () => fetch(http.url, { method: 'DELETE' }), 405, -32000],
    ['of another method', () => fetch(http.url, { method: 'PUT', body: PING }), 405, -32000],
  ] as const)
    test(`${name} is refused with ${status}`, async () => {
      const response = await send()
      expect([response.status, await response.json()]).toMatchObject([
        status,
        { jsonrpc: '2.0', error: { code }, id: null },
      ])
    })

  test('of a notification is taken without an answer', async () => {
    const response = await http.post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  test('of several messages is answered message by message', async () => {
    const response = await http.post(`[${PING},${PING.replace('"id":1', '"id":2')}]`)
    const ids = [...(await response.text()).matchAll(/"id":(\d)/g)].map(([, id]) => Number(id))
    expect(ids.toSorted((a, b) => a - b)).toEqual([1, 2])
  })

  test('ends its operation by going away', async () => {
    const machine = knownMachine()
    machine.hasBuiltinEmbedder = true
    const embedder = new WaitingEmbedder()
    machine.embedder = embedder
    await using waited = await McpHttp.start(endpointOn(machine).endpoint.fetch)
    const leaving = new AbortController()
    const answer = waited.post(SEARCH, { signal: leaving.signal }).then((response) => response.text())
    await embedder.asked.promise
    leaving.abort()
    await expect(answer).rejects.toThrow()
    await embedder.stopped.promise
  })

  test('comes too late once the endpoint is closed', async () => {
    const { endpoint: closed } = endpointOn(knownMachine())
    await closed.close()
    const response = await closed.fetch(new Request(http.url, { method: 'POST', body: PING }))
    expect(response.status).toBe(503)
  })
})

/** More bytes than may come, whose number nobody says beforehand. */
/** Asked without a network: what becomes of its connection is the listener's business. */
function endlessRequest(): Request {
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
    controller.enqueue(new Uint8Array(65_536).fill(0x20))
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: new ReadableStream({ pull }), duplex: 'half' } as RequestInit
  return new Request('http://localhost/mcp', init)
}

/** Answers nobody, until it is told to stop. */
class WaitingEmbedder extends FakeEmbedder {
  readonly asked = Promise.withResolvers<void>()
  readonly stopped = Promise.withResolvers<void>()

  override embed(_: readonly string[], { signal }: EmbedOptions = {}): Promise<readonly Embedding[]> {
    this.asked.resolve()
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        this.stopped.resolve()
        reject(new MemoryError('interrupted', 'interrupted; run it again to go on'))
      })
    })
  }
}
