/**
 * The attempts of each job in a log of GitHub Actions: what the runner did from its first line to its last. Of logs that
 * were cut to some steps and joined a new attempt begins where a job cannot go on: after its end, where the very same
 * checkout follows a command, where `GITHUB_SHA` is another.
 */
import { type CheckedOut, checkedOut, environmentCommit, isCheckout } from './actions-commit.ts'
import { type LoggedStep, stepsByJob } from './actions-log.ts'

export interface Attempt extends CheckedOut {
  readonly steps: readonly LoggedStep[]
  /** When it began, as the log writes times. */
  readonly start: string
  /** The rest of what attempts of one job have in common, each null when it is not told. */
  readonly name: string | null
  readonly system: string | null
  readonly image: string | null
  /** Workspace path of the log imported before that it stands in; null in the log at hand. */
  readonly logPath: string | null
}

/** The attempts of each job in the order of the log. @param logPath see `Attempt` */
export function attemptsByJob(text: string, logPath: string | null = null): readonly (readonly Attempt[])[] {
  const jobs = new Map<string, Attempt[]>()
  for (const [job, steps] of stepsByJob(text))
    for (const own of divided(steps)) {
      const attempt = { ...attemptOf(job, own), logPath }
      const key = `${job}\n${jobKey(attempt)}`
      const attempts = jobs.get(key) ?? []
      attempts.push(attempt)
      jobs.set(key, attempts)
    }
  return [...jobs.values()]
}

/** The same for attempts of one job, as far as they tell of it. */
export function jobKey({ name, repository, system, image }: Attempt): string {
  return JSON.stringify([name, repository, system, image])
}

function divided(steps: readonly LoggedStep[]): readonly (readonly LoggedStep[])[] {
  const attempts: LoggedStep[][] = []
  let current = new OpenAttempt()
  for (const step of steps) {
    if (current.endsAt(step)) {
      attempts.push(step.kind === 'run' ? withOpenEnd(current.steps) : current.steps)
      current = new OpenAttempt()
    }
    current.add(step)
  }
  return [...attempts, current.steps].filter((attempt) => attempt.some(({ kind }) => kind === 'run'))
}

/** The steps of an attempt so far, and what tells that the next one is of another. */
class OpenAttempt {
  readonly steps: LoggedStep[] = []
  #environmentCommit: string | null = null
  /** Those that no command has followed yet, and those that one has. */
  readonly #fresh = new Set<string>()
  readonly #followed = new Set<string>()

  endsAt(step: LoggedStep): boolean {
    const last = this.steps.at(-1)
    if (last === undefined) return false
    if (step.kind !== 'run') return step.kind === 'head'
    if (last.kind === 'end') return true
    const commit = environmentCommit(step)
    if (commit !== null && this.#environmentCommit !== null && commit !== this.#environmentCommit) return true
    return isCheckout(step) && this.#followed.has(asKey(step))
  }

  add(step: LoggedStep): void {
    this.steps.push(step)
    this.#environmentCommit ??= environmentCommit(step)
    if (step.kind !== 'run') return
    if (isCheckout(step)) this.#fresh.add(asKey(step))
    else {
      for (const checkout of this.#fresh) this.#followed.add(checkout)
      this.#fresh.clear()
    }
  }
}

function asKey({ title, heading }: LoggedStep): string {
  return [title, ...heading].join('\n')
}

/** That another attempt follows does not say how the last step of this one ended. */
function withOpenEnd(steps: readonly LoggedStep[]): LoggedStep[] {
  return steps.map((step, index) =>
    index === steps.length - 1 && !step.hasFailed ? { ...step, isFinished: false } : step,
  )
}

function attemptOf(job: string, steps: readonly LoggedStep[]): Omit<Attempt, 'logPath'> {
  const [first] = steps
  const head = first?.kind === 'head' ? first.output : []
  const system = head.indexOf('##[group]Operating System')
  return {
    ...checkedOut(steps),
    steps: steps.filter(({ kind }) => kind === 'run'),
    start: first?.start ?? '',
    name: toldIn(head, 'Complete job name: ') ?? (job === '' ? null : job),
    system: system < 0 ? null : (head[system + 1] ?? null),
    image: toldIn(head, 'Image: '),
  }
}

function toldIn(head: readonly string[], label: string): string | null {
  const line = head.find((text) => text.trimStart().startsWith(label))
  return line?.trimStart().slice(label.length) ?? null
}
