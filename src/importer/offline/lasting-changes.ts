/** Which of the steps between a failure and a pass left something changed that the pass can rest on. */
import type { Run, Step } from '../producers/run.ts'
import { commandShape, isLook, programOf } from '../producers/shell-command.ts'
import { reversalOf } from './edit-reversal.ts'
import { mayChange } from './step-change.ts'

export interface Interval {
  readonly run: Run
  readonly failedIndex: number
  readonly passIndex: number
}

/** Without what was taken back, and without files for oneself that the failing command knows nothing of. */
export function lastingChanges({ run, failedIndex, passIndex }: Interval): readonly Step[] {
  const failed = run.steps[failedIndex]
  let changes: Step[] = []
  const reversals = new Set<number>()
  for (const [at, step] of run.steps.slice(failedIndex + 1, passIndex).entries()) {
    const reversal = reversalOf(run, failedIndex + 1 + at)
    if (reversal !== null && reversal < passIndex && mayChange(step)) reversals.add(reversal)
    // An edit and what takes it back are no change together.
    if (reversals.has(failedIndex + 1 + at) || (reversal !== null && reversal < passIndex)) continue
    const isOwn =
      failed !== undefined && (isFetchFor(step, failed) || (mayChange(step) && !isBeside(step, failed, run)))
    if (!isOwn) continue
    const scope = restoredScope(step)
    const kept = scope === null ? changes : changes.filter((change) => !isWithin(change, scope))
    const isUndone = kept.length < changes.length
    // What was changed before the failure is taken back as well, and that is a change.
    const isOnlyUndone = isUndone && !run.steps.slice(0, failedIndex).some((step) => isWithin(step, scope ?? []))
    changes = isOnlyUndone ? kept : [...kept, step]
  }
  return bringsBack(run, passIndex) ? changes.filter(({ command }) => !PUT_AWAY.test(command)) : changes
}

const PUT_AWAY = /^git stash(?:$|\s)/
/** Later nobody remembers a stash. */
const STEPS_UNTIL_BACK = 50

/** Whether what was put away for the pass came back after it: then the pass was of another state than the run went on with. */
function bringsBack(run: Run, passIndex: number): boolean {
  const later = run.steps.slice(passIndex + 1, passIndex + 1 + STEPS_UNTIL_BACK)
  return later.some(({ shell, outcome, command }) => shell && outcome !== 'failed' && BROUGHT_BACK.test(command))
}

const BROUGHT_BACK = /(?:^|[;&]\s*)git stash (?:pop|apply)\b/

const KEEPING = /\bgit (?:-\S+ \S+ )*(?:checkout|restore|stash|reset|revert|commit)\b/
const COMMITTED = /(?:^|[;&]\s*)git (?:-\S+ \S+ )*commit\b/
const REVERTED = /(?:^|[;&]\s*)git revert (?!--(?:abort|quit)\b)/
/** To another commit than the one that the run is at. */
const RESET = /(?:^|[;&]\s*)git reset (?:-q )?--hard (?!HEAD(?:\s|$))\S/

const keepingOf = new WeakMap<Run, readonly number[]>()

/** Where the run speaks with git about what is kept; each run is read once, though several fixes may ask. */
function keepingIndexes(run: Run): readonly number[] {
  const speaks = ({ shell, outcome, command }: Step): boolean => shell && outcome !== 'failed' && KEEPING.test(command)
  const known = keepingOf.get(run) ?? run.steps.flatMap((step, index) => (speaks(step) ? [index] : []))
  keepingOf.set(run, known)
  return known
}

/** Of a run that goes on for long only so much is asked. */
const KEEPING_STEPS_MAX = 200

/** Whether later in the run all edits that the pass can rest on were taken back: then the run itself went on without them. */
export function areTakenBack({ run, failedIndex, passIndex }: Interval, changes: readonly Step[]): boolean {
  const keeping = keepingIndexes(run)
  const places = new Map(run.steps.slice(failedIndex + 1, passIndex).map((step, at) => [step, failedIndex + 1 + at]))
  let edits = changes.filter((step) => isWithin(step, []))
  if (edits.length === 0) return false
  edits = edits.filter((edit) => reversalOf(run, places.get(edit) ?? passIndex) === null)
  let committed: readonly Step[] = []
  let stashed: readonly Step[] = []
  for (const index of keeping.filter((at) => at > failedIndex).slice(0, KEEPING_STEPS_MAX)) {
    const { command } = run.steps[index] ?? { command: '' }
    const isDone = (edit: Step): boolean => (places.get(edit) ?? 0) < index
    if (COMMITTED.test(command)) {
      committed = [...committed, ...edits.filter(isDone)]
      edits = edits.filter((edit) => !isDone(edit))
    } else if (index < passIndex) continue
    else if (REVERTED.test(command)) committed = []
    else if (RESET.test(command)) {
      committed = []
      edits = []
    } else if (BROUGHT_BACK.test(command)) edits = [...edits, ...stashed]
    else {
      const scope = scopeOnFiles(run.steps[index])
      if (scope === null) continue
      stashed = PUT_AWAY.test(command) ? edits : []
      edits = edits.filter((edit) => !isWithin(edit, scope))
    }
  }
  return edits.length + committed.length === 0
}

