/**
 * The story of one import: reserve, copy, read, cut, extract, record. Its rule is to append the fact and then to act on
 * it, so that whatever happened is known and nothing happens twice.
 */
import { ExperienceWriter } from '../experiences/experience-writer.ts'
import { type ErrorReport, reportOf } from '../model/error-report.ts'
import { lastPart } from '../model/file-name.ts'
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import { shelveTrajectory } from '../workspace/trajectory-shelf.ts'
import { extractWithModel } from './extraction/model-extraction.ts'
import type { ExtractionTask } from './extraction-task.ts'
import type { ImportState } from './import-log.ts'
import type { ImportRequest } from './import-request.ts'
import type { ImportResult } from './import-result.ts'
import type { ImportSurroundings } from './import-surroundings.ts'
import { readIntake } from './intake/intake.ts'
import { otherLogs } from './log-agreement.ts'
import { resultSoFar, withSegmentUsages } from './logged-result.ts'
import { extractFromEvidence } from './offline/evidence-extraction.ts'
import { openProcessingLog } from './processing-log.ts'
import { MaskedText } from './redaction/masked-text.ts'
import { Redactor } from './redaction/redactor.ts'
import { type Reservation, reserveImport } from './reservation.ts'
import { SEGMENTATION_VERSION } from './segmenter.ts'

/**
 * Imports one trajectory, or continues its import.
 * @returns complete, or incomplete with the error that stopped it. Throws what `reserveImport` throws.
 */
export async function importTrajectory(around: ImportSurroundings, request: ImportRequest): Promise<ImportResult> {
  const reserved = await reserveImport(around, request)
  if ('status' in reserved) return reserved
  using _log = reserved.log
  return await extractAndRecord(around, reserved)
}

async function extractAndRecord(around: ImportSurroundings, reservation: Reservation): Promise<ImportResult> {
  const { log } = reservation
  const at = () => isoTime(around.ports.clock.now())
  try {
    copyToShelf(around, reservation, at())
    const text = readText(reservation, at())
    const reply = await extract(around, reservation, text)
    // Somebody may have removed it meanwhile.
    copyToShelf(around, reservation, at())
    const { processing, ledger } = otherLogs(around, log.state.requestId)
    const result = { ...resultSoFar(log.state, processing, ledger), status: 'complete' as const, reply }
    await tellLearnt(around, log.state, result)
    log.append({ kind: 'completed', at: at(), result })
    return withSegmentUsages(result, processing)
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    const report = reportWithAdvice(error, log.state)
    // When the disk is at fault this record may fail as well; the first fault is the one to report.
    try {
      log.append({ kind: 'stopped', at: at(), error: report })
    } catch (second) {
      if (!(second instanceof MemoryError)) throw second
    }
    const { processing, ledger } = otherLogs(around, log.state.requestId)
    return withSegmentUsages({ ...resultSoFar(log.state, processing, ledger), error: report }, processing)
  }
}

function tellLearnt(
  { learning }: ImportSurroundings,
  { requestId, session, at: begunAt, trajectory }: ImportState,
  { experiences }: Pick<ImportResult, 'experiences'>,
): Promise<void> {
  return learning.tell({ requestId, session: session ?? null, begunAt, trajectory, experiences })
}

function reportWithAdvice(error: MemoryError, { requestId }: ImportState): ErrorReport {
  // A folder that may not be written is opened again by hand, and the import goes on where it is.
  const report = { ...reportOf(error), resumable: error.resumable || error.code === 'permission_denied' }
  switch (error.code) {
    // Whatever it waited for: the command again would be another import.
    case 'interrupted':
      return { ...report, message: 'interrupted; what was done is kept' }
    // Resumed as it began, it would stop at the same line.
    case 'malformed_input':
      return advised(report, `read it as it is by: knowhow import --resume ${requestId} --on-malformed text`)
    case 'tokenizer_unavailable':
      return advised(report, 'this import goes on with that tokenizer alone; with another begin a new one')
    default:
      return report
  }
}

function advised(report: ErrorReport, advice: string): ErrorReport {
  return { ...report, message: `${report.message}; ${advice}` }
}

function copyToShelf({ ports, layout }: ImportSurroundings, { log, bytes }: Reservation, at: string): void {
  shelveTrajectory(ports, layout, lastPart(log.state.trajectory), bytes, log.state.sha256)
  if (!log.state.copied) log.append({ kind: 'copied', at })
}

type ReadText = Pick<ExtractionTask, 'intake' | 'redactor' | 'shown'>

function readText({ log, request, bytes }: Reservation, at: string): ReadText {
  const intake = readIntake(log.state.name, bytes, request.onMalformed)
  const redactor = request.redact ? new Redactor() : null
  const shown = redactor?.learn(intake.text) ?? new MaskedText(intake.text)
  const { format, encoding, replacements } = intake
  const redactions = shown.spans.length
  log.append({ kind: 'read', at, format, encoding, on_malformed: request.onMalformed, replacements, redactions })
  return { intake, redactor, shown }
}

async function extract(around: ImportSurroundings, { log, request }: Reservation, text: ReadText): Promise<string> {
  const { requestId, trajectory, memory_hint } = log.state
  const { ports, layout, limits, views } = around
  const tokenizer = await around.openTokenizer()
  const workspace = await around.openWorkspace()
  const fingerprint = { tokenizer: tokenizer.id, segment: limits.segment, segmentation: SEGMENTATION_VERSION }
  using processing = openProcessingLog(ports, layout, requestId, { fingerprint }, text.intake.text)
  using writer = new ExperienceWriter(workspace, { request: requestId, tokenizer, limits, views })
  const memoryHint = request.memoryHint ?? memory_hint
  const task = { ...text, around, request, requestId, trajectory, tokenizer, processing, writer, memoryHint }
  const reply = request.extractor === 'llm' ? await extractWithModel(task) : await extractFromEvidence(task)
  // What is complete is told from these logs from now on.
  for (const log of [processing, writer]) log.requireInPlace()
  return reply
}
