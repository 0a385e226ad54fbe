/** Help as cac lays it out, for all commands there are. */
import { type CAC, type Command, cac } from 'cac'
import type { CommandDeclaration } from '../app/operation.ts'
import { unreachable } from '../model/memory-error.ts'
import { TOKENIZER_SOURCES } from '../model/tokenizer-source.ts'
import type { HelpTopic } from './command-line.ts'
import { COMMANDS } from './commands.ts'
import { EXIT } from './exit-codes.ts'
import { COMMON_FLAGS, commandFlagsOf, type Flag, flagsOf } from './flags.ts'

const ABOUT = 'the memory of AI agents in one file'

interface Page {
  readonly commands: readonly CommandDeclaration[]
  readonly usage: string
  /** One sentence behind the version. */
  readonly about: string
  /** What a command takes without a flag. */
  readonly positionals: readonly Flag[]
  /** Words of its answer with their meanings. */
  readonly terms: Readonly<Record<string, string>>
  /** What stands below all else. */
  readonly closing: readonly Section[]
}

const NOTHING_OWN = { positionals: [], terms: {}, closing: [] }

interface Section {
  readonly title: string
  readonly body: string
}

/** @param width of lines, in characters, where their words allow it */
export function helpText(topic: HelpTopic, version: string, width = WIDTH): string {
  const page = pageOf(topic)
  const program = programOf(page, version, width)
  if (topic.kind === 'command') {
    const command = program.commands.find(({ name }) => name === topic.declared.command)
    if (command !== undefined) program.matchedCommand = command
  }
  return printedBy(() => program.outputHelp())
}

/** cac prints its help and gives it to nobody. */
function printedBy(print: () => void): string {
  const { info } = console
  let text = ''
  console.info = (line: string) => {
    text += `${line}\n`
  }
  try {
    print()
  } finally {
    console.info = info
  }
  return text
}

function pageOf(topic: HelpTopic): Page {
  switch (topic.kind) {
    case 'program':
      return {
        ...NOTHING_OWN,
        commands: COMMANDS,
        usage: '<command> [options]',
        about: ABOUT,
        closing: [...tableSection('Environment', ENVIRONMENT), ...tableSection('Exit codes', EXIT_CODES)],
      }
    case 'group': {
      const { word, commands } = topic
      const about = `the commands that begin with ${word}; each has a --help of its own`
      return { ...NOTHING_OWN, commands, usage: `${word} <command> [options]`, about }
    }
    case 'command': {
      const { declared } = topic
      const positionals = flagsOf(declared).filter(({ field }) => declared.positionals.includes(field))
      const { summary: about, terms = {} } = declared
      return { commands: [declared], usage: '', about, positionals, terms, closing: [] }
    }
    default:
      return unreachable(topic)
  }
}

const ENVIRONMENT = [
  ['KNOWHOW_WORKSPACE', 'Folder of the workspace.'],
  ['KNOWHOW_TOKEN', 'What a service (serve) wants of who asks it, and what --remote sends to one.'],
  ['LLM_MODEL_NAME, LLM_BASE_URL, LLM_API_KEY', 'The chat model that import asks, at any OpenAI-compatible server.'],
  ['EMBEDDING_BACKEND', 'builtin (when unset), openai or static, to search by meaning too; or none.'],
  ['EMBEDDING_MODEL_NAME, EMBEDDING_BASE_URL, EMBEDDING_API_KEY', 'Model and server of openai, folder of static.'],
  ['PROCEDURE_TOKENIZER_SOURCE', `What tokens are counted by: ${TOKENIZER_SOURCES}.`],
] as const

const EXIT_CODES = [
  [String(EXIT.done), 'Done.'],
  [String(EXIT.failed), 'Failed; standard error says why, and with --json the answer.'],
  [String(EXIT.usage), 'Wrong usage: the command line, or a value in it.'],
  [String(EXIT.incomplete), 'Incomplete: an import that goes on with knowhow import --resume ID.'],
  [String(EXIT.locked), 'Another process writes to the workspace; try again.'],
  [String(EXIT.interrupted), 'Interrupted, as by Ctrl-C.'],
] as const

