/**
 * The logs that were imported into this workspace before the one at hand, for evidence that stands in several. Those of
 * the latest imports that are complete, whoever extracted from them; one that would go beyond BYTES_MAX is passed over.
 *
 * An import that is continued reads the same logs as if it had not been stopped, whatever was imported in between: those
 * that were complete when it was reserved, and as soon as they were read, the ones that its processing log names, for the
 * clock may have been set since. They are named before anything is written. An original that is gone or damaged is left
 * out; it is its own import that has to tell.
 */

import { lastPart } from '../../model/file-name.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { isRequestId, type RequestId } from '../../model/request-id.ts'
import { nameDirectlyIn } from '../../workspace/confinement.ts'
import { inWorkspace } from '../../workspace/layout.ts'
import { readHeadings, readRequestLog } from '../../workspace/request-log.ts'
import { readShelved } from '../../workspace/trajectory-shelf.ts'
import type { ExtractionTask } from '../extraction-task.ts'
import { IMPORT_LOG, type ImportState } from '../import-log.ts'
import { decodeText } from '../intake/decoding.ts'
import { readIntake } from '../intake/intake.ts'
import { isActionsLog } from '../producers/actions-log.ts'
import type { EarlierLog, EarlierLogs } from '../producers/earlier-log.ts'
import { maskedAlone } from '../redaction/redactor.ts'

/** Complete imports of any log that are looked back on: of a CI that keeps ten jobs about a week. */
const IMPORTS_MAX = 200
/** Of the originals that are looked at as a whole. */
const BYTES_MAX = 64 * 1024 * 1024
/** Whether an original can matter is seen by its beginning. */
const HEAD_BYTES = 16_384

export interface EarlierImports {
  readonly logs: EarlierLogs
  /** Names those that were read in the processing log, unless it is settled already which these are. */
  readonly record: () => void
}

export function earlierImports(task: ExtractionTask): EarlierImports {
  // Null while no log can count for the one at hand.
  let used: Set<RequestId> | null = null
  const logs = (): readonly EarlierLog[] => {
    const asked = new Set<RequestId>()
    used = asked
    const own = importOf(task, task.requestId)
    let bytesLeft = BYTES_MAX
    return chosenImports(task, own?.at ?? '').map((state) => ({
      path: state.trajectory,
      isSame: state.sha256 === own?.sha256,
      glance: () => {
        if (state.bytes > bytesLeft) return null
        const text = storedText(task, state)
        if (text !== null) bytesLeft -= state.bytes
        return text
      },
      masked: () => {
        const text = maskedText(task, state)
        if (text !== null) asked.add(state.requestId)
        return text
      },
    }))
  }
  const record = (): void => {
    if (used !== null && !areSettled(task)) task.processing.append({ kind: 'earlier', imports: [...used].sort() })
  }
  return { logs, record }
}

/** Whether they were named before; what a program that read none has written stands for all of its evidence. */
function areSettled({ processing, writer }: ExtractionTask): boolean {
  return processing.state.earlier !== null || writer.operations.length > 0
}

/** The latest first. @param reservedAt when the one at hand was */
function chosenImports(task: ExtractionTask, reservedAt: string): readonly ImportState[] {
  const { trajectories } = task.around.layout
  const chosen: ImportState[] = []
  for (const id of candidateIds(task)) {
    if (chosen.length === IMPORTS_MAX) break
    const state = importOf(task, id)
    if (state === null || state.trajectory !== `${trajectories}/${lastPart(state.trajectory)}`) continue
    if (state.completed !== null && state.completed.at <= reservedAt) chosen.push(state)
  }
  return chosen.sort((a, b) => newestFirst([a.at, a.requestId], [b.at, b.requestId]))
}

/** Those that are settled, else all, the latest first. */
function candidateIds(task: ExtractionTask): readonly RequestId[] {
  const { around, processing, requestId } = task
  if (areSettled(task)) return processing.state.earlier ?? []
  return readHeadings(around.ports, around.layout, IMPORT_LOG)
    .map(({ at, request_id }) => [String(at), String(request_id)] as const)
    .sort(newestFirst)
    .map(([, id]) => id)
    .filter((id) => isRequestId(id))
    .filter((id) => id !== requestId)
}

type Began = readonly [at: string, id: string]

function newestFirst([at, id]: Began, [otherAt, otherId]: Began): number {
  if (at !== otherAt) return at < otherAt ? 1 : -1
  return id < otherId ? 1 : -1
}

/** Null when its log is gone or cannot be read. */
function importOf({ around: { ports, layout } }: ExtractionTask, id: RequestId): ImportState | null {
  return orNull(() => readRequestLog(ports, layout, IMPORT_LOG, id))
}

/** As it is stored, unmasked; null of what is no log of a kind that goes on in others, by its beginning. */
function storedText({ around }: ExtractionTask, { trajectory }: ImportState): string | null {
  const { ports, layout } = around
  return orNull(() => {
    nameDirectlyIn(ports.files, layout, layout.trajectories, trajectory)
    using file = ports.files.openRead(inWorkspace(layout, trajectory))
    if (file === null) return null
    const head = decodeText(file.read(0, Math.min(file.bytes, HEAD_BYTES)))
    if (!isActionsLog(head.text)) return null
    const bytes = file.read(0, file.bytes)
    // Whether all of it is text is asked of the few logs that are read, for it takes ten times as long.
    return head.encoding === 'utf-8' ? new TextDecoder().decode(bytes) : decodeText(bytes).text
  })
}

/** Verified, read as by its own import, and masked whatever that import or this one masks. */
function maskedText({ around }: ExtractionTask, state: ImportState): string | null {
  const { ports, layout } = around
  return orNull(() => {
    const bytes = readShelved(ports, layout, lastPart(state.trajectory), state.sha256)
    if (bytes === null) return null
    return maskedAlone(readIntake(state.name, bytes, state.read?.on_malformed ?? 'fail').text)
  })
}

function orNull<T>(read: () => T | null): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    return null
  }
}
