/**
 * Ends of an output that prove no pass, whatever the exit code: it was stopped, called off, goes on, or had nothing to do.
 * Judges lines alone.
 */
import { isAside } from './asides.ts'
import { isCalledOffRecord } from './error-record.ts'
import { PASSING_SIGNS } from './outcome-signs.ts'

/** Whether an output says at its end that the command did not come to one of its own, or did nothing. */
export function endsUndone(lines: readonly string[]): boolean {
  return wasStopped(lines) || wasCalledOff(lines) || isCalledOffRecord(lines.join('\n'))
}

/** Whether whoever ran the command says at its end, or in front of what it printed, that it ended it or left it alone. */
function wasStopped(lines: readonly string[]): boolean {
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

/** Lines in which a program tells how it ended, other things beside it. */
const END_LINES = 5

/**
 * Whether a program says at its end that a person called it off, or that it found nothing to do. Any noun counts in the
 * last line; further up only those that are the program's own work, and where no summary of success follows.
 */
function wasCalledOff(lines: readonly string[]): boolean {
  const filled = lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !PASSING_BY.test(line) && !isAside(line))
  const last = filled.at(-1) ?? ''
  if (CALLED_OFF.test(last) && !NONE.test(last)) return true
  const end = filled.slice(-END_LINES)
  const passed = end.findLastIndex((line) => PASSING_SIGNS.some((sign) => sign.test(line)))
  return end
    .slice(passed + 1)
    .some((line) => [OWN_CALLED_OFF, ANSWERED_NO, NOTHING_DONE].some((sign) => sign.test(line)))
}

const OFF = '(?:cancell?ed|aborted|declined|rejected|called off|interrupted)'
const BY = String.raw`(?: (?:by|at|on) (?:the |your )?(?:user|person|operator|request|prompt|demand)\b.{0,80})?`
const OFF_END = `${BY}(?:[.!]+|[,.;:] .{0,160})?$`
const WORK =
  '(?:apply|destroy|operation|(?:un)?install(?:ation)?|deploy(?:ment)?|upgrade|update|migration|release|publish(?:ing)?|setup|transaction|command|action|delet(?:e|ion)|remov(?:e|al)|rollback|push|sync|backup|restore|import|export|merge|reset|execution|update|build)'
const BARE_OFF = String.raw`(?:the )?(?:user )?${OFF}|abort(?:ing)?|exiting without (?:changes|saving|applying)\b.{0,80}|(?:no changes|nothing) (?:was |were |has been |have been )?(?:made|applied|done|changed|written)`
const OWN_CALLED_OFF = new RegExp(
  String.raw`^\W{0,4}(?:${BARE_OFF}|(?:\w+ )?${WORK} (?:was |has been |is )?${OFF})${OFF_END}`,
  'i',
)
const CALLED_OFF = new RegExp(
  String.raw`^(?:\W{0,4}|.{0,160}[?\])>:] ?)(?:[\w-]+ ){1,6}(?:was |has been |is )?${OFF}${OFF_END}`,
  'i',
)
const ANSWERED_NO =
  /(?:\b(?:proceed|continue|confirm|apply|sure|go ahead)\b.{0,80}\?.{0,40}|[[(]y(?:es)?\/no?[\])].{0,10}|^Enter a value:)\s(?:n|no)$|\bnot (?:confirmed|proceeding|continuing)\b/i
// A count of none, as test runners have it.
const NONE = /\b(?:0|no|none|not|never|nothing)\b/i
const NOTHING_DONE =
  /^(?:there (?:is|was) )?nothing (?:to (?:do|install|update|upgrade|remove|apply|deploy|release|publish|migrate)|left to do)\b.{0,80}$/i

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
