/** What may be typed behind a slash: the commands of the operations that are offered here, by their names and short ones. */
import { nearest } from '../../app/nearest.ts'
import type { Operation } from '../../app/operation.ts'
import { operationsFor } from '../../app/operation-table.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { COMMANDS, namesOf } from '../commands.ts'
import { namingWorkspace } from '../named-workspace.ts'
import { SETTING_NAMES } from './repl-settings.ts'

export const REPL_OPERATIONS: readonly Operation[] = operationsFor('repl').map(askedHere)

/** What stays open is this workspace: no line asks a service. */
function askedHere(operation: Operation): Operation {
  const { isRemote: _, ...here } = operation
  return here
}

/** Whether it takes one query of plain words, and recalls what they are found in. */
export function looksForWords({ recallsPast, positionals }: Operation): boolean {
  return recallsPast === true && positionals[0] === 'query'
}

export const QUIT_NAMES = ['quit', 'exit', 'q'] as const
export const HELP_NAME = 'help'
/** What is no operation, without the short forms of `quit`. */
export const OWN_NAMES: readonly string[] = [...SETTING_NAMES, HELP_NAME, QUIT_NAMES[0]]

const OFFERED = namesOf(REPL_OPERATIONS)
const ELSEWHERE = namesOf(COMMANDS).filter((name) => !OFFERED.includes(name))
const TAKEN: ReadonlySet<string> = new Set([...OWN_NAMES, ...QUIT_NAMES])

/** Command by its short name: the last of two words where no other command has that word; of a list its plural. */
export const SHORT_NAMES: ReadonlyMap<string, string> = shortNames(OFFERED, [...OFFERED, ...ELSEWHERE])

/** All that may be typed, sorted. */
export const TYPED_NAMES: readonly string[] = [...OFFERED, ...SHORT_NAMES.keys(), ...OWN_NAMES].sort()

/** @param offered whose short names are wanted. @param all among which they must be the only ones */
export function shortNames(offered: readonly string[], all: readonly string[]): ReadonlyMap<string, string> {
  const words = all.flatMap((name) => [...new Set(name.split(' '))])
  const isFree = (word: string) => words.filter((other) => other === word).length === 1 && !TAKEN.has(word)
  const found = new Map<string, string>()
  for (const name of offered) {
    const [first = '', last] = name.split(' ')
    if (last === undefined) continue
    if (last === 'list') {
      if (!words.includes(`${first}s`)) found.set(`${first}s`, name)
    } else if (isFree(last)) found.set(last, name)
  }
  return found
}

/** A command at the beginning of some words, and those that follow it. */
export interface NamedCommand {
  readonly name: string
  readonly rest: readonly string[]
}

/** Null where the words begin with none that is offered here. */
export function commandAt(words: readonly string[]): NamedCommand | null {
  for (const count of [2, 1]) {
    const typed = words.slice(0, count).join(' ')
    const name = OFFERED.includes(typed) ? typed : SHORT_NAMES.get(typed)
    if (name !== undefined && words.length >= count) return { name, rest: words.slice(count) }
  }
  return null
}

/** Whether they begin with the first word of commands that have two. */
export function isGroup([word = '']: readonly string[]): boolean {
  return OFFERED.some((name) => name.startsWith(`${word} `))
}

/** What there is only on the command line is told with how to run it there; null for anything else. */
export function elsewhereFault(words: readonly string[], workspace: string | null): MemoryError | null {
  const name = ELSEWHERE.find((one) => one === words.slice(0, one.split(' ').length).join(' '))
  if (name === undefined) return null
  const run = namingWorkspace(`knowhow ${name}`, workspace)
  return new MemoryError('unknown_command', `/${name} is not offered here; run it on the command line: ${run}`)
}

export function unknownCommand(word: string): MemoryError {
  const near = nearest(word, TYPED_NAMES)
  const advice = near === null ? 'see /help' : `did you mean /${near}?`
  return new MemoryError(
    'unknown_command',
    `there is no command ${JSON.stringify(`/${word}`)}; ${advice} (to search for it, put a space before it)`,
  )
}

const NAMES = OFFERED.toSorted((a, b) => b.length - a.length).join('|')
const HELP_ASKED = /\bsee (?:knowhow )?((?:[a-z]+ ){0,2})--help/g
const COMMAND_NAMED = new RegExp(`\\bknowhow (${NAMES})(?=[\\s;:,.)]|$)`, 'g')

/** Commands in what the program says next, as they are typed here; those of the command line for the same workspace. */
export function replWords(text: string, workspace: string | null): string {
  const here = text
    .replace(HELP_ASKED, (_, words: string) => `see /help ${words}`.trimEnd())
    .replace(COMMAND_NAMED, (_, name: string) => `/${name}`)
  return namingWorkspace(here, workspace)
}
