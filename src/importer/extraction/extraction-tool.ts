/** What the model may call while it works on a segment. The tools themselves are handed in. */
import { MemoryError } from '../../model/memory-error.ts'
import type { ToolCall, ToolSchema } from '../../ports.ts'

export interface ExtractionTool extends ToolSchema {
  /** Whether its arguments end up in an experience. */
  readonly writes: boolean
  /** Validates `args` strictly. Throws MemoryError. */
  readonly call: (args: unknown) => Promise<unknown>
}

/** Faults the model can mend by another call; every other one ends the run. */
const MENDABLE: ReadonlySet<string> = new Set([
  'invalid_argument',
  'invalid_name',
  'path_outside',
  'not_found',
  'not_a_file',
  'invalid_experience',
  'field_too_long',
  'secret_found',
  'name_taken',
  'version_conflict',
  'operation_conflict',
  'tool_unknown',
  'tool_arguments_invalid',
  'tool_arguments_truncated',
])

export interface ToolFailure {
  readonly status: 'failed'
  readonly code: string
  readonly message: string
}

export type ToolOutcome =
  | { readonly failed: false; readonly result: unknown }
  | { readonly failed: true; readonly result: ToolFailure }

/**
 * @param refuse throws MemoryError when a write must not happen
 * Never runs a call whose arguments are cut off, are no JSON object, or name a tool that is not offered.
 */
export async function answerToolCall(
  call: ToolCall,
  tools: readonly ExtractionTool[],
  options: { readonly cutOff: boolean; readonly refuse: (args: string) => void },
): Promise<ToolOutcome> {
  try {
    if (options.cutOff)
      throw new MemoryError(
        'tool_arguments_truncated',
        'the reply was cut off by its length limit, so the call was not made; repeat it with shorter texts',
      )
    const tool = tools.find(({ name }) => name === call.name)
    if (tool === undefined)
      throw new MemoryError(
        'tool_unknown',
        `there is no tool ${JSON.stringify(call.name)}; use ${tools.map(({ name }) => name).join(', ')}`,
      )
    const args = parseArguments(call.arguments)
    if (tool.writes) options.refuse(call.arguments)
    return { failed: false, result: await tool.call(args) }
  } catch (error) {
    if (!(error instanceof MemoryError) || !MENDABLE.has(error.code)) throw error
    return { failed: true, result: { ...error.details, status: 'failed', code: error.code, message: error.message } }
  }
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch {
    throw new MemoryError(
      'tool_arguments_truncated',
      'the arguments are not whole JSON, so the call was not made; repeat it with one complete JSON object',
    )
  }
}
