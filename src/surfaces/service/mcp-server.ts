/** The MCP server that any connection is given: tools made of the operation table, and what a call of one does. */
import {
  type CallToolRequestParams,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import type { KeptWorkspace } from '../../app/kept-workspace.ts'
import type { Operation } from '../../app/operation.ts'
import { operationsFor } from '../../app/operation-table.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { quietRunning } from '../running.ts'
import { INSTRUCTIONS, internalError, toolAnswer, toolError, toolOf } from './mcp-tools.ts'

/** What all connections share. */
export interface McpServing {
  readonly workspace: KeptWorkspace
  /** Of the program. */
  readonly version: string
  /**
   * Told what operations say beside their answers. It does not go to the client: the protocol has given up its logging, no
   * model reads that, and what an answer's reader must know stands in the answer.
   */
  readonly say: (notice: string) => void
  /** Told of faults of our own, of which the client learns that there was one. */
  readonly onFault: (error: unknown) => void
}

/** Longer names are nobody's, and are not repeated whole. */
const NAME_LENGTH_SHOWN = 64

/** Makes servers, each for one connection or one request. What they list is computed once. */
export function mcpServers(serving: McpServing): () => Server {
  const operations = new Map(operationsFor('service').map((operation) => [operation.name, operation]))
  const tools = [...operations.values()].map(toolOf)
  return () => {
    const server = new Server(
      { name: 'knowhow', version: serving.version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    )
    server.setRequestHandler('tools/list', () => ({ tools }))
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
      callTool(requireOperation(operations, params.name), params, serving, mcpReq.signal),
    )
    return server
  }
}

/** Throws the protocol's error for parameters that are not valid, as the specification wants it. */
function requireOperation(operations: ReadonlyMap<string, Operation>, name: string): Operation {
  const operation = operations.get(name)
  if (operation !== undefined) return operation
  const shown = JSON.stringify(name.slice(0, NAME_LENGTH_SHOWN))
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `there is no tool ${shown}; tools/list names those that there are`,
  )
}

async function callTool(
  operation: Operation,
  { arguments: input = {} }: CallToolRequestParams,
  { workspace, say, onFault }: McpServing,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    return toolAnswer(operation, await workspace.ask(operation, input, quietRunning(signal, say)))
  } catch (error) {
    if (error instanceof MemoryError) return toolError(error)
    onFault(error)
    return internalError()
  }
}
