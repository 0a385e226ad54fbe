/** Finishes what a killed run began, unless someone has touched the file since. For the holder of the writer's lock. */
import { type DamagedLog, readRequestLogs } from '../workspace/request-log.ts'
import type { WritableWorkspace } from '../workspace/workspace.ts'
import { completeIntent } from './intent-completion.ts'
import { OPERATION_LOG, OperationJournal } from './operation-journal.ts'

export interface Recovery {
  readonly operations: readonly { readonly path: string; readonly outcome: 'finished' | 'superseded' }[]
  /** Journals that cannot be read: whatever they left open stays open. */
  readonly damaged: readonly DamagedLog[]
}

/** Closes every open intent, and says which. */
export function recoverOperations(workspace: WritableWorkspace, index: () => void): Recovery {
  const { ports, layout } = workspace
  const { logs, damaged } = readRequestLogs(ports, layout, OPERATION_LOG)
  const operations: { path: string; outcome: 'finished' | 'superseded' }[] = []
  for (const { id, state } of logs) {
    const open = [...state.values()].filter(({ outcome }) => outcome === 'open')
    if (open.length === 0) continue
    using journal = new OperationJournal(ports, layout, id)
    for (const { intent } of open) {
      const found = completeIntent(workspace, journal, intent, index)
      operations.push({ path: intent.path, outcome: found === intent.version ? 'finished' : 'superseded' })
    }
  }
  return { operations, damaged }
}
