/** What an import answers, and what its log keeps of it. */
import * as v from 'valibot'
import { errorReportSchema } from '../model/error-report.ts'
import { EXTRACTORS } from './import-request.ts'
import { TRAJECTORY_FORMATS } from './intake/trajectory-format.ts'

export const writtenExperienceSchema = () =>
  v.strictObject({
    path: v.string(),
    version: v.string(),
    action: v.picklist(['created', 'updated']),
  })
export type WrittenExperience = Readonly<v.InferOutput<ReturnType<typeof writtenExperienceSchema>>>

export const usageSchema = () =>
  v.strictObject({
    requests: v.number(),
    prompt_tokens: v.number(),
    completion_tokens: v.number(),
  })
export type Usage = Readonly<v.InferOutput<ReturnType<typeof usageSchema>>>

export const NO_USAGE: Usage = { requests: 0, prompt_tokens: 0, completion_tokens: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    requests: a.requests + b.requests,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
  }
}

const segmentUsageSchema = () =>
  v.strictObject({
    /** From 1, as progress counts them. */
    segment: v.number(),
    ...usageSchema().entries,
  })
export type SegmentUsage = Readonly<v.InferOutput<ReturnType<typeof segmentUsageSchema>>>

/** What the import log keeps; the rest of the answer is told from the checkpoints. */
export const loggedResultSchema = () =>
  v.strictObject({
    status: v.picklist(['complete', 'incomplete']),
    request_id: v.string(),
    trajectory: v.string(),
    sha256: v.string(),
    bytes: v.number(),
    format: v.nullable(v.picklist(TRAJECTORY_FORMATS)),
    extractor: v.picklist(EXTRACTORS),
    segments: v.strictObject({ done: v.number(), total: v.nullable(v.number()) }),
    replacements: v.number(),
    redactions: v.number(),
    experiences: v.array(writtenExperienceSchema()),
    reply: v.string(),
    usage: usageSchema(),
    error: v.exactOptional(errorReportSchema()),
  })
export type LoggedResult = Readonly<v.InferOutput<ReturnType<typeof loggedResultSchema>>>

export const importResultSchema = () =>
  v.strictObject({
    ...loggedResultSchema().entries,
    /** Of segments that a model was asked about; empty offline. */
    usage_by_segment: v.array(segmentUsageSchema()),
  })
export type ImportResult = Readonly<v.InferOutput<ReturnType<typeof importResultSchema>>>
