/**
 * MCP over streamable HTTP, for the service to mount. Each request is answered by a server of its own, and nothing is kept
 * from one to the next: there is no session that could be lost at a restart, leak, or be guessed. The latest revision of
 * the protocol knows no sessions; what older ones lose with them is that `notifications/cancelled`, which comes as a
 * request of its own, finds nothing: there a client cancels by going away. Of Host, Origin and token it knows nothing.
 */
import { createMcpHandler, isJsonContentType, PARSE_ERROR } from '@modelcontextprotocol/server'
import { MemoryError } from '../../model/memory-error.ts'
import { statusOfError } from '../http-statuses.ts'
import { type McpServing, mcpServers } from './mcp-server.ts'
import { valueIn } from './message-line.ts'
import { bodyBytes } from './request-body.ts'
import { SERVICE_LIMITS } from './service-limits.ts'

export interface McpEndpoint {
  readonly fetch: (request: Request) => Promise<Response>
  /** Ends what is still being answered under the latest revision; older ones are answered to their end. */
  readonly close: () => Promise<void>
}

export function openMcpEndpoint(serving: McpServing): McpEndpoint {
  const { bodyBytesMax } = SERVICE_LIMITS
  const handler = createMcpHandler(mcpServers(serving), { maxRequestBodySize: bodyBytesMax })
  let isClosed = false
  return {
    fetch: async (request) => {
      if (isClosed) return refusal(503, SERVER_ERROR, 'the service is closing; ask again later')
      const isMessage = request.method === 'POST' && isJsonContentType(request.headers.get('content-type'))
      // All else is refused, and nothing of it is read.
      if (!isMessage) return handler.fetch(request)
      let bytes: Uint8Array
      try {
        bytes = await bodyBytes(request, bodyBytesMax)
      } catch (error) {
        if (!(error instanceof MemoryError)) throw error
        return refusal(statusOfError(error.code), SERVER_ERROR, error.message)
      }
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

/** The first of those that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32000

/** Of a request whose id nobody knows. */
function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
