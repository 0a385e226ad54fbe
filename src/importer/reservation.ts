/** The beginning of every import: the original checked, its name reserved; or the import found that was begun before. */
import { OPERATION_LOG } from '../experiences/operation-journal.ts'
import { requirePortableName } from '../model/file-name.ts'
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import { parseRequestId, type RequestId } from '../model/request-id.ts'
import type { TokenizerIdentity } from '../ports.ts'
import { nameDirectlyIn } from '../workspace/confinement.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { folderOf } from '../workspace/publication.ts'
import { RequestLog, readHeadings, readRequestLog, requestLogPath } from '../workspace/request-log.ts'
import { freeTrajectoryName, readShelved, shelveTrajectory } from '../workspace/trajectory-shelf.ts'
import {
  IMPORT_LOG,
  type ImportHeading,
  type ImportLog,
  type ImportSettings,
  type ImportState,
  lastPart,
  reservedNames,
} from './import-log.ts'
import { chosenExtractor, type DecidedRequest, type ImportRequest } from './import-request.ts'
import type { ImportResult, LoggedResult } from './import-result.ts'
import type { ImportSurroundings } from './import-surroundings.ts'
import { logThatLacks } from './log-agreement.ts'
import { withSegmentUsages } from './logged-result.ts'
import { PROCESSING_LOG, type ProcessingState, segmentsDone } from './processing-log.ts'
import { maskedAlone } from './redaction/redactor.ts'
import { continuesCuts, SEGMENTATION_VERSION } from './segmenter.ts'

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
  requireOnShelf(around, state)
  requireSameFolder(around, state)
  requireWholeLogs(around, state)
  const request = decided(around, asked, state)
  const bytes = continuedBytes(around, request, state)
  if (bytes === null) throw originalRequired(state)
  await requireSameFetchedTokenizer(around, state)
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
  const bytes = continuedBytes(around, decided(around, asked, state), state)
  if (bytes === null) throw originalRequired(state)
  const isHere = around.ports.files.stat(inWorkspace(around.layout, trajectory)) !== null
  if (!isHere && isOnShelf(around.layout, state)) {
    const { ports, layout } = await around.openWorkspace()
    shelveTrajectory(ports, layout, lastPart(trajectory), bytes, sha256)
    around.say(`${trajectory} was gone, and was copied again`)
  }
  around.say(`import ${requestId} was complete already; nothing was done again`)
  return withSegmentUsages(result, readRequestLog(around.ports, around.layout, PROCESSING_LOG, requestId))
}

/** Otherwise the copy would go to one place, and an experience name another as its source. */
function requireOnShelf({ layout }: ImportSurroundings, state: ImportState): void {
  const { requestId, trajectory } = state
  if (isOnShelf(layout, state)) return
  throw new MemoryError(
    'settings_changed',
    `import ${requestId} keeps its original at ${trajectory}, but session_dir and trajectory_subdir now say ${layout.trajectories}; set them back, or begin a new import`,
  )
}

/** Otherwise its experiences would lie in two folders, and no search would find those of one. */
function requireSameFolder({ ports, layout }: ImportSurroundings, { requestId }: ImportState): void {
  const ledger = readRequestLog(ports, layout, OPERATION_LOG, requestId)
  const elsewhere = [...(ledger?.values() ?? [])].find(
    ({ intent, wasPublished }) => wasPublished && folderOf(intent.path) !== layout.procedures,
  )
  if (elsewhere === undefined) return
  throw new MemoryError(
    'settings_changed',
    `import ${requestId} wrote ${elsewhere.intent.path}, but procedure_dir now says ${layout.procedures}; set it back, or begin a new import`,
  )
}

/** Throws `log_corrupt` when one log of the import tells of what another lacks: a segment would be worked on again. */
function requireWholeLogs({ ports, layout }: ImportSurroundings, { requestId }: ImportState): void {
  const processing = readRequestLog(ports, layout, PROCESSING_LOG, requestId)
  const ledger = readRequestLog(ports, layout, OPERATION_LOG, requestId)
  const kind = logThatLacks(processing, ledger)
  if (kind === null) return
  const path = requestLogPath(ports.digest, layout, kind, requestId)
  throw new MemoryError(
    'log_corrupt',
    `${path} is gone or lacks its end, for another log of import ${requestId} tells of more; restore it from a backup or from git`,
    { path },
  )
}

