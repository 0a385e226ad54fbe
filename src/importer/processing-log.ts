/** The append-only checkpoints of one import: which segment is cut, answered, done. */
import * as v from 'valibot'
import { MemoryError } from '../model/memory-error.ts'
import type { RequestId } from '../model/request-id.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { logName } from '../workspace/log-name.ts'
import { type LogFormat, LogWriter, readLog } from '../workspace/record-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import { addUsage, NO_USAGE, type Usage, usageSchema } from './import-result.ts'
import type { Segment } from './segmenter.ts'

const FORMAT: LogFormat = { name: 'knowhow-processing', version: 1 }

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

export interface ProcessingState {
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

const NOTHING_YET: ProcessingState = { segment: null, done: false, closing: null, total: null, usage: NO_USAGE }

/** How many segments are behind their checkpoint. */
export function segmentsDone(state: ProcessingState): number {
  return state.segment === null ? 0 : state.segment.index + (state.done ? 1 : 0)
}

export function readProcessing(
  ports: Pick<WorkspacePorts, 'files' | 'digest'>,
  layout: Layout,
  id: RequestId,
): ProcessingState {
  const path = pathOfProcessingLog(ports, layout, id)
  return fold(readLog(ports.files, ports.digest, path, FORMAT)?.records ?? [], path)
}

function pathOfProcessingLog(ports: Pick<WorkspacePorts, 'digest'>, layout: Layout, id: RequestId): string {
  return inWorkspace(layout, `${layout.processing}/${logName(ports.digest, id)}`)
}

function fold(records: readonly unknown[], path: string): ProcessingState {
  let state = NOTHING_YET
  for (const [index, record] of records.entries()) {
    const parsed = v.safeParse(recordSchema, record)
    if (!parsed.success)
      throw new MemoryError(
        'log_corrupt',
        `${path}, line ${index + 2}: ${parsed.issues[0].message}; restore it from a backup`,
      )
    state = step(state, parsed.output)
  }
  return state
}

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

/** The writer's end. `append` returns when the record is on the disk. */
export class ProcessingLog implements Disposable {
  readonly #writer: LogWriter
  #state: ProcessingState

  private constructor(writer: LogWriter, state: ProcessingState) {
    this.#writer = writer
    this.#state = state
  }

  /**
   * @param fingerprint what the cuts depend on, kept in the heading
   * Throws `settings_changed` when the log was begun with another one.
   */
  static open(
    ports: WorkspacePorts,
    layout: Layout,
    id: RequestId,
    fingerprint: Readonly<Record<string, unknown>>,
  ): ProcessingLog {
    const path = pathOfProcessingLog(ports, layout, id)
    const heading = { request_id: id, fingerprint }
    const { writer, contents } = LogWriter.open({ ...ports, path, format: FORMAT, heading })
    if (contents !== null && JSON.stringify(contents.heading.fingerprint) !== JSON.stringify(fingerprint)) {
      writer[Symbol.dispose]()
      throw new MemoryError(
        'settings_changed',
        `import ${id} was cut with other settings (${JSON.stringify(contents.heading.fingerprint)}); resume it with those, or begin a new import`,
      )
    }
    return new ProcessingLog(writer, fold(contents?.records ?? [], path))
  }

  get state(): ProcessingState {
    return this.#state
  }

  append(record: ProcessingRecord): void {
    this.#writer.append(record)
    this.#state = step(this.#state, record)
  }

  [Symbol.dispose](): void {
    this.#writer[Symbol.dispose]()
  }
}
