/** The checkpoints of one import: which segment is cut, answered, done. */
import * as v from 'valibot'
import { MemoryError } from '../model/memory-error.ts'
import type { RequestId } from '../model/request-id.ts'
import type { Layout } from '../workspace/layout.ts'
import { type LogKind, RequestLog } from '../workspace/request-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import { addUsage, NO_USAGE, type Usage, usageSchema } from './import-result.ts'
import type { Segment } from './segmenter.ts'

/** What the cuts depend on. */
const headingSchema = v.strictObject({
  fingerprint: v.strictObject({ tokenizer: v.string(), segment: v.number(), segmentation: v.number() }),
})
export type ProcessingHeading = Readonly<v.InferOutput<typeof headingSchema>>

const recordSchema = v.variant('kind', [
  v.strictObject({
    kind: v.literal('segment'),
    index: v.number(),
    start: v.number(),
    end: v.number(),
    tokens: v.number(),
    /** Of the segment's text in UTF-8: the input can be recovered from the copy and checked. */
    sha256: v.string(),
  }),
  /** The closing message, logged before the checkpoint moves and reused after a crash between the two. */
  v.strictObject({ kind: v.literal('closing'), index: v.number(), summary: v.string() }),
  v.strictObject({ kind: v.literal('usage'), index: v.number(), usage: usageSchema }),
  v.strictObject({ kind: v.literal('checkpoint'), index: v.number() }),
  v.strictObject({ kind: v.literal('end'), segments: v.number() }),
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
  readonly usage: Usage
}

export const PROCESSING_LOG: LogKind<ProcessingHeading, ProcessingRecord, ProcessingState> = {
  format: { name: 'knowhow-processing', version: 1 },
  folder: (layout) => layout.processing,
  heading: headingSchema,
  record: recordSchema,
  start: (heading) => ({ ...heading, segment: null, done: false, closing: null, total: null, usage: NO_USAGE }),
  step,
}

export type ProcessingLog = RequestLog<ProcessingHeading, ProcessingRecord, ProcessingState>

function step(state: ProcessingState, record: ProcessingRecord): ProcessingState {
  switch (record.kind) {
    case 'segment': {
      const { kind: _, ...segment } = record
      return { ...state, segment, done: false }
    }
    case 'closing':
      return { ...state, closing: { index: record.index, summary: record.summary } }
    case 'usage':
      return { ...state, usage: addUsage(state.usage, record.usage) }
    case 'checkpoint':
      return { ...state, done: true }
    case 'end':
      return { ...state, total: record.segments }
  }
}

/** How many segments are behind their checkpoint. */
export function segmentsDone(state: ProcessingState): number {
  return state.segment === null ? 0 : state.segment.index + (state.done ? 1 : 0)
}

/** Throws `settings_changed` when the log was begun with another fingerprint. */
export function openProcessingLog(
  ports: WorkspacePorts,
  layout: Layout,
  id: RequestId,
  heading: ProcessingHeading,
): ProcessingLog {
  const log = RequestLog.open(ports, layout, PROCESSING_LOG, id, heading)
  const begun = JSON.stringify(log.state.fingerprint)
  if (begun === JSON.stringify(heading.fingerprint)) return log
  log[Symbol.dispose]()
  throw new MemoryError(
    'settings_changed',
    `import ${id} was cut with other settings (${begun}); resume it with those, or begin a new import`,
  )
}
