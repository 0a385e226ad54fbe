/** Finishes what a killed run began, unless someone has touched the file since. For the holder of the writer's lock. */
import { readExperience, TEXT_FIELDS } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import { type DamagedLog, readRequestLogs, requestLogPath } from '../workspace/request-log.ts'
import type { WritableWorkspace } from '../workspace/workspace.ts'
import {
  type Completion,
  completeIntent,
  requireSoundIntent,
  settlePublished,
  type WrittenViews,
} from './intent-completion.ts'
import { type Intent, OPERATION_LOG, type Operation, OperationJournal } from './operation-journal.ts'

export interface Recovery {
  readonly operations: readonly RecoveredOperation[]
  /** Journals with an intent that must not be carried out: what it would have written, and why it was not. */
  readonly refused: readonly DamagedLog[]
  /** Journals that cannot be read: whatever they left open stays open. */
  readonly damaged: readonly DamagedLog[]
}

export interface RecoveredOperation {
  readonly path: string
  /** `superseded`: somebody has changed the file since. */
  readonly outcome: 'finished' | 'superseded' | 'pending'
  /** Why neither view holds a pending one; null for the others. */
  readonly error: string | null
}

export interface RecoverySetup {
  readonly views: WrittenViews
  /** Asked of each text of an experience: one with a secret would not have been written. */
  readonly hasSecret: (text: string) => boolean
}

const UNSETTLED: ReadonlySet<Operation['outcome']> = new Set(['open', 'published', 'pending'])

/**
 * Ends every operation that was left before its end, and says how. Two kinds stay as they are: one that waits for
 * procedure_dir to be set back, whose experience would be lost otherwise, and a file that no view takes. Throws
 * `interrupted`.
 */
export async function recoverOperations(workspace: WritableWorkspace, setup: RecoverySetup): Promise<Recovery> {
  const { ports, layout } = workspace
  const { logs, damaged } = readRequestLogs(ports, layout, OPERATION_LOG)
  const operations: RecoveredOperation[] = []
  const refused: DamagedLog[] = []
  for (const { id, state } of logs) {
    const unsettled = [...state.values()].filter(({ outcome }) => UNSETTLED.has(outcome))
    if (unsettled.length === 0) continue
    using journal = new OperationJournal(ports, layout, id)
    for (const operation of unsettled) {
      const { intent, outcome } = operation
      const refusal = outcome === 'open' ? refusalOf(workspace, intent, setup.hasSecret) : null
      if (refusal !== null) {
        if (refusal.code !== 'settings_changed') journal.closeSuperseded(intent.key, null)
        refused.push({ path: requestLogPath(ports.digest, layout, OPERATION_LOG, id), error: refusal.message })
        continue
      }
      const completion =
        outcome === 'open'
          ? await completeIntent(workspace, journal, intent, setup.views)
          : await settlePublished(workspace, journal, operation, setup.views)
      operations.push(recovered(intent, completion))
    }
  }
  return { operations, refused, damaged }
}

function recovered({ path, version }: Intent, { found, pending }: Completion): RecoveredOperation {
  if (pending !== null) return { path, outcome: 'pending', error: pending }
  return { path, outcome: found === version ? 'finished' : 'superseded', error: null }
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
