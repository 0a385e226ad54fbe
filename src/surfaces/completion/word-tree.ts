/** What can be typed where, told from the commands and their flags: what scripts for shells are made of. */
import type { CommandDeclaration } from '../../app/operation.ts'
import { COMMON_FLAGS, commandFlagsOf, type Flag } from '../flags.ts'

/** What may stand in a place: one of some words, the name of a file or of a folder, or anything. */
export type Place =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'folder' | 'text' }

export interface Described {
  readonly word: string
  /** One sentence or less, without a full stop; of one line. */
  readonly about: string
}

export interface TypedFlag extends Described {
  /** What follows it; null for a switch. */
  readonly value: Place | null
}

export interface TypedCommand {
  /** One word or two. */
  readonly name: string
  readonly flags: readonly TypedFlag[]
  readonly places: readonly Place[]
  /** Whether the last place may be filled any number of times. */
  readonly repeats: boolean
}

export interface WordTree {
  readonly firstWords: readonly Described[]
  /** What may follow a first word that is half a command, by that word. */
  readonly secondWords: ReadonlyMap<string, readonly Described[]>
  readonly commands: readonly TypedCommand[]
  /** What every command takes. */
  readonly commonFlags: readonly TypedFlag[]
  /** Of every command and flag: what a word behind one of them cannot be is a command. */
  readonly valueFlags: readonly string[]
}

const HELP: TypedFlag = { word: '--help', about: 'Say what the command does and takes', value: null }
const VERSION: Described = { word: '--version', about: 'Print the version' }

export function wordTree(declared: readonly CommandDeclaration[]): WordTree {
  const named = declared.flatMap((one) => (one.command === null ? [] : [{ ...one, command: one.command }]))
  const commands = named.map(typedCommand)
  const commonFlags = [...COMMON_FLAGS.map(typedFlag), HELP]
  const all = [...commonFlags, ...commands.flatMap(({ flags }) => flags)]
  const valueFlags = [...new Set(all.flatMap(({ word, value }) => (value === null ? [] : [word])))].sort()
  return { ...wordsOf(named), commands, commonFlags, valueFlags }
}

function wordsOf(named: readonly { readonly command: string; readonly summary: string }[]) {
  const secondWords = new Map<string, readonly Described[]>()
  const firstWords = new Map<string, Described>()
  for (const { command, summary } of named) {
    const [first = '', second] = command.split(' ')
    if (second === undefined) firstWords.set(first, { word: first, about: firstSentence(summary) })
    else {
      const others = secondWords.get(first) ?? []
      secondWords.set(first, [...others, { word: second, about: firstSentence(summary) }])
    }
  }
  for (const [first, seconds] of secondWords)
    if (!firstWords.has(first)) {
      const list = seconds.map(({ word }) => word).join(', ')
      firstWords.set(first, { word: first, about: `One of: ${list}` })
    }
  return {
    firstWords: [...firstWords.values(), { word: 'help', about: 'Say what a command does' }, VERSION],
    secondWords,
  }
}

function typedCommand(declared: CommandDeclaration & { readonly command: string }): TypedCommand {
  const flags = commandFlagsOf(declared)
  const own = flags.filter(({ field }) => !declared.positionals.includes(field))
  const positional = declared.positionals.flatMap((field) => flags.find((flag) => flag.field === field) ?? [])
  return {
    name: declared.command,
    flags: own.map(typedFlag),
    places: positional.map(placeOf),
    repeats: positional.at(-1)?.isList === true,
  }
}

function typedFlag(flag: Flag): TypedFlag {
  const value = flag.type === 'switch' ? null : placeOf(flag)
  return { word: `--${flag.name}`, about: firstSentence(flag.about), value }
}

function placeOf({ values, placeholder }: Flag): Place {
  if (values.length > 0) return { kind: 'words', words: values }
  if (placeholder === 'FILE') return { kind: 'file' }
  return placeholder === 'DIR' ? { kind: 'folder' } : { kind: 'text' }
}

function firstSentence(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return (/^.*?\.(?= [A-Z]|$)/.exec(line)?.[0] ?? line).replace(/\.$/, '')
}
