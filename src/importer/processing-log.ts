/** The checkpoints of one import: which segment is cut, answered, done. */
import * as v from 'valibot'
import { MemoryError } from '../model/memory-error.ts'
import { isRequestId, type RequestId } from '../model/request-id.ts'
import type { Digest } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import { type LogKind, RequestLog, requestLogPath } from '../workspace/request-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import { addUsage, NO_USAGE, type Usage, usageSchema } from './import-result.ts'
import { continuesCuts, type Segment } from './segmenter.ts'

/** What the cuts depend on. */
const headingSchema = v.strictObject({
  fingerprint: v.strictObject({ tokenizer: v.string(), segment: v.number(), segmentation: v.number() }),
})
export type ProcessingHeading = Readonly<v.InferOutput<typeof headingSchema>>

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const requestId = v.custom<RequestId>((id) => typeof id === 'string' && isRequestId(id), 'it is no request id')

const recordSchema = v.variant('kind', [
  v.strictObject({
    kind: v.literal('segment'),
    index: count,
    start: count,
    end: count,
    tokens: count,
    /** Of the segment's text in UTF-8: the input can be recovered from the copy and checked. */
    sha256: v.string(),
  }),
  /** The closing message, logged before the checkpoint moves and reused after a crash between the two. */
  v.strictObject({ kind: v.literal('closing'), index: count, summary: v.string() }),
  v.strictObject({ kind: v.literal('usage'), index: count, usage: usageSchema() }),
  /** `operations`: how many the journal of writes held by then. */
  v.strictObject({ kind: v.literal('checkpoint'), index: count, operations: v.optional(count, 0) }),
  v.strictObject({ kind: v.literal('end'), segments: count }),
  /** The earlier imports whose logs the offline extractor reads beside its own, before it writes anything. */
  v.strictObject({ kind: v.literal('earlier'), imports: v.array(requestId) }),
])
type ProcessingRecord = v.InferOutput<typeof recordSchema>

export interface ProcessingState extends ProcessingHeading {
  /** The last segment that was cut; its predecessors are done. */
  readonly segment: (Segment & { readonly sha256: string }) | null
  /** Whether that segment's checkpoint was written. */
  readonly done: boolean
  /** The last closing message, the rolling summary; null before the first. */
  readonly closing: { readonly index: number; readonly summary: string } | null
  /** All segments there are; null while unknown. */
  readonly total: number | null
  /** Request ids of the earlier imports that count for this one; null before they are chosen. */
  readonly earlier: readonly RequestId[] | null
  /** Writes that the journal held at the last checkpoint. */
  readonly operations: number
  readonly usage: Usage
  /** By the segment's index; none of a segment that no model was asked about. */
  readonly segmentUsages: ReadonlyMap<number, Usage>
}

export const PROCESSING_LOG: LogKind<ProcessingHeading, ProcessingRecord, ProcessingState> = {
  format: { name: 'knowhow-processing', version: 1 },
  folder: (layout) => layout.processing,
  heading: headingSchema,
  record: recordSchema,
  start: (heading) => ({
    ...heading,
    segment: null,
    done: false,
    closing: null,
    total: null,
    earlier: null,
    operations: 0,
    usage: NO_USAGE,
    segmentUsages: new Map(),
  }),
  fault,
  step,
}

export type ProcessingLog = RequestLog<ProcessingHeading, ProcessingRecord, ProcessingState>

