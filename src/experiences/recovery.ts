/** Finishes what a killed run began, unless someone has touched the file since. For the holder of the writer's lock. */
import { readExperience, TEXT_FIELDS } from '../model/experience.ts'
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

export interface RecoverySetup {
  /** Takes the written file into both search views. */
  readonly index: (path: string) => void
  /** Asked of each text of an experience: one with a secret would not have been written. */
  readonly hasSecret: (text: string) => boolean
}

/**
 * Closes every open intent, and says which. Only one that waits for procedure_dir to be set back stays open: its
 * experience would be lost otherwise.
 */
export function recoverOperations(workspace: WritableWorkspace, setup: RecoverySetup): Recovery {
  const { ports, layout } = workspace
  const { logs, damaged } = readRequestLogs(ports, layout, OPERATION_LOG)
  const operations: { path: string; outcome: 'finished' | 'superseded' }[] = []
  const refused: DamagedLog[] = []
  for (const { id, state } of logs) {
    const open = [...state.values()].filter(({ outcome }) => outcome === 'open')
    if (open.length === 0) continue
    using journal = new OperationJournal(ports, layout, id)
    for (const { intent } of open) {
      const refusal = refusalOf(workspace, intent, setup.hasSecret)
      if (refusal === null) {
        const found = completeIntent(workspace, journal, intent, setup.index)
        operations.push({ path: intent.path, outcome: found === intent.version ? 'finished' : 'superseded' })
        continue
      }
      if (refusal.code !== 'settings_changed') journal.closeSuperseded(intent.key, null)
      refused.push({ path: requestLogPath(ports.digest, layout, OPERATION_LOG, id), error: refusal.message })
    }
  }
  return { operations, refused, damaged }
}

function refusalOf(
  workspace: WritableWorkspace,
  intent: Intent,
  hasSecret: RecoverySetup['hasSecret'],
): MemoryError | null {
  try {
    requireSoundIntent(workspace, intent)
    requireNoSecret(intent, hasSecret)
    return null
  } catch (error) {
    if (error instanceof MemoryError) return error
    throw error
  }
}

/** Not asked when an intent is begun: what is written then was looked through, or was asked for with --no-redact. */
function requireNoSecret({ path, text }: Intent, hasSecret: RecoverySetup['hasSecret']): void {
  const experience = readExperience(new TextEncoder().encode(text))
  for (const field of TEXT_FIELDS)
    if (hasSecret(experience[field]))
      throw new MemoryError(
        'secret_found',
        `${path}: its ${field} holds a secret (a key, token or password); import its trajectory anew`,
      )
}
