/** The one table from error codes to the statuses of HTTP. */
import type { ErrorCode } from '../model/memory-error.ts'

export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 423 | 429 | 500 | 503 | 507

/**
 * 400: the request is at fault. 422: what it asks about is. 409: the state of the workspace is against it. 500 and 503:
 * the service's own side, 503 where the same request can succeed later.
 */
const STATUSES = {
  invalid_argument: 400,
  unknown_command: 404,
  invalid_config: 503,
  invalid_name: 400,
  path_outside: 400,
  not_found: 404,
  not_a_file: 400,
  file_too_large: 422,
  permission_denied: 503,
  read_only: 503,
  disk_full: 507,
  io_failed: 503,
  workspace_locked: 423,
  format_too_new: 503,
  format_unsupported: 503,
  log_corrupt: 503,
  index_corrupt: 503,
  index_pending: 409,
  unsupported_format: 422,
  malformed_input: 422,
  request_conflict: 409,
  settings_changed: 409,
  source_changed: 409,
  copy_damaged: 409,
  original_required: 409,
  request_not_found: 404,
  tokenizer_unavailable: 503,
  budget_too_small: 422,
  llm_unavailable: 503,
  context_too_small: 422,
  context_exhausted: 422,
  iterations_exhausted: 422,
  identical_failures: 422,
  summary_rejected: 422,
  budget_reached: 429,
  embedder_unavailable: 503,
  interrupted: 503,
  invalid_experience: 422,
  field_too_long: 422,
  secret_found: 422,
  name_taken: 409,
  version_conflict: 409,
  operation_conflict: 409,
  tool_unknown: 404,
  tool_arguments_truncated: 400,
  memory_corrupt: 503,
  session_not_found: 404,
  session_ended: 409,
  session_exists: 409,
  cypher_refused: 422,
  cypher_timeout: 503,
  cypher_failed: 422,
  engine_unavailable: 503,
  unauthorized: 401,
  forbidden: 403,
  method_not_allowed: 405,
  body_too_large: 413,
  media_type_unsupported: 415,
  service_busy: 503,
  service_unavailable: 503,
  address_in_use: 503,
  internal: 500,
} as const satisfies Readonly<Record<ErrorCode, ErrorStatus>>

export function statusOfError(code: ErrorCode): ErrorStatus {
  return STATUSES[code]
}
