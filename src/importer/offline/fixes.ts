/** The evidence: a call that failed and, later in the same run, the same call passing. Explains nothing. */

import { invariant } from '../../model/memory-error.ts'
import { judgedLines } from '../producers/judged-lines.ts'
import { isExitLine, passedAfter, tellsOfFailure } from '../producers/outcome.ts'
import type { Run, Step } from '../producers/run.ts'
import { isQuery } from '../producers/shell-command.ts'
import { placeBelow } from '../producers/working-place.ts'
import { commandNames, commandParts, goesOnWith } from './command-identity.ts'
import { comparable, signatureOf, TIME_OVER_CODE } from './error-signature.ts'
import { areTakenBack, lastingChanges } from './lasting-changes.ts'
import { withUsualLines } from './usual-lines.ts'

export interface Fix {
  /** The call without what only shortens its output; for other tools their name and arguments. */
  readonly command: string
  /** Equal for the same command. */
  readonly commandName: string
  /** The last failure. */
  readonly failed: Step
  readonly passed: Step
  /** The failures since the call had last passed, in the order of time: the first, and of each error the last one; at least one. */
  readonly failures: readonly Step[]
  /** Where it stands in its run: the first of these failures, the last, and the pass. */
  readonly run: Run
  readonly firstIndex: number
  readonly failedIndex: number
  readonly passIndex: number
  readonly task: string | null
  /** Workspace paths of the logs imported before in which steps of it stand, in the order of time; empty without any. */
  readonly earlierLogPaths: readonly string[]
}

export interface Findings {
  /** One for each command and its errors, in the order in which they passed. */
  readonly fixes: readonly Fix[]
  readonly stepCount: number
  readonly failureCount: number
  /** Failed calls that passed when repeated with nothing done in between: no evidence of how. */
  readonly retryCount: number
  /** Failed calls that passed after something was changed, and then failed again in the same way until the end. */
  readonly relapseCount: number
  /** Failed calls that passed after something was edited that was taken back later. */
  readonly undoneCount: number
  /** Failed calls whose last run would count as passed if the log did not end with it: it may be cut there. */
  readonly openCount: number
}

/** Of a very long list of steps only the ends are read. */
export const STEPS_KEPT_FIRST = 30
const STEPS_KEPT_LAST = 50

export function findFixes(runs: readonly Run[]): Findings {
  const fixes = new Map<string, Fix>()
  let stepCount = 0
  let failureCount = 0
  let retryCount = 0
  let relapseCount = 0
  let undoneCount = 0
  let openCount = 0
  for (const run of runs.map(withUsualLines)) {
    const own = run.steps.filter(isOwn)
    stepCount += own.length
    failureCount += own.filter((step) => step.outcome === 'failed').length
    const { found, failing, endsOpen } = runFixes(run)
    if (endsOpen) openCount++
    for (const fix of found) {
      // What stands in earlier logs alone was told when they were imported.
      if (![fix.passed, ...fix.failures].some(isOwn)) continue
      if (!isChange(fix)) {
        retryCount++
        continue
      }
      if (failsAgain(fix, failing.get(fix.commandName) ?? [])) {
        relapseCount++
        continue
      }
      if (wasTakenBack(fix)) {
        undoneCount++
        continue
      }
      const key = [fix.commandName, ...fix.failures.map((step) => signatureOf(step).key)].join('\u0000')
      // What was done the last time is what the person ended with; the place of the first is kept.
      fixes.set(key, fix)
    }
  }
  return { fixes: [...fixes.values()], stepCount, failureCount, retryCount, relapseCount, undoneCount, openCount }
}

interface RunFixes {
  readonly found: readonly Fix[]
  /** The failures of each command, by its name, since it had last passed. */
  readonly failing: ReadonlyMap<string, readonly number[]>
  readonly endsOpen: boolean
}

