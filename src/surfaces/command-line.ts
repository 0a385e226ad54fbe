/** Reads argv by what the operation table says. Runs nothing. */
import { nearest } from '../app/nearest.ts'
import type { CommandDeclaration, Operation } from '../app/operation.ts'
import { MemoryError } from '../model/memory-error.ts'
import { beforeDoubleDash } from './argv.ts'
import { COMMANDS, namesOf } from './commands.ts'
import { COMMON_FLAGS, type CommonFlags, commandFlagsOf, type Flag, typedValue } from './flags.ts'
import type { SurfaceCommand } from './surface-command.ts'

export type HelpTopic =
  | { readonly kind: 'program' }
  | { readonly kind: 'command'; readonly declared: CommandDeclaration }
  /** The commands of two words that begin with this one. */
  | { readonly kind: 'group'; readonly word: string; readonly commands: readonly CommandDeclaration[] }

export type CommandLine =
  | {
      readonly kind: 'run'
      readonly operation: Operation
      readonly input: Readonly<Record<string, unknown>>
      /** Of a file with further fields, `-` for standard input; null without one. */
      readonly from: string | null
      /** Of the service that is asked in place of a workspace here; null for none. */
      readonly remote: string | null
      readonly common: CommonFlags
    }
  | {
      readonly kind: 'open'
      readonly surface: SurfaceCommand
      readonly input: Readonly<Record<string, unknown>>
      readonly common: CommonFlags
    }
  | { readonly kind: 'help'; readonly topic: HelpTopic; readonly json: boolean }
  | { readonly kind: 'version'; readonly json: boolean }

/**
 * @param argv     without the program's own name
 * @param commands those there are
 * Throws `invalid_argument`, `unknown_command`.
 */
export function readCommandLine(
  argv: readonly string[],
  commands: readonly (Operation | SurfaceCommand)[] = COMMANDS,
): CommandLine {
  const words = joinedCommand(withFlagFor(argv), commands)
  const word = commandWord(words, commands)
  const declared = commands.find(({ command }) => command === word)
  const asked = new Set(withoutValues(beforeDoubleDash(words), declared === undefined ? commands : [declared]))
  const isAboutProgram = declared === undefined && (asked.has('--version') || asked.has('-v'))
  if (isAboutProgram) return { kind: 'version', json: asked.has('--json') }
  const help = words.length === 0 || asked.has('--help') || asked.has('-h')
  if (help) return { kind: 'help', topic: helpTopic(words, declared, commands), json: asked.has('--json') }
  if (declared === undefined) throw unknownCommand(words, commands)
  const own = commandFlagsOf(declared)
  const { args, given } = split(words, [...COMMON_FLAGS, ...own])
  const [, ...rest] = args
  const input = { ...values(own, given), ...positionals(declared, own, rest) }
  const common = commonFlags(given)
  if ('open' in declared) return { kind: 'open', surface: declared, input, common }
  return { kind: 'run', operation: declared, ...apart(declared, input), common }
}

/** Whether it names no command and asks for neither help nor version: flags that every command takes, or nothing. */
export function namesNoCommand(argv: readonly string[]): boolean {
  // Nothing is read of most command lines, nor any schema made: see `commandPlace`.
  if (argv[0]?.startsWith('-') === false || argv.some((word) => ANSWERED_FLAGS.has(word))) return false
  return argv.length === 0 || commandWord(argv, COMMANDS) === undefined
}

const ANSWERED_FLAGS: ReadonlySet<string> = new Set(['--help', '-h', '--version', '-v'])

/** The flags `--from` and `--remote` name no fields, where they are flags of their own. */
function apart({ takesObject, isRemote }: CommandDeclaration, typed: Readonly<Record<string, unknown>>) {
  const own = new Set([...(takesObject === true ? ['from'] : []), ...(isRemote === true ? ['remote'] : [])])
  const textOf = (flag: string) => (own.has(flag) && typeof typed[flag] === 'string' ? typed[flag] : null)
  const input = Object.fromEntries(Object.entries(typed).filter(([field]) => !own.has(field)))
  return { input, from: textOf('from'), remote: textOf('remote') }
}

