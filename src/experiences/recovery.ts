/** Finishes what a killed run began, unless someone has touched the file since. For the holder of the writer's lock. */
import { readExperience, TEXT_FIELDS } from '../model/experience.ts'
import { type ErrorCode, MemoryError } from '../model/memory-error.ts'
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
  /** Journals with an intent that must not be carried out, and why not. */
  readonly refused: readonly RefusedIntent[]
  /** Journals that cannot be read: whatever they left open stays open. */
  readonly damaged: readonly DamagedLog[]
}

export interface RefusedIntent extends DamagedLog {
  /** Whether its file was in place already, and only the views were to be asked. */
  readonly wasPublished: boolean
}

export interface RecoveredOperation {
  readonly path: string
  /**
   * Of what was begun: `finished`, or `superseded` as somebody has changed the file since. Of what no view took:
   * `taken_in` at last, `corrected` since, or `removed`. Both may end as `pending`, in neither view.
   */
  readonly outcome: 'finished' | 'superseded' | 'taken_in' | 'corrected' | 'removed' | 'pending'
  /** Why neither view holds a pending one; null for the others. */
  readonly error: string | null
}

export interface RecoverySetup {
  readonly views: WrittenViews
  /** Asked of each text of an experience: one with a secret would not have been written. */
  readonly hasSecret: (text: string) => boolean
  /** Whether the views are asked once more for what they refused. */
  readonly asksAgain: boolean
}

const UNSETTLED: ReadonlySet<Operation['outcome']> = new Set(['open', 'published', 'pending'])

/**
 * Ends every operation that was left before its end, and says how. Two kinds stay as they are: one that waits for
 * procedure_dir to be set back, whose experience would be lost otherwise, and a file that no view takes. Throws
 * `interrupted`, and faults of the disk, which leave everything as it is.
 */
export async function recoverOperations(workspace: WritableWorkspace, setup: RecoverySetup): Promise<Recovery> {
  const { ports, layout } = workspace
  const { logs, damaged } = readRequestLogs(ports, layout, OPERATION_LOG)
  const operations: RecoveredOperation[] = []
  const refused: RefusedIntent[] = []
  for (const { id, state } of logs) {
    const unsettled = [...state.values()].filter(({ outcome }) => UNSETTLED.has(outcome))
    if (unsettled.length === 0) continue
    using journal = new OperationJournal(ports, layout, id)
    for (const operation of unsettled) {
      const { intent, outcome } = operation
      const refusal = refusalOf(() => {
        requireSoundIntent(workspace, intent)
        // What was published was looked through, or was asked for with --no-redact.
        if (outcome === 'open') requireNoSecret(intent, setup.hasSecret)
      })
      if (refusal !== null) {
        if (refusal.code !== 'settings_changed') journal.closeSuperseded(intent.key, null)
        const path = requestLogPath(ports.digest, layout, OPERATION_LOG, id)
        refused.push({ path, error: refusal.message, wasPublished: operation.wasPublished })
        continue
      }
      const completion =
        outcome === 'open'
          ? await completeIntent(workspace, journal, intent, setup.views)
          : await settlePublished(workspace, journal, operation, setup.views, setup.asksAgain)
      operations.push(recovered(operation, completion))
    }
  }
  return { operations, refused, damaged }
}

function recovered({ intent, outcome }: Operation, { found, pending }: Completion): RecoveredOperation {
  const { path, version } = intent
  if (pending !== null) return { path, outcome: 'pending', error: pending }
  if (outcome !== 'pending') return { path, outcome: found === version ? 'finished' : 'superseded', error: null }
  const since = found === null ? 'removed' : 'corrected'
  return { path, outcome: found === version ? 'taken_in' : since, error: null }
}

/** What an intent itself can have against it; all other faults may have passed by the next run. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'path_outside',
  'invalid_name',
  'not_a_file',
  'log_corrupt',
  'settings_changed',
  'invalid_experience',
  'secret_found',
])

function refusalOf(check: () => void): MemoryError | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof MemoryError && REFUSALS.has(error.code)) return error
    throw error
  }
}

function requireNoSecret({ path, text }: Intent, hasSecret: RecoverySetup['hasSecret']): void {
  const experience = readExperience(new TextEncoder().encode(text))
  for (const field of TEXT_FIELDS)
    if (hasSecret(experience[field]))
      throw new MemoryError(
        'secret_found',
        `${path}: its ${field} holds a secret (a key, token or password); import its trajectory anew`,
      )
}
