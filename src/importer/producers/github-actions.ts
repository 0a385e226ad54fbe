/**
 * Logs of GitHub Actions: a time in front of each line, commands of a workflow in groups that begin with `Run`, and the
 * runner's own word on each that failed. As downloaded, or as `gh run view --log` prints them, with job and step in front.
 *
 * Attempts of a job that stand one behind the other are one run as long as each is of another commit: what then passes
 * was mended by a commit. An attempt of a commit that was there before, or of one that the log does not name, is a run of
 * its own. Attempts of the job in logs that were imported before stand there as well (actions-history.ts). Where an attempt
 * begins, and of which commit it is: actions-attempts.ts, actions-commit.ts.
 */
import { type Attempt, attemptsByJob } from './actions-attempts.ts'
import { commitKey, shownCommit } from './actions-commit.ts'
import { type StepVariables, variablesOf } from './actions-environment.ts'
import { ActionsHistory, isKnown } from './actions-history.ts'
import { folderOf, givenTo, isActionsLog, type LoggedStep, scriptOf, shellOf } from './actions-log.ts'
import type { EarlierLogs } from './earlier-log.ts'
import { masksExitCode } from './exit-code-mask.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/github-actions.txt' with { type: 'text' }
import type { Run } from './run.ts'
import { RunBuilder } from './run-builder.ts'
import { describeCall } from './tool-call.ts'

export const githubActions: Producer = {
  name: 'github-actions',
  title: 'GitHub Actions',
  recordShape,
  recognises: ({ text, records }) => records.length === 0 && isActionsLog(text),
  read: ({ text, earlier }) =>
    withHistory(attemptsByJob(text), earlier).flatMap((attempts) => chained(attempts).map(runOf)),
}

function withHistory(
  jobs: readonly (readonly Attempt[])[],
  earlier: EarlierLogs | undefined,
): readonly (readonly Attempt[])[] {
  const names = jobs.flatMap(([first]) => (first !== undefined && isKnown(first) ? (first.name ?? []) : []))
  if (earlier === undefined || names.length === 0) return jobs
  const history = new ActionsHistory(earlier(), [...new Set(names)])
  return jobs.map((attempts) => history.around(attempts))
}

/** Attempts of one job, of which each but the first goes on with the one before: a commit stands between it and all of them. */
function chained(attempts: readonly Attempt[]): readonly (readonly Attempt[])[] {
  const chains: Attempt[][] = []
  const commits = new Set<string>()
  for (const attempt of attempts) {
    const { commit } = attempt
    const last = chains.at(-1)?.at(-1)
    const isAgain = last !== undefined && last.start <= attempt.start
    if (isAgain && last.commit !== null && commit !== null && !commits.has(commitKey(commit)))
      chains.at(-1)?.push(attempt)
    else {
      chains.push([attempt])
      commits.clear()
    }
    if (commit !== null) commits.add(commitKey(commit))
  }
  return chains
}

function runOf(attempts: readonly Attempt[]): Run {
  const builder = new RunBuilder()
  const passedBefore = new Set<string>()
  const variables = variablesOf(attempts)
  for (const [at, { steps, commit, logPath }] of attempts.entries()) {
    const before = attempts[at - 1]
    if (before !== undefined && commit !== null) {
      // It lies between the two, and is of the log at hand only where both are.
      builder.logPath = before.logPath ?? logPath
      builder.commit(commit.id, shownCommit(commit, before.commit))
    }
    builder.logPath = logPath
    for (const step of steps) addStep(builder, step, { passedBefore, variables: variables.get(step) })
  }
  return builder.run()
}

const STOPPING_SHELL = /\/(?:ba|z)?sh\b.* -[a-z]*e/

/** Whether any failing command of the script ends it: then what the runner lets pass has passed. */
function stopsAtErrors(shell: string | null, script: string): boolean {
  // What follows a here-document is not read: it may let a failure pass.
  if (shell === null || !STOPPING_SHELL.test(shell) || script.includes('<<')) return false
  return !masksExitCode(`set -e\n${script}`)
}

interface StepAround {
  /** Commands and actions of earlier attempts: to do as always mends nothing. */
  readonly passedBefore: Set<string>
  /** Undefined where its environment tells nothing. */
  readonly variables: StepVariables | undefined
}

function addStep(builder: RunBuilder, step: LoggedStep, { passedBefore, variables }: StepAround): void {
  const { title, output, exitCode, hasFailed, isFinished } = step
  const script = scriptOf(step)
  const described =
    script === null
      ? { kind: 'call' as const, shell: false, command: `action ${title}`, shown: title }
      : describeCall('bash', { command: `${variables?.fronts ?? ''}${script}` })
  // What an attempt before did in the same way makes no difference to it. An action prepares; what it says is its own.
  const way = script === null ? [title, ...givenTo(step)].join('\n') : described.command
  const kind = hasFailed ? described.kind : passedBefore.has(way) ? 'note' : script === null ? 'look' : described.kind
  const { setting } = variables ?? {}
  const call = { ...described, kind, ...(setting === undefined ? {} : { setting }) }
  const text = output.join('\n').trim()
  const errorFlag = hasFailed ? true : isFinished ? false : null
  const stopsAtFirstFailure = script !== null && stopsAtErrors(shellOf(step), script)
  builder.answered(call, { output: text, exitCode, errorFlag, isFinished, stopsAtFirstFailure }, folderOf(step))
  if (hasFailed) passedBefore.delete(way)
  else if (isFinished) passedBefore.add(way)
}
