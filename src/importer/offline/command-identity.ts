/** When two command lines are the same command. Cautious: another test, target or folder is another command. */

import { placeBelow } from '../producers/working-place.ts'

export interface CommandParts {
  /** Assignments and activations in front, as written; empty when there are none. */
  readonly environment: string
  /** The folder of a leading `cd`; null without one. */
  readonly folder: string | null
  /** The rest, without what only shortens or reports its output. */
  readonly core: string
}

const CHANGE_FOLDER = /^\(?cd ("[^"]*"|'[^']*'|[^\s;&|]+)\s?(?:&&|;)\s?/
const ASSIGNMENT =
  /^(?:(?:export |env )?[A-Z_][A-Z0-9_]*=(?:"[^"]*"|'[^']*'|[^\s"';&|]*)\s?(?:&&|;)?\s?|(?:source|\.) [^\s;&|]*activate\s?(?:&&|;)\s?)(?=\S)/
const TIMING = /^(?:time|command) (?=\S)/
const TRAILERS: readonly RegExp[] = [
  /\s?(?:;|&&|\|\|)\s?echo (?:"[^"]*\$\??[^"]*"|'[^']*'|\S*\$\?\S*)$/,
  /\s?\|\s?(?:tail|head|less|cat)(?: (?:-n ?)?-?\d+| --lines=\d+| -\d+)?$/,
  /\s?2>&1$/,
  /\s?\|\| (?:true|:)$/,
]
/** Trailers are looked for only here: they are short. */
const TRAILER_UNITS_MAX = 200

export function commandParts(command: string): CommandParts {
  let core = squeezed(command)
  let environment = ''
  let folder: string | null = null
  for (let round = 0; round < 20; round++) {
    const change = CHANGE_FOLDER.exec(core)
    const assignment = ASSIGNMENT.exec(core)
    const timing = TIMING.exec(core)
    const match = change ?? assignment ?? timing
    if (match === null) break
    if (change !== null) folder = joined(folder, (change[1] ?? '').replace(/^["']|["']$/g, '').replace(/\/+$/, ''))
    else if (assignment !== null) environment = `${environment} ${assignment[0].trim()}`.trim()
    core = core.slice(match[0].length)
  }
  return { environment, folder, core: withoutTrailers(core) }
}

function joined(folder: string | null, next: string): string {
  return folder === null || /^(?:[/~]|[A-Za-z]:)/.test(next) ? next : `${folder}/${next}`
}

function withoutTrailers(core: string): string {
  let text = core
  for (let round = 0; round < 6; round++) {
    const tail = text.slice(-TRAILER_UNITS_MAX)
    const shorter = TRAILERS.reduce((rest, trailer) => rest.replace(trailer, ''), tail)
    if (shorter === tail || (shorter === '' && text.length <= TRAILER_UNITS_MAX)) break
    text = text.slice(0, text.length - tail.length) + shorter
  }
  return text
}

/** Runs of blanks outside quotes as one; line ends are kept, for a script's lines are its meaning. */
export function squeezed(command: string): string {
  const parts: string[] = []
  let quote = ''
  let start = 0
  const text = command.trim()
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === '\\') index++
    else if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else if (character === ' ' || character === '\t') {
      let end = index + 1
      while (text[end] === ' ' || text[end] === '\t') end++
      if (end === index + 1 && character === ' ') continue
      parts.push(text.slice(start, index), ' ')
      start = end
      index = end - 1
    }
  }
  parts.push(text.slice(start))
  return parts.join('')
}

// Group 1 is the operation, group 2 how it goes on or ends.
const GIT_OPERATION = /^git (?:-c \S+ )?(rebase|merge|cherry-pick|revert|am)\b(?: --(continue|skip|abort|quit)\b)?/

/** `git rebase --continue` goes on with `git rebase main`. Both are one call, written differently. */
export function goesOnWith(core: string, begun: string): boolean {
  const [, operation, how] = GIT_OPERATION.exec(core) ?? []
  const [, begunOperation, begunHow] = GIT_OPERATION.exec(begun) ?? []
  return how === 'continue' && begunHow === undefined && begunOperation === operation
}

/**
 * Names commands so that equal names mean the same command. A leading `cd` is left out only while all uses of the rest
 * in this run agree on the folder: `cd a && npm test` and `cd b && npm test` test different things. So do equal
 * commands in places that the log shows to be different. What goes on with
 * an operation of git has the name of what began it.
 */
export function commandNames(
  calls: readonly { readonly command: string; readonly place?: string }[],
): readonly string[] {
  const parts = calls.map(({ command, place = '' }) => ({ ...commandParts(command), place }))
  const folders = new Map<string, Set<string>>()
  const places = new Map<string, Set<string>>()
  for (const { core, folder, place } of parts) {
    places.set(core, (places.get(core) ?? new Set()).add(place))
    if (folder !== null) folders.set(core, (folders.get(core) ?? new Set()).add(folder))
  }
  const begun = new Map<string, { readonly folder: string | null; readonly name: string; readonly place: string }>()
  return parts.map(({ core, folder, place }) => {
    const several = (folders.get(core)?.size ?? 0) > 1
    const moved = (places.get(core)?.size ?? 0) > 1
    const name = moved ? `${placeBelow(place, folder)}\n${core}` : several ? `${folder ?? ''}\n${core}` : core
    const [, operation = '', how] = GIT_OPERATION.exec(core) ?? []
    const start = begun.get(operation)
    if (operation !== '' && how === undefined) begun.set(operation, { folder, name, place })
    else if (how === 'abort' || how === 'quit') begun.delete(operation)
    const goesOn =
      how === 'continue' && start !== undefined && (folder === null || folder === start.folder) && place === start.place
    return goesOn ? start.name : name
  })
}
