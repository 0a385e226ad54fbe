/** What an import answers, from its logs alone. */
import type { Ledger } from '../experiences/operation-journal.ts'
import type { ImportState } from './import-log.ts'
import {
  type ImportResult,
  type LoggedResult,
  NO_USAGE,
  type SegmentUsage,
  type WrittenExperience,
} from './import-result.ts'
import { type ProcessingState, segmentsDone } from './processing-log.ts'

/** Before it is complete. @param processing, ledger null for a log that was not begun */
export function resultSoFar(
  state: ImportState,
  processing: ProcessingState | null,
  ledger: Ledger | null,
): LoggedResult {
  return {
    status: 'incomplete',
    request_id: state.requestId,
    trajectory: state.trajectory,
    sha256: state.sha256,
    bytes: state.bytes,
    format: state.read?.format ?? null,
    extractor: state.settings.extractor,
    segments: { done: processing === null ? 0 : segmentsDone(processing), total: processing?.total ?? null },
    replacements: state.read?.replacements ?? 0,
    redactions: state.read?.redactions ?? 0,
    experiences: writtenExperiences(ledger ?? new Map()),
    reply: processing?.closing?.summary ?? '',
    usage: processing?.usage ?? NO_USAGE,
  }
}

/** @param processing null for a log that was not begun, or is gone */
export function withSegmentUsages(result: LoggedResult, processing: ProcessingState | null): ImportResult {
  return { ...result, usage_by_segment: segmentUsages(processing) }
}

/** In the order of the segments: none is begun before the one before it is done. */
function segmentUsages(processing: ProcessingState | null): SegmentUsage[] {
  return [...(processing?.segmentUsages ?? [])].map(([index, usage]) => ({ segment: index + 1, ...usage }))
}

/** One entry an experience, in the order of first writing, at its last version. */
function writtenExperiences(ledger: Ledger): WrittenExperience[] {
  const written = new Map<string, WrittenExperience>()
  for (const { intent, wasPublished } of ledger.values()) {
    if (!wasPublished) continue
    const action = written.get(intent.path)?.action ?? intent.action
    written.set(intent.path, { path: intent.path, version: intent.version, action })
  }
  return [...written.values()]
}
