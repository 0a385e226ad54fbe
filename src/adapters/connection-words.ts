/** Why no answer came, in the words of the runtime that asked. */

/** The innermost reason, with its code. */
export function connectionWords(error: Error): string {
  const reason = innermost(error)
  const code = codeOf(reason)
  // Bun's own advice would stand in the way of ours.
  const words = reason.message.replace(/ Is the computer able to access the url\?$/, '')
  return code === '' || words.includes(code) ? words : `${code}: ${words}`
}

/** Whether the other side is there and its certificate is not believed; asking again changes nothing. */
export function isCertificateFault(error: Error): boolean {
  const reason = innermost(error)
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|invalid peer certificate/.test(
    `${codeOf(reason)} ${reason.message}`,
  )
}

function innermost(error: Error): Error {
  let reason = error
  while (reason.cause instanceof Error && reason.cause !== reason) reason = reason.cause
  return reason
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
