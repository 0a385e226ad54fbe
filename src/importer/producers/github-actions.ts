/**
 * Logs of GitHub Actions: a time in front of each line, commands of a workflow in groups that begin with `Run`, and the
 * runner's own word on each that failed. As downloaded, or as `gh run view --log` prints them, with job and step in front.
 *
 * Attempts of a job that stand one behind the other are one run as long as each is of another commit: what then passes
 * was mended by a commit. An attempt of the same commit, or of one that the log does not name, is a run of its own.
 */

import type { Producer } from './producer.ts'
import recordShape from './record-shapes/github-actions.txt' with { type: 'text' }
import type { Run } from './run.ts'
import { RunBuilder } from './run-builder.ts'
import { screenText } from './screen-text.ts'
import { describeCall } from './tool-call.ts'

const STAMP = /^\ufeff?(?:([^\t\n]{1,200})\t[^\t\n]{0,200}\t\ufeff?)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ?/
const STAMPED_MIN = 3
/** Lines in which the log must show itself. */
const HEAD_LINES = 2_000
const OWN =
  /^##\[(?:group|command|section|error|warning)\]|^(?:Current runner version|Complete job name|Requested labels):/
const BEGUN = /^##\[group\]Run (\S.*)$/
const ENDED = /^(?:Post job cleanup\.|Cleaning up orphan processes)/
const FAILED = /^##\[error\]/
const EXIT = /^##\[error\]Process completed with exit code (\d{1,10})\.?/
const NEW_JOB = /^Current runner version:/
const SYSTEM = 'Operating System'
const TRAIT = /^ {0,2}(Complete job name|repository|Image): (\S.*)$/
const COMMIT = /^HEAD is now at ([0-9a-f]{7,40}) (\S.*)$/
/** Below the command in its group: the shell, then the environment. */
const AFTER_SCRIPT = /^(?:shell: |env:$|working-directory: )/
const FOLDER = /^working-directory: (\S.*)$/

export const githubActions: Producer = {
  name: 'github-actions',
  title: 'GitHub Actions',
  recordShape,
  read({ text, records }) {
    if (records.length > 0) return null
    const lines = text.split('\n')
    return isOwn(lines) ? readJobs(lines) : null
  },
}

function isOwn(lines: readonly string[]): boolean {
  const head = lines.slice(0, HEAD_LINES)
  const stamped = head.filter((line) => STAMP.test(line))
  return stamped.length >= STAMPED_MIN && stamped.some((line) => OWN.test(line.replace(STAMP, '')))
}

interface Attempt {
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

interface JobStep {
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

function readJobs(lines: readonly string[]): readonly Run[] {
  const runs: Run[] = []
  for (const attempts of jobsOf(lines).values()) {
    let open: Attempt[] = []
    const commits = new Set<string>()
    for (const attempt of attempts) {
      const { commit } = attempt
      const before = open.at(-1)
      const isAgain = before !== undefined && isSameJob(before, attempt) && before.start <= attempt.start
      const isMended = isAgain && commit !== null && !commits.has(commit.id) && before.commit !== null
      if (open.length > 0 && !isMended) {
        runs.push(runOf(open))
        open = []
        commits.clear()
      }
      open.push(attempt)
      if (commit !== null) commits.add(commit.id)
    }
    if (open.length > 0) runs.push(runOf(open))
  }
  return runs
}

function isSameJob(one: Attempt, other: Attempt): boolean {
  return ['Complete job name', 'repository', SYSTEM, 'Image'].every(
    (trait) => one.traits.get(trait) === other.traits.get(trait),
  )
}

/** Without what stands in front of the time. */
function timeOf(stamp: string): string {
  return stamp.slice(stamp.search(/\d{4}-\d\d-\d\dT/)).trim()
}

/** The attempts of each job, in the order of the log; a log without names of jobs is of one. */
function jobsOf(lines: readonly string[]): ReadonlyMap<string, Attempt[]> {
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

function runOf(attempts: readonly Attempt[]): Run {
  const builder = new RunBuilder()
  const passedBefore = new Set<string>()
  for (const [at, { steps, commit }] of attempts.entries()) {
    if (at > 0 && commit !== null)
      builder.answered(
        { kind: 'call', shell: false, command: `commit ${commit.id}`, shown: `the commit “${commit.subject}”` },
        { output: '', exitCode: null, errorFlag: null },
      )
    for (const step of steps) if (step.title !== '') addStep(builder, step, passedBefore)
  }
  return builder.run()
}

const STOPPING_SHELL = /\/(?:ba|z)?sh\b.* -[a-z]*e/
/** What a failing command may stand in without ending its script. */
const SPARED = /^\s*(?:if|elif|while|until|!)\s|\bset \+e|[|;&]/m

/** Whether any failing command of the script ends it: then what the runner lets pass has passed. */
function stopsAtErrors(heading: readonly string[], script: string): boolean {
  const shell = heading.find((line) => line.startsWith('shell: ')) ?? ''
  const lines = script.split('\n')
  // Of a list by `&&` only the end may fail without ending the script, so it must be the script's own end.
  const last = (lines.pop() ?? '').replaceAll('&&', '')
  return STOPPING_SHELL.test(shell) && !SPARED.test([...lines, last].join('\n'))
}

/** @param passedBefore commands of earlier attempts: to do as always mends nothing */
function addStep(builder: RunBuilder, step: JobStep, passedBefore: Set<string>): void {
  const { title, heading, output, exitCode, hasFailed, isFinished } = step
  const end = heading.findIndex((line) => AFTER_SCRIPT.test(line))
  const isScript = heading.some((line) => line.startsWith('shell: '))
  const script = end > 0 ? heading.slice(0, end).join('\n').trim() : title
  const described = isScript
    ? describeCall('bash', { command: script })
    : { kind: 'call' as const, shell: false, command: `action ${title}`, shown: title }
  // An action prepares; what it says is its own.
  const isRoutine = !isScript || passedBefore.has(described.command)
  const call = isRoutine && !hasFailed ? { ...described, kind: 'look' as const } : described
  const folder = heading.map((line) => FOLDER.exec(line)?.[1]).find((found) => found !== undefined)
  const text = output.join('\n').trim()
  const errorFlag = hasFailed ? true : isFinished ? false : null
  const answer = { output: text, exitCode, errorFlag, isFinished }
  const isProven = isScript && !hasFailed && stopsAtErrors(heading, script)
  const passed = { outcome: 'passed', evidence: 'flag' } as const
  builder.answered(call, isProven ? { ...answer, verdict: passed } : answer, folder ?? null)
  if (hasFailed) passedBefore.delete(described.command)
  else if (isFinished) passedBefore.add(described.command)
}
