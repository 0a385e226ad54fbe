/** What the model is told. Targets are told as they are; the slack over them is not. */
import { filledPrompt } from '../../agent/prompt.ts'
import type { Operation } from '../../experiences/operation-journal.ts'
import type { TokenLimits } from '../../model/token-limits.ts'
import type { TrajectoryFormat } from '../intake/trajectory-format.ts'
import instructions from './prompts/instructions.txt' with { type: 'text' }
import recordShape from './prompts/record-shape.txt' with { type: 'text' }

/** @param shape how the log's records are read, in sentences; null when nobody recognised the log */
export function systemInstructions(limits: TokenLimits, shape: string | null): string {
  const { description, when_to_use, content, summary } = limits
  const told = filledPrompt(instructions, { description, when_to_use, content, summary })
  return shape === null ? told : `${told}\n\n${filledPrompt(recordShape, { shape })}`
}

export interface SegmentInput {
  readonly trajectory: string
  readonly format: TrajectoryFormat
  readonly segmentNumber: number
  readonly isLast: boolean
  readonly hint: string | null
  readonly summary: string | null
  readonly operations: readonly Operation[]
  /** A word that the text cannot hold: part of its own digest, and of nothing that is masked in it. */
  readonly fence: string
  /** Masked, otherwise as it was cut. */
  readonly text: string
}

export function segmentMessage(input: SegmentInput): string {
  const parts = [
    `Trajectory ${input.trajectory} (${input.format}), piece ${input.segmentNumber}${input.isLast ? ', the last one' : ''}.`,
  ]
  if (input.hint !== null) parts.push(`What the user wants remembered above all: ${input.hint}`)
  parts.push(input.summary === null ? 'This is the beginning.' : `Summary of the run so far:\n${input.summary}`)
  if (input.operations.length > 0) parts.push(ledgerText(input.operations))
  const fence = `===== log ${input.fence} =====`
  parts.push(`The piece, between two lines that are the same:\n${fence}\n${input.text}\n${fence}`)
  // A small model has forgotten by now what stood in front of a long piece.
  parts.push('That was the piece. Search, write what is worth keeping, then answer with the summary of the run so far.')
  return parts.join('\n\n')
}

/** After an interruption the model must not repeat what it did. */
function ledgerText(operations: readonly Operation[]): string {
  const lines = operations.map(ledgerLine)
  return `This piece was interrupted. What you already did, and need not repeat:\n${lines.join('\n')}\nRead these if you need them, and go on.`
}

function ledgerLine({ intent, outcome, wasPublished, error }: Operation): string {
  const { action, path, version } = intent
  if (error !== null)
    return `- ${action} ${path} (version ${version}), but no search finds it: ${error}. Read it, and update it with other texts under a new operation_key`
  if (outcome !== 'superseded') return `- ${action} ${path} (version ${version})`
  return wasPublished
    ? `- ${action} ${path}, which was changed again since`
    : `- ${path} was changed by someone else, and your write of it was given up`
}
