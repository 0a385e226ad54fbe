/** An experience made from a fix: what was seen in the log, within the limits, and nothing that was not seen. */
import { counted } from '../../model/counted.ts'
import type { ExperienceTexts } from '../../model/experience.ts'
import { invariant } from '../../model/memory-error.ts'
import { judgedLines } from '../producers/judged-lines.ts'
import { isExitLine, matchesAny } from '../producers/outcome.ts'
import { PASSING_SIGNS } from '../producers/outcome-signs.ts'
import type { Step } from '../producers/run.ts'
import { asCode, codeLine, oneLine, shortened, truncated } from '../producers/shown-text.ts'
import { type ErrorSignature, isPlace, signatureOf } from './error-signature.ts'
import { experienceSlug } from './experience-slug.ts'
import { type Fix, STEPS_KEPT_FIRST, stepsBetween } from './fixes.ts'
import { frontLines } from './front-lines.ts'
import { relativeCommand, relativeText, stepLines } from './step-lines.ts'

export interface TextLimits {
  /** Tokens of a text. */
  readonly count: (text: string) => number
  /** Most tokens accepted in each field. */
  readonly description: number
  readonly when_to_use: number
  readonly content: number
}

export type NamedExperience = ExperienceTexts & {
  readonly filename: string
  /** See `Fix.earlierLogPaths`: it rests on them too. */
  readonly earlierLogPaths: readonly string[]
}

/** More steps than a reader follows; those in the middle go first. */
const STEPS_SHOWN_MAX = 24
/** Different errors before one pass that are told: the first and the latest. */
const ERRORS_SHOWN_MAX = 3
const NOTICE = 'Extracted from a log without a model: what was seen there, not why it worked.'
const NOTICE_OF_LOGS =
  'Extracted from the logs of several runs of one CI job without a model: what was seen there, not why it worked.'

/** Null when even the shortest form of a field exceeds its limit. @param logPath of the log at hand, if it has one */
export function composeExperience(fix: Fix, limits: TextLimits, logPath?: string): NamedExperience | null {
  const { count } = limits
  const description = firstWithin(descriptions(fix), limits.description, count)
  const whenToUse = firstWithin(situations(fix), limits.when_to_use, count)
  const content = firstWithin(contents(fix, logPath), limits.content, count)
  if (description === null || whenToUse === null || content === null) return null
  const filename = experienceSlug(relativeText(fix.command, fix.run.folder), lastError(fix))
  return { filename, description, 'when-to-use': whenToUse, content, earlierLogPaths: fix.earlierLogPaths }
}

/** @param texts from the richest to the poorest */
function firstWithin(texts: Iterable<string>, tokensMax: number, count: (text: string) => number): string | null {
  for (const text of texts) if (count(text) <= tokensMax) return text
  return null
}

function lastError({ failures }: Fix): ErrorSignature {
  const last = failures.at(-1)
  invariant(last !== undefined, 'a fix without an error')
  return signatureOf(last)
}

function* descriptions(fix: Fix): Iterable<string> {
  const errors = toldErrors(fix).map(([headline = '']) => headline)
  const commit = stepsBetween(fix).steps.findLast((step) => step.commit !== undefined)
  if (commit !== undefined)
    yield `Get ${commandCode(fix, 100)} to pass after it failed ${told(errors, 120)}; it passed at ${shortened(commit.shown, 120)}`
  yield `Get ${commandCode(fix, 160)} to pass after it failed ${told(errors, 160)}`
  yield `Get ${commandCode(fix, 60)} to pass after it failed ${told(errors.slice(-1), 60)}`
  yield `Get ${commandCode(fix, 40)} to pass`
}

function* situations(fix: Fix): Iterable<string> {
  const errors = toldErrors(fix).map((headlines) => headlines.join('; '))
  const task = taskLine(fix, 300)
  const failure = `When ${commandCode(fix, 200)} fails ${told(errors, Number.POSITIVE_INFINITY)}`
  yield task === null ? failure : `${failure}, while asked to: "${task}"`
  yield failure
  yield `When ${commandCode(fix, 60)} fails ${told(errors.slice(-1), 60)}`
}

function shownFailures({ failures }: Fix): readonly Step[] {
  return failures.length <= ERRORS_SHOWN_MAX
    ? failures
    : [...failures.slice(0, 1), ...failures.slice(1 - ERRORS_SHOWN_MAX)]
}

