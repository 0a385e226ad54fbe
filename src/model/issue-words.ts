/** Faults that a schema finds, in the program's words. */
import type * as v from 'valibot'

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
}

/** What must hold. A rule that says so itself says it. */
export function ruleOf(issue: v.BaseIssue<unknown>): string {
  if (!issue.message.startsWith('Invalid ')) return issue.message
  if (issue.kind === 'schema') return `must be ${TYPES[issue.expected ?? ''] ?? expectedOf(issue)}`
  switch (issue.type) {
    case 'integer':
      return 'must be a whole number'
    case 'min_value':
      return `must be at least ${String(issue.requirement)}`
    case 'max_value':
      return `must be at most ${String(issue.requirement)}`
    default:
      return `must be ${expectedOf(issue)}`
  }
}

/** A type, or the values there are. */
export function expectedOf({ expected }: v.BaseIssue<unknown>): string {
  return (expected ?? 'another').replace(/^\((.*)\)$/, '$1').replaceAll(' | ', ' or ')
}
