/** The lines of a log of GitHub Actions as steps, job by job. Judges nothing but what the runner itself says. */
import { screenText } from './screen-text.ts'

const STAMP = /^\ufeff?(?:([^\t\n]{1,200})\t[^\t\n]{0,200}\t\ufeff?)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ?/
const BEGUN = /^##\[group\]Run (\S.*)$/
const ENDED = /^(?:Post job cleanup\.|Cleaning up orphan processes)/
const FAILED = /^##\[error\]/
const EXIT = /^##\[error\]Process completed with exit code (\d{1,10})\.?/
/** The runner's words where somebody ended the job, or its machine did: how the step would have ended nobody knows. */
const CANCELLED =
  /^##\[error\](?:The (?:operation|run|job) was cancell?ed\b|The runner has received a shutdown signal\b)/
const NEW_JOB = /^Current runner version:/

const STAMPED_MIN = 3
/** Lines in which the log must show itself. */
const HEAD_LINES = 2_000
const OWN =
  /^##\[(?:group|command|section|error|warning)\]|^(?:Current runner version|Complete job name|Requested labels):/

const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z/g
/** In which the first or the last time of a log stands. */
const ENDS_UNITS = 8_192

/** By its first lines. */
export function isActionsLog(text: string): boolean {
  let stamped = 0
  let isOwn = false
  for (const line of text.split('\n', HEAD_LINES)) {
    const stamp = STAMP.exec(line)?.[0]
    if (stamp === undefined) continue
    stamped += 1
    isOwn ||= OWN.test(line.slice(stamp.length))
    if (isOwn && stamped >= STAMPED_MIN) return true
  }
  return false
}

/** The first and the last time in a log, as it writes them; of one that shows none at its ends all times there are. */
export function timesOf(text: string): { readonly first: string; readonly last: string } {
  const first = text.slice(0, ENDS_UNITS).match(TIME)?.[0] ?? ''
  const last = text.slice(-ENDS_UNITS).match(TIME)?.at(-1) ?? '9'
  return { first, last }
}

/** Names of the jobs in a log: those that it tells, and what may be one in front of a time. */
export function namesOf(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [, name = ''] of text.matchAll(/Complete job name: ([^\r\n]+)/g)) names.add(name.trimEnd())
  const hasColumns = text
    .slice(0, ENDS_UNITS)
    .split('\n')
    .some((line) => STAMP.exec(line)?.[1] !== undefined)
  if (hasColumns) for (const [, name = ''] of text.matchAll(/^([^\t\n]{1,200})\t/gm)) names.add(name)
  return names
}

export interface LoggedStep {
  /** `head`: what stands in front of the first step; `end`: what follows the last, which belongs to no step. */
  readonly kind: 'head' | 'run' | 'end'
  /** Its first line, as the group is called; empty but for `run`. */
  readonly title: string
  /** When it began, as the log writes times. */
  readonly start: string
  /** What stands in its group: the script, its shell and environment, or what an action is given. */
  readonly heading: readonly string[]
  readonly output: readonly string[]
  readonly exitCode: number | null
  readonly hasFailed: boolean
  /** Something of the job follows. */
  readonly isFinished: boolean
}

/** What stands below what it is given: the shell, then the environment. */
const AFTER_GIVEN = /^(?:shell: |env:$|working-directory: )/
const SHELL = /^shell: (\S.*)$/
const FOLDER = /^working-directory: (\S.*)$/

export type StepHeading = Pick<LoggedStep, 'title' | 'heading'>

/** The shell that the runner calls, with its options; null of an action, and where the log does not tell it. */
export function shellOf({ heading }: StepHeading): string | null {
  return toldBy(SHELL, heading)
}

/** The folder that a step names for itself. */
export function folderOf({ heading }: StepHeading): string | null {
  return toldBy(FOLDER, heading)
}

function toldBy(label: RegExp, heading: readonly string[]): string | null {
  return heading.map((line) => label.exec(line)?.[1]).find((found) => found !== undefined) ?? null
}

