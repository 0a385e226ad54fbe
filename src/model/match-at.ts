/** What stands at a place of a text, by expressions that are sticky. */

/** Null when `expression` (sticky) does not match at `at`. */
export function execAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at
  return expression.exec(text)
}

/** What `expression` (sticky) matches at `at`, or ''. */
export function matchedAt(expression: RegExp, text: string, at: number): string {
  return execAt(expression, text, at)?.[0] ?? ''
}
