/** What one import is asked for. */
import { lastPart } from '../model/file-name.ts'

/** Who extracts: a model, or evidence alone. */
export const EXTRACTORS = ['llm', 'offline'] as const
export type Extractor = (typeof EXTRACTORS)[number]

/** What to do with JSON that is none. */
export const ON_MALFORMED = ['fail', 'text'] as const
export type OnMalformed = (typeof ON_MALFORMED)[number]

export interface ImportRequest {
  /** As the person gave it; null to continue by id alone. */
  readonly file: string | null
  readonly filename: string | null
  readonly requestId: string | null
  readonly sourceId: string | null
  readonly memoryHint: string | null
  /** Of the memory graph, that the run belongs to; null for none, and for the one it began with. */
  readonly session: string | null
  /** Null: the one it began with, else a model where one is configured. */
  readonly extractor: Extractor | null
  /** Null: as it began, else `fail`. */
  readonly onMalformed: OnMalformed | null
  /** Most model calls for this import in all its runs together; null for no cap. */
  readonly maxRequests: number | null
  readonly redact: boolean
}

/** A request with everything decided that it left open. */
export interface DecidedRequest extends ImportRequest {
  readonly extractor: Extractor
  readonly onMalformed: OnMalformed
}

/** @param asked null leaves it open; `whyNoModel` is null where a model is configured */
export function chosenExtractor(asked: Extractor | null, whyNoModel: string | null): Extractor {
  return asked ?? (whyNoModel === null ? 'llm' : 'offline')
}

/** @param source absolute path of the file */
export function askedName(request: ImportRequest, source: string): string {
  return request.filename ?? lastPart(source)
}