/** A record that no run could have written here, whatever its checksum says. */
function fault(state: ProcessingState, record: ProcessingRecord): string | null {
  const { segment, done, total } = state
  const isBetween = segment === null || done
  if (record.kind === 'earlier') {
    if (total === null) return 'earlier imports are chosen before the end of the segments'
    return state.earlier === null ? null : 'earlier imports are chosen twice'
  }
  if (total !== null) return 'something follows the end of the segments'
  switch (record.kind) {
    case 'segment': {
      const [index, start] = [segmentsDone(state), segment?.end ?? 0]
      if (!isBetween) return `segment ${record.index} begins before the one before it is done`
      if (record.index !== index) return `segment ${record.index} stands where segment ${index} is due`
      if (record.start !== start)
        return `segment ${index} starts at ${record.start}, the one before it ends at ${start}`
      return record.end > start ? null : `segment ${index} ends at ${record.end}, where it starts or before`
    }
    case 'closing':
    case 'usage':
    case 'checkpoint':
      if (isBetween || record.index !== segment.index) return `segment ${record.index} is not the one being worked on`
      return record.kind === 'usage' && record.usage.requests < 0 ? 'it counts fewer than no requests' : null
    case 'end':
      if (isBetween && record.segments === segmentsDone(state)) return null
      return `it counts ${record.segments} segments, and ${segmentsDone(state)} are done`
  }
}

function step(state: ProcessingState, record: ProcessingRecord): ProcessingState {
  switch (record.kind) {
    case 'segment': {
      const { kind: _, ...segment } = record
      return { ...state, segment, done: false }
    }
    case 'closing':
      return { ...state, closing: { index: record.index, summary: record.summary } }
    case 'usage': {
      const { index, usage } = record
      const ofSegment = addUsage(state.segmentUsages.get(index) ?? NO_USAGE, usage)
      return {
        ...state,
        usage: addUsage(state.usage, usage),
        segmentUsages: new Map([...state.segmentUsages, [index, ofSegment]]),
      }
    }
    case 'checkpoint':
      return { ...state, done: true, operations: record.operations }
    case 'end':
      return { ...state, total: record.segments }
    case 'earlier':
      return { ...state, earlier: record.imports }
  }
}

/** How many segments are behind their checkpoint. */
export function segmentsDone(state: ProcessingState): number {
  return state.segment === null ? 0 : state.segment.index + (state.done ? 1 : 0)
}

/**
 * @param text the decoded original
 * Throws `settings_changed` when the log was begun with another fingerprint, `log_corrupt` when it tells of another text.
 */
export function openProcessingLog(
  ports: WorkspacePorts,
  layout: Layout,
  id: RequestId,
  heading: ProcessingHeading,
  text: string,
): ProcessingLog {
  const log = RequestLog.open(ports, layout, PROCESSING_LOG, id, heading)
  try {
    requireSameFingerprint(log.state, heading, id)
    requireSameText(ports.digest, log.state, text, requestLogPath(ports.digest, layout, PROCESSING_LOG, id))
    return log
  } catch (error) {
    log[Symbol.dispose]()
    throw error
  }
}

function requireSameFingerprint({ fingerprint }: ProcessingState, heading: ProcessingHeading, id: RequestId): void {
  const { tokenizer, segment, segmentation } = fingerprint
  const now = heading.fingerprint
  if (tokenizer === now.tokenizer && segment === now.segment && continuesCuts(segmentation)) return
  throw new MemoryError(
    'settings_changed',
    `import ${id} was cut with other settings (${JSON.stringify(fingerprint)}); resume it with those, or begin a new import`,
  )
}

/** The segment that is worked on, or was last, is cut from this text. */
function requireSameText(digest: Digest, { segment, total }: ProcessingState, text: string, path: string): void {
  const end = segment?.end ?? 0
  const corrupt = (what: string) =>
    new MemoryError(
      'log_corrupt',
      `${path}: ${what}; restore the file from a backup or from git, or begin a new import`,
      {
        path,
      },
    )
  if (total === null ? end > text.length : end !== text.length)
    throw corrupt(`its last segment ends at ${end}, the text at ${text.length}`)
  if (segment !== null && segmentDigest(digest, text, segment) !== segment.sha256)
    throw corrupt(`segment ${segment.index} was cut from another text`)
}

/** SHA-256 of a segment's text in UTF-8. */
export function segmentDigest(digest: Digest, text: string, { start, end }: Pick<Segment, 'start' | 'end'>): string {
  return digest.sha256(new TextEncoder().encode(text.slice(start, end)))
}
