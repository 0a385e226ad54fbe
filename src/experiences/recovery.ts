/** Finishes what a killed run began, unless someone has touched the file since. For the holder of the writer's lock. */
import { MemoryError } from '../model/memory-error.ts'
import { type DamagedLog, readRequestLogs, requestLogPath } from '../workspace/request-log.ts'
import type { WritableWorkspace } from '../workspace/workspace.ts'
import { completeIntent, requireSoundIntent } from './intent-completion.ts'
import { type Intent, OPERATION_LOG, OperationJournal } from './operation-journal.ts'

export interface Recovery {
  readonly operations: readonly { readonly path: string; readonly outcome: 'finished' | 'superseded' }[]
  /** Journals with an intent that must not be carried out: what it would have written, and why it was not. */
  readonly refused: readonly DamagedLog[]
  /** Journals that cannot be read: whatever they left open stays open. */
  readonly damaged: readonly DamagedLog[]
}

/**
 * Closes every open intent, and says which. Only one that waits for procedure_dir to be set back stays open: its
 * experience would be lost otherwise.
 */
export function recoverOperations(workspace: WritableWorkspace, index: () => void): Recovery {
  const { ports, layout } = workspace
  const { logs, damaged } = readRequestLogs(ports, layout, OPERATION_LOG)
  const operations: { path: string; outcome: 'finished' | 'superseded' }[] = []
  const refused: DamagedLog[] = []
  for (const { id, state } of logs) {
    const open = [...state.values()].filter(({ outcome }) => outcome === 'open')
    if (open.length === 0) continue
    using journal = new OperationJournal(ports, layout, id)
    for (const { intent } of open) {
      const refusal = refusalOf(workspace, intent)
      if (refusal === null) {
        const found = completeIntent(workspace, journal, intent, index)
        operations.push({ path: intent.path, outcome: found === intent.version ? 'finished' : 'superseded' })
        continue
      }
      if (refusal.code !== 'settings_changed') journal.closeSuperseded(intent.key, null)
      refused.push({ path: requestLogPath(ports.digest, layout, OPERATION_LOG, id), error: refusal.message })
    }
  }
  return { operations, refused, damaged }
}

function refusalOf(workspace: WritableWorkspace, intent: Intent): MemoryError | null {
  try {
    requireSoundIntent(workspace, intent)
    return null
  } catch (error) {
    if (error instanceof MemoryError) return error
    throw error
  }
}
