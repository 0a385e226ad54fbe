/** MCP where the service has it: the same answers as its routes, behind the same checks. */
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { connected, ERAS, textsOf } from '../../fakes/mcp-client.ts'
import { RunningService } from '../../fakes/running-service.ts'

const endpointOf = (service: RunningService) => new URL('/mcp', service.url)
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
/** Sends this and goes away. */
async function breakOff(port: number, text: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await new Promise<void>((sent) => socket.write(text, () => sent()))
  socket.destroy()
}

const ACCEPT = { accept: 'application/json, text/event-stream' }

describe('MCP at the service', () => {
  for (const [revision, mode] of ERAS)
    test(`shares what is remembered with the routes (${revision})`, async () => {
      await using service = await RunningService.start()
      const client = await connected(new StreamableHTTPClientTransport(endpointOf(service)), mode)
      const concept = { kind: 'semantic', memory_id: 'fact', concept: 'cache', content: 'goes stale' }
      expect((await client.callTool({ name: 'memory_remember', arguments: concept })).isError).toBeUndefined()
      await service.ask('session_start', { id: 'of a route' })
      const { body } = await service.ask('session_show', { id: 'of a route' })
      const answer = await client.callTool({ name: 'session_show', arguments: { id: 'of a route' } })
      expect(answer.structuredContent).toEqual(body)
      expect(JSON.parse(textsOf(answer)[0] ?? '')).toEqual(body)
      const recalled = await service.ask('memory_recall', { query: 'stale cache' })
      expect(recalled.body).toMatchObject({ hits: [{ memory: { memory_id: 'fact' } }] })
      await client.close()
    })

  test('is refused to pages from elsewhere and to other names of this machine', async () => {
    await using service = await RunningService.start()
    expect((await service.ask('mcp', LIST, ACCEPT)).status).toBe(200)
    expect((await service.ask('mcp', LIST, { ...ACCEPT, origin: 'https://evil.example' })).status).toBe(403)
    const body = JSON.stringify(LIST)
    const lines = ['POST /mcp HTTP/1.1', 'Host: evil.example', 'Content-Type: application/json']
    const answer = await service.raw(
      `${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    expect(answer).toStartWith('HTTP/1.1 403')
  })

  test('wants the token where there is one', async () => {
    await using service = await RunningService.start([], { KNOWHOW_TOKEN: 'open-sesame' })
    expect((await service.ask('mcp', LIST, ACCEPT)).status).toBe(401)
    expect((await service.ask('mcp', LIST, { ...ACCEPT, authorization: 'Bearer open-sesame' })).status).toBe(200)
  })

  test('takes a body that breaks off for no fault of its own', async () => {
    await using service = await RunningService.start()
    const head = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
    await breakOff(service.port, `${head}Content-Length: 100\r\n\r\n{"jsonrpc"`)
    expect((await service.send('/health')).status).toBe(200)
    expect(service.told()).not.toContain('Error')
  })

  test('takes no body over a mebibyte, nor anything but JSON, and goes on', async () => {
    await using service = await RunningService.start()
    const sent = (body: string, type = 'application/json') =>
      service.send('/mcp', { method: 'POST', headers: { ...ACCEPT, 'content-type': type }, body })
    expect((await sent('x'.repeat(2 ** 20 + 1))).status).toBe(413)
    expect((await sent('{}', 'text/plain')).status).toBe(415)
    expect((await sent('{')).status).toBe(400)
    expect((await sent(JSON.stringify(LIST))).status).toBe(200)
    expect((await service.send('/mcp', { method: 'PUT' })).status).toBe(405)
  })
})