/** Throws `unknown_command` for help about what there is not. */
function helpTopic(
  words: readonly string[],
  declared: CommandDeclaration | undefined,
  commands: readonly CommandDeclaration[],
): HelpTopic {
  if (declared !== undefined) return { kind: 'command', declared }
  const word = commandWord(words, commands)
  if (word === undefined) return { kind: 'program' }
  const members = groupOf(word, commands)
  if (members.length === 0) throw unknownCommand(words, commands)
  return { kind: 'group', word, commands: members }
}

function groupOf(word: string, commands: readonly CommandDeclaration[]): readonly CommandDeclaration[] {
  return commands.filter(({ command }) => command?.startsWith(`${word} `) === true)
}

/** `help search` and `version`, as people type them. */
function withFlagFor(argv: readonly string[]): readonly string[] {
  if (argv[0] === 'help') return [...argv.slice(1).filter((word) => word !== 'help' && word !== 'version'), '--help']
  return argv[0] === 'version' ? ['--version', ...argv.slice(1)] : argv
}

/** `memory recall` typed as two words becomes the one name of the command. */
function joinedCommand(words: readonly string[], commands: readonly CommandDeclaration[]): readonly string[] {
  const at = commandPlace(words, commands)
  const pair = words.slice(at, at + 2).join(' ')
  const known = at >= 0 && commands.some(({ command }) => command === pair)
  return known ? words.toSpliced(at, 2, pair) : words
}

/** The first word that is neither a flag nor the value of one, which only what follows a flag can be. */
function commandWord(words: readonly string[], commands: readonly CommandDeclaration[]): string | undefined {
  return words[commandPlace(words, commands)]
}

/** -1 for none. */
function commandPlace(words: readonly string[], commands: readonly CommandDeclaration[]): number {
  // Else every command line would make the input schemas of all commands to know their flags.
  if (words[0]?.startsWith('-') === false) return 0
  const isValue = valueTest(words, commands)
  return words.findIndex((word, at) => !word.startsWith('-') && !isValue(at))
}

/** A word behind a flag that takes a value is that value, whatever it looks like. */
function withoutValues(words: readonly string[], commands: readonly CommandDeclaration[]): readonly string[] {
  const isValue = valueTest(words, commands)
  return words.filter((_, at) => !isValue(at))
}

function valueTest(words: readonly string[], commands: readonly CommandDeclaration[]): (at: number) => boolean {
  const flags = [...COMMON_FLAGS, ...commands.flatMap(commandFlagsOf)].filter(({ type }) => type !== 'switch')
  const takesValue = new Set(flags.map(({ name }) => `--${name}`))
  return (at) => takesValue.has(words[at - 1] ?? '')
}

/** Typed values by the name of their flag; of a switch only that it was given. */
type Given = ReadonlyMap<string, readonly string[]>

interface SplitWords {
  readonly args: readonly string[]
  readonly given: Given
}

/** What stands behind `--` is a value, whatever it looks like. Throws `invalid_argument` for a flag there is not. */
function split(words: readonly string[], flags: readonly Flag[]): SplitWords {
  const args: string[] = []
  const given = new Map<string, string[]>()
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') return { args: [...args, ...words.slice(at + 1)], given }
    if (!word.startsWith('-') || word === '-') {
      args.push(word)
      continue
    }
    const { flag, value } = flagIn(word, flags)
    const next = value ?? (flag.type === 'switch' ? '' : followingValue(flag, words[at + 1], flags))
    if (flag.type !== 'switch' && value === null) at++
    given.set(flag.name, [...(given.get(flag.name) ?? []), next])
  }
  return { args, given }
}

/** `value` is what stands behind `=`, null without one. */
function flagIn(word: string, flags: readonly Flag[]): { readonly flag: Flag; readonly value: string | null } {
  const [name = '', ...rest] = word.split('=')
  const flag = flags.find((known) => `--${known.name}` === name)
  if (flag === undefined) throw unknownFlag(name, flags)
  if (rest.length === 0) return { flag, value: null }
  const value = rest.join('=')
  if (flag.type !== 'switch') return { flag, value }
  throw new MemoryError('invalid_argument', `${name} takes no value; leave out ${JSON.stringify(`=${value}`)}`)
}

