/** The arguments of a call as a model writes them: JSON, of any length and depth. */
import { isRecord } from '../model/json-values.ts'
import { MemoryError } from '../model/memory-error.ts'

/** Those of our own tools have two; a parser that goes deeper may run out of stack. */
const LEVELS_MAX = 32

/** Throws `tool_arguments_truncated` for what is no whole JSON, `invalid_argument` for what is nested too deep. */
export function parseArguments(text: string): unknown {
  if (levelsOf(text) > LEVELS_MAX)
    throw new MemoryError(
      'invalid_argument',
      `arguments: nested more than ${LEVELS_MAX} levels deep, so the call was not made; repeat it with plain values`,
    )
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch {
    throw new MemoryError(
      'tool_arguments_truncated',
      'the arguments are not whole JSON, so the call was not made; repeat it with one complete JSON object',
    )
  }
}

/** The same for arguments that differ in the order of their members and in blanks alone; what cannot be parsed as it is. */
export function orderedArguments(text: string): string {
  try {
    return JSON.stringify(parseArguments(text), (_, member) =>
      isRecord(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
    )
  } catch {
    return text
  }
}

/** Every string in arguments, the names of members included. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)])
}

/** The most containers that are open at once, as far as brackets tell. */
function levelsOf(text: string): number {
  let open = 0
  let most = 0
  let isInText = false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at]
    if (isInText) {
      if (unit === '\\') at += 1
      else if (unit === '"') isInText = false
    } else if (unit === '"') isInText = true
    else if (unit === '{' || unit === '[') {
      open += 1
      most = Math.max(most, open)
    } else if (unit === '}' || unit === ']') open -= 1
  }
  return most
}
