/** Reads argv with cac, whose commands are made from the operation table. Runs nothing. */
import { type CAC, type Command, cac } from 'cac'
import { nearest } from '../app/nearest.ts'
import type { Operation } from '../app/operation.ts'
import { operationsFor } from '../app/operation-table.ts'
import { MemoryError } from '../model/memory-error.ts'
import { COMMON_FLAGS, type Flag, flagsOf, typedValue } from './flags.ts'

export interface CommonFlags {
  readonly json: boolean
  readonly quiet: boolean
  readonly workspace: string | null
  readonly config: string | null
  readonly envFile: string | null
}

export type CommandLine =
  | {
      readonly kind: 'run'
      readonly operation: Operation
      readonly input: Readonly<Record<string, unknown>>
      readonly common: CommonFlags
    }
  | { readonly kind: 'help'; readonly print: () => void }
  | { readonly kind: 'version'; readonly json: boolean }

/** Put before every value: it keeps cac from reading `007` as 7, or a value that begins with a dash as a flag. */
const VERBATIM = '\u0001'

/** @param argv without the program's own name. Throws `invalid_argument`, `unknown_command`. */
export function readCommandLine(argv: readonly string[], version: string): CommandLine {
  const operations = operationsFor('cli')
  const words = joinedCommand(withFlagFor(argv), operations)
  const operation = operations.find(({ command }) => command === commandWord(words, operations))
  const flags = [...COMMON_FLAGS, ...(operation === undefined ? [] : flagsOf(operation))]
  const asked = new Set(withoutValues(beforeDoubleDash(words), operations))
  if (asked.has('--version') || asked.has('-v')) return { kind: 'version', json: asked.has('--json') }
  const program = programOf(operations, version)
  const help = words.length === 0 || asked.has('--help') || asked.has('-h')
  if (help) return { kind: 'help', print: helpPrinter(program, operation) }
  if (operation === undefined) throw unknownCommand(words, operations)
  const { args, options } = parse(program, verbatim(words, flags), operation)
  const input = {
    ...values(flagsOf(operation), options),
    ...positionals(operation, args),
  }
  return { kind: 'run', operation, input, common: commonFlags(options) }
}

/** Whether an argv that could not be read asked for JSON: its error must still be told in it. */
export function wantsJson(argv: readonly string[]): boolean {
  return beforeDoubleDash(argv).includes('--json')
}

/** `help search` and `version`, as people type them. */
function withFlagFor(argv: readonly string[]): readonly string[] {
  if (argv[0] === 'help') return [...argv.slice(1), '--help']
  return argv[0] === 'version' ? ['--version', ...argv.slice(1)] : argv
}

function beforeDoubleDash(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  return end === -1 ? words : words.slice(0, end)
}

/** `memory recall` typed as two words becomes the one name that cac knows the command by. */
function joinedCommand(words: readonly string[], operations: readonly Operation[]): readonly string[] {
  const pair = words.slice(0, 2).join(' ')
  const known = words.length >= 2 && operations.some(({ command }) => command === pair)
  return known ? [pair, ...words.slice(2)] : words
}

/** The first word that is neither a flag nor the value of one. */
function commandWord(words: readonly string[], operations: readonly Operation[]): string | undefined {
  return withoutValues(words, operations).find((word) => !word.startsWith('-'))
}

/** A word behind a flag that takes a value is that value, whatever it looks like. */
function withoutValues(words: readonly string[], operations: readonly Operation[]): readonly string[] {
  const flags = [...COMMON_FLAGS, ...operations.flatMap(flagsOf)].filter(({ type }) => type !== 'switch')
  const takesValue = new Set(flags.map(({ name }) => `--${name}`))
  return words.filter((_, at) => !takesValue.has(words[at - 1] ?? ''))
}

function programOf(operations: readonly Operation[], version: string): CAC {
  const program = cac('knowhow')
  program.usage('<command> [options]')
  for (const flag of COMMON_FLAGS) addFlag(program, flag)
  program.option('-v, --version', 'Print the version.')
  program.help((sections) => {
    const [, ...rest] = sections.filter(({ title }) => !title?.startsWith('For more info'))
    const about = program.matchedCommand?.description ?? 'the memory of AI agents in one file'
    const title = { body: `knowhow ${version}: ${about}` }
    // cac notes the default of a switch that switches off as "true", which says the opposite to a reader.
    return [title, ...rest].map((section) => ({
      ...section,
      body: section.body.replace(/ (?:\(default: true\))? *$/gm, ''),
    }))
  })
  for (const operation of operations) {
    const flags = flagsOf(operation)
    const usage = usageOf(operation, flags)
    const command = program.command(usage, operation.summary).usage(`${usage} [options]`)
    for (const flag of flags) if (!operation.positionals.includes(flag.field)) addFlag(command, flag)
    for (const example of operation.examples) command.example(`  ${example}`)
  }
  return program
}

function usageOf(operation: Operation, flags: readonly Flag[]): string {
  const words = operation.positionals.map((field) => {
    const isList = flags.find((flag) => flag.field === field)?.isList === true
    return isList ? `[...${field}]` : `<${field}>`
  })
  return [operation.command, ...words].join(' ')
}

