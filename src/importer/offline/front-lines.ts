/** What the passing call has in front that the failing one had not, or the other way round: a step of its own for a reader. */
import { codeLine } from '../producers/shown-text.ts'
import { commandParts } from './command-identity.ts'
import { type Fix, placeOf } from './fixes.ts'
import { relativeCommand } from './step-lines.ts'

/** Empty when both calls were made alike. */
export function frontLines(fix: Fix): readonly string[] {
  const { failed, passed, run } = fix
  if (!failed.shell || !passed.shell) return []
  const before = commandParts(failed.command)
  const after = commandParts(passed.command)
  const code = (text: string): string => relativeCommand(codeLine(text), run.folder)
  const listed = (fronts: readonly string[]): string => fronts.map(code).join(' and ')
  const added = after.fronts.filter((front) => !before.fronts.includes(front))
  const gone = before.fronts.filter((front) => !after.fronts.includes(front))
  const folder = placeOf(failed) === placeOf(passed) ? '' : (placeOf(passed).split('\n').at(-1) ?? '')
  const how = [
    added.length === 0 ? '' : `with ${listed(added)} in front`,
    gone.length === 0 ? '' : `without ${listed(gone)} in front`,
    folder === '' ? '' : `in the folder ${code(after.folder ?? folder)}`,
  ].filter((part) => part !== '')
  return how.length === 0 ? [] : [`run it ${how.join(', ')}`]
}
