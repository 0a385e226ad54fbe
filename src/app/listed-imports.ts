/** The imports of a workspace and where each stands, as their logs tell it. Changes nothing. */
import { versionThere } from '../experiences/intent-completion.ts'
import type { ImportState } from '../importer/import-log.ts'
import type { LoggedResult } from '../importer/import-result.ts'
import { resultSoFar } from '../importer/logged-result.ts'
import type { RequestId } from '../model/request-id.ts'
import type { Layout } from '../workspace/layout.ts'
import type { DamagedLog } from '../workspace/request-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import { allLogs } from './all-logs.ts'
import { lackingLogs } from './lacking-logs.ts'

type LogPorts = Pick<WorkspacePorts, 'files' | 'digest'>

/** In the order in which they began. An import of which one log cannot be read is told from its others. */
export function listImports(ports: LogPorts, layout: Layout) {
  const { imports, resultOf, hasPending, damaged } = toldByLogs(ports, layout)
  const byTime = imports.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const listed = byTime.map((state) => {
    const { request_id, status, trajectory, segments, experiences } = resultOf(state)
    const stopped = status === 'complete' ? null : (state.stopped?.error ?? null)
    const error = stopped?.code === 'index_pending' && !hasPending(state.requestId) ? null : stopped
    return { request_id, status, trajectory, segments, experiences, error }
  })
  return damaged.length === 0 ? { imports: listed } : { imports: listed, damaged: [...damaged] }
}

export interface ImportCounts {
  readonly complete: number
  readonly incomplete: number
  readonly damaged: readonly DamagedLog[]
}

export function countImports(ports: LogPorts, layout: Layout): ImportCounts {
  const { imports, damaged } = toldByLogs(ports, layout)
  const complete = imports.filter(({ completed }) => completed !== null).length
  return { complete, incomplete: imports.length - complete, damaged }
}

function toldByLogs(ports: LogPorts, layout: Layout) {
  const all = allLogs(ports, layout)
  const { imports, processing, operations } = all
  const lacking = lackingLogs(ports, layout, all)
  const resultOf = (state: ImportState): LoggedResult => {
    const { completed, requestId } = state
    if (completed !== null) return completed.result
    return resultSoFar(state, processing.states.get(requestId) ?? null, operations.states.get(requestId) ?? null)
  }
  /** Whether what no view took still stands as it was written: a hand may have corrected it since. */
  const hasPending = (requestId: RequestId): boolean =>
    [...(operations.states.get(requestId)?.values() ?? [])].some(
      ({ intent, outcome }) => outcome === 'pending' && versionThere({ ports, layout }, intent.path) === intent.version,
    )
  const damaged = [...imports.damaged, ...processing.damaged, ...operations.damaged, ...lacking]
  return { imports: [...imports.states.values()], resultOf, hasPending, damaged }
}
