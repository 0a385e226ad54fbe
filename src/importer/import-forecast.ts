/** What an import would have to do, without doing it: stores nothing and calls no model. */
import * as v from 'valibot'
import type { LoopBounds } from '../agent/agent-loop.ts'
import { requirePortableName } from '../model/file-name.ts'
import { parseRequestId } from '../model/request-id.ts'
import type { TokenLimits } from '../model/token-limits.ts'
import type { Tokenizer } from '../ports.ts'
import { askedName, chosenExtractor, EXTRACTORS, type ImportRequest } from './import-request.ts'
import { readIntake } from './intake/intake.ts'
import { TRAJECTORY_FORMATS } from './intake/trajectory-format.ts'
import { Redactor } from './redaction/redactor.ts'
import { type Running, throwIfInterrupted } from './running.ts'
import { nextSegment, type Segment } from './segmenter.ts'

export const importForecastSchema = () =>
  v.strictObject({
    dry_run: v.literal(true),
    file: v.string(),
    bytes: v.number(),
    format: v.picklist(TRAJECTORY_FORMATS),
    extractor: v.picklist(EXTRACTORS),
    tokens: v.number(),
    segments: v.number(),
    /** Model calls: at least one a segment, at most what the bounds allow. */
    requests: v.strictObject({ least: v.number(), most: v.number() }),
    replacements: v.number(),
    redactions: v.number(),
  })
export type ImportForecast = Readonly<v.InferOutput<ReturnType<typeof importForecastSchema>>>

export interface ForecastSetup extends Pick<Running, 'yieldToSignals' | 'signal'> {
  readonly tokenizer: Tokenizer
  readonly limits: TokenLimits
  readonly bounds: LoopBounds
  /** Why no model would be asked; null when one would. */
  readonly whyNoModel: string | null
}

/**
 * @param source absolute path of `file`. Throws `invalid_name`, `invalid_argument`, `unsupported_format`,
 * `malformed_input`, `budget_too_small`, `interrupted`.
 */
export async function importForecast(
  file: string,
  source: string,
  bytes: Uint8Array,
  request: ImportRequest,
  setup: ForecastSetup,
): Promise<ImportForecast> {
  const name = askedName(request, source)
  requirePortableName(name)
  if (request.requestId !== null) parseRequestId(request.requestId)
  const { text, format, replacements } = readIntake(name, bytes, request.onMalformed ?? 'fail')
  const extractor = chosenExtractor(request.extractor, setup.whyNoModel)
  const { segments, asked, tokens } = await cut(text, setup)
  const most = Math.min(asked * setup.bounds.iterations_max, request.maxRequests ?? Number.POSITIVE_INFINITY)
  return {
    dry_run: true,
    file,
    bytes: bytes.length,
    format,
    extractor,
    tokens,
    segments,
    requests: extractor === 'llm' ? { least: Math.min(asked, most), most } : { least: 0, most: 0 },
    replacements,
    redactions: request.redact ? new Redactor().learn(text).spans.length : 0,
  }
}

interface Cut {
  readonly segments: number
  /** Those that hold something to ask a model about. */
  readonly asked: number
  /** Of the whole text, which may be less than the sum over its segments. */
  readonly tokens: number
}

async function cut(text: string, { tokenizer, limits, ...run }: ForecastSetup): Promise<Cut> {
  let segments = 0
  let asked = 0
  for (let previous: Segment | null = null; ; ) {
    await throwIfInterrupted(run, 'nothing was changed')
    const segment: Segment | null = nextSegment(text, previous, limits.segment, tokenizer)
    if (segment === null) break
    segments += 1
    if (text.slice(segment.start, segment.end).trim() !== '') asked += 1
    previous = segment
  }
  return { segments, asked, tokens: tokenizer.count(text) }
}