/** Headlines by error, each told once: of what stayed until later only later. */
function toldErrors(fix: Fix): readonly (readonly string[])[] {
  const all = shownFailures(fix).map((step) => signatureOf(step).headlines.map(withoutStop))
  return all.map((headlines, index) => {
    const later = all.slice(index + 1).flat()
    const own = headlines.filter((headline) => !later.includes(headline))
    return own.length > 0 ? own : headlines.slice(0, 1)
  })
}

/** `with: an error, then in a test`, in the order of time. */
function told(errors: readonly string[], unitsMax: number): string {
  return errors.map((error) => howFailed(shortened(error, unitsMax))).join(', then ')
}

/** Where nothing but the place of a failure is known, that is no error. */
function howFailed(headline: string): string {
  return isPlace(headline) ? headline : `with: ${headline}`
}

function withoutStop(line: string): string {
  return line.replace(/[.:,]{1,3}$/, '')
}

function* contents(fix: Fix, logPath?: string): Iterable<string> {
  const { steps, leftOut } = stepsBetween(fix)
  const lines = [...stepLines(fix, steps), ...frontLines(fix)]
  for (let shown = Math.min(lines.length, STEPS_SHOWN_MAX); shown >= 0; shown--) {
    const done = ['Done in between:', ...numberedSteps({ lines, missing: leftOut }, shown)]
    yield contentText([notice(fix), taskPart(fix), ...failureParts(fix, logPath), done, passPart(fix)])
  }
  const [firstError = []] = failureParts(fix, logPath)
  const done = ['Done in between:', ...numberedSteps({ lines, missing: leftOut }, 0)]
  yield contentText([notice(fix), firstError.slice(0, 2), done, passPart(fix).slice(0, 1)])
}

function notice({ earlierLogPaths }: Fix): string {
  return earlierLogPaths.length === 0 ? NOTICE : NOTICE_OF_LOGS
}

/** The log that a step stands in, if not all stand in one. @param own words for the log at hand */
function standsIn({ earlierLogPaths }: Fix, { logPath }: Step, own: string): string {
  return earlierLogPaths.length === 0 ? '' : `in ${logPath ?? own}`
}

/** What a sentence says beside its words, each behind a comma; nothing for an empty one. */
function besides(details: readonly string[]): string {
  return details.flatMap((detail) => (detail === '' ? [] : `, ${detail}`)).join('')
}

type Part = string | readonly string[]

function contentText(parts: readonly Part[]): string {
  return parts
    .filter((part) => part.length > 0)
    .map((part) => (typeof part === 'string' ? part : part.join('\n')))
    .join('\n\n')
}

function taskPart(fix: Fix): string {
  const task = taskLine(fix, 600)
  return task === null ? '' : `Task as asked: "${task}"`
}

/** What failed and how, in the order of time, each error under the command line that printed it. */
function failureParts(fix: Fix, logPath?: string): readonly (readonly string[])[] {
  // A log that holds the pass is not named: one of the same attempt that is imported again has to give the same text.
  const own = fix.passed.logPath === undefined ? undefined : logPath
  const shown = shownFailures(fix)
  const older = fix.failures.length - shown.length
  const then = older === 0 ? 'Then' : `Then, after ${counted(older, 'other error')},`
  const commands = shown.map((step) => shownCommand(fix, step))
  return shown.map((step, index) => {
    const command = commands[index] ?? ''
    const place = standsIn(fix, step, own ?? 'the log of an earlier run')
    const how = besides([command === commands[index - 1] ? '' : `as ${command}`, place])
    return [
      index === 0
        ? `What failed${besides([place])}: ${command}`
        : `${index === 1 ? then : 'Then'} the same${how}${how === '' ? '' : ','} failed with:`,
      ...signatureOf(step).lines.map((line) => `    ${relativeText(line, fix.run.folder)}`),
    ]
  })
}

function passPart(fix: Fix): readonly string[] {
  const place = standsIn(fix, fix.passed, 'the log of a later run')
  return [
    `${PASSED}${besides([place])}: ${shownCommand(fix, fix.passed)} (${passEvidence(fix.passed)})`,
    ...passLines(fix),
  ]
}

interface ShownSteps {
  readonly lines: readonly string[]
  /** Steps of the log that `lines` lacks in its middle. */
  readonly missing: number
}

