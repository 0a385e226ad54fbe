/** What a line asks for. Runs nothing. */
import type { Operation } from '../../app/operation.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { type HelpTopic, readCommandLine } from '../command-line.ts'
import type { CommonFlags } from '../flags.ts'
import { shellWords } from '../shell-words.ts'
import {
  commandAt,
  elsewhereFault,
  HELP_NAME,
  isGroup,
  looksForWords,
  type NamedCommand,
  QUIT_NAMES,
  REPL_OPERATIONS,
  unknownCommand,
} from './repl-commands.ts'
import { isSettingName, type SettingName } from './repl-settings.ts'

export type ReplLine =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'search'; readonly query: string }
  | {
      readonly kind: 'run'
      readonly operation: Operation
      readonly input: Readonly<Record<string, unknown>>
      /** See `CommandLine`. */
      readonly from: string | null
      readonly quiet: boolean
    }
  /** A null value asks for the one that is set. */
  | { readonly kind: 'setting'; readonly name: SettingName; readonly value: string | null }
  /** A null topic is the REPL itself. */
  | { readonly kind: 'help'; readonly topic: HelpTopic | null }
  | { readonly kind: 'quit' }

/** @param workspace as a flag named it, for advice; null without one. Throws `invalid_argument` and `unknown_command`. */
export function readReplLine(line: string, workspace: string | null): ReplLine {
  const query = queryIn(line)
  if (query !== null) return query === '' ? { kind: 'nothing' } : { kind: 'search', query }
  const words = shellWords(line.slice(1))
  const [word = '', ...rest] = words
  if (word === '') return { kind: 'help', topic: null }
  if (QUIT_NAMES.some((name) => name === word)) return { kind: 'quit' }
  if (word === HELP_NAME) return helpLine(rest, workspace)
  const named = commandAt(words)
  if (named !== null) return runLine([named.name, ...oneQuery(named)], workspace)
  const elsewhere = elsewhereFault(words, workspace)
  if (elsewhere !== null) throw elsewhere
  if (isSettingName(word)) return settingLine(word, rest)
  if (!isGroup(words)) throw unknownCommand(word)
  return runLine(words, workspace)
}

/** Whether it is to leave no trace: as in shells a space in front says so. */
export function isPrivate(line: string): boolean {
  return /^\s/.test(line)
}

/** What a line searches for; null for one that is a command. */
function queryIn(line: string): string | null {
  if (line.startsWith('//')) return line.slice(1).trim()
  return line.startsWith('/') ? null : line.trim()
}

function helpLine(words: readonly string[], workspace: string | null): ReplLine {
  const plain = words.map((word) => word.replace(/^\//, ''))
  const [first] = plain
  if (first === undefined || isSettingName(first) || first === HELP_NAME || first === QUIT_NAMES[0])
    if (commandAt(plain) === null) return { kind: 'help', topic: null }
  const named = commandAt(plain)
  const elsewhere = named === null ? elsewhereFault(plain, workspace) : null
  if (elsewhere !== null) throw elsewhere
  if (named === null && first !== undefined && !isGroup(plain)) throw unknownCommand(plain.join(' '))
  return runLine(['help', ...(named === null ? plain : [named.name])], workspace)
}

/** Words to look for need no quotes here either, as far as no flag stands before them. */
function oneQuery({ name, rest }: NamedCommand): readonly string[] {
  const operation = REPL_OPERATIONS.find(({ command }) => command === name)
  if (operation === undefined || !looksForWords(operation)) return rest
  const flagAt = rest.findIndex((word) => word.startsWith('-'))
  const end = flagAt === -1 ? rest.length : flagAt
  return end < 2 ? rest : [rest.slice(0, end).join(' '), ...rest.slice(end)]
}

function settingLine(name: SettingName, rest: readonly string[]): ReplLine {
  const [value = null, more] = rest
  if (more !== undefined)
    throw new MemoryError('invalid_argument', `there is no place for ${JSON.stringify(more)}; /${name} takes one value`)
  return { kind: 'setting', name, value }
}

function runLine(argv: readonly string[], workspace: string | null): ReplLine {
  const line = readCommandLine(argv, REPL_OPERATIONS)
  switch (line.kind) {
    case 'run': {
      refuseOtherWorkspace(line.common)
      const { operation, input, from } = line
      return { kind: 'run', operation, input, from, quiet: line.common.quiet }
    }
    case 'help':
      return { kind: 'help', topic: line.topic }
    default:
      throw elsewhereFault(argv, workspace) ?? unknownCommand(argv[0] ?? '')
  }
}

function refuseOtherWorkspace({ workspace, config, envFile }: CommonFlags): void {
  const flag = workspace !== null ? 'workspace' : config !== null ? 'config' : envFile !== null ? 'env-file' : null
  if (flag === null) return
  throw new MemoryError(
    'invalid_argument',
    `--${flag} is chosen when this begins: leave it by /quit, and start knowhow repl --${flag} anew`,
  )
}
