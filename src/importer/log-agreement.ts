/** What the logs of one import say of each other. */
import { type Ledger, OPERATION_LOG } from '../experiences/operation-journal.ts'
import type { RequestId } from '../model/request-id.ts'
import { type LogPlace, readRequestLog } from '../workspace/request-log.ts'
import type { ImportState } from './import-log.ts'
import type { ImportSurroundings } from './import-surroundings.ts'
import { PROCESSING_LOG, type ProcessingState, segmentsDone } from './processing-log.ts'

/** What an import keeps beside its own log; null for a log that is not there. */
export interface OtherLogs {
  readonly processing: ProcessingState | null
  readonly ledger: Ledger | null
}

export function otherLogs({ ports, layout }: Pick<ImportSurroundings, 'ports' | 'layout'>, id: RequestId): OtherLogs {
  return {
    processing: readRequestLog(ports, layout, PROCESSING_LOG, id),
    ledger: readRequestLog(ports, layout, OPERATION_LOG, id),
  }
}

/**
 * The log that holds less than another tells of, null when they agree. A record that was lost with all that followed it
 * in every log is told by none.
 * @param processing,ledger null for a log that is not there
 */
export function logThatLacks(processing: ProcessingState | null, ledger: Ledger | null): LogPlace | null {
  const writes = ledger?.size ?? 0
  if (writes < (processing?.operations ?? 0)) return OPERATION_LOG
  const segment = Math.max(-1, ...[...(ledger?.keys() ?? [])].map(segmentOf))
  // A model's writes of a segment are behind the checkpoint of the one before.
  const done = processing === null ? -1 : segmentsDone(processing)
  return (processing === null && writes > 0) || segment > done ? PROCESSING_LOG : null
}

/** The same of one that is complete, by its result. */
export function completionLacks(
  result: NonNullable<ImportState['completed']>['result'],
  processing: ProcessingState | null,
  ledger: Ledger | null,
): LogPlace | null {
  if (processing === null || segmentsDone(processing) < result.segments.done) return PROCESSING_LOG
  const written = new Set([...(ledger?.values() ?? [])].map(({ intent }) => intent.path))
  return result.experiences.every(({ path }) => written.has(path)) ? null : OPERATION_LOG
}

/** Of an operation's key; -1 for one that belongs to no segment, as those from evidence alone. */
function segmentOf(key: string): number {
  const index = /^(\d+)\//.exec(key)?.[1]
  return index === undefined ? -1 : Number(index)
}