function runFixes(run: Run): RunFixes {
  const names = commandNames(run.steps)
  const marksPasses = run.steps.some((step) => step.outcome === 'passed' && step.evidence === 'mark')
  const failing = new Map<string, number[]>()
  const found: Fix[] = []
  let endsOpen = false
  for (const [index, step] of run.steps.entries()) {
    if (step.kind === 'note' || (step.kind === 'look' && !(step.shell && isQuery(step.command)))) continue
    const name = `${step.kind} ${names[index] ?? step.command}`
    const failures = failing.get(name) ?? []
    const last = run.steps[failures.at(-1) ?? -1]
    if (step.outcome === 'failed') failing.set(name, [...failures.slice(-FAILURES_KEPT), index])
    else if (last !== undefined && isLater(step, last) && passedAfter(last, step, { marksPasses })) {
      failing.delete(name)
      const fix = fixOf(run, name, failures, index)
      // What could not go on is not mended by beginning anew: there may have been nothing to go on with.
      const isSameWork = !goesOnWith(fix.command, commandParts(step.command).core) && !hadOtherTime(last, step)
      if (isSameWork && !showsErrorAgain(last, step)) found.push(fix)
    } else if (last !== undefined && index === run.steps.length - 1 && mayGoOn(step)) {
      endsOpen = passedAfter(last, { ...step, finished: true }, { marksPasses })
    }
  }
  return { found, failing, endsOpen }
}

/** Whether the pass did not last: the call failed again in the same way, and never passed after that. */
function failsAgain({ run, passIndex, failures }: Fix, later: readonly number[]): boolean {
  const keys = new Set(failures.map((step) => signatureOf(step).key))
  return later.some((index) => index > passIndex && keys.has(signatureOf(stepAt(run, index)).key))
}

/** Whether the time was over, and the pass had another one: that alone can have made the difference. */
function hadOtherTime(failed: Step, passed: Step): boolean {
  const limit = (step: Step): string | null => commandParts(step.command).timeLimit
  return failed.exitCode === TIME_OVER_CODE && limit(failed) !== limit(passed)
}

/** Whether all that told of the failure is printed by the pass as well: whatever its exit code, that error is still there. */
function showsErrorAgain(failed: Step, passed: Step): boolean {
  const isCompiled = [failed, passed].every(({ output }) =>
    judgedLines(output).some((line) => COMPILER_ERROR.test(line)),
  )
  // Another of its errors stands where the first one stood.
  if (isCompiled) return true
  const { lines } = signatureOf(failed)
  const printed = judgedLines(passed.output).map((line) => line.trim())
  // A runner that makes less of it does not mend it.
  const warned = printed.filter((line) => WARNED.test(line)).map((line) => comparable(line.replace(WARNED, '').trim()))
  if (warned.length > 0 && lines.length > 0 && areAllIn(lines, warned)) return true
  const told = lines.filter((line) => tellsOfFailure(line.trim()) && !isExitLine(line))
  // `# fail 0` is no `# fail 1`, though only their numbers differ.
  return told.length > 0 && areAllIn(told, printed.filter(tellsOfFailure).map(comparable))
}

const WARNED = /^##\[warning\]/

function areAllIn(lines: readonly string[], printed: readonly string[]): boolean {
  const known = new Set(printed)
  return lines.every((line) => known.has(comparable(line.trim())))
}

const COMPILER_ERROR =
  /\berror(?:\[[A-Z]{1,4}\d+\]| (?:TS|CS|C|MSB|LNK|NU|NETSDK)\d{3,5}\b)|^\S+:\d+(?::\d+)?: (?:fatal )?error: \S/

/** Of the log at hand. */
function isOwn({ logPath }: Step): boolean {
  return logPath === undefined
}

/** Of calls that were made together none is later than another. */
function isLater({ calledAt }: Step, { answeredAt }: Step): boolean {
  return calledAt === undefined || answeredAt === undefined || calledAt > answeredAt
}

/** Whether the log shows no end of a command: neither a prompt, nor an interruption. */
function mayGoOn({ shell, finished, command, output }: Step): boolean {
  return shell && !finished && !command.endsWith('&') && !/^\s*\^[CZ]\s*$/m.test(output)
}

/** Failures of one command that are remembered until it passes, the latest. */
const FAILURES_KEPT = 20

