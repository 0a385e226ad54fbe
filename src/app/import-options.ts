/** What a command says of an import, as the importer wants it. */
import type { Extractor, ImportRequest, OnMalformed } from '../importer/import-request.ts'

export interface ImportOptions {
  readonly filename?: string | undefined
  readonly request_id?: string | undefined
  readonly source_id?: string | undefined
  readonly memory_hint?: string | undefined
  readonly session?: string | undefined
  readonly extractor?: 'auto' | Extractor | undefined
  readonly on_malformed?: OnMalformed | undefined
  readonly max_requests?: number | undefined
  readonly redact: boolean
  readonly resume?: string | undefined
}

export function importRequest(file: string | null, options: ImportOptions): ImportRequest {
  const chosen = options.extractor ?? 'auto'
  return {
    file,
    filename: options.filename ?? null,
    requestId: options.resume ?? options.request_id ?? null,
    sourceId: options.source_id ?? null,
    memoryHint: options.memory_hint ?? null,
    session: options.session ?? null,
    extractor: chosen === 'auto' ? null : chosen,
    onMalformed: options.on_malformed ?? null,
    maxRequests: options.max_requests ?? null,
    redact: options.redact,
  }
}