/** As `restoredScope`; null also of a name alone that is checked out, which may be a branch. */
function scopeOnFiles(step: Step | undefined): readonly string[] | null {
  const scope = step === undefined ? null : restoredScope(step)
  if (scope === null || scope.length === 0 || /\bgit restore\b| -- /.test(step?.command ?? '')) return scope
  return scope.some((path) => /[./]/.test(path)) ? scope : null
}

/** What git fetches changes the answers of git alone, and of those not what a remote refuses. */
function isFetchFor(step: Step, failed: Step): boolean {
  return step.outcome !== 'failed' && /^git fetch\b/.test(step.command) && /^git (?!push\b)/.test(failed.command)
}

// Group 1 are the paths.
const RESTORE = /^git (?:checkout|restore)(?: (?:HEAD|--(?:quiet|worktree|source=HEAD)|-[qW]))* (?:-- )?([^-\s].*)$/
const RESTORE_ALL =
  /^git (?:stash(?: (?:push|save|-u|-a|-q|--include-untracked|--all|--quiet|-m|--message|"[^"]*"|'[^']*'))*|reset (?:-q )?--hard(?: HEAD)?|(?:checkout|restore)(?: HEAD| --)* \.)$/

/** The paths that a step takes back to what git knows; empty for all of them, null where it does not. */
function restoredScope({ shell, command }: Step): readonly string[] | null {
  if (!shell) return null
  const acting = commandShape(command).segments.filter((segment) => !isLook(segment))
  const [only = ''] = acting
  if (acting.length !== 1) return null
  if (RESTORE_ALL.test(only)) return []
  const paths = RESTORE.exec(only)?.[1]?.split(' ')
  return paths?.map((path) => path.replace(/^["']|["']$/g, '').replace(/^\.\/|\/+$/g, '')) ?? null
}

const EDITING = /^(?:sed|perl|patch|tee|git apply|ed|awk)(?=\s|$)/

/** Whether a step edited files of the scope by itself. */
function isWithin(step: Step, scope: readonly string[]): boolean {
  const { kind, shell, command, shown } = step
  if (!mayChange(step)) return false
  // Where a tool edits the file that is open, only what is shown of the step names it.
  const named = kind === 'edit' ? `${command}\n${shown}` : command
  const edits = kind === 'edit' || (shell && isEditing(command))
  return edits && (scope.length === 0 || scope.some((path) => path !== '' && named.includes(path)))
}

function isEditing(command: string): boolean {
  const { segments, writes } = commandShape(command)
  return segments.every((segment) => isLook(segment) || EDITING.test(segment)) && (writes || !isLook(command))
}

const TEMPORARY = String.raw`["']?((?:/var)?/tmp/[^\s"'<>|;&]+)["']?`
const NOTED = new RegExp(`^(?:mkdir(?: -p)?|touch) ${TEMPORARY}$|>>? ?${TEMPORARY}(?:$|\\s)`)
const NOTED_BY_TOOL = /"(?:file_path|path|filename|file)":"((?:\/var)?\/tmp\/[^"]+)"/

/** Whether it only makes a temporary file or folder of which neither the failing command nor its output speaks, and outside the run's folder. */
function isBeside({ kind, shell, command }: Step, failed: Step, { folder }: Run): boolean {
  const path = shell ? madeIn(command) : kind === 'edit' ? (NOTED_BY_TOOL.exec(command)?.[1] ?? null) : null
  if (path === null) return false
  const isInside = [folder, failed.place?.split('\n').at(-1)].some(
    (place) =>
      place !== null && place !== undefined && place !== '' && path.startsWith(`${place.replace(/\/+$/, '')}/`),
  )
  return !isInside && !failed.command.includes('/tmp') && !failed.output.includes(path)
}

/** Where a command writes that does nothing else; null of any other. */
function madeIn(command: string): string | null {
  const { segments } = commandShape(command)
  const only = segments.length === 1 ? command : ''
  if (!/^(?:mkdir|touch|echo|printf|cat)$/.test(programOf(only))) return null
  const [, made, written] = NOTED.exec(only.split('\n')[0] ?? '') ?? []
  return made ?? written ?? null
}