function followingValue(flag: Flag, next: string | undefined, flags: readonly Flag[]): string {
  if (next !== undefined && !flags.some((known) => `--${known.name}` === next)) return next
  throw new MemoryError('invalid_argument', `--${flag.name} needs a value; see --help`)
}

function values(flags: readonly Flag[], given: Given): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const flag of flags) {
    const typed = given.get(flag.name)
    if (typed === undefined) continue
    if (flag.type === 'switch') {
      // Given twice, a switch is switched all the same.
      input[flag.field] = !flag.negated
      continue
    }
    if (typed.length > 1 && !flag.isList)
      throw new MemoryError('invalid_argument', `--${flag.name} was given ${typed.length} times; give it once`)
    const all = typed.map((value) => typedValue(flag, value))
    input[flag.field] = flag.isList ? all : all[0]
  }
  return input
}

function positionals(
  { command, positionals: fields }: CommandDeclaration,
  flags: readonly Flag[],
  args: readonly string[],
): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  const isList = (field: string | undefined) => flags.some((flag) => flag.field === field && flag.isList)
  const unused = isList(fields.at(-1)) ? undefined : args[fields.length]
  const isOptional = (field: string) => flags.some((flag) => flag.field === field && flag.isOptional)
  const missing = fields.filter((field, index) => !isOptional(field) && !isList(field) && args[index] === undefined)
  if (missing.length > 0 || unused !== undefined) {
    const message =
      unused === undefined
        ? `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`
        : `there is no place for ${JSON.stringify(unused)}`
    const advice = fields.includes('query') && unused !== undefined ? 'put quotes around several words; ' : ''
    throw new MemoryError('invalid_argument', `${message}; ${advice}see knowhow ${command} --help`)
  }
  for (const [index, field] of fields.entries())
    if (isList(field)) input[field] = args.slice(index)
    else if (args[index] !== undefined) input[field] = args[index]
  return input
}

function commonFlags(typed: Given): CommonFlags {
  const given = values(COMMON_FLAGS, typed)
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : null)
  return {
    json: given.json === true,
    quiet: given.quiet === true,
    workspace: text('workspace'),
    config: text('config'),
    envFile: text('env_file'),
  }
}

function unknownCommand(words: readonly string[], commands: readonly CommandDeclaration[]): MemoryError {
  const word = commandWord(words, commands)
  if (word === undefined) return missingCommand(words)
  const pairs = namesOf(groupOf(word, commands))
  const next = words[commandPlace(words, commands) + 1]
  const second = next === undefined || next.startsWith('-') ? null : next
  if (pairs.length > 0 && second === null)
    return new MemoryError(
      'unknown_command',
      `${word} is half a command; see knowhow ${word} --help, and write one of ${pairs.join(', ')}`,
    )
  const [typed, names, help] =
    pairs.length > 0 ? [`${word} ${second}`, pairs, `${word} --help`] : [word, namesOf(commands), '--help']
  // The first of two words may be the mistyped one.
  const near = (second === null ? null : nearest(`${word} ${second}`, namesOf(commands))) ?? nearest(typed, names)
  const advice = near === null ? `see knowhow ${help}` : `did you mean ${near}?`
  return new MemoryError('unknown_command', `there is no command ${JSON.stringify(typed)}; ${advice}`)
}

function missingCommand([first = '']: readonly string[]): MemoryError {
  const flag = first.split('=')[0] ?? ''
  const common = [...COMMON_FLAGS.map(({ name }) => `--${name}`), ...ANSWERED_FLAGS]
  if (!flag.startsWith('-') || common.includes(flag))
    return new MemoryError('unknown_command', 'a command is missing; see knowhow --help')
  const near = nearest(
    flag,
    common.filter((name) => name.startsWith('--')),
  )
  const advice = near === null ? 'a command comes first; see knowhow --help' : `did you mean ${near}?`
  return new MemoryError('unknown_command', `there is no option ${flag}; ${advice}`)
}

function unknownFlag(name: string, flags: readonly Flag[]): MemoryError {
  const near = nearest(
    name,
    flags.map((flag) => `--${flag.name}`),
  )
  const advice = near === null ? 'see --help' : `did you mean ${near}?`
  return new MemoryError('invalid_argument', `there is no option ${name}; ${advice}`)
}
