/** The one table from endings and error codes to exit codes. */
import type { Ending } from '../app/operation.ts'
import { type ErrorCode, unreachable } from '../model/memory-error.ts'

export const EXIT = { done: 0, failed: 1, usage: 2, incomplete: 3, locked: 4, interrupted: 130 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export function exitCodeOfEnding(ending: Ending): ExitCode {
  switch (ending) {
    case 'done':
      return EXIT.done
    case 'failed':
      return EXIT.failed
    case 'incomplete':
      return EXIT.incomplete
    case 'interrupted':
      return EXIT.interrupted
    default:
      return unreachable(ending)
  }
}

export function exitCodeOfError(code: ErrorCode): ExitCode {
  switch (code) {
    case 'invalid_argument':
    case 'unknown_command':
      return EXIT.usage
    case 'workspace_locked':
      return EXIT.locked
    case 'interrupted':
      return EXIT.interrupted
    default:
      return EXIT.failed
  }
}
