/**
 * What is told of a fix, with secrets masked that only its reading shows: a log is masked as it is written, and reading it
 * joins the words of a command and drops what a terminal would not show. Masked before texts are shortened, for half a
 * secret has no shape.
 */
import type { Run, Step } from '../producers/run.ts'
import type { NamedExperience } from './experience-text.ts'
import type { Fix } from './fixes.ts'

export type Mask = (text: string) => string

/** Masks fixes of one log; steps that several of them tell of are masked once. */
export function fixMasking(mask: Mask): (fix: Fix) => Fix {
  const maskedSteps = new Map<Step, Step>()
  const stepOf = (step: Step): Step => {
    const known = maskedSteps.get(step)
    if (known !== undefined) return known
    const masked = maskedStep(step, mask)
    maskedSteps.set(step, masked)
    return masked
  }
  return (fix) => ({
    ...fix,
    command: mask(fix.command),
    failed: stepOf(fix.failed),
    passed: stepOf(fix.passed),
    failures: fix.failures.map(stepOf),
    run: maskedRun(fix, mask, stepOf),
    task: fix.task === null ? null : mask(fix.task),
  })
}

/** What stands outside the fix is not told. */
function maskedRun({ run, firstIndex, passIndex }: Fix, mask: Mask, stepOf: (step: Step) => Step): Run {
  const steps = run.steps.map((step, index) => (index >= firstIndex && index <= passIndex ? stepOf(step) : step))
  return { ...run, steps, folder: run.folder === null ? null : mask(run.folder) }
}

function maskedStep(step: Step, mask: Mask): Step {
  const output = mask(step.output)
  const masked: Step = {
    ...step,
    command: mask(step.command),
    shown: mask(step.shown),
    output,
    task: step.task === null ? null : mask(step.task),
    ...(step.place === undefined ? {} : { place: mask(step.place) }),
  }
  // Lines are looked for in the output as it is shown.
  return step.usual === undefined || output === step.output
    ? masked
    : { ...masked, usual: new Set([...step.usual].map(mask)) }
}

/** Also what stands in one line only now. */
export function maskedExperience(experience: NamedExperience, mask: Mask): NamedExperience {
  return {
    ...experience,
    description: mask(experience.description),
    'when-to-use': mask(experience['when-to-use']),
    content: mask(experience.content),
  }
}
