/**
 * MCP over streamable HTTP, for the service to mount. Each request is answered by a server of its own, and nothing is kept
 * from one to the next: there is no session that could be lost at a restart, leak, or be guessed. The latest revision of
 * the protocol knows no sessions; what older ones lose with them is that `notifications/cancelled`, which comes as a
 * request of its own, finds nothing: there a client cancels by going away. Of Host, Origin and token it knows nothing.
 */
import { createMcpHandler, isJsonContentType, PARSE_ERROR } from '@modelcontextprotocol/server'
import { type McpServing, mcpServers } from './mcp-server.ts'
import { valueIn } from './message-line.ts'

export interface McpEndpoint {
  readonly fetch: (request: Request) => Promise<Response>
  /** Ends what is still being answered under the latest revision; older ones are answered to their end. */
  readonly close: () => Promise<void>
}

export const BODY_BYTES_MAX = 1024 * 1024

export function openMcpEndpoint(serving: McpServing): McpEndpoint {
  const handler = createMcpHandler(mcpServers(serving), { maxRequestBodySize: BODY_BYTES_MAX })
  let isClosed = false
  return {
    fetch: async (request) => {
      if (isClosed) return refusal(503, -32000, 'the service is closing; ask again later')
      const isMessage = request.method === 'POST' && isJsonContentType(request.headers.get('content-type'))
      // All else is refused, and nothing of it is read.
      if (!isMessage) return handler.fetch(request)
      const bytes = await bodyOf(request)
      if (bytes === null) return refusal(413, -32000, `the body is over ${BODY_BYTES_MAX} bytes; send less at once`)
      const value = valueIn(bytes)
      if (value === undefined) return refusal(400, PARSE_ERROR, 'Parse error: the body is empty')
      if ('refusal' in value) return Response.json(value.refusal, { status: 400 })
      return handler.fetch(request, { parsedBody: value.parsed })
    },
    close: async () => {
      isClosed = true
      await handler.close()
    },
  }
}

/** Null for one that is too long, of which no more is kept than may be. */
async function bodyOf(request: Request): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length')) > BODY_BYTES_MAX) return null
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of request.body ?? []) {
    length += part.length
    if (length > BODY_BYTES_MAX) return null
    parts.push(part)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Of a request whose id nobody knows. */
function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
