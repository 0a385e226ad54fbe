/** An experience made from a fix: what was seen in the log, within the limits, and nothing that was not seen. */
import type { ExperienceTexts } from '../../model/experience.ts'
import { judgedLines, matchesAny } from '../producers/outcome.ts'
import { PASSING_SIGNS } from '../producers/outcome-signs.ts'
import type { Step } from '../producers/run.ts'
import { asCode, codeLine, counted, measured, oneLine, shortened, withoutNames } from '../producers/shown-text.ts'
import { experienceSlug } from './experience-slug.ts'
import { type Fix, STEPS_KEPT_FIRST, stepsBetween } from './fixes.ts'
import { relativeText, stepLines } from './step-lines.ts'

export interface TextLimits {
  /** Tokens of a text. */
  readonly count: (text: string) => number
  /** Most tokens accepted in each field. */
  readonly description: number
  readonly when_to_use: number
  readonly content: number
}

export type NamedExperience = ExperienceTexts & { readonly filename: string }

/** More steps than a reader follows; those in the middle go first. */
const STEPS_SHOWN_MAX = 24
const EARLIER_SHOWN_MAX = 5
const NOTICE = 'Extracted from a log without a model: what was seen there, not why it worked.'

/** Null when even the shortest form of a field exceeds its limit. */
export function composeExperience(fix: Fix, limits: TextLimits): NamedExperience | null {
  const { count } = limits
  const description = firstWithin(descriptions(fix), limits.description, count)
  const whenToUse = firstWithin(situations(fix), limits.when_to_use, count)
  const content = firstWithin(contents(fix), limits.content, count)
  if (description === null || whenToUse === null || content === null) return null
  const filename = experienceSlug(relativeText(fix.command, fix.run.folder), fix.signature.headlines[0] ?? '')
  return { filename, description, 'when-to-use': whenToUse, content }
}

/** @param texts from the richest to the poorest */
function firstWithin(texts: Iterable<string>, tokensMax: number, count: (text: string) => number): string | null {
  for (const text of texts) if (count(text) <= tokensMax) return text
  return null
}

function* descriptions(fix: Fix): Iterable<string> {
  const headline = fix.signature.headlines[0] ?? ''
  for (const unitsMax of [160, 80, 40]) {
    yield `Get ${commandCode(fix, unitsMax)} to pass after it failed with: ${shortened(headline, unitsMax)}`
  }
  yield `Get ${commandCode(fix, 40)} to pass`
}

function* situations(fix: Fix): Iterable<string> {
  const [first = '', second] = fix.signature.headlines.map(withoutStop)
  const earlier = fix.earlier.at(-1)?.headlines[0]
  const task = taskLine(fix, 300)
  const asked = task === null ? '' : `, while asked to: "${task}"`
  const failure = `When ${commandCode(fix, 200)} fails with: ${first}`
  const more = second === undefined ? '' : `; ${second}`
  if (earlier !== undefined) yield `${failure}${more}; or, before that, with: ${withoutStop(earlier)}${asked}`
  if (second !== undefined) yield `${failure}${more}${asked}`
  yield `${failure}${asked}`
  yield failure
  yield `When ${commandCode(fix, 80)} fails with: ${shortened(first, 80)}`
  yield `When ${commandCode(fix, 40)} fails`
}

function withoutStop(line: string): string {
  return line.replace(/[.:;,]{1,3}$/, '')
}

function* contents(fix: Fix): Iterable<string> {
  const { steps, leftOut } = stepsBetween(fix)
  const lines = stepLines(fix, steps)
  const most = Math.min(lines.length, STEPS_SHOWN_MAX)
  const parts = { lines, missing: leftOut }
  for (let shown = most; shown >= Math.min(1, most); shown--) yield contentText(fix, parts, shown, { full: true })
  for (let shown = Math.min(most, 3); shown >= 0; shown--) yield contentText(fix, parts, shown, { full: false })
}

function contentText(fix: Fix, steps: ShownSteps, shown: number, { full }: { full: boolean }): string {
  const task = full ? taskLine(fix, 600) : null
  const failureLines = fix.signature.lines.map((line) => `    ${relativeText(line, fix.run.folder)}`)
  const earlier = fix.earlier.slice(-EARLIER_SHOWN_MAX).map((signature) => asCode(signature.headlines[0] ?? ''))
  const older = fix.earlier.length - earlier.length
  const more = older === 0 ? '' : `, and ${counted(older, 'other error')}`
  return [
    NOTICE,
    task === null ? [] : `Task as asked: "${task}"`,
    [`What failed: ${shownCommand(fix, fix.failed)}`, ...failureLines.slice(0, full ? undefined : 1)],
    full && earlier.length > 0 ? `Before that the same had failed with: ${earlier.join('; ')}${more}` : [],
    ['Done in between:', ...numberedSteps(steps, shown)],
    [
      `Check that passed: ${shownCommand(fix, fix.passed)} ${passEvidence(fix.passed)}`,
      ...(full ? passLines(fix) : []),
    ],
  ]
    .flatMap((part) => (part.length === 0 ? [] : [typeof part === 'string' ? part : part.join('\n')]))
    .join('\n\n')
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
  const number = (line: string, index: number): string => `${index + 1}. ${line}`
  if (leftOut === 0) return steps.length === 0 ? ['(nothing that the log shows)'] : steps.map(number)
  return [
    ...steps.slice(0, head).map(number),
    `… ${counted(leftOut, 'step')} left out`,
    ...steps.slice(steps.length - tail).map((line, index) => number(line, head + leftOut + index)),
  ]
}

function shownCommand(fix: Fix, step: Step): string {
  return relativeText(step.kind === 'edit' ? step.shown : codeLine(step.command), fix.run.folder)
}

function commandCode(fix: Fix, unitsMax: number): string {
  if (fix.failed.kind === 'edit') return shortened(relativeText(fix.failed.shown, fix.run.folder), unitsMax)
  return asCode(shortened(oneLine(relativeText(fix.command, fix.run.folder)), unitsMax))
}

/** On what it is called a pass. */
function passEvidence({ evidence, outcome }: Step): string {
  if (outcome === 'unknown') return '(no error this time)'
  if (evidence === 'exit' || evidence === 'mark') return '(exit code 0)'
  return evidence === 'flag' ? '(no error reported)' : '(by its output)'
}

const PASS_LINES_MAX = 2

/** The check's own summary, or its last line. */
function passLines(fix: Fix): readonly string[] {
  const lines = judgedLines(fix.passed.output).filter((line) => /[\p{L}\p{N}]/u.test(line))
  const summary = lines.filter((line) => matchesAny(line, PASSING_SIGNS)).slice(-PASS_LINES_MAX)
  const shown = summary.length > 0 ? summary : lines.slice(-1)
  return shown.map((line) => `    ${measured(relativeText(line.trim(), fix.run.folder), 200)}`)
}

/** The task without its white space; its beginning when it is long. */
function taskLine(fix: Fix, unitsMax: number): string | null {
  if (fix.task === null) return null
  const line = shortened(oneLine(withoutNames(relativeText(fix.task, fix.run.folder))), unitsMax)
  return line === '' ? null : line
}
