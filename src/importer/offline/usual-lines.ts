/** Which lines of a failure the run's passing calls print as well: they are no part of its error. */
import { judgedLines } from '../producers/judged-lines.ts'
import { tellsOfFailure } from '../producers/outcome.ts'
import type { Run, Step } from '../producers/run.ts'

/** @returns the run with `usual` filled in; lines that only programs that failed write are none, as a call may show a log */
export function withUsualLines(run: Run): Run {
  const passing = run.steps.filter(({ shell, kind, outcome }) => shell && kind === 'command' && outcome === 'passed')
  if (passing.length === 0 || !run.steps.some(hasFailed)) return run
  const printed = new Set(passing.flatMap(({ output }) => linesOf(output)))
  const steps = run.steps.map((step) => {
    if (!hasFailed(step)) return step
    const usual = linesOf(step.output).filter((line) => printed.has(line) && !tellsOfFailure(line))
    return usual.length === 0 ? step : { ...step, usual: new Set(usual) }
  })
  return { ...run, steps }
}

function hasFailed({ shell, outcome }: Step): boolean {
  return shell && outcome === 'failed'
}

function linesOf(output: string): readonly string[] {
  return judgedLines(output).map((line) => line.trimEnd())
}
