/** What an import answers, and what its log keeps of it. */
import * as v from 'valibot'

export const writtenExperienceSchema = v.strictObject({
  path: v.string(),
  version: v.string(),
  action: v.picklist(['created', 'updated']),
})
export type WrittenExperience = Readonly<v.InferOutput<typeof writtenExperienceSchema>>

export const usageSchema = v.strictObject({
  requests: v.number(),
  prompt_tokens: v.number(),
  completion_tokens: v.number(),
})
export type Usage = Readonly<v.InferOutput<typeof usageSchema>>

export const NO_USAGE: Usage = { requests: 0, prompt_tokens: 0, completion_tokens: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    requests: a.requests + b.requests,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
  }
}

export const importResultSchema = v.strictObject({
  status: v.picklist(['complete', 'incomplete']),
  request_id: v.string(),
  trajectory: v.nullable(v.string()),
  sha256: v.nullable(v.string()),
  bytes: v.nullable(v.number()),
  format: v.nullable(v.picklist(['text', 'markdown', 'log', 'json', 'jsonl'])),
  extractor: v.picklist(['llm', 'offline']),
  segments: v.strictObject({ done: v.number(), total: v.nullable(v.number()) }),
  replacements: v.number(),
  redactions: v.number(),
  experiences: v.array(writtenExperienceSchema),
  reply: v.string(),
  usage: usageSchema,
  error: v.optional(v.strictObject({ code: v.string(), message: v.string(), resumable: v.boolean() })),
})
export type ImportResult = Readonly<v.InferOutput<typeof importResultSchema>>
