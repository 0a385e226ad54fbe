/** What the model may call while it works. The tools themselves are handed in. */
import { MemoryError, scopeOf } from '../model/memory-error.ts'
import type { ToolCall, ToolSchema } from '../ports.ts'
import { parseArguments, textsIn } from './tool-arguments.ts'

export interface AgentTool extends ToolSchema {
  /** Whether its arguments are kept. */
  readonly writes: boolean
  /** Validates `args` strictly. Throws MemoryError. */
  readonly call: (args: unknown) => Promise<unknown>
}

export interface ToolOutcome {
  /** Whether the model has something to mend. */
  readonly failed: boolean
  readonly result: unknown
}

/**
 * Never runs a call whose arguments are cut off, are no JSON, or name a tool that is not offered; never a write that
 * holds a secret. Throws what reaches further than this call: faults of the disk, of the run, of the machine.
 * @param cutOff whether the call is longer than a reply may be, and so perhaps not whole
 */
export async function answerToolCall(
  call: ToolCall,
  tools: readonly AgentTool[],
  cutOff: boolean,
  hasSecret: (text: string) => boolean,
): Promise<ToolOutcome> {
  try {
    if (cutOff)
      throw new MemoryError(
        'tool_arguments_truncated',
        'the call is longer than a reply may be, so it was not made; repeat it with shorter texts',
      )
    const tool = tools.find(({ name }) => name === call.name)
    if (tool === undefined)
      throw new MemoryError(
        'tool_unknown',
        `there is no tool ${JSON.stringify(call.name)}; use ${tools.map(({ name }) => name).join(', ')}`,
      )
    const args = parseArguments(call.arguments)
    // Looked for in the values: in the JSON text a secret could hide behind its escapes.
    if (tool.writes && textsIn(args).some(hasSecret))
      throw new MemoryError(
        'secret_found',
        'a text holds a secret (a key, token or password), so nothing was written; leave it out and try again',
      )
    const result = await tool.call(args)
    return { failed: isPending(result), result }
  } catch (error) {
    if (!(error instanceof MemoryError) || scopeOf(error.code) !== 'call') throw error
    return { failed: true, result: { ...error.details, status: 'failed', code: error.code, message: error.message } }
  }
}

/** Of a write whose file no view takes. */
function isPending(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'status' in result && result.status === 'index_pending'
}
