/**
 * The story of one import: reserve, copy, read, cut, extract, record. Its rule is to append the fact and then to act on
 * it, so that whatever happened is known and nothing happens twice.
 */
import { ExperienceWriter } from '../experiences/experience-writer.ts'
import { type Operation, readLedger } from '../experiences/operation-journal.ts'
import { invariant, MemoryError, reportOf } from '../model/memory-error.ts'
import { extractFromEvidence } from './evidence-extraction.ts'
import type { ImportLog, ImportState } from './import-log.ts'
import type { Extractor, ImportRequest, ImportSetting } from './import-request.ts'
import type { ImportResult, WrittenExperience } from './import-result.ts'
import { type Intake, readIntake } from './intake.ts'
import { type Extraction, extractWithModel } from './llm-extraction.ts'
import { MaskedText } from './masked-text.ts'
import { ProcessingLog, type ProcessingState, readProcessing, segmentsDone } from './processing-log.ts'
import { Redactor } from './redaction.ts'
import { reserveImport } from './reservation.ts'
import { SEGMENTATION_VERSION } from './segmenter.ts'

/**
 * Imports one trajectory, or continues its import.
 * @returns complete, or incomplete with the error that stopped it. Throws only what `reserveImport` throws.
 */
export async function importTrajectory(setting: ImportSetting, request: ImportRequest): Promise<ImportResult> {
  const { log, bytes, extractor } = reserveImport(setting, request)
  try {
    if (log.state.completed === null) return await extractAndRecord(setting, request, extractor, log, bytes)
    setting.say(`import ${log.state.requestId} was complete already; nothing was done again`)
    return log.state.completed.result
  } finally {
    log[Symbol.dispose]()
  }
}

async function extractAndRecord(
  setting: ImportSetting,
  request: ImportRequest,
  extractor: Extractor,
  log: ImportLog,
  bytes: Uint8Array,
): Promise<ImportResult> {
  try {
    const redactor = request.redact ? new Redactor() : null
    const intake = readIntake(requestedOf(log).name, bytes, request.onMalformed)
    const shown = redactor?.learn(intake.text) ?? new MaskedText(intake.text)
    recordReading(setting, request, log, intake, shown.maskCount)
    const reply = await extract(setting, request, extractor, log, { intake, redactor, shown })
    const result = { ...resultSoFar(setting, log), status: 'complete' as const, reply }
    log.append({ kind: 'completed', at: now(setting), result })
    return result
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    const report = reportOf(error)
    // When the disk is at fault this record may fail as well; the first fault is the one to report.
    try {
      log.append({ kind: 'stopped', at: now(setting), error: report })
    } catch (second) {
      if (!(second instanceof MemoryError)) throw second
    }
    return { ...resultSoFar(setting, log), error: report }
  }
}

function recordReading(
  setting: ImportSetting,
  request: ImportRequest,
  log: ImportLog,
  { format, encoding, replacements }: Intake,
  redactions: number,
): void {
  const on_malformed = request.onMalformed
  log.append({ kind: 'read', at: now(setting), format, encoding, on_malformed, replacements, redactions })
}

function requestedOf(log: ImportLog) {
  const { requested } = log.state
  invariant(requested !== null, 'an import at work was requested')
  return requested
}

async function extract(
  setting: ImportSetting,
  request: ImportRequest,
  extractor: Extractor,
  log: ImportLog,
  text: Pick<Extraction, 'intake' | 'redactor' | 'shown'>,
): Promise<string> {
  const { requestId } = log.state
  const requested = requestedOf(log)
  const tokenizer = await setting.openTokenizer(setting.tokenizerSource)
  const workspace = setting.openWorkspace()
  const fingerprint = { tokenizer: tokenizer.id, segment: setting.limits.segment, segmentation: SEGMENTATION_VERSION }
  using processing = ProcessingLog.open(setting.ports, setting.layout, requestId, fingerprint)
  using writer = new ExperienceWriter(workspace, {
    request: requestId,
    tokenizer,
    limits: setting.limits,
    index: setting.index,
  })
  const { trajectory } = requested
  const memoryHint = request.memoryHint ?? requested.memory_hint
  const extraction = { ...text, setting, request, requestId, trajectory, tokenizer, processing, writer, memoryHint }
  return extractor === 'llm' ? await extractWithModel(extraction) : await extractFromEvidence(extraction)
}

function resultSoFar(setting: ImportSetting, log: ImportLog): ImportResult {
  const { ports, layout } = setting
  return importResult(log.state, readProcessing(ports, layout, log.state.requestId), writtenBy(setting, log))
}

function writtenBy({ ports, layout }: ImportSetting, log: ImportLog): readonly WrittenExperience[] {
  return writtenExperiences(readLedger(ports, layout, log.state.requestId).values())
}

/** The answer of an import that has not completed, from its logs alone. */
export function importResult(
  state: ImportState,
  processing: ProcessingState,
  experiences: readonly WrittenExperience[],
): ImportResult {
  const { requested, read } = state
  invariant(requested !== null, 'an import with a result was requested')
  return {
    status: 'incomplete',
    request_id: state.requestId,
    trajectory: requested.trajectory,
    sha256: requested.sha256,
    bytes: requested.bytes,
    format: read?.format ?? null,
    extractor: requested.settings.extractor,
    segments: { done: segmentsDone(processing), total: processing.total },
    replacements: read?.replacements ?? 0,
    redactions: read?.redactions ?? 0,
    experiences: [...experiences],
    reply: processing.closing?.summary ?? '',
    usage: processing.usage,
  }
}

/** One entry an experience, in the order of first writing, at its last version. */
export function writtenExperiences(operations: Iterable<Operation>): readonly WrittenExperience[] {
  const written = new Map<string, WrittenExperience>()
  for (const { intent, outcome } of operations) {
    if (outcome !== 'indexed') continue
    const action = written.get(intent.path)?.action ?? intent.action
    written.set(intent.path, { path: intent.path, version: intent.version, action })
  }
  return [...written.values()]
}

function now(setting: ImportSetting): string {
  return new Date(setting.ports.clock.now()).toISOString()
}