function isOnShelf(layout: Layout, { trajectory }: ImportState): boolean {
  return trajectory === `${layout.trajectories}/${lastPart(trajectory)}`
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

/** Null when neither the copy nor the original is there. */
function continuedBytes(around: ImportSurroundings, request: DecidedRequest, state: ImportState): Uint8Array | null {
  if (request.file !== null) {
    const source = around.outside.absolutePath(request.file)
    if (source !== state.source) throw conflict(state.requestId, 'the file', state.source, source)
    const name = askedName(request, source)
    if (name !== state.name) throw conflict(state.requestId, 'the name', state.name, name)
  }
  requireSameSession(request, state)
  requireSameSettings(around, request, state)
  const { ports, layout } = around
  // Where it was put, whatever the settings say now.
  const place = { ...layout, trajectories: folderOf(state.trajectory) }
  nameDirectlyIn(ports.files, place, place.trajectories, state.trajectory)
  const copy = readShelved(ports, place, lastPart(state.trajectory), state.sha256)
  const original = readOriginal(around, state)
  return copy ?? original
}

/** What it learns stands in the session that it began with. */
function requireSameSession({ session }: DecidedRequest, state: ImportState): void {
  if (session === null || session === state.session) return
  throw conflict(state.requestId, 'the session', state.session ?? 'none', session)
}

function originalRequired({ requestId, source }: ImportState): MemoryError {
  return new MemoryError(
    'original_required',
    `import ${requestId} has no copy and ${source} is gone; put the file back and try again`,
  )
}

/** Null when it is gone. Throws `source_changed`. */
function readOriginal(around: ImportSurroundings, { source, sha256, bytes: length }: ImportState): Uint8Array | null {
  let bytes: Uint8Array | null = null
  try {
    bytes = around.outside.read(source, length)
  } catch (error) {
    // Gone, unreadable or no file any more: the copy stands for it. A larger file is a changed one.
    if (!(error instanceof MemoryError) || error.code === 'io_failed') throw error
    if (error.code !== 'file_too_large') return null
  }
  if (bytes !== null && around.ports.digest.sha256(bytes) === sha256) return bytes
  throw new MemoryError(
    'source_changed',
    `${source} has changed since its import began; import it anew under another request id, or put the old file back`,
  )
}

/** As a person changes them. */
const SETTING_WORDS: Readonly<Record<Exclude<keyof ImportSettings, 'tokenizer'>, string>> = {
  extractor: '--extractor',
  segment: 'token_limits.segment',
  segmentation: 'version of the segmentation',
}

function requireSameSettings(around: ImportSurroundings, request: DecidedRequest, state: ImportState): void {
  const now = settingsOf(around, request)
  const processing = readRequestLog(around.ports, around.layout, PROCESSING_LOG, state.requestId)
  requireSameTokenizer(around, state, processing)
  for (const [name, words] of Object.entries(SETTING_WORDS) as [keyof typeof SETTING_WORDS, string][]) {
    const begun = state.settings[name]
    if (now[name] === begun || (name === 'segmentation' && continuesCuts(state.settings.segmentation))) continue
    throw changed(state.requestId, words, begun, now[name])
  }
  const extracted = processing !== null && segmentsDone(processing) > 0
  if (extracted && state.read !== null && state.read.on_malformed !== request.onMalformed)
    throw changed(state.requestId, '--on-malformed', state.read.on_malformed, request.onMalformed)
}

/**
 * By what it is, once something was cut by it: its file may have been moved, or be another one under its name. By its name
 * before that, and where it is not at hand. A path may be recorded as it was configured.
 */
function requireSameTokenizer(
  { tokenizer, outside }: ImportSurroundings,
  { requestId, settings }: ImportState,
  processing: ProcessingState | null,
): void {
  const id = processing === null ? null : tokenizer.id()
  if (processing !== null && id !== null) requireSameId(requestId, tokenizer, processing, id)
  else if (
    settings.tokenizer !== tokenizer.name &&
    outside.absolutePath(settings.tokenizer) !== outside.absolutePath(tokenizer.name)
  )
    throw changed(requestId, 'the tokenizer', settings.tokenizer, tokenizer.name)
}

/** One that has to be fetched is known only then. Where it cannot be had, the extraction says so. */
async function requireSameFetchedTokenizer(around: ImportSurroundings, { requestId }: ImportState): Promise<void> {
  const processing = readRequestLog(around.ports, around.layout, PROCESSING_LOG, requestId)
  if (processing === null || around.tokenizer.id() !== null) return
  try {
    requireSameId(requestId, around.tokenizer, processing, (await around.openTokenizer()).id)
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code === 'settings_changed') throw error
  }
}

function requireSameId(
  id: RequestId,
  { name }: TokenizerIdentity,
  { fingerprint }: ProcessingState,
  now: string,
): void {
  if (fingerprint.tokenizer === now) return
  throw changed(id, 'the tokenizer', fingerprint.tokenizer, now === name ? now : `${name}, which is ${now}`)
}

function settingsOf(around: ImportSurroundings, { extractor }: DecidedRequest): ImportSettings {
  return {
    tokenizer: around.tokenizer.name,
    segment: around.limits.segment,
    extractor,
    segmentation: SEGMENTATION_VERSION,
  }
}

function headingOf(state: ImportState): ImportHeading {
  const { at, source, name, trajectory, sha256, bytes, settings, source_id, memory_hint, session } = state
  const heading = { at, source, name, trajectory, sha256, bytes, settings, source_id, memory_hint }
  return session === undefined ? heading : { ...heading, session }
}

export function askedName(request: ImportRequest, source: string): string {
  return request.filename ?? lastPart(source)
}

function conflict(id: RequestId, what: string, recorded: string, asked: string): MemoryError {
  return new MemoryError(
    'request_conflict',
    `request id ${id} belongs to another import: ${what} was ${recorded}, now it is ${asked}; choose another request id`,
  )
}

function changed(id: RequestId, what: string, recorded: string | number, asked: string | number): MemoryError {
  return new MemoryError(
    'settings_changed',
    `import ${id} began with ${what} ${recorded}, now it is ${asked}; resume it as it began, or begin a new import`,
  )
}
