/** The one error a person or a program is meant to see. Knows codes; knows nothing of exit codes or HTTP. */

/** How far a fault reaches: one call of a tool or command, one import, or everything that this machine would do next. */
type Scope = 'call' | 'import' | 'machine'

/** `resumable`: the same thing called again can succeed, maybe once there is room or a right to write. */
interface CodeFacts {
  readonly resumable: boolean
  readonly scope: Scope
}

const call: CodeFacts = { resumable: false, scope: 'call' }
const final: CodeFacts = { resumable: false, scope: 'import' }
const resumable: CodeFacts = { resumable: true, scope: 'import' }

const CODES = {
  // usage
  invalid_argument: call,
  unknown_command: call,
  invalid_config: { resumable: false, scope: 'machine' },
  // paths and files
  invalid_name: call,
  path_outside: call,
  not_found: call,
  not_a_file: call,
  file_too_large: call,
  permission_denied: call,
  read_only: { resumable: true, scope: 'machine' },
  disk_full: { resumable: true, scope: 'machine' },
  io_failed: { resumable: true, scope: 'machine' },
  // workspace
  workspace_locked: { resumable: true, scope: 'machine' },
  format_too_new: final,
  format_unsupported: final,
  log_corrupt: final,
  index_corrupt: { resumable: true, scope: 'machine' },
  index_pending: resumable,
  // imports
  unsupported_format: call,
  // With --on-malformed text.
  malformed_input: resumable,
  request_conflict: final,
  settings_changed: final,
  source_changed: final,
  copy_damaged: final,
  original_required: final,
  request_not_found: final,
  tokenizer_unavailable: resumable,
  budget_too_small: final,
  // extraction
  llm_unavailable: resumable,
  context_too_small: resumable,
  context_exhausted: resumable,
  iterations_exhausted: resumable,
  identical_failures: resumable,
  summary_rejected: resumable,
  budget_reached: resumable,
  embedder_unavailable: resumable,
  interrupted: { resumable: true, scope: 'machine' },
  // experiences
  invalid_experience: call,
  field_too_long: call,
  secret_found: call,
  name_taken: call,
  version_conflict: call,
  operation_conflict: call,
  tool_unknown: call,
  tool_arguments_truncated: call,
  // the memory graph
  memory_corrupt: final,
  session_not_found: call,
  session_ended: call,
  session_exists: call,
  // Cypher
  cypher_refused: call,
  cypher_timeout: call,
  cypher_failed: call,
  engine_unavailable: call,
  // the service, and who asks one
  unauthorized: call,
  forbidden: call,
  method_not_allowed: call,
  body_too_large: call,
  media_type_unsupported: call,
  service_busy: { resumable: true, scope: 'call' },
  service_unavailable: { resumable: true, scope: 'machine' },
  address_in_use: { resumable: true, scope: 'machine' },
  // anything else
  internal: final,
} as const satisfies Readonly<Record<string, CodeFacts>>

export type ErrorCode = keyof typeof CODES

/** Every code there is, sorted. */
export const ERROR_CODES = Object.keys(CODES).sort() as readonly ErrorCode[]

export function scopeOf(code: ErrorCode): Scope {
  return CODES[code].scope
}

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
    this.resumable = resumable ?? CODES[code].resumable
    this.details = facts
  }
}

/** Our own bug, not the caller's: never caught, never turned into advice. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`)
}

/** Makes a forgotten case of a union a compile error. */
export function unreachable(value: never): never {
  throw new Error(`invariant broken: unexpected ${JSON.stringify(value)}`)
}
