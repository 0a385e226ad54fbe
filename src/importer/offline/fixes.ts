/** The evidence: a call that failed and, later in the same run, the same call passing. Explains nothing. */

import { invariant } from '../../model/memory-error.ts'
import { passedAfter } from '../producers/outcome.ts'
import type { Run, Step } from '../producers/run.ts'
import { isQuery } from '../producers/shell-command.ts'
import { commandNames, commandParts } from './command-identity.ts'
import { type ErrorSignature, signatureOf } from './error-signature.ts'

export interface Fix {
  /** The call without what only shortens its output; for other tools their name and arguments. */
  readonly command: string
  /** Equal for the same command. */
  readonly commandName: string
  readonly failed: Step
  readonly passed: Step
  /** The different errors of the call since it had last passed, in the order in which each was seen last; at least one. */
  readonly errors: readonly ErrorSignature[]
  /** Where it stands in its run: the first of these failures and the pass. */
  readonly run: Run
  readonly firstIndex: number
  readonly passIndex: number
  readonly task: string | null
}

export interface Findings {
  /** One for each command and its errors, in the order in which they passed. */
  readonly fixes: readonly Fix[]
  readonly stepCount: number
  readonly failureCount: number
  /** Failed calls that passed when repeated with nothing done in between: no evidence of how. */
  readonly retryCount: number
}

/** Of a very long list of steps only the ends are read. */
export const STEPS_KEPT_FIRST = 30
const STEPS_KEPT_LAST = 50

export function findFixes(runs: readonly Run[]): Findings {
  const fixes = new Map<string, Fix>()
  let stepCount = 0
  let failureCount = 0
  let retryCount = 0
  for (const run of runs) {
    stepCount += run.steps.length
    failureCount += run.steps.filter((step) => step.outcome === 'failed').length
    for (const fix of runFixes(run)) {
      if (!isChange(fix)) {
        retryCount++
        continue
      }
      const key = [fix.commandName, ...fix.errors.map((error) => error.key)].join('\u0000')
      // What was done the last time is what the person ended with; the place of the first is kept.
      fixes.set(key, fix)
    }
  }
  return { fixes: [...fixes.values()], stepCount, failureCount, retryCount }
}

function runFixes(run: Run): readonly Fix[] {
  const names = commandNames(run.steps.map((step) => step.command))
  const marksPasses = run.steps.some((step) => step.outcome === 'passed' && step.evidence === 'mark')
  const failing = new Map<string, number[]>()
  const fixes: Fix[] = []
  for (const [index, step] of run.steps.entries()) {
    if (step.kind === 'note' || (step.kind === 'look' && !(step.shell && isQuery(step.command)))) continue
    const name = `${step.kind} ${names[index] ?? step.command}`
    const failures = failing.get(name) ?? []
    const last = run.steps[failures.at(-1) ?? -1]
    if (step.outcome === 'failed') failing.set(name, [...failures.slice(-FAILURES_KEPT), index])
    else if (last !== undefined && passedAfter(last, step, { marksPasses })) {
      failing.delete(name)
      fixes.push(fixOf(run, name, failures, index))
    }
  }
  return fixes
}

/** Failures of one command that are remembered until it passes, the latest. */
const FAILURES_KEPT = 20

function fixOf(run: Run, commandName: string, failures: readonly number[], passIndex: number): Fix {
  const failed = stepAt(run, failures.at(-1) ?? passIndex)
  const errors = new Map<string, ErrorSignature>()
  for (const index of failures) {
    const error = signatureOf(stepAt(run, index))
    errors.delete(error.key)
    errors.set(error.key, error)
  }
  return {
    command: failed.shell ? commandParts(failed.command).core : failed.command,
    commandName,
    failed,
    passed: stepAt(run, passIndex),
    errors: [...errors.values()],
    run,
    firstIndex: failures[0] ?? passIndex,
    passIndex,
    task: failed.task ?? run.task,
  }
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

/** Whether anything was done that can have made the difference: not looks, not the same call again. */
function isChange(fix: Fix): boolean {
  const before = commandParts(fix.failed.command)
  const after = commandParts(fix.passed.command)
  if (before.environment !== after.environment || before.folder !== after.folder) return true
  const { steps, leftOut } = stepsBetween(fix)
  return leftOut > 0 || steps.some((step) => step.kind !== 'look' && !isSameCall(fix, step))
}

/** Whether a step in between was the failing call itself. */
export function isSameCall(fix: Fix, step: Step): boolean {
  if (step.kind !== fix.failed.kind) return false
  return step.shell ? commandParts(step.command).core === fix.command : step.command === fix.failed.command
}
