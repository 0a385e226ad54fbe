/** The one error a person or a program is meant to see. Knows codes; knows nothing of exit codes or HTTP. */

/** Whether calling the same thing again can succeed without a correction by hand. */
const RESUMABLE = {
  // usage
  invalid_argument: false,
  unknown_command: false,
  invalid_config: false,
  // paths and files
  invalid_name: false,
  path_outside: false,
  not_found: false,
  not_a_file: false,
  file_too_large: false,
  permission_denied: false,
  read_only: false,
  disk_full: true,
  io_failed: true,
  // workspace
  workspace_locked: true,
  format_too_new: false,
  format_unsupported: false,
  log_corrupt: false,
  // imports
  unsupported_format: false,
  // With --on-malformed text.
  malformed_input: true,
  request_conflict: false,
  settings_changed: false,
  source_changed: false,
  copy_damaged: false,
  original_required: false,
  request_not_found: false,
  tokenizer_unavailable: true,
  budget_too_small: false,
  // extraction
  llm_unavailable: true,
  context_too_small: true,
  context_exhausted: true,
  iterations_exhausted: true,
  identical_failures: true,
  summary_rejected: true,
  budget_reached: true,
  index_pending: true,
  index_corrupt: false,
  interrupted: true,
  // experiences
  invalid_experience: false,
  field_too_long: false,
  secret_found: false,
  name_taken: false,
  version_conflict: false,
  operation_conflict: false,
  tool_unknown: false,
  tool_arguments_invalid: false,
  tool_arguments_truncated: false,
  // anything else
  internal: false,
} as const

export type ErrorCode = keyof typeof RESUMABLE

export interface ErrorDetails {
  readonly [name: string]: unknown
  /** Overrides what the code says in general. */
  readonly resumable?: boolean
  readonly cause?: unknown
}

/** An operation cannot be done. The code is a promise; the sentence is not. */
export class MemoryError extends Error {
  readonly code: ErrorCode
  readonly resumable: boolean
  /** Facts for the caller, such as counts or a line number; never secrets or trajectory text. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { cause, resumable, ...facts } = details
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'MemoryError'
    this.code = code
    this.resumable = resumable ?? RESUMABLE[code]
    this.details = facts
  }
}

/** The part of an error that is kept in logs and shown as JSON. */
export interface ErrorReport {
  readonly code: ErrorCode
  readonly message: string
  readonly resumable: boolean
}

export function reportOf(error: MemoryError): ErrorReport {
  return { code: error.code, message: error.message, resumable: error.resumable }
}

/** Our own bug, not the caller's: never caught, never turned into advice. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`)
}

/** Makes a forgotten case of a union a compile error. */
export function unreachable(value: never): never {
  throw new Error(`invariant broken: unexpected ${JSON.stringify(value)}`)
}
