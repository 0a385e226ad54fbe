/**
 * Whether an import that was begun can go on, or be told again: where it began, as it was asked for, with the bytes that it
 * began with. Changes nothing.
 */

import { lastPart } from '../model/file-name.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { RequestId } from '../model/request-id.ts'
import type { TokenizerIdentity } from '../ports.ts'
import { nameDirectlyIn } from '../workspace/confinement.ts'
import type { Layout } from '../workspace/layout.ts'
import { folderOf } from '../workspace/publication.ts'
import { requestLogPath } from '../workspace/request-log.ts'
import { readShelved } from '../workspace/trajectory-shelf.ts'
import type { ImportSettings, ImportState } from './import-log.ts'
import { askedName, type DecidedRequest } from './import-request.ts'
import type { ImportSurroundings } from './import-surroundings.ts'
import { logThatLacks, type OtherLogs, otherLogs } from './log-agreement.ts'
import { type ProcessingState, segmentsDone } from './processing-log.ts'
import { continuesCuts, SEGMENTATION_VERSION } from './segmenter.ts'

/** What an import writes beside its own log, which agree and lie where the settings say. Throws `settings_changed` and `log_corrupt`. */
export function continuedLogs(around: ImportSurroundings, state: ImportState): OtherLogs {
  requireOnShelf(around, state)
  const logs = otherLogs(around, state.requestId)
  requireSameFolder(around, state, logs)
  requireWholeLogs(around, state, logs)
  return logs
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
function requireSameFolder({ layout }: ImportSurroundings, { requestId }: ImportState, { ledger }: OtherLogs): void {
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
function requireWholeLogs(
  { ports, layout }: ImportSurroundings,
  { requestId }: ImportState,
  { processing, ledger }: OtherLogs,
): void {
  const kind = logThatLacks(processing, ledger)
  if (kind === null) return
  const path = requestLogPath(ports.digest, layout, kind, requestId)
  throw new MemoryError(
    'log_corrupt',
    `${path} is gone or lacks its end, for another log of import ${requestId} tells of more; restore it from a backup or from git`,
    { path },
  )
}

export function isOnShelf(layout: Layout, { trajectory }: ImportState): boolean {
  return trajectory === `${layout.trajectories}/${lastPart(trajectory)}`
}

/** The original's, or those of its copy, of an import that is asked for as it began. Throws `original_required` when neither is there. */
export function continuedBytes(
  around: ImportSurroundings,
  request: DecidedRequest,
  state: ImportState,
  processing: ProcessingState | null,
): Uint8Array {
  if (request.file !== null) {
    const source = around.outside.absolutePath(request.file)
    if (source !== state.source) throw conflict(state.requestId, 'the file', state.source, source)
    const name = askedName(request, source)
    if (name !== state.name) throw conflict(state.requestId, 'the name', state.name, name)
  }
  requireSameSession(request, state)
  requireSameSettings(around, request, state, processing)
  const { ports, layout } = around
  // Where it was put, whatever the settings say now.
  const place = { ...layout, trajectories: folderOf(state.trajectory) }
  nameDirectlyIn(ports.files, place, place.trajectories, state.trajectory)
  const copy = readShelved(ports, place, lastPart(state.trajectory), state.sha256)
  const original = readOriginal(around, state)
  const bytes = copy ?? original
  if (bytes === null) throw originalRequired(state)
  return bytes
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

function requireSameSettings(
  around: ImportSurroundings,
  request: DecidedRequest,
  state: ImportState,
  processing: ProcessingState | null,
): void {
  const now = settingsOf(around, request)
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
export async function requireSameFetchedTokenizer(
  around: ImportSurroundings,
  { requestId }: ImportState,
  processing: ProcessingState | null,
): Promise<void> {
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

/** What must stay the same. */
export function settingsOf(around: ImportSurroundings, { extractor }: DecidedRequest): ImportSettings {
  return {
    tokenizer: around.tokenizer.name,
    segment: around.limits.segment,
    extractor,
    segmentation: SEGMENTATION_VERSION,
  }
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
