/** Whether a step can have changed anything at all; not whether what it changed mattered. */
import { tellsFailedEdit } from '../producers/failed-edit.ts'
import type { Step } from '../producers/run.ts'
import { isCheck } from '../producers/shell-command.ts'

/** What only looks changes nothing, and neither does what failed, or a tool without an answer. A command may have gone to the background. */
export function mayChange({ kind, outcome, finished, shell, command, output }: Step): boolean {
  if (kind === 'look' || kind === 'note' || outcome === 'failed') return false
  if (kind !== 'command') return finished && !tellsFailedEdit(output)
  const said = output.trim()
  // A script that edits may say so too, in one line.
  const isNothing = NOTHING_DONE.test(said) || (!said.includes('\n') && tellsFailedEdit(said))
  return !(shell && isCheck(command)) && !isNothing
}

/** How programs say in their first line that there was nothing to do. */
const NOTHING_DONE =
  /^(?:No local changes to save|Already up to date\.|Everything up-to-date|Already on '|make: (?:Nothing to be done for |'.*' is up to date)|up to date(?:,| in )|nothing to commit\b)/
