/** Ends of an output that prove no pass, whatever the exit code: it was stopped, goes on, or had nothing to do. Judges lines alone. */

/** Whether whoever ran the command says at its end, or in front of what it printed, that it ended it or left it alone. */
export function wasStopped(lines: readonly string[]): boolean {
  const filled = lines.map((line) => line.trim()).filter((line) => line !== '')
  return STOPPED.test(filled.at(-1) ?? '') || [filled[0], filled.at(-1)].some((line) => LEFT.test(line ?? ''))
}

const LIMIT = String.raw`timed[ -]out (?:after|in) ~?\d[\d.]* ?(?:m?s|min|m|h|seconds?|minutes?|milliseconds?)\b.{0,40}`
const STOPPED = new RegExp(
  String.raw`^(?:\W{0,3}(?:(?:the )?(?:command|process|execution|operation|tool|call|request|task|run|it)\b.{0,80}\b)?${LIMIT}|\^C|Terminated|<timeout>|timeout: sending signal \w+ to command .*)$`,
  'i',
)
/** Words of the tool that runs commands, which no program has for itself. */
const LEFT = new RegExp(
  String.raw`^\W{0,3}(?:the )?(?:command|process|execution)(?: execution)? (?:(?:was |has )?${LIMIT}|(?:was|has been) (?:aborted|killed|interrupted|stopped|cancell?ed)\b.{0,80}|(?:is )?(?:still |now )?running(?: in (?:the )?background\b.{0,200}| \((?:pid|session)\b.{0,40}|\W{0,2}))$`,
  'i',
)

/** Whether all that was said is that nothing was left to do: what had failed was then done by something else, or not tried. */
export function hadNothingToDo(lines: readonly string[]): boolean {
  const told = lines.map((line) => line.trim()).filter((line) => line !== '' && !PASSING_BY.test(line))
  return told.length > 0 && told.every((line) => NOTHING_TO_DO.test(line))
}

const NOTHING_TO_DO =
  /^(?:g?make(?:\[\d+\])?: (?:Nothing to be done for |.* is up to date\.)|ninja: no work to do\.|Everything up-to-date$|scons: .* is up to date\.)/
const PASSING_BY = /^(?:g?make(?:\[\d+\])?: (?:Entering|Leaving) directory |ninja: Entering directory |scons: )/

/** Whether the last that was said announces what was still to come. */
export function endsAnnouncing(lines: readonly string[]): boolean {
  return /(?:\.{3}|…)$/.test(lines.findLast((line) => line.trim() !== '')?.trim() ?? '')
}