function fixOf(run: Run, commandName: string, failures: readonly number[], passIndex: number): Fix {
  const failed = stepAt(run, failures.at(-1) ?? passIndex)
  const first = stepAt(run, failures[0] ?? passIndex)
  const lastOfEach = new Map<string, Step>()
  for (const index of failures) {
    const step = stepAt(run, index)
    const { key } = signatureOf(step)
    lastOfEach.delete(key)
    lastOfEach.set(key, step)
  }
  const steps = run.steps.slice(failures[0] ?? passIndex, passIndex + 1)
  return {
    command: first.shell ? commandParts(first.command).core : first.command,
    commandName,
    failed,
    passed: stepAt(run, passIndex),
    failures: withFirst(first, [...lastOfEach.values()]),
    run,
    firstIndex: failures[0] ?? passIndex,
    failedIndex: failures.at(-1) ?? passIndex,
    passIndex,
    task: failed.task ?? run.task,
    earlierLogPaths: [...new Set(steps.flatMap(({ logPath }) => logPath ?? []))],
  }
}

/** What is told begins with what failed first: another error, or the same with other values, came later. */
function withFirst(first: Step, last: readonly Step[]): readonly Step[] {
  const told = (step: Step | undefined): string => (step === undefined ? '' : signatureOf(step).headlines.join('\n'))
  return told(first) === told(last[0]) ? last : [first, ...last]
}

export interface StepsBetween {
  /** In order, without notes. */
  readonly steps: readonly Step[]
  /** Steps missing in the middle, after the first STEPS_KEPT_FIRST. */
  readonly leftOut: number
}

/** What was done from the first failure to the pass. */
export function stepsBetween({ run, firstIndex, passIndex }: Fix): StepsBetween {
  const start = firstIndex + 1
  const leftOut = Math.max(0, passIndex - start - STEPS_KEPT_FIRST - STEPS_KEPT_LAST)
  const head = run.steps.slice(start, leftOut === 0 ? passIndex : start + STEPS_KEPT_FIRST)
  const tail = leftOut === 0 ? [] : run.steps.slice(passIndex - STEPS_KEPT_LAST, passIndex)
  return { steps: [...head, ...tail].filter((step) => step.kind !== 'note'), leftOut }
}

function stepAt(run: Run, index: number): Step {
  const step = run.steps[index]
  invariant(step !== undefined, `no step ${index}`)
  return step
}

/**
 * Whether anything was done after the last failure that can have made the difference: not looks, not the same call again.
 * What was done before it did not help by itself, so a pass that merely repeats the call proves nothing of it.
 */
function isChange(fix: Fix): boolean {
  const { failed, passed, failedIndex, passIndex } = fix
  const before = commandParts(failed.command)
  const after = commandParts(passed.command)
  if (before.fronts.join('\n') !== after.fronts.join('\n') || placeOf(failed) !== placeOf(passed)) return true
  if (passIndex - failedIndex - 1 > STEPS_KEPT_FIRST + STEPS_KEPT_LAST) return true
  return changesOf(fix).length > 0
}

/** Of a long interval its end alone is asked for edits. */
function wasTakenBack(fix: Fix): boolean {
  const failedIndex = Math.max(fix.failedIndex, fix.passIndex - STEPS_KEPT_FIRST - STEPS_KEPT_LAST - 1)
  return areTakenBack(fix, changesOf({ ...fix, failedIndex }))
}

/** What was done between the last failure and the pass that can have made the difference. */
function changesOf(fix: Fix): readonly Step[] {
  const { failed, passed } = fix
  return lastingChanges(fix).filter((step) => isLater(step, failed) && isLater(passed, step) && !isSameCall(fix, step))
}

/** Where a call really ran: a leading `cd` may only go where the session is already. */
export function placeOf({ command, place = '' }: Step): string {
  return placeBelow(place, commandParts(command).folder)
}

/** Whether a step in between was the failing call itself. */
export function isSameCall(fix: Fix, step: Step): boolean {
  if (step.kind !== fix.failed.kind || step.setting !== fix.failed.setting) return false
  if (!step.shell) return step.command === fix.failed.command
  const { core, program } = commandParts(step.command)
  return program === commandParts(fix.failed.command).program || goesOnWith(core, fix.command)
}
