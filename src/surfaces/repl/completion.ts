/** What may stand where the cursor is. Asks the workspace for names, and writes nothing. */
import type { Operation } from '../../app/operation.ts'
import { KNOWN_SOURCES, type KnownSource } from '../../app/operations/known-values.ts'
import { MEMORY_KINDS } from '../../graph/schema.ts'
import { VIEW_NAMES } from '../../model/experience.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { commandFlagsOf, type Flag } from '../flags.ts'
import { typedWord, wordsSoFar } from '../shell-words.ts'
import { shownSafely } from '../terminal-text.ts'
import { commandAt, REPL_OPERATIONS, TYPED_NAMES } from './repl-commands.ts'
import { DEFAULT_WORD, isSettingName } from './repl-settings.ts'

export interface Completed {
  /** Each stands for `typed` as a whole. */
  readonly candidates: readonly string[]
  /** The part of the line that they go on from. */
  readonly typed: string
}

export interface CompletionSources {
  /** Sorted. */
  readonly known: (source: KnownSource) => Promise<readonly string[]>
  /** Files and folders in a folder outside the workspace, these with a `/` at their end; none where it cannot be read. */
  readonly filesIn: (folder: string) => readonly string[]
  /** Of the last answer. */
  readonly resultCount: () => number
}

const COMMON: readonly string[] = ['--json', '--quiet']

/** @param line up to the cursor */
export async function completedLine(line: string, sources: CompletionSources): Promise<Completed> {
  if (!line.startsWith('/') || line.startsWith('//')) return { candidates: [], typed: line }
  const words = wordsSoFar(line.slice(1))
  const isNewWord = line.endsWith(' ') && words.at(-1)?.openQuote !== undefined && words.at(-1)?.openQuote === null
  const last = isNewWord ? undefined : words.at(-1)
  const before = words.slice(0, last === undefined ? words.length : -1).map(({ text }) => text)
  const text = last?.text ?? ''
  const typed = last === undefined ? '' : line.slice(1 + last.start)
  const named = commandAt(before)
  if (named === null) return commandCompletion(line, before, { text, typed }, sources)
  const operation = REPL_OPERATIONS.find(({ command }) => command === named.name)
  const values = operation === undefined ? [] : await valuesFor(operation, named.rest, text, sources)
  return { candidates: beginningWith(values, text).filter(isTypable).map(typedWord), typed }
}

async function commandCompletion(
  line: string,
  before: readonly string[],
  { text, typed }: { readonly text: string; readonly typed: string },
  sources: CompletionSources,
): Promise<Completed> {
  const [first] = before
  const behind = line.slice(1).replace(/^\s+/, '')
  if (first === undefined) return { candidates: beginningWith(TYPED_NAMES, behind), typed: behind }
  const group = TYPED_NAMES.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1))
  const settings = before.length === 1 && isSettingName(first) ? await settingValues(first, sources) : []
  const helped = first === 'help' ? TYPED_NAMES : []
  const candidates = beginningWith([...group, ...settings, ...helped], text)
  return { candidates: candidates.filter(isTypable), typed }
}

async function settingValues(name: 'index' | 'limit' | 'session', sources: CompletionSources) {
  const values = name === 'index' ? VIEW_NAMES : name === 'session' ? await namesOf('session', sources) : []
  return [...values, DEFAULT_WORD]
}

/** @param rest words between the command and the one that is typed */
async function valuesFor(
  operation: Operation,
  rest: readonly string[],
  text: string,
  sources: CompletionSources,
): Promise<readonly string[]> {
  const flags = commandFlagsOf(operation)
  const ofName = (word: string | undefined) => flags.find(({ name }) => `--${name}` === word)
  const asked = ofName(rest.at(-1))
  if (asked !== undefined && asked.type !== 'switch') return flagValues(asked, text, sources)
  if (text.startsWith('-')) return [...flags.filter((flag) => !isPositional(operation, flag)).map(dashed), ...COMMON]
  const args = rest.filter((word, at) => !word.startsWith('-') && !takesValue(ofName(rest[at - 1])))
  const field = operation.positionals[Math.min(args.length, operation.positionals.length - 1)]
  const flag = flags.find((one) => one.field === field)
  const isFull = args.length >= operation.positionals.length && flag?.isList !== true
  if (flag !== undefined && !isFull) return flagValues(flag, text, sources)
  return flags.filter((one) => !isPositional(operation, one)).map(dashed)
}

function isPositional({ positionals }: Operation, { field }: Flag): boolean {
  return positionals.includes(field)
}

function takesValue(flag: Flag | undefined): boolean {
  return flag !== undefined && flag.type !== 'switch'
}

function dashed({ name }: Flag): string {
  return `--${name}`
}

async function flagValues(flag: Flag, text: string, sources: CompletionSources): Promise<readonly string[]> {
  if (flag.values.length > 0) return flag.values
  if (flag.field === 'types') return MEMORY_KINDS
  const { source } = flag
  if (source === 'file') return filesFrom(text, sources)
  const numbers = Array.from({ length: sources.resultCount() }, (_, at) => String(at + 1))
  if (source === 'memory') return numbers
  const known = KNOWN_SOURCES.find((one) => one === source)
  if (known === undefined) return []
  const names = await namesOf(known, sources)
  return known === 'path' || known === 'experience' ? [...numbers, ...names] : names
}

async function namesOf(source: KnownSource, { known }: CompletionSources): Promise<readonly string[]> {
  try {
    return await known(source)
  } catch (error) {
    // Whoever runs the command is told what is wrong.
    if (error instanceof MemoryError) return []
    throw error
  }
}

function filesFrom(text: string, { filesIn }: CompletionSources): readonly string[] {
  const folder = text.slice(0, text.lastIndexOf('/') + 1)
  return filesIn(folder).map((name) => folder + name)
}

/** Names may come from anyone, and are drawn as they are. */
function isTypable(value: string): boolean {
  return shownSafely(value) === value && !/[\n\t]/.test(value)
}

function beginningWith(values: readonly string[], text: string): readonly string[] {
  return values.filter((value) => value.startsWith(text))
}
