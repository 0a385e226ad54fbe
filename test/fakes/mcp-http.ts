/** The endpoint of MCP behind a real HTTP server, as the service has it. */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export class McpHttp implements AsyncDisposable {
  readonly #server: ReturnType<typeof serve>
  readonly url: URL

  private constructor(server: ReturnType<typeof serve>, url: URL) {
    this.#server = server
    this.url = url
  }

  static async start(fetch: (request: Request) => Promise<Response>): Promise<McpHttp> {
    const listening = Promise.withResolvers<AddressInfo>()
    // Else Response is another one for all tests of this process, and no server of Bun's takes it.
    const options = { fetch, hostname: '127.0.0.1', port: 0, overrideGlobalObjects: false }
    const server = serve(options, listening.resolve)
    const { port } = await listening.promise
    return new McpHttp(server, new URL(`http://127.0.0.1:${port}/mcp`))
  }

  transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(this.url)
  }

  /** @param init laid over a request that is all right but for its body */
  async post(
    body: BodyInit,
    init: RequestInit = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    return fetch(this.url, { method: 'POST', body, ...init, headers: { ...usual, ...headers } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if ('closeAllConnections' in this.#server) this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }
}
