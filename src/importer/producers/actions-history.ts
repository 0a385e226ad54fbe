/**
 * Attempts of a job in logs that were imported before: a CI keeps a log an attempt, so what failed and what passed stand
 * in different files. They count as attempts in the log at hand do, if name and repository of the job are known and no
 * branch or pull request contradicts: of one that fails and another that passes, neither mended the other.
 *
 * - Behind the log at hand count the attempts since the job last came through: what failed before that is over.
 * - A log that is imported after the one of a later attempt is paired with that one, as if it had come in time, unless
 *   failures that are here already stand before it as well: their pairing is told.
 * - An attempt that an earlier log holds too is that log's: nothing of it is told twice.
 *
 * Logs are looked at by their first and last times and the names of jobs in them, and few are read.
 */
import { type Attempt, attemptsByJob, jobKey } from './actions-attempts.ts'
import { commitKey } from './actions-commit.ts'
import { isActionsLog, namesOf, timesOf } from './actions-log.ts'
import type { EarlierLog } from './earlier-log.ts'

/** Of a job that has failed for long only its latest attempts count. */
const BEHIND_MAX = 20

interface TimedLog {
  readonly log: EarlierLog
  /** Those of the jobs asked for that it names. */
  readonly names: ReadonlySet<string>
  /** The first and the last time in it. */
  readonly first: string
  readonly last: string
}

export class ActionsHistory {
  readonly #logs: readonly TimedLog[]
  readonly #read = new Map<EarlierLog, AttemptsByJob>()

  /**
   * @param logs  the latest import first
   * @param names of the jobs that will be asked for
   */
  constructor(logs: readonly EarlierLog[], names: readonly string[]) {
    this.#logs = logs.flatMap((log) => timedLog(log, names) ?? [])
  }

  /** The attempts of one job in the log at hand, with those before and after them. */
  around(attempts: readonly Attempt[]): readonly Attempt[] {
    const [first] = attempts
    if (first === undefined || !isKnown(first)) return attempts
    const own = attempts.map((attempt) => this.#holderOf(attempt) ?? attempt)
    const behind = this.#behind(first)
    const ahead = behind.length === 0 ? this.#ahead(own) : null
    return ahead === null ? [...behind, ...own] : [...own, ahead]
  }

  /** The same attempt in an earlier log of other bytes. */
  #holderOf(attempt: Attempt): Attempt | null {
    const { start } = attempt
    const near = this.#logsOf(attempt).filter(({ log, first, last }) => !log.isSame && first <= start && start <= last)
    for (const { log } of near) {
      const same = this.#attemptsIn(log, attempt).get(attemptKey(attempt))
      if (same !== undefined) return same
    }
    return null
  }

  /** Those since the job last came through, in the order in which they began. */
  #behind(next: Attempt): readonly Attempt[] {
    let since: AttemptsSince = { attempts: new Map(), endedAt: '' }
    const before = this.#logsOf(next).filter(({ first }) => first < next.start)
    // The latest first: one that is over before something came through is not read.
    for (const { log, last } of before.toSorted((a, b) => compared(b.first, a.first))) {
      if (last <= since.endedAt) continue
      const found = [...this.#attemptsIn(log, next)].filter(
        ([, attempt]) => isSameLine(attempt, next) && attempt.start < next.start,
      )
      since = attemptsSince(since, found)
    }
    return [...since.attempts.values()]
  }

  /** The next attempt, where the last one failed and is new here. */
  #ahead(own: readonly Attempt[]): Attempt | null {
    const last = own.at(-1)
    if (last === undefined || last.logPath !== null || !hasFailed(last)) return null
    let next: Attempt | null = null
    for (const { log, ...times } of this.#logsOf(last).toSorted((a, b) => compared(a.first, b.first))) {
      if (times.last < last.start || (next !== null && times.first > next.start)) continue
      if (log.isSame) return null
      for (const attempt of this.#attemptsIn(log, last).values()) {
        if (!isSameLine(attempt, last) || attempt.start <= last.start) continue
        if (next === null || attempt.start < next.start) next = attempt
      }
    }
    return next
  }

  #logsOf({ name }: Attempt): readonly TimedLog[] {
    return this.#logs.filter(({ names }) => name !== null && names.has(name))
  }

  /** Those of the same job by `attemptKey`. */
  #attemptsIn(log: EarlierLog, like: Attempt): ReadonlyMap<string, Attempt> {
    const jobs = this.#read.get(log) ?? attemptsRead(log)
    this.#read.set(log, jobs)
    return jobs.get(jobKey(like)) ?? new Map()
  }
}

interface AttemptsSince {
  /** By `attemptKey`, in the order in which they began, BEHIND_MAX at most. */
  readonly attempts: ReadonlyMap<string, Attempt>
  /** What began until then counts no longer: one that began then came through, or BEHIND_MAX began after it. */
  readonly endedAt: string
}

/**
 * The attempts since the job last came through, as far as two sets of them show it.
 * @param found by `attemptKey`, in any order; of the same attempt in both it stays
 */
function attemptsSince(known: AttemptsSince, found: readonly (readonly [string, Attempt])[]): AttemptsSince {
  const passed = found.filter(([, attempt]) => !hasFailed(attempt)).map(([, { start }]) => start)
  const passedAt = [known.endedAt, ...passed].toSorted(compared).at(-1) ?? ''
  const since = [...new Map([...known.attempts, ...found])]
    .filter(([, { start }]) => start > passedAt)
    .sort(([, a], [, b]) => compared(a.start, b.start))
  const endedAt = since.at(-BEHIND_MAX - 1)?.[1].start ?? passedAt
  return { attempts: new Map(since.slice(-BEHIND_MAX)), endedAt }
}

type AttemptsByJob = ReadonlyMap<string, ReadonlyMap<string, Attempt>>

function attemptsRead(log: EarlierLog): AttemptsByJob {
  const text = log.masked()
  const jobs = new Map<string, Map<string, Attempt>>()
  for (const attempt of text === null || !isActionsLog(text) ? [] : attemptsByJob(text, log.path).flat()) {
    const attempts = jobs.get(jobKey(attempt)) ?? new Map<string, Attempt>()
    jobs.set(jobKey(attempt), attempts.set(attemptKey(attempt), attempt))
  }
  return jobs
}

/** Whether its job can be known again in another log, and the commit that it may have brought. */
export function isKnown({ name, repository, commit, start }: Attempt): boolean {
  return name !== null && repository !== null && commit !== null && start !== ''
}

/** Null of a log that names none of the jobs. */
function timedLog(log: EarlierLog, names: readonly string[]): TimedLog | null {
  const text = log.glance()
  if (text === null) return null
  const told = namesOf(text)
  const held = new Set(names.filter((name) => told.has(name)))
  return held.size === 0 ? null : { log, names: held, ...timesOf(text) }
}

/** Of attempts of one job: whether they are, as far as the logs tell, on the same branch or pull request. */
function isSameLine(one: Attempt, other: Attempt): boolean {
  return one.ref === null || other.ref === null || one.ref === other.ref
}

/** No two attempts of a job begin in the same tenth of a microsecond. */
function attemptKey({ start, commit }: Attempt): string {
  return `${start} ${commit === null ? '' : commitKey(commit)}`
}

function hasFailed({ steps }: Attempt): boolean {
  return steps.some((step) => step.hasFailed)
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
