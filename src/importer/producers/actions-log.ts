/** The lines of a log of GitHub Actions as jobs, their attempts and steps. Judges nothing. */
import { screenText } from './screen-text.ts'

export const STAMP = /^\ufeff?(?:([^\t\n]{1,200})\t[^\t\n]{0,200}\t\ufeff?)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ?/
const BEGUN = /^##\[group\]Run (\S.*)$/
const ENDED = /^(?:Post job cleanup\.|Cleaning up orphan processes)/
const FAILED = /^##\[error\]/
const EXIT = /^##\[error\]Process completed with exit code (\d{1,10})\.?/
const NEW_JOB = /^Current runner version:/
export const SYSTEM = 'Operating System'
const TRAIT = /^ {0,2}(Complete job name|repository|Image): (\S.*)$/
const COMMIT = /^HEAD is now at ([0-9a-f]{7,40}) (\S.*)$/

export interface Attempt {
  readonly steps: JobStep[]
  /** When it began, as the log writes times. */
  readonly start: string
  /** Name, repository and system, as far as they are told: attempts of one job have the same. */
  readonly traits: Map<string, string>
  /** Whether the next line names the system. */
  isAtSystem: boolean
  /** As `HEAD is now at` tells it; null when nothing does. */
  commit: { readonly id: string; readonly subject: string } | null
}

export interface JobStep {
  /** Its first line, as the group is called. */
  readonly title: string
  /** What stands in its group: the script, its shell and environment. */
  readonly heading: string[]
  readonly output: string[]
  /** Of its own group. */
  isInHeading: boolean
  exitCode: number | null
  /** Whether the runner wrote an error beside it. */
  isMarked: boolean
  hasFailed: boolean
  /** Something of the job follows. */
  isFinished: boolean
}

/** Without what stands in front of the time. */
function timeOf(stamp: string): string {
  return stamp.slice(stamp.search(/\d{4}-\d\d-\d\dT/)).trim()
}

/** The attempts of each job, in the order of the log; a log without names of jobs is of one. */
export function jobsOf(lines: readonly string[]): ReadonlyMap<string, Attempt[]> {
  const jobs = new Map<string, Attempt[]>()
  let job = ''
  for (const line of lines) {
    const [stamp = '', named] = STAMP.exec(line) ?? []
    // A line without a time goes on with the one before.
    if (stamp !== '') job = named ?? ''
    else if (line.trim() === '') continue
    const text = screenText(line.slice(stamp.length)).trimEnd()
    const attempts = jobs.get(job) ?? []
    jobs.set(job, attempts)
    if (attempts.length === 0 || (NEW_JOB.test(text) && (attempts.at(-1)?.steps.length ?? 0) > 0))
      attempts.push({ steps: [], start: timeOf(stamp), traits: new Map(), isAtSystem: false, commit: null })
    const attempt = attempts.at(-1)
    if (attempt !== undefined) readLine(text, attempt)
  }
  return jobs
}

function readLine(text: string, attempt: Attempt): void {
  const step = attempt.steps.at(-1)
  const title = BEGUN.exec(text)?.[1]
  const [, id, subject] = COMMIT.exec(text) ?? []
  const [, trait, value] = TRAIT.exec(text) ?? []
  if (trait !== undefined && value !== undefined && !attempt.traits.has(trait)) attempt.traits.set(trait, value)
  if (attempt.isAtSystem) attempt.traits.set(SYSTEM, text)
  attempt.isAtSystem = text === `##[group]${SYSTEM}`
  if (id !== undefined && subject !== undefined) attempt.commit ??= { id, subject }
  if (title !== undefined || ENDED.test(text)) {
    if (step !== undefined) {
      // An error that no exit code follows ends the job, or is a remark.
      step.hasFailed ||= step.isMarked && title === undefined
      step.isFinished = true
    }
    // What follows the end belongs to no step, and neither do its errors.
    const next = {
      title: title ?? '',
      heading: [],
      output: [],
      exitCode: null,
      isMarked: false,
      hasFailed: false,
      isFinished: false,
    }
    attempt.steps.push({ ...next, isInHeading: title !== undefined })
  } else if (step === undefined) return
  else if (step.isInHeading && text === '##[endgroup]') step.isInHeading = false
  else if (step.isInHeading) step.heading.push(text)
  else if (FAILED.test(text)) {
    const code = EXIT.exec(text)?.[1]
    step.isMarked = true
    if (code === undefined) step.output.push(text.replace(FAILED, ''))
    else {
      step.hasFailed = true
      step.isFinished = true
      step.exitCode = Number(code)
    }
  } else if (!text.startsWith('##[')) step.output.push(text)
}
