/** What a caller gives, against a schema. */
import * as v from 'valibot'
import { expectedOf, ruleOf } from '../model/issue-words.ts'
import { MemoryError } from '../model/memory-error.ts'

/** Throws `invalid_argument` naming field and value. */
export function checkedInput<Schema extends v.GenericSchema>(schema: Schema, input: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, input)
  if (parsed.success) return parsed.output
  const issue = parsed.issues[0]
  const field = v.getDotPath(issue) ?? 'arguments'
  throw new MemoryError('invalid_argument', `${field}: ${argumentFault(issue)}`, { field })
}

function argumentFault(issue: v.BaseIssue<unknown>): string {
  if (issue.received === 'undefined') return 'it is missing'
  if (issue.kind === 'schema' && issue.expected === 'never') return 'there is no such argument'
  if (issue.kind === 'schema' && issue.expected !== null) return `takes ${expectedOf(issue)}, not ${issue.received}`
  // What was received is then a length.
  return issue.type === 'non_empty' ? issue.message : `${ruleOf(issue)} (given: ${issue.received})`
}
