/** The beginning of every import: the original checked, its name reserved; or the import found that was begun before. */
import { OPERATION_LOG } from '../experiences/operation-journal.ts'
import { lastPart, requirePortableName } from '../model/file-name.ts'
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import { parseRequestId, type RequestId } from '../model/request-id.ts'
import { inWorkspace } from '../workspace/layout.ts'
import { RequestLog, readHeadings, readRequestLog, requestLogPath } from '../workspace/request-log.ts'
import { freeTrajectoryName, shelveTrajectory } from '../workspace/trajectory-shelf.ts'
import { continuedBytes, continuedLogs, isOnShelf, requireSameFetchedTokenizer, settingsOf } from './continuation.ts'
import { IMPORT_LOG, type ImportHeading, type ImportLog, type ImportState, reservedNames } from './import-log.ts'
import { askedName, chosenExtractor, type DecidedRequest, type ImportRequest } from './import-request.ts'
import type { ImportResult, LoggedResult } from './import-result.ts'
import type { ImportSurroundings } from './import-surroundings.ts'
import { withSegmentUsages } from './logged-result.ts'
import { PROCESSING_LOG } from './processing-log.ts'
import { maskedAlone } from './redaction/redactor.ts'

/** Of an import that is not complete. */
export interface Reservation {
  readonly log: ImportLog
  readonly request: DecidedRequest
  /** The original's, or those of its verified copy. */
  readonly bytes: Uint8Array
}

/**
 * Begins the import, or finds the one that was begun under this id; of one that is complete its result.
 * Throws, with nothing stored or altered: `not_found`, `not_a_file`, `file_too_large`, `permission_denied`,
 * `invalid_name`, `invalid_argument`, `session_not_found`, `session_ended`, `request_not_found`, `request_conflict`, `settings_changed`, `source_changed`,
 * `copy_damaged`, `original_required`, `llm_unavailable`, `log_corrupt`, `workspace_locked`; and faults of the disk.
 */
export async function reserveImport(
  around: ImportSurroundings,
  asked: ImportRequest,
): Promise<Reservation | ImportResult> {
  const id = parseRequestId(asked.requestId ?? around.ports.ids.next())
  const known = readRequestLog(around.ports, around.layout, IMPORT_LOG, id)
  if (known === null) return beginImport(around, asked, id)
  // What is complete stays as it is, so that neither the lock nor room on the disk is needed to tell it again.
  if (known.completed !== null) return finishedImport(around, asked, known, known.completed.result)
  const { ports, layout } = await around.openWorkspace()
  // Read again, now that nobody else writes.
  const state = readRequestLog(ports, layout, IMPORT_LOG, id) ?? known
  if (state.completed !== null) return finishedImport(around, asked, state, state.completed.result)
  const { processing } = continuedLogs(around, state)
  const request = decided(around, asked, state)
  const bytes = continuedBytes(around, request, state, processing)
  await requireSameFetchedTokenizer(around, state, processing)
  return { log: RequestLog.open(ports, layout, IMPORT_LOG, id, headingOf(state)), request, bytes }
}

/**
 * Checks what is checked of one that is continued, and copies the original again where its copy is gone, unless its folder
 * is another by now.
 */
async function finishedImport(
  around: ImportSurroundings,
  asked: ImportRequest,
  state: ImportState,
  result: LoggedResult,
): Promise<ImportResult> {
  const { requestId, trajectory, sha256 } = state
  const processing = readRequestLog(around.ports, around.layout, PROCESSING_LOG, requestId)
  const bytes = continuedBytes(around, decided(around, asked, state), state, processing)
  const isHere = around.ports.files.stat(inWorkspace(around.layout, trajectory)) !== null
  if (!isHere && isOnShelf(around.layout, state)) {
    const { ports, layout } = await around.openWorkspace()
    shelveTrajectory(ports, layout, lastPart(trajectory), bytes, sha256)
    around.say(`${trajectory} was gone, and was copied again`)
  }
  around.say(`import ${requestId} was complete already; nothing was done again`)
  return withSegmentUsages(result, processing)
}

async function beginImport(
  around: ImportSurroundings,
  asked: ImportRequest,
  id: RequestId,
): Promise<Reservation | ImportResult> {
  requireUnused(around, id)
  const request = decided(around, asked, null)
  if (request.file === null)
    throw new MemoryError('request_not_found', `there is no import ${id} here; see knowhow imports`)
  const source = around.outside.absolutePath(request.file)
  const bytes = around.outside.read(source, around.bytesMax)
  const name = askedName(request, source)
  requirePortableName(name)
  if (asked.extractor === null && around.whyNoModel !== null)
    around.say(`${around.whyNoModel}: extracting offline, from evidence alone`)
  if (request.session !== null) await around.learning.admit(request.session)
  const { ports, layout } = await around.openWorkspace()
  // Another process may have begun one under this id while this one waited for the lock.
  if (readRequestLog(ports, layout, IMPORT_LOG, id) !== null) return reserveImport(around, { ...asked, requestId: id })
  requireUnused(around, id)
  const reserved = reservedNames(readHeadings(ports, layout, IMPORT_LOG))
  const heading: ImportHeading = {
    at: isoTime(ports.clock.now()),
    source,
    name,
    trajectory: `${layout.trajectories}/${freeTrajectoryName(ports, layout, name, reserved)}`,
    sha256: ports.digest.sha256(bytes),
    bytes: bytes.length,
    settings: settingsOf(around, request),
    source_id: masked(request, request.sourceId),
    memory_hint: masked(request, request.memoryHint),
    ...(request.session === null ? {} : { session: request.session }),
  }
  return { log: RequestLog.open(ports, layout, IMPORT_LOG, id, heading), request, bytes }
}

/** An id without an import log is new, unless other logs tell of an import: what it was of can no longer be known. */
function requireUnused({ ports, layout }: ImportSurroundings, id: RequestId): void {
  for (const kind of [PROCESSING_LOG, OPERATION_LOG]) {
    const path = requestLogPath(ports.digest, layout, kind, id)
    if ((ports.files.stat(inWorkspace(layout, path))?.bytes ?? 0) === 0) continue
    throw new MemoryError(
      'log_corrupt',
      `${requestLogPath(ports.digest, layout, IMPORT_LOG, id)} is gone or empty, and ${path} tells of an import ${id}; restore it from a backup or from git, or import under another --request-id`,
      { path },
    )
  }
}

/** The log is kept with the workspace, maybe in git. */
function masked({ redact }: ImportRequest, text: string | null): string | null {
  return text === null || !redact ? text : maskedAlone(text)
}

/** Throws `llm_unavailable`, before anything is stored, when there is work for a model and none is configured. */
function decided(around: ImportSurroundings, request: ImportRequest, known: ImportState | null): DecidedRequest {
  const extractor = chosenExtractor(request.extractor ?? known?.settings.extractor ?? null, around.whyNoModel)
  const isDone = known !== null && known.completed !== null
  if (extractor === 'llm' && !isDone) around.requireModel()
  return { ...request, extractor, onMalformed: request.onMalformed ?? known?.read?.on_malformed ?? 'fail' }
}

function headingOf(state: ImportState): ImportHeading {
  const { at, source, name, trajectory, sha256, bytes, settings, source_id, memory_hint, session } = state
  const heading = { at, source, name, trajectory, sha256, bytes, settings, source_id, memory_hint }
  return session === undefined ? heading : { ...heading, session }
}
