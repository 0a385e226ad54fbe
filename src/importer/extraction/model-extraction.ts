/** Extraction with a model: segment by segment, every step skipped on replay because its record says that it happened. */

import { runAgentLoop } from '../../agent/agent-loop.ts'
import type { AgentTool } from '../../agent/agent-tool.ts'
import { talkTimer } from '../../agent/talk-timer.ts'
import { MASKED_KEY } from '../../model/api-key.ts'
import { counted } from '../../model/counted.ts'
import { isRecord } from '../../model/json-values.ts'
import { MemoryError } from '../../model/memory-error.ts'
import {
  currentSegment,
  type ExtractionTask,
  finishSegment,
  requireNonePending,
  tellWaiting,
} from '../extraction-task.ts'
import { segmentsDone } from '../processing-log.ts'
import { recordShapeOf } from '../producers/recognition.ts'
import { throwIfInterrupted } from '../running.ts'
import type { Segment } from '../segmenter.ts'
import { segmentMessage, systemInstructions } from './instructions.ts'

/** So that no log can be made to hold the digits of its own digest. */
const FENCE_DIGITS = 16

/** @returns the last closing message. */
export async function extractWithModel(task: ExtractionTask): Promise<string> {
  const { processing, around } = task
  let instructions: string | null = null
  for (;;) {
    await throwIfInterrupted(around)
    const segment = currentSegment(task)
    if (segment === null) break
    if (processing.state.closing?.index !== segment.index) {
      instructions ??= systemInstructions(around.limits, recordShapeOf(wholeLog(task)))
      const summary = await closingMessage(task, segment, instructions)
      requireNonePending(task, (key) => key.startsWith(`${segment.index}/`))
      processing.append({ kind: 'closing', index: segment.index, summary })
    }
    finishSegment(task, segment)
  }
  if (processing.state.total === null) processing.append({ kind: 'end', segments: segmentsDone(processing.state) })
  return processing.state.closing?.summary ?? 'The trajectory is empty, so there was nothing to extract.'
}

/** As the model may see it. */
function wholeLog({ shown, intake: { format } }: ExtractionTask) {
  return { text: shown.whole(), format }
}

async function closingMessage(task: ExtractionTask, segment: Segment, instructions: string): Promise<string> {
  const { around, intake, redactor, writer, trajectory, tokenizer, processing } = task
  const text = task.shown.slice(segment.start, segment.end)
  const earlier = processing.state.closing?.summary ?? null
  if (text.trim() === '') return earlier ?? 'Nothing but white space so far.'
  const mask = (part: string) => redactor?.mask(part) ?? part
  const shownTrajectory = mask(trajectory)
  const message = segmentMessage({
    trajectory: shownTrajectory,
    format: intake.format,
    segmentNumber: segment.index + 1,
    isLast: segment.end === intake.text.length,
    hint: task.memoryHint === null ? null : mask(task.memoryHint),
    summary: earlier === null ? null : mask(earlier),
    operations: writer.operations.filter(({ intent }) => intent.key.startsWith(`${segment.index}/`)),
    fence: around.ports.digest.sha256(new TextEncoder().encode(text)).slice(0, FENCE_DIGITS),
    text,
  })
  const chat = await around.openChat()
  return runAgentLoop({
    chat,
    tools: (await around.toolsFor({ writer, trajectory, segmentIndex: segment.index, redactor })).map((tool) =>
      withPathRestored(tool, shownTrajectory, trajectory),
    ),
    tokenizer,
    limits: around.limits,
    bounds: around.bounds,
    opening: [
      { role: 'system', content: instructions },
      { role: 'user', content: message },
    ],
    words: {
      closing: 'the summary of the run so far',
      again: 'resume',
      smaller: 'begin a new import with a smaller token_limits.segment',
    },
    mask,
    hasSecret: (part) => part.includes(MASKED_KEY) || redactor?.contains(part) === true,
    beforeRequest: () => {
      countRequest(task, segment)
      tellWaiting(task, segment.index, segment.start, { model: chat.model })
    },
    afterReply: ({ promptTokens, completionTokens }) =>
      processing.append({
        kind: 'usage',
        index: segment.index,
        usage: { requests: 0, prompt_tokens: promptTokens ?? 0, completion_tokens: completionTokens ?? 0 },
      }),
    onWait: around.onWait,
    timeLimit: talkTimer(
      around.ports.clock,
      around.segmentTimeoutMs,
      `the talk about segment ${segment.index + 1} was not over within ${around.segmentTimeoutMs / 1000} s, as llm.segment_timeout_ms says`,
    ),
    signal: around.signal,
  })
}

/** A model that is shown a masked path asks for the file by that one. */
function withPathRestored(tool: AgentTool, shown: string, path: string): AgentTool {
  if (shown === path) return tool
  const restored = (args: unknown) => (isRecord(args) && args.path === shown ? { ...args, path } : args)
  return { ...tool, call: (args) => tool.call(restored(args)) }
}

/** Counted before it goes out, so that one in flight when the process dies counts as well. */
function countRequest({ request, processing, requestId }: ExtractionTask, segment: Segment): void {
  const used = processing.state.usage.requests
  if (request.maxRequests !== null && used >= request.maxRequests)
    throw new MemoryError(
      'budget_reached',
      `import ${requestId} has made ${counted(used, 'model call')}, and may make ${request.maxRequests}; resume with a higher --max-requests`,
    )
  const usage = { requests: 1, prompt_tokens: 0, completion_tokens: 0 }
  processing.append({ kind: 'usage', index: segment.index, usage })
}
