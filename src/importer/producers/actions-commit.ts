/**
 * Which commit a job of GitHub Actions worked on. Only the job's own checkout tells it: a script may go to any commit of
 * any repository. Of several checkouts it is the one into the job's folder, the others name a `path`; where those into
 * the folder tell of two repositories or commits, it is not known.
 *
 * What proves most counts: the `HEAD` that a checkout ends at, then `git log -1`, then what was fetched under a name,
 * then `GITHUB_SHA` in the environment of a step. A checkout that cleans up first tells of the commit before, and
 * submodules of theirs.
 */
import { type LoggedStep, type StepHeading, shellOf } from './actions-log.ts'

export interface Commit {
  /** Hexadecimal, 7 digits at least. */
  readonly id: string
  readonly subject: string | null
}

const CHECKOUT = /^(?:\S*\/)?[\w.-]*checkout[\w.-]*@/i
const INPUT = /^ {2}(repository|path): (\S.*)$/
const COMMAND = /^\[command\](?:"[^"]*"|\S+) (.*)$/
const GIT_OPTIONS = /^(?:-c \S+ )+/
const FORCED = /^checkout (?:--progress )?--force /
const LAST_LOGGED = /^log -1 --format='?%H'?$/
const FETCHED = /\+([0-9a-f]{40,64}):(refs\/(?:remotes|tags)\/\S+)/g
const REF = /\brefs\/(?:remotes|tags)\/\S+/
const HEAD = /^HEAD is now at ([0-9a-f]{7,64})(?: (\S.*))?$/
const WHOLE_ID = /^'?([0-9a-f]{40,64})'?$/
const SHA = /^ {2}GITHUB_SHA: ([0-9a-f]{40,64})$/

/** An action that checks out a repository, whichever. */
export function isCheckout(step: StepHeading): boolean {
  return CHECKOUT.test(step.title) && shellOf(step) === null
}

/** What the environment of the step names; null when nothing. */
export function environmentCommit({ heading }: StepHeading): string | null {
  return heading.map((line) => SHA.exec(line)?.[1]).find((id) => id !== undefined) ?? null
}

export interface CheckedOut {
  /** As `owner/name`; null when the log does not tell it. */
  readonly repository: string | null
  /** The branch, tag or pull request, as git calls it; null when the log does not tell it. */
  readonly ref: string | null
  readonly commit: Commit | null
}

/** @param steps of one attempt, what stands in front of the first one included */
export function checkedOut(steps: readonly LoggedStep[]): CheckedOut {
  const all = steps.filter(isCheckout).map(({ heading, output }) => {
    const inputs = new Map(heading.map((line) => INPUT.exec(line) ?? []).map(([, name, value]) => [name, value]))
    return { repository: inputs.get('repository') ?? null, path: inputs.get('path'), ...checkoutIn(output) }
  })
  const inFolder = all.filter(({ path }) => path === undefined)
  const own = inFolder.length > 0 ? inFolder : all
  const { repository = null, ref = null } = own[0] ?? {}
  if (own.some((other) => other.repository !== repository)) return { repository, ref, commit: null }
  const told = own.flatMap(({ commit }) => commit ?? [])
  const [commit = beyondCheckouts(steps)] = told
  const agree = told.every((other) => commit !== null && commitKey(commit) === commitKey(other))
  return { repository, ref, commit: agree ? commit : null }
}

/** Of a log that begins within the checkout, or has none. */
function beyondCheckouts(steps: readonly LoggedStep[]): Commit | null {
  const [id = null] = steps.flatMap((step) => environmentCommit(step) ?? [])
  return (
    checkoutIn(steps[0]?.kind === 'head' ? steps[0].output : []).commit ?? (id === null ? null : { id, subject: null })
  )
}

/** @param output of a checkout */
function checkoutIn(output: readonly string[]): Pick<CheckedOut, 'ref' | 'commit'> {
  let command: string | null = null
  let head: Commit | null = null
  let logged: string | null = null
  let ref: string | null = null
  const fetched = new Map<string, string>()
  for (const line of output) {
    const called = COMMAND.exec(line)?.[1]?.replace(GIT_OPTIONS, '')
    if (called !== undefined) {
      command = called
      if (called.startsWith('fetch '))
        for (const [, id = '', name = ''] of called.matchAll(FETCHED)) fetched.set(id, name)
      if (FORCED.test(called)) ref = REF.exec(called)?.[0] ?? null
      continue
    }
    const [, id, subject = null] = HEAD.exec(line) ?? []
    // Where the log shows no command at all, what it says of HEAD is still the checkout's.
    if (id !== undefined && (command === null || FORCED.test(command))) head = { id, subject }
    if (command !== null && LAST_LOGGED.test(command)) logged ??= WHOLE_ID.exec(line)?.[1] ?? null
  }
  const [only = []] = fetched.size === 1 ? fetched : []
  const [onlyId = null, onlyRef = null] = only
  return { ref: ref ?? onlyRef, commit: commitOf(head, logged ?? onlyId) }
}

/** @param whole id, when the log has it */
function commitOf(head: Commit | null, whole: string | null): Commit | null {
  if (head === null) return whole === null ? null : { id: whole, subject: null }
  return whole?.startsWith(head.id) === true ? { ...head, id: whole } : head
}

/** Logs cut ids to as many digits as tell them apart; git never cuts to fewer. */
const DIGITS_MIN = 7

/** The same for the same commit however its id is cut; that another has it too is unlikely, and teaches nothing wrong. */
export function commitKey({ id }: Commit): string {
  return id.slice(0, DIGITS_MIN)
}

// As GitHub names what it makes of a pull request to test it. Group 1 is the commit of the pull request, 2 that of its base.
const TRIAL_MERGE = /^Merge ([0-9a-f]{40,64}) into ([0-9a-f]{40,64})$/

/**
 * For people: what it says of itself, and enough of its id to ask git for it. A merge that GitHub made for the job alone
 * says nothing of itself: the commit that it merges is named.
 * @param before the commit of the attempt before
 */
export function shownCommit(commit: Commit, before: Commit | null): string {
  const { subject } = commit
  const digits = commitKey(commit)
  if (subject === null) return `the commit ${digits}`
  const [, merged, base = ''] = TRIAL_MERGE.exec(subject) ?? []
  if (merged === undefined) return `the commit “${subject}” (${digits})`
  const own = merged.slice(0, DIGITS_MIN)
  return TRIAL_MERGE.exec(before?.subject ?? '')?.[1] === merged
    ? `the same commit of the pull request (${own}), merged into ${base.slice(0, DIGITS_MIN)}`
    : `a new commit of the pull request (${own})`
}
