/** Operations as MCP tools: how they are listed, and what a call answers. Knows nothing of connections. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { inputJsonSchema, jsonSchemaOf } from '../../app/json-schema.ts'
import type { Operation } from '../../app/operation.ts'
import { RECALL_MOMENTS, REFERENCES } from '../../app/recall-words.ts'
import { reportOf } from '../../model/error-report.ts'
import { type MemoryError, scopeOf } from '../../model/memory-error.ts'

/** What a model is told of the whole, once. */
export const INSTRUCTIONS = `knowhow keeps what earlier runs of agents have learnt, as experiences and as a graph of memories. Search experiences and recall memories ${RECALL_MOMENTS}. What comes back are ${lowerFirst(REFERENCES)} Say afterwards with memory_used how a procedure went that you followed.`

export function toolOf(operation: Operation): Tool {
  const { name, summary, whenToUse = '', writes, destroys = false, isRepeatable = false } = operation
  return {
    name,
    title: titleOf(name),
    description: `${summary} ${whenToUse}`.trim(),
    inputSchema: inputJsonSchema(operation) as Tool['inputSchema'],
    outputSchema: outputSchemaOf(operation),
    annotations: {
      readOnlyHint: !writes,
      destructiveHint: destroys,
      idempotentHint: !writes || isRepeatable,
      // Nothing is asked but the workspace.
      openWorldHint: false,
    },
  }
}

/** `memory_recall` is Memory recall. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Of an object, and MCP wants that said where the schema is a choice of several. */
function outputSchemaOf({ output }: Operation): NonNullable<Tool['outputSchema']> {
  const { $schema: _, ...schema } = jsonSchemaOf(output())
  return { type: 'object', ...schema }
}

/** @param output the operation's, which is one JSON document */
export function toolAnswer({ recallsPast }: Operation, output: unknown): CallToolResult {
  // First the document alone: clients without structured content parse that one.
  const texts = [JSON.stringify(output), ...(recallsPast === true ? [REFERENCES] : [])]
  return {
    content: texts.map((text) => ({ type: 'text', text })),
    structuredContent: output,
  }
}

/** An error that the model is to act on. It has no structured content: that would have to be an answer. */
export function toolError(error: MemoryError): CallToolResult {
  return refusal({ ...reportOf(error), next_step: nextStepAfter(error) })
}

/** A fault of our own, of which the model learns no more than that. */
export function internalError(): CallToolResult {
  const message = 'internal error; its details are in the log of the server'
  return refusal({ code: 'internal', message, resumable: false, next_step: NEXT_STEPS.none })
}

function refusal(error: Readonly<Record<string, unknown>>): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error }) }] }
}

const NEXT_STEPS = {
  again: 'Call it again later: the same arguments can then succeed.',
  differently: 'Change the arguments as the message says, and call it again.',
  none: 'Go on without it, and tell the person what the message says: calling it again does not help.',
} as const

function nextStepAfter({ code, resumable }: MemoryError): string {
  if (resumable) return NEXT_STEPS.again
  return scopeOf(code) === 'call' ? NEXT_STEPS.differently : NEXT_STEPS.none
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