/** The lines of its script, or what its action is given. */
export function givenTo({ heading }: StepHeading): readonly string[] {
  const end = heading.findIndex((line) => AFTER_GIVEN.test(line))
  return end < 0 ? heading : heading.slice(0, end)
}

// owner/name@v1, owner/name/part@v1, ./own, docker://image
const ACTION = /^(?:[\w.-]+\/[\w./-]+@\S+|\.{1,2}\/\S+|docker:\/\/\S+)$/

/** What a shell runs; null of an action. Where the log tells no shell, what has no name of an action is a script. */
export function scriptOf(step: StepHeading): string | null {
  if (shellOf(step) === null && (ACTION.test(step.title) || givenTo(step).includes('with:'))) return null
  const script = givenTo(step).join('\n').trim()
  return script === '' ? step.title : script
}

/** By the name that stands in front of the time, in the order of the log; a log without such names is of one job. */
export function stepsByJob(text: string): ReadonlyMap<string, readonly LoggedStep[]> {
  const jobs = new Map<string, OpenStep[]>()
  let job = ''
  for (const line of text.split('\n')) {
    const [stamp = '', named] = STAMP.exec(line) ?? []
    // A line without a time goes on with the one before.
    if (stamp !== '') job = named ?? ''
    else if (line.trim() === '') continue
    const text = screenText(line.slice(stamp.length)).trimEnd()
    const steps = jobs.get(job) ?? [stepBegun('head', timeOf(stamp))]
    jobs.set(job, steps)
    readLine(text, timeOf(stamp), steps)
  }
  return new Map([...jobs].map(([name, steps]) => [name, steps.map(loggedStep)]))
}

/** A step as far as it is read. */
interface OpenStep extends LoggedStep {
  readonly heading: string[]
  readonly output: string[]
  /** Whether the next line is of its own group. */
  isInHeading: boolean
  /** Whether the runner wrote an error beside it. */
  isMarked: boolean
  /** Whether the runner says that it was ended from outside. */
  isCancelled: boolean
  exitCode: number | null
  hasFailed: boolean
  isFinished: boolean
}

function loggedStep({ isInHeading: _in, isMarked: _marked, isCancelled: _cancelled, ...step }: OpenStep): LoggedStep {
  return step
}

/** Without what stands in front of the time. */
function timeOf(stamp: string): string {
  return stamp.slice(stamp.search(/\d{4}-\d\d-\d\dT/)).trim()
}

function stepBegun(kind: LoggedStep['kind'], start: string, title = ''): OpenStep {
  const nothingYet = { exitCode: null, isMarked: false, isCancelled: false, hasFailed: false, isFinished: false }
  return { kind, title, start, heading: [], output: [], isInHeading: kind === 'run', ...nothingYet }
}

function readLine(text: string, time: string, steps: OpenStep[]): void {
  const step = steps.at(-1)
  if (step === undefined) return
  const title = BEGUN.exec(text)?.[1]
  if (title !== undefined || ENDED.test(text)) {
    // An error that no exit code follows ends the job, or is a remark.
    step.hasFailed ||= step.isMarked && title === undefined && !step.isCancelled
    step.isFinished = !step.isCancelled || step.hasFailed
    steps.push(stepBegun(title === undefined ? 'end' : 'run', time, title))
  } else if (step.kind !== 'head' && NEW_JOB.test(text)) steps.push(stepBegun('head', time))
  else if (step.kind !== 'run') step.output.push(text)
  else if (step.isInHeading && text === '##[endgroup]') step.isInHeading = false
  else if (step.isInHeading) step.heading.push(text)
  else if (CANCELLED.test(text)) step.isCancelled = true
  else if (FAILED.test(text)) {
    const code = EXIT.exec(text)?.[1]
    step.isMarked = true
    if (code === undefined) step.output.push(text.replace(FAILED, ''))
    else {
      step.hasFailed = true
      step.isFinished = true
      step.exitCode = Number(code)
    }
  } else if (!text.startsWith('##[') || text.startsWith('##[warning]')) step.output.push(text)
}
