/** What a person or a program is told of a fault. */
import { type ErrorReport, reportOf } from '../model/error-report.ts'
import { MemoryError } from '../model/memory-error.ts'
import { EXIT, type ExitCode, exitCodeOfError } from './exit-codes.ts'

export interface ToldFault {
  readonly report: ErrorReport
  readonly exit: ExitCode
  /** Of a fault of our own; null for one that a person can do something about. */
  readonly trace: string | null
}

export function toldFault(error: unknown): ToldFault {
  if (error instanceof MemoryError) return { report: reportOf(error), exit: exitCodeOfError(error.code), trace: null }
  const message = 'internal error; please report it with the details above'
  return { report: { code: 'internal', message, resumable: false }, exit: EXIT.failed, trace: traceOf(error) }
}

/** All that is known of a fault of our own. */
export function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