/** First and last steps with their numbers; those in the middle give way, and it is said how many. */
function numberedSteps({ lines: steps, missing }: ShownSteps, shown: number): readonly string[] {
  // Where the list already lacks its middle, the gap must lie there.
  const head = missing > 0 ? Math.min(Math.ceil(shown / 2), STEPS_KEPT_FIRST) : Math.ceil(shown / 2)
  const tail = shown - head
  const leftOut = steps.length - shown + missing
  const number = (line: string, index: number): string => `${index + 1}. ${line.replaceAll('\n', '\n   ')}`
  if (leftOut === 0) return steps.length === 0 ? ['(nothing that the log shows)'] : steps.map(number)
  return [
    ...steps.slice(0, head).map(number),
    `… ${counted(leftOut, 'step')} left out`,
    ...steps.slice(steps.length - tail).map((line, index) => number(line, head + leftOut + index)),
  ]
}

function shownCommand(fix: Fix, step: Step): string {
  return relativeCommand(step.kind === 'edit' ? oneLine(step.shown) : codeLine(step.command), fix.run.folder)
}

function commandCode(fix: Fix, unitsMax: number): string {
  if (fix.failed.kind === 'edit') return shortened(relativeText(oneLine(fix.failed.shown), fix.run.folder), unitsMax)
  return asCode(shortened(oneLine(relativeText(fix.command, fix.run.folder)), unitsMax))
}

/** On what it is called a pass. */
function passEvidence({ evidence, outcome, shell }: Step): string {
  if (evidence === 'exit' || evidence === 'mark') return 'exit code 0'
  if (evidence === 'flag') return 'the tool reported no error'
  if (!shell) return 'its answer was no error this time'
  return outcome === 'passed'
    ? 'judged by what it printed; the log shows no exit code'
    : 'no sign of failure this time; the log shows no exit code'
}

/**
 * Whether two contents tell of the same command, error and steps, and say on what it is called a pass in the same words:
 * what the passing command printed then may differ, as numbers in it do from day to day.
 */
export function tellsSame(a: string, b: string): boolean {
  return withoutQuotedPass(a) === withoutQuotedPass(b)
}

/** Without the lines below the check that passed, where nothing else follows them. */
function withoutQuotedPass(content: string): string {
  const start = content.lastIndexOf(`\n\n${PASSED}`)
  if (start < 0) return content
  const [heading = '', ...quoted] = content.slice(start + 2).split('\n')
  const isQuote = quoted.length <= PASS_LINES_MAX && quoted.every((line) => line.startsWith('    '))
  return isQuote ? content.slice(0, start + 2) + heading : content
}

const PASSED = 'Check that passed'
const PASS_LINES_MAX = 2
/** A test of TAP's. */
const SINGLE_PASS = /^ok \d+\b/

/** The check's own summary; else its last line, or its first ones where they are all that speaks for a pass. */
function passLines(fix: Fix): readonly string[] {
  const lines = judgedLines(fix.passed.output).filter((line) => /[\p{L}\p{N}]/u.test(line) && !isExitLine(line))
  const passing = lines.filter((line) => matchesAny(line, PASSING_SIGNS))
  const sums = passing.filter((line) => !SINGLE_PASS.test(line))
  const summary = (sums.length > 0 ? sums : passing).slice(-PASS_LINES_MAX)
  const rest = fix.passed.outcome === 'unknown' ? lines.slice(0, PASS_LINES_MAX) : lines.slice(-1)
  const shown = summary.length > 0 ? summary : rest
  return shown.map((line) => `    ${truncated(relativeText(line.trim(), fix.run.folder), 200)}`)
}

/** Pasted tasks can be whole files. */
const TASK_UNITS_READ_MAX = 4_000

/** The task on one line; its beginning when it is long. */
function taskLine(fix: Fix, unitsMax: number): string | null {
  if (fix.task === null) return null
  const text = relativeText(fix.task.slice(0, TASK_UNITS_READ_MAX), fix.run.folder).trim()
  const line = shortened(oneLine(text.replace(BREAK, ' / ')), unitsMax)
  return line === '' ? null : line
}

// A line end between two sentences of which the first has no sign at its end, as behind a title. In other places a line
// may go on in the next one.
const BREAK = /(?<=[^\s.!?:;,])[^\S\n]*\n(?:\s*\n\s*|\s*(?=[`"'#>*•-]|\d{1,3}[.)] ))/g
