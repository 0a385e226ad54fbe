/** Why no answer came, in the words of the runtime that asked. */

/** The innermost reason, with its code. */
export function connectionWords(error: Error): string {
  const reason = innermost(error)
  const code = codeOf(reason)
  // Bun's own advice would stand in the way of ours.
  const words = reason.message.replace(/ Is the computer able to access the url\?$/, '')
  return code === '' || words.includes(code) ? words : `${code}: ${words}`
}

function innermost(error: Error): Error {
  let reason = error
  while (reason.cause instanceof Error && reason.cause !== reason) reason = reason.cause
  return reason
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