function addFlag(program: CAC | Command, flag: Flag): void {
  const name = flag.type === 'switch' ? `--${flag.name}` : `--${flag.name} <${flag.placeholder}>`
  // A list of one keeps repeated flags visible.
  program.option(name, flag.about, flag.type === 'switch' ? {} : { type: [(value: unknown) => value] })
}

function helpPrinter(program: CAC, operation: Operation | undefined): () => void {
  const command = program.commands.find(({ name }) => name === operation?.command)
  return () => {
    if (command !== undefined) program.matchedCommand = command
    program.outputHelp()
  }
}

/** Words as cac reads them safely: each value joined to its flag. Throws `invalid_argument` for a flag there is not. */
function verbatim(words: readonly string[], flags: readonly Flag[]): readonly string[] {
  const result: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') return [...result, ...words.slice(at)]
    if (!word.startsWith('-') || word === '-') {
      result.push(word)
      continue
    }
    const [name = '', ...rest] = word.split('=')
    const flag = flags.find((known) => `--${known.name}` === name)
    if (flag === undefined) throw unknownFlag(name, flags)
    const next = words[at + 1]
    if (flag.type === 'switch' && rest.length > 0)
      throw new MemoryError(
        'invalid_argument',
        `${name} takes no value; leave out ${JSON.stringify(`=${rest.join('=')}`)}`,
      )
    if (flag.type === 'switch') result.push(word)
    else if (rest.length > 0) result.push(`${name}=${VERBATIM}${rest.join('=')}`)
    else if (next === undefined || flags.some((known) => `--${known.name}` === next))
      throw new MemoryError('invalid_argument', `${name} needs a value; see --help`)
    else {
      result.push(`${name}=${VERBATIM}${next}`)
      at++
    }
  }
  return result
}

interface Parsed {
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

function parse(program: CAC, words: readonly string[], operation: Operation): Parsed {
  const { args, options } = program.parse(['', '', ...words], { run: false })
  // What stands behind "--" is a value, whatever it looks like.
  const all = [...args, ...((options['--'] as readonly string[] | undefined) ?? [])]
  program.args = all
  const command = program.matchedCommand
  if (command === undefined) throw unknownCommand(words, operationsFor('cli'))
  try {
    command.checkRequiredArgs()
    command.checkUnusedArgs()
  } catch (cause) {
    const unused = all[operation.positionals.length]
    const message =
      unused === undefined
        ? `${operation.positionals.join(', ')} is missing`
        : `there is no place for ${JSON.stringify(unused)}`
    const advice =
      operation.positionals.includes('query') && unused !== undefined ? 'put quotes around several words; ' : ''
    throw new MemoryError('invalid_argument', `${message}; ${advice}see knowhow ${operation.command} --help`, { cause })
  }
  return { args: all, options }
}

function values(flags: readonly Flag[], options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const flag of flags) {
    const found = optionOf(flag, options)
    if (flag.type === 'switch') {
      // Given twice, a switch is switched all the same.
      const typed = Array.isArray(found) ? found.at(-1) : found
      if (typed === !flag.negated) input[flag.field] = typed
      continue
    }
    const typed = found
    if (!Array.isArray(typed)) continue
    if (typed.length > 1 && !flag.isList)
      throw new MemoryError('invalid_argument', `--${flag.name} was given ${typed.length} times; give it once`)
    const all = typed.map((value) => typedValue(flag, String(value).slice(VERBATIM.length)))
    input[flag.field] = flag.isList ? all : all[0]
  }
  return input
}

function positionals(operation: Operation, args: readonly string[]): Record<string, unknown> {
  const flags = flagsOf(operation)
  const input: Record<string, unknown> = {}
  for (const [index, field] of operation.positionals.entries()) {
    const isList = flags.find((flag) => flag.field === field)?.isList === true
    if (isList) input[field] = args.slice(index)
    else input[field] = args[index]
  }
  return input
}

/** cac files `--env-file` under `envFile`, and `--no-redact` under `redact`. */
function optionOf(flag: Flag, options: Readonly<Record<string, unknown>>): unknown {
  const name = flag.negated ? flag.name.slice('no-'.length) : flag.name
  return options[name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())]
}

function commonFlags(options: Readonly<Record<string, unknown>>): CommonFlags {
  const given = values(COMMON_FLAGS, options)
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : null)
  return {
    json: given.json === true,
    quiet: given.quiet === true,
    workspace: text('workspace'),
    config: text('config'),
    envFile: text('env_file'),
  }
}

function unknownCommand(words: readonly string[], operations: readonly Operation[]): MemoryError {
  const word = commandWord(words, operations)
  if (word === undefined) return new MemoryError('unknown_command', 'a command is missing; see knowhow --help')
  const names = operations.flatMap(({ command }) => (command === null ? [] : [command]))
  const near = nearest(word, names)
  const advice = near === null ? 'see knowhow --help' : `did you mean ${near}?`
  return new MemoryError('unknown_command', `there is no command ${JSON.stringify(word)}; ${advice}`)
}

function unknownFlag(name: string, flags: readonly Flag[]): MemoryError {
  const near = nearest(
    name,
    flags.map((flag) => `--${flag.name}`),
  )
  const advice = near === null ? 'see --help' : `did you mean ${near}?`
  return new MemoryError('invalid_argument', `there is no option ${name}; ${advice}`)
}
