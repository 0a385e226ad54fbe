/** When two command lines are the same command. Cautious: another test, target or folder is another command. */

import { LAST_CODE } from '../producers/exit-code-mask.ts'
import { placeBelow } from '../producers/working-place.ts'

export interface CommandParts {
  /** What decides how the program runs, as written: assignments, activations, `sudo`, `python -m`. */
  readonly fronts: readonly string[]
  /** After how long it is stopped, as written; null where nothing bounds it. */
  readonly timeLimit: string | null
  /** The folder of a leading `cd`; null without one. */
  readonly folder: string | null
  /** The rest, without what only shortens or reports its output; a `sudo` or `python -m` still stands there. */
  readonly core: string
  /** `core` without these: the same for the same program. */
  readonly program: string
}

const CHANGE_FOLDER = /^\(?cd ("[^"]*"|'[^']*'|[^\s;&|]+)\s?(?:&&|;)\s?/
const ASSIGNMENT =
  /^(?:(?:export |env )?[A-Z_][A-Z0-9_]*=(?:"[^"]*"|'[^']*'|[^\s"';&|]*)\s?(?:&&|;)?\s?|(?:source|\.) [^\s;&|]*activate\s?(?:&&|;)\s?)(?=\S)/
const SUDO = /^sudo (?:-[AEHSknb]+ )*(?=[\w./])/
// Modules that are programs of the same name as well.
const AS_MODULE =
  /^python[\d.]* -m (?=(?:alembic|black|celery|coverage|flake8|flask|gunicorn|isort|mkdocs|mypy|nox|pip|pipx|poetry|pylint|pyright|pytest|ruff|tox|twine|uvicorn|virtualenv)(?:\s|$))/
// What measures, ranks or bounds a command, and leaves what it does alone. Group 1 is its time.
const TIMING =
  /^(?:time|command|nice(?: -n ?-?\d+| -\d+)?|stdbuf(?: -[ioe]\S+)+|g?timeout (?:(?:-[ks] ?|--(?:kill-after|signal)[= ])\S+ |--?[a-z-]+ )*(\d[\d.]*[smhd]?)) (?=\S)/
const TRAILERS: readonly RegExp[] = [
  new RegExp(String.raw`\s?(?:;|&&|\|\|)\s?echo (?:"[^"]*\$[^"]*"|'[^']*'|\S*${LAST_CODE}\S*)$`),
  /\s?\|\s?(?:tail|head|less|cat)(?: (?:-n ?)?-?\d+| --lines=\d+| -\d+)?$/,
  /\s?2>&1$/,
  /\s?\|\| (?:true|:)$/,
]
/** Trailers are looked for only here: they are short. */
const TRAILER_UNITS_MAX = 200

export function commandParts(command: string): CommandParts {
  let core = squeezed(command)
  const fronts: string[] = []
  let folder: string | null = null
  let timeLimit: string | null = null
  for (let round = 0; round < 20; round++) {
    const change = CHANGE_FOLDER.exec(core)
    const assignment = ASSIGNMENT.exec(core)
    const timing = TIMING.exec(core)
    const match = change ?? assignment ?? timing
    if (match === null) break
    if (change !== null) folder = joined(folder, (change[1] ?? '').replace(/^["']|["']$/g, '').replace(/\/+$/, ''))
    else if (assignment !== null) fronts.push(assignment[0].trim().replace(/\s?(?:&&|;)$/, ''))
    else timeLimit = match[1] ?? timeLimit
    core = core.slice(match[0].length)
  }
  core = withoutTrailers(core)
  const sudo = SUDO.exec(core)?.[0] ?? ''
  const module = AS_MODULE.exec(core.slice(sudo.length))?.[0] ?? ''
  const wrappers = [sudo, module].map((front) => front.trim()).filter((front) => front !== '')
  return { fronts: [...fronts, ...wrappers], timeLimit, folder, core, program: core.slice(sudo.length + module.length) }
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
 * commands in places that the log shows to be different. What goes on with an operation of git has the name of what began
 * it. `pytest` and `python -m pytest` are one command while only one Python is named for it: a pass of another says nothing
 * of the first.
 */
export function commandNames(
  calls: readonly { readonly command: string; readonly place?: string; readonly setting?: string }[],
): readonly string[] {
  const parts = withPrograms(
    calls.map(({ command, place = '', setting }) => {
      const own = commandParts(command)
      return { ...own, place, program: setting === undefined ? own.program : `${setting}\n${own.program}` }
    }),
  )
  const folders = new Map<string, Set<string>>()
  const places = new Map<string, Set<string>>()
  for (const { program, folder, place } of parts) {
    places.set(program, (places.get(program) ?? new Set()).add(place))
    if (folder !== null) folders.set(program, (folders.get(program) ?? new Set()).add(folder))
  }
  const begun = new Map<string, { readonly folder: string | null; readonly name: string; readonly place: string }>()
  return parts.map(({ program, folder, place }) => {
    const several = (folders.get(program)?.size ?? 0) > 1
    const moved = (places.get(program)?.size ?? 0) > 1
    const name = moved ? `${placeBelow(place, folder)}\n${program}` : several ? `${folder ?? ''}\n${program}` : program
    const [, operation = '', how] = GIT_OPERATION.exec(program) ?? []
    const start = begun.get(operation)
    if (operation !== '' && how === undefined) begun.set(operation, { folder, name, place })
    else if (how === 'abort' || how === 'quit') begun.delete(operation)
    const goesOn =
      how === 'continue' && start !== undefined && (folder === null || folder === start.folder) && place === start.place
    return goesOn ? start.name : name
  })
}

/** With the whole `core` for the program where several Pythons run it. */
function withPrograms<Parts extends CommandParts>(parts: readonly Parts[]): readonly Parts[] {
  const pythons = new Map<string, Set<string>>()
  for (const { fronts, program } of parts) {
    const python = fronts.find((front) => front.endsWith(' -m'))
    if (python !== undefined) pythons.set(program, (pythons.get(program) ?? new Set()).add(python))
  }
  return parts.map((part) => ((pythons.get(part.program)?.size ?? 0) > 1 ? { ...part, program: part.core } : part))
}
