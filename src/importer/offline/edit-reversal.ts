/** Whether an edit by a tool was taken back by another one, which puts in the same file the old text where the new one was. */
import { fieldOf, parsedValue, textField } from '../producers/json-records.ts'
import type { Run, Step } from '../producers/run.ts'
import { mayChange } from './step-change.ts'

interface Replacement {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** By replacement, where in the run it is made, ascending. */
type Replacements = ReadonlyMap<string, readonly number[]>

const replacementsOf = new WeakMap<Run, Replacements>()

/** The first step behind the one at `index` that takes its edit back; null where none does, or where it is made again after that. */
export function reversalOf(run: Run, index: number): number | null {
  const step = run.steps[index]
  const replacement = step === undefined ? null : replacementIn(step)
  if (replacement === null) return null
  const { path, before, after } = replacement
  const all = replacements(run)
  const reversal = all.get(asKey({ path, before: after, after: before }))?.find((at) => at > index)
  if (reversal === undefined) return null
  return (all.get(asKey(replacement))?.at(-1) ?? -1) > reversal ? null : reversal
}

function replacements(run: Run): Replacements {
  const known = replacementsOf.get(run)
  if (known !== undefined) return known
  const found = new Map<string, number[]>()
  for (const [index, step] of run.steps.entries()) {
    const replacement = mayChange(step) ? replacementIn(step) : null
    if (replacement === null) continue
    const key = asKey(replacement)
    const indexes = found.get(key) ?? []
    indexes.push(index)
    found.set(key, indexes)
  }
  replacementsOf.set(run, found)
  return found
}

function asKey({ path, before, after }: Replacement): string {
  return JSON.stringify([path, before, after])
}

/** Null of an edit of any other form, and of what is no edit. */
function replacementIn({ kind, command }: Step): Replacement | null {
  const start = kind === 'edit' ? command.indexOf('{') : -1
  const [given] = start < 0 ? [] : parsedValue(command.slice(start))
  const path = textField(given, 'file_path', 'path', 'filePath', 'filename', 'file')
  const before = textField(given, 'old_string', 'old_str', 'oldText', 'old_text', 'search')
  const after = textField(given, 'new_string', 'new_str', 'newText', 'new_text', 'replace')
  if (path === null || before === null || after === null || fieldOf(given, 'edits') !== undefined) return null
  return { path, before, after }
}
