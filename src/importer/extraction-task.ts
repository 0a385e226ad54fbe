/** What both extractors work on: one import's text, its checkpoints, its right to write. */
import type { ExperienceWriter } from '../experiences/experience-writer.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { RequestId } from '../model/request-id.ts'
import type { Tokenizer } from '../ports.ts'
import type { DecidedRequest } from './import-request.ts'
import type { ImportSurroundings } from './import-surroundings.ts'
import type { Intake } from './intake/intake.ts'
import { type ProcessingLog, segmentDigest } from './processing-log.ts'
import type { MaskedText } from './redaction/masked-text.ts'
import type { Redactor } from './redaction/redactor.ts'
import type { ImportWaiting } from './running.ts'
import { nextSegment, type Segment } from './segmenter.ts'

export interface ExtractionTask {
  readonly around: ImportSurroundings
  readonly request: DecidedRequest
  readonly requestId: RequestId
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

/** The segment to work on, cut and logged; null when all are done. */
export function currentSegment({ intake, processing, tokenizer, around }: ExtractionTask): Segment | null {
  const { segment, done } = processing.state
  if (segment !== null && !done) return segment
  const next = nextSegment(intake.text, segment, around.limits.segment, tokenizer)
  if (next === null) return null
  processing.append({ kind: 'segment', ...next, sha256: segmentDigest(around.ports.digest, intake.text, next) })
  return next
}

/**
 * Throws `index_pending` naming what this import wrote and neither view holds: nothing goes on before it is corrected.
 * @param belongs by key, which operations count
 */
export function requireNonePending(
  { writer, request, requestId }: ExtractionTask,
  belongs: (key: string) => boolean,
): void {
  const pending = writer.pending(belongs)
  const [first] = pending
  if (first === undefined) return
  const others = pending.length === 1 ? '' : ` (and ${pending.length - 1} more)`
  const resume = `knowhow import --resume ${requestId}`
  const advice =
    request.extractor === 'llm'
      ? `have it corrected by: ${resume}, or change its text by hand and resume`
      : `change its text by hand, then: ${resume}`
  throw new MemoryError('index_pending', `${first.path}${others} is found by no search (${first.error}); ${advice}`, {
    pending,
  })
}

/** @param start how much of the log is behind, in UTF-16 units */
export function tellWaiting(
  { around, requestId, processing, intake }: ExtractionTask,
  segmentIndex: number,
  start: number,
  waitsFor: ImportWaiting['waitsFor'],
): void {
  around.progress({
    requestId,
    segmentNumber: segmentIndex + 1,
    share: intake.text.length === 0 ? 1 : start / intake.text.length,
    requests: processing.state.usage.requests,
    waitsFor,
  })
}

/** The segment is behind its checkpoint. */
export function finishSegment(
  { around, requestId, processing, writer, intake }: ExtractionTask,
  segment: Segment,
): void {
  processing.append({ kind: 'checkpoint', index: segment.index, operations: writer.operations.length })
  around.progress({
    requestId,
    segmentNumber: segment.index + 1,
    segmentCount: segment.end === intake.text.length ? segment.index + 1 : null,
    share: intake.text.length === 0 ? 1 : segment.end / intake.text.length,
    tokens: segment.tokens,
    requests: processing.state.usage.requests,
    experiences: writer.operations.length,
  })
}