function programOf({ commands, usage, about, positionals, terms, closing }: Page, version: string, width: number): CAC {
  const program = cac('knowhow')
  program.usage(usage)
  for (const flag of COMMON_FLAGS) addFlag(program, flag)
  program.option('-v, --version', 'Print the version.')
  program.help((sections) => {
    const [, use, ...rest] = sections.filter(({ title }) => !title?.startsWith('For more info'))
    const head = { body: `knowhow ${version}: ${about}` }
    const uses = use === undefined ? [] : [use]
    const own = [head, ...uses, ...argumentSection(positionals), ...rest, ...termSection(terms), ...closing]
    // cac notes the default of a switch that switches off as "true", which says the opposite to a reader.
    return own.map((section) => {
      const body = section.body
        .replace(/ (?:\(default: true\))? *$/gm, '')
        .replace('Display this message', 'Show this help.')
      const isCopied = 'title' in section && section.title === 'Examples'
      return {
        ...section,
        body: isCopied
          ? body
          : body
              .split('\n')
              .map((line) => wrappedLine(line, width))
              .join('\n'),
      }
    })
  })
  for (const declared of commands) addCommand(program, declared)
  return program
}

function addCommand(program: CAC, declared: CommandDeclaration): void {
  const flags = commandFlagsOf(declared)
  const usage = usageOf(declared, flags)
  const command = program.command(usage, declared.summary).usage(`${usage} [options]`)
  for (const flag of flags) if (!declared.positionals.includes(flag.field)) addFlag(command, flag)
  for (const example of declared.examples) command.example(`  ${example}`)
}

function argumentSection(positionals: readonly Flag[]): readonly Section[] {
  const rows = positionals.map(({ field, values, about }) => {
    const choice = values.length === 0 ? '' : `${values.join('|')}: `
    return [field, `${choice}${about}`] as const
  })
  return tableSection('Arguments', rows)
}

function termSection(terms: Page['terms']): readonly Section[] {
  return tableSection('In the answer', Object.entries(terms))
}

/** None without rows. */
function tableSection(title: string, rows: readonly (readonly [name: string, about: string])[]): readonly Section[] {
  if (rows.length === 0) return []
  const width = Math.max(...rows.map(([name]) => name.length))
  return [{ title, body: rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`).join('\n') }]
}

function usageOf(declared: CommandDeclaration, flags: readonly Flag[]): string {
  const words = declared.positionals.map((field) => {
    const flag = flags.find((one) => one.field === field)
    if (flag?.isList === true) return `[...${field}]`
    return flag?.isOptional === true ? `[${field}]` : `<${field}>`
  })
  return [declared.command, ...words].join(' ')
}

/** Of the values of an option beside its name: longer ones would leave no room for what the options mean. */
const VALUES_UNITS_MAX = 32

function addFlag(program: CAC | Command, flag: Flag): void {
  const about = flag.isOptional ? aboutWithDefault(flag) : `${flag.about} Required.`
  if (flag.type === 'switch') program.option(`--${flag.name}`, about)
  else if (flag.placeholder.length <= VALUES_UNITS_MAX) program.option(`--${flag.name} <${flag.placeholder}>`, about)
  else program.option(`--${flag.name} <WORD>`, `${flag.values.join(', ')}: ${about}`)
}

function aboutWithDefault({ about, fallback }: Flag): string {
  return fallback === null ? about : `${about} Default: ${fallback}.`
}

const WIDTH = 100

/** What goes on in the next line begins below where it began in its column. */
function wrappedLine(line: string, width: number): string {
  if (line.length <= width) return line
  const column = /^ +\S.*? {2,}(?=\S)/.exec(line)?.[0].length ?? /^ */.exec(line)?.[0].length ?? 0
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const end = rest.lastIndexOf(' ', width)
    if (end <= column) break
    lines.push(rest.slice(0, end))
    rest = ' '.repeat(column) + rest.slice(end + 1)
  }
  return [...lines, rest].join('\n')
}
