/** Extraction with a model: segment by segment, every step skipped on replay because its record says that it happened. */
import type { ExperienceWriter } from '../experiences/experience-writer.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Tokenizer } from '../ports.ts'
import { runSegment } from './extraction/agent-loop.ts'
import { segmentMessage, systemInstructions } from './extraction/instructions.ts'
import type { ImportRequest, ImportSetting } from './import-request.ts'
import type { Intake } from './intake.ts'
import type { MaskedText } from './masked-text.ts'
import { type ProcessingLog, segmentsDone } from './processing-log.ts'
import type { Redactor } from './redaction.ts'
import { nextSegment, type Segment } from './segmenter.ts'

export interface Extraction {
  readonly setting: ImportSetting
  readonly request: ImportRequest
  readonly requestId: string
  readonly trajectory: string
  readonly intake: Intake
  readonly tokenizer: Tokenizer
  readonly processing: ProcessingLog
  readonly writer: ExperienceWriter
  /** Null when nothing is masked. */
  readonly redactor: Redactor | null
  /** The text as a model or an extractor may see it. */
  readonly shown: MaskedText
  /** Of the first run, so that a resumed one keeps its focus unless told otherwise. */
  readonly memoryHint: string | null
}

/** @returns the last closing message. */
export async function extractWithModel(extraction: Extraction): Promise<string> {
  const { intake, processing, tokenizer, setting } = extraction
  for (;;) {
    await requireCalm(setting)
    const { segment, done } = processing.state
    const current =
      segment !== null && !done
        ? segment
        : cutNext(extraction, nextSegment(intake.text, segment, setting.limits.segment, tokenizer))
    if (current === null) break
    if (processing.state.closing?.index !== current.index) {
      const summary = await closingMessage(extraction, current)
      processing.append({ kind: 'closing', index: current.index, summary })
    }
    processing.append({ kind: 'checkpoint', index: current.index })
    report(extraction, current)
  }
  if (processing.state.total === null) processing.append({ kind: 'end', segments: segmentsDone(processing.state) })
  return processing.state.closing?.summary ?? 'The trajectory is empty, so there was nothing to extract.'
}

function cutNext({ intake, processing, setting }: Extraction, segment: Segment | null): Segment | null {
  if (segment === null) return null
  const text = new TextEncoder().encode(intake.text.slice(segment.start, segment.end))
  processing.append({ kind: 'segment', ...segment, sha256: setting.ports.digest.sha256(text) })
  return segment
}

async function closingMessage(extraction: Extraction, segment: Segment): Promise<string> {
  const { setting, intake, redactor, writer, trajectory, tokenizer, processing } = extraction
  const text = extraction.shown.segment(segment.start, segment.end)
  const earlier = processing.state.closing?.summary ?? null
  if (text.trim() === '') return earlier ?? 'Nothing but white space so far.'
  const mask = (part: string) => redactor?.mask(part) ?? part
  const message = segmentMessage({
    trajectory,
    format: intake.format,
    segmentNumber: segment.index + 1,
    isLast: segment.end === intake.text.length,
    hint: extraction.memoryHint === null ? null : mask(extraction.memoryHint),
    summary: earlier === null ? null : mask(earlier),
    operations: writer.operations.filter(({ intent }) => intent.key.startsWith(`${segment.index}/`)),
    text,
  })
  return runSegment({
    chat: setting.openChat(),
    tools: setting.toolsFor({ writer, trajectory, segmentIndex: segment.index, redactor }),
    tokenizer,
    limits: setting.limits,
    bounds: setting.bounds,
    opening: [
      { role: 'system', content: systemInstructions(setting.limits) },
      { role: 'user', content: message },
    ],
    mask,
    refuse: (args) => refuseSecrets(redactor, args),
    beforeRequest: () => requireBudget(extraction),
    afterReply: (reply) =>
      processing.append({
        kind: 'usage',
        index: segment.index,
        usage: { requests: 1, prompt_tokens: reply.promptTokens ?? 0, completion_tokens: reply.completionTokens ?? 0 },
      }),
    signal: setting.signal,
  })
}

/** Between two pieces of work. Throws `interrupted` when the person wants to stop. */
export async function requireCalm({ breathe, signal }: ImportSetting): Promise<void> {
  await breathe()
  if (signal.aborted) throw new MemoryError('interrupted', 'interrupted; resume to go on where it stopped')
}

function refuseSecrets(redactor: Redactor | null, args: string): void {
  if (redactor?.contains(args))
    throw new MemoryError(
      'secret_found',
      'the text holds a secret (a key, token or password); leave it out and try again',
    )
}

function requireBudget({ request, processing, requestId }: Extraction): void {
  const used = processing.state.usage.requests
  if (request.maxRequests !== null && used >= request.maxRequests)
    throw new MemoryError(
      'budget_reached',
      `import ${requestId} has made ${used} model calls, the cap is ${request.maxRequests}; resume with a higher --max-requests`,
    )
}

function report({ setting, requestId, processing, writer, intake }: Extraction, segment: Segment): void {
  setting.progress({
    requestId,
    segmentNumber: segment.index + 1,
    segmentCount: segment.end === intake.text.length ? segment.index + 1 : null,
    tokens: segment.tokens,
    requests: processing.state.usage.requests,
    experiences: writer.operations.length,
  })
}
