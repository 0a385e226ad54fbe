/**
 * The environment of steps of GitHub Actions, as far as it tells one from another of the same script: `DB: mysql` and
 * `DB: sqlite` make two commands of one, as `DB=mysql npm test` does in a shell. What every step has, and what a run has
 * for itself alone, tells nothing. Judges no call.
 */
import { type LoggedStep, type StepHeading, scriptOf } from './actions-log.ts'

export interface StepVariables {
  /** Assignments that stand for them in front of the script, or above one of several lines. */
  readonly fronts: string
  /** Equal for steps of one script that one attempt does not tell apart; undefined where it runs the script in one way alone. */
  readonly setting?: string
}

type Environment = ReadonlyMap<string, string>

interface ScriptStep {
  readonly attempt: number
  readonly step: LoggedStep
  readonly environment: Environment
}

/** Of steps whose script runs elsewhere in the attempts with other variables. @param attempts their steps, in the order of time */
export function variablesOf(
  attempts: readonly { readonly steps: readonly LoggedStep[] }[],
): ReadonlyMap<LoggedStep, StepVariables> {
  const byScript = new Map<string, ScriptStep[]>()
  for (const [attempt, { steps }] of attempts.entries())
    for (const step of steps) {
      const script = scriptOf(step)
      if (script === null) continue
      const same = byScript.get(script) ?? []
      same.push({ attempt, step, environment: environmentOf(step) })
      byScript.set(script, same)
    }
  return new Map([...byScript].flatMap(([script, steps]) => [...ofScript(script, steps)]))
}

function* ofScript(script: string, steps: readonly ScriptStep[]): Iterable<[LoggedStep, StepVariables]> {
  const names = differingNames(steps)
  if (names.length === 0) return
  const byAttempt = Map.groupBy(steps, ({ attempt }) => attempt)
  const within = new Set([...byAttempt.values()].flatMap(differingNames))
  const end = script.includes('\n') ? '\n' : ' '
  const lead = script.includes('\n') ? 'export ' : ''
  for (const { step, environment } of steps) {
    const assigned = names.flatMap((name) => assignment(name, environment.get(name)) ?? [])
    const setting = [...within].sort().map((name) => [name, environment.get(name) ?? null])
    yield [
      step,
      {
        fronts: assigned.map((text) => `${lead}${text}${end}`).join(''),
        ...(within.size === 0 ? {} : { setting: JSON.stringify(setting) }),
      },
    ]
  }
}

/** Sorted. */
function differingNames(steps: readonly ScriptStep[]): readonly string[] {
  if (steps.length < 2) return []
  const names = new Set(steps.flatMap(({ environment }) => [...environment.keys()]))
  return [...names].sort().filter((name) => {
    if (OWN_NAME.test(name)) return false
    const values = new Set(steps.map(({ environment }) => environment.get(name)))
    return values.size > 1 && ![...values].some((value) => value !== undefined && OWN_VALUE.test(value))
  })
}

/** What the runner sets, which differs from run to run. */
const OWN_NAME = /^(?:GITHUB|RUNNER|ACTIONS|INPUT|STATE)_/
/** A mask, a folder of the machine, an address, an id, a moment. */
const OWN_VALUE = /\*{3}|^(?:[/~]|[A-Za-z]:[\\/])|:\/\/|\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b|\d{4}-\d\d-\d\d/

const BEGUN = /^env:$/
const NAMED = /^ {2}([A-Za-z_]\w*): ?(.*)$/

/** What the runner prints last in a step's group. Of a value of several lines the first. */
function environmentOf({ heading }: StepHeading): Environment {
  const start = heading.findLastIndex((line) => BEGUN.test(line))
  const lines = start < 0 ? [] : heading.slice(start + 1)
  return new Map(
    lines.flatMap((line) => {
      const [, name, value = ''] = NAMED.exec(line) ?? []
      return name === undefined ? [] : [[name, value.trim()] as const]
    }),
  )
}

/** `DB=mysql`; null of what no front of a command can say. */
function assignment(name: string, value: string | undefined): string | null {
  if (value === undefined || !/^[A-Z_][A-Z0-9_]*$/.test(name)) return null
  if (/^[\w@%+=:,./-]*$/.test(value)) return `${name}=${value}`
  if (!value.includes("'")) return `${name}='${value}'`
  return /["$`\\]/.test(value) ? null : `${name}="${value}"`
}
