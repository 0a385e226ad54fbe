/** Whether a person said no to a call: it was not made then, and so neither passed nor failed. */

const LINE_UNITS_MAX = 300
const CALL =
  '(?:(?:the|your|this) )?(?:exec |tool )?(?:edit|change|command|call|tool|tool call|operation|action|request|patch)'
const REFUSED = '(?:rejected|denied|declined|refused|cancell?ed|aborted|not approved|disallowed)'

/** Words that Claude Code has for it; what the person said instead may follow at any length. */
const OWN_WORDS =
  /^(?:The user doesn't want|The user rejected|Claude requested permissions|Permission to use|\[Request interrupted)/

/** How others say it, who add nothing. */
const SIGNS: readonly RegExp[] = [
  /^\[Operation Cancelled\]/,
  new RegExp(`^(?:error: )?(?:${CALL} )?(?:was )?${REFUSED} by (?:the )?(?:user|person|operator)\\b`, 'i'),
  new RegExp(
    `^(?:error: )?(?:the )?user (?:has )?(?:${REFUSED}|(?:doesn't|does not) want|did(?: not|n't) (?:approve|allow|confirm))\\b`,
    'i',
  ),
]

/** What it had printed until then stands above, maybe with the code by which it was ended. */
const INTERRUPTED = /(?:^|\n)\[Request interrupted by user[^\]\n]{0,60}\]\s*$/

/** Whether a person stopped a call while it ran: how it would have ended nobody knows. */
export function tellsInterruption(output: string): boolean {
  return INTERRUPTED.test(output.slice(-OUTPUT_END_UNITS))
}

const OUTPUT_END_UNITS = 400

/** Only an answer that begins with it; what a program printed may begin so too, but then it goes on. */
export function tellsRefusal(output: string): boolean {
  const text = output.trim()
  if (OWN_WORDS.test(text)) return true
  return text.length <= LINE_UNITS_MAX && SIGNS.some((sign) => sign.test(text))
}
