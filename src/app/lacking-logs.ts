/** Logs of imports that are gone, or hold less than others tell of. */
import { type Ledger, OPERATION_LOG } from '../experiences/operation-journal.ts'
import { IMPORT_LOG, type ImportState } from '../importer/import-log.ts'
import { completionLacks, logThatLacks } from '../importer/log-agreement.ts'
import { PROCESSING_LOG, type ProcessingState } from '../importer/processing-log.ts'
import type { RequestId } from '../model/request-id.ts'
import type { Digest } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import { type DamagedLog, type LogPlace, requestLogPath } from '../workspace/request-log.ts'
import type { AllLogs } from './all-logs.ts'

/** One entry a log, in the order of the ids; none of a log that cannot be read, which is told already. */
export function lackingLogs(ports: { readonly digest: Digest }, layout: Layout, all: AllLogs): readonly DamagedLog[] {
  const { imports, processing, operations } = all
  const unread = new Set([imports, processing, operations].flatMap(({ damaged }) => damaged.map(({ path }) => path)))
  const pathOf = (kind: LogPlace, id: RequestId) => requestLogPath(ports.digest, layout, kind, id)
  const isUnread = (id: RequestId) =>
    [IMPORT_LOG, PROCESSING_LOG, OPERATION_LOG].some(
      (kind) => unread.has(kind.folder(layout)) || unread.has(pathOf(kind, id)),
    )
  const ids = new Set([imports, processing, operations].flatMap(({ states }) => [...states.keys()]))
  const found: DamagedLog[] = []
  for (const id of [...ids].sort()) {
    if (isUnread(id)) continue
    const state = imports.states.get(id) ?? null
    const cut = processing.states.get(id) ?? null
    const written = operations.states.get(id) ?? null
    const kind = lackingKind(state, cut, written)
    if (kind === null) continue
    const isThere = {
      [IMPORT_LOG.format.name]: state,
      [PROCESSING_LOG.format.name]: cut,
      [OPERATION_LOG.format.name]: written,
    }
    const what = isThere[kind.format.name] === null ? 'it is gone' : 'it lacks its end'
    found.push({ path: pathOf(kind, id), error: `${what}, and other logs tell of its import` })
  }
  return found
}

function lackingKind(
  state: ImportState | null,
  processing: ProcessingState | null,
  ledger: Ledger | null,
): LogPlace | null {
  if (state === null) return IMPORT_LOG
  const { completed } = state
  return (
    logThatLacks(processing, ledger) ??
    (completed === null ? null : completionLacks(completed.result, processing, ledger))
  )
}
