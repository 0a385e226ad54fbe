/** The beginning of every import: the original checked, its name reserved, its bytes on the shelf. */
import { requirePortableName } from '../model/file-name.ts'
import { invariant, MemoryError } from '../model/memory-error.ts'
import { parseRequestId, type RequestId } from '../model/request-id.ts'
import { freeTrajectoryName, readShelved, shelveTrajectory } from '../workspace/trajectory-shelf.ts'
import {
  ImportLog,
  type ImportSettings,
  type ImportState,
  lastPart,
  readImport,
  readImports,
  reservedNames,
} from './import-log.ts'
import type { Extractor, ImportRequest, ImportSetting } from './import-request.ts'
import { readProcessing, segmentsDone } from './processing-log.ts'
import { SEGMENTATION_VERSION } from './segmenter.ts'

export interface Reservation {
  readonly log: ImportLog
  readonly bytes: Uint8Array
  readonly extractor: Extractor
}

/**
 * Begins the import, or finds the one that was begun under this id, its copy verified.
 * Throws, with nothing stored or altered: `not_found`, `not_a_file`, `file_too_large`, `permission_denied`,
 * `invalid_name`, `invalid_argument`, `request_not_found`, `request_conflict`, `settings_changed`, `source_changed`,
 * `copy_damaged`, `original_required`, `llm_unavailable`.
 */
export function reserveImport(setting: ImportSetting, request: ImportRequest): Reservation {
  const id = parseRequestId(request.requestId ?? setting.ports.ids.next())
  const known = readImport(setting.ports, setting.layout, id)
  if (known === null || known.requested === null) return beginImport(setting, request, id)
  const { ports, layout } = setting.openWorkspace()
  const log = ImportLog.open(ports, layout, id)
  try {
    const extractor = extractorFor(setting, request, known)
    return { log, bytes: continueImport(setting, request, extractor, log), extractor }
  } catch (error) {
    log[Symbol.dispose]()
    throw error
  }
}

function beginImport(setting: ImportSetting, request: ImportRequest, id: RequestId): Reservation {
  if (request.file === null)
    throw new MemoryError('request_not_found', `there is no import ${id} here; see knowhow imports`)
  const source = setting.outside.absolutePath(request.file)
  const bytes = setting.outside.read(source, setting.bytesMax)
  const name = askedName(request, source)
  requirePortableName(name)
  const extractor = extractorFor(setting, request, null)
  const { ports, layout } = setting.openWorkspace()
  const reserved = reservedNames(readImports(ports, layout))
  const trajectory = `${layout.trajectories}/${freeTrajectoryName(ports, layout, name, reserved)}`
  const log = ImportLog.open(ports, layout, id)
  log.append({
    kind: 'requested',
    at: now(setting),
    source,
    name,
    trajectory,
    sha256: ports.digest.sha256(bytes),
    bytes: bytes.length,
    settings: settingsOf(setting, extractor),
    source_id: request.sourceId,
    memory_hint: request.memoryHint,
  })
  copyToShelf(setting, log, bytes)
  return { log, bytes, extractor }
}

/** Throws `llm_unavailable`, before anything is stored, when there is work for a model and none is configured. */
function extractorFor(setting: ImportSetting, request: ImportRequest, known: ImportState | null): Extractor {
  const recorded = known?.requested?.settings.extractor
  const extractor = request.extractor ?? recorded ?? (setting.hasModel ? 'llm' : 'offline')
  const isDone = known !== null && known.completed !== null
  if (extractor === 'llm' && !isDone) setting.openChat()
  if (extractor === 'offline' && request.extractor === null && recorded === undefined)
    setting.say('no chat model is configured (LLM_MODEL_NAME): extracting offline, from evidence alone')
  return extractor
}

function continueImport(
  setting: ImportSetting,
  request: ImportRequest,
  extractor: Extractor,
  log: ImportLog,
): Uint8Array {
  const { requestId: id, requested } = log.state
  invariant(requested !== null, 'an import that continues was requested')
  if (request.file !== null) {
    const source = setting.outside.absolutePath(request.file)
    if (source !== requested.source) throw conflict(id, 'the file', requested.source, source)
    const name = askedName(request, source)
    if (name !== requested.name) throw conflict(id, 'the name', requested.name, name)
  }
  requireSameSettings(setting, request, extractor, log)
  const copy = readShelved(setting.ports, setting.layout, lastPart(requested.trajectory), requested.sha256)
  const original = readOriginal(setting, requested)
  const bytes = copy ?? original
  if (bytes === null)
    throw new MemoryError(
      'original_required',
      `import ${id} has no copy yet and ${requested.source} is gone; put the file back and try again`,
    )
  if (copy === null || !log.state.copied) copyToShelf(setting, log, bytes)
  return bytes
}

function copyToShelf(setting: ImportSetting, log: ImportLog, bytes: Uint8Array): void {
  const { requested } = log.state
  invariant(requested !== null, 'a copy has a reservation')
  shelveTrajectory(setting.ports, setting.layout, lastPart(requested.trajectory), bytes, requested.sha256)
  log.append({ kind: 'copied', at: now(setting) })
}

/** Null when it is gone. Throws `source_changed`. */
function readOriginal(
  setting: ImportSetting,
  requested: { source: string; sha256: string; bytes: number },
): Uint8Array | null {
  let bytes: Uint8Array | null = null
  try {
    bytes = setting.outside.read(requested.source, requested.bytes)
  } catch (error) {
    // Gone, unreadable or no file any more: the copy stands for it. A larger file is a changed one.
    if (!(error instanceof MemoryError) || error.code === 'io_failed') throw error
    if (error.code !== 'file_too_large') return null
  }
  if (bytes !== null && setting.ports.digest.sha256(bytes) === requested.sha256) return bytes
  throw new MemoryError(
    'source_changed',
    `${requested.source} has changed since its import began; import it anew under another request id, or put the old file back`,
  )
}

function requireSameSettings(
  setting: ImportSetting,
  request: ImportRequest,
  extractor: Extractor,
  log: ImportLog,
): void {
  const { requestId: id, requested, read } = log.state
  invariant(requested !== null, 'an import that continues was requested')
  const now = settingsOf(setting, extractor)
  for (const name of ['extractor', 'tokenizer', 'segment', 'segmentation'] as const)
    if (now[name] !== requested.settings[name]) throw changed(id, name, requested.settings[name], now[name])
  const extracted = segmentsDone(readProcessing(setting.ports, setting.layout, id)) > 0
  if (extracted && read !== null && read.on_malformed !== request.onMalformed)
    throw changed(id, '--on-malformed', read.on_malformed, request.onMalformed)
}

function settingsOf(setting: ImportSetting, extractor: Extractor): ImportSettings {
  return {
    tokenizer: setting.tokenizerSource,
    segment: setting.limits.segment,
    extractor,
    segmentation: SEGMENTATION_VERSION,
  }
}

function askedName(request: ImportRequest, source: string): string {
  return request.filename ?? source.slice(source.search(/[^/\\]*$/))
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

function now(setting: ImportSetting): string {
  return new Date(setting.ports.clock.now()).toISOString()
}
