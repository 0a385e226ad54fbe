/** Help as cac lays it out, for commands that are made from the operation table. */
import { type CAC, type Command, cac } from 'cac'
import type { Operation } from '../app/operation.ts'
import { operationsFor } from '../app/operation-table.ts'
import { unreachable } from '../model/memory-error.ts'
import type { HelpTopic } from './command-line.ts'
import { COMMON_FLAGS, type Flag, flagsOf } from './flags.ts'

const ABOUT = 'the memory of AI agents in one file'

interface Page {
  readonly operations: readonly Operation[]
  readonly usage: string
  /** One sentence behind the version. */
  readonly about: string
  /** What a command takes without a flag. */
  readonly positionals: readonly Flag[]
}

export function printHelp(topic: HelpTopic, version: string): void {
  const page = pageOf(topic)
  const program = programOf(page, version)
  if (topic.kind === 'command') {
    const command = program.commands.find(({ name }) => name === topic.operation.command)
    if (command !== undefined) program.matchedCommand = command
  }
  program.outputHelp()
}

function pageOf(topic: HelpTopic): Page {
  switch (topic.kind) {
    case 'program':
      return { operations: operationsFor('cli'), usage: '<command> [options]', about: ABOUT, positionals: [] }
    case 'group': {
      const { word, operations } = topic
      const about = `the commands that begin with ${word}; each has a --help of its own`
      return { operations, usage: `${word} <command> [options]`, about, positionals: [] }
    }
    case 'command': {
      const { operation } = topic
      const positionals = flagsOf(operation).filter(({ field }) => operation.positionals.includes(field))
      return { operations: [operation], usage: '', about: operation.summary, positionals }
    }
    default:
      return unreachable(topic)
  }
}

function programOf({ operations, usage, about, positionals }: Page, version: string): CAC {
  const program = cac('knowhow')
  program.usage(usage)
  for (const flag of COMMON_FLAGS) addFlag(program, flag)
  program.option('-v, --version', 'Print the version.')
  program.help((sections) => {
    const [, use, ...rest] = sections.filter(({ title }) => !title?.startsWith('For more info'))
    const head = { body: `knowhow ${version}: ${about}` }
    const own = [head, ...(use === undefined ? [] : [use]), ...argumentSection(positionals), ...rest]
    // cac notes the default of a switch that switches off as "true", which says the opposite to a reader.
    return own.map((section) => ({ ...section, body: section.body.replace(/ (?:\(default: true\))? *$/gm, '') }))
  })
  for (const operation of operations) addCommand(program, operation)
  return program
}

function addCommand(program: CAC, operation: Operation): void {
  const flags = flagsOf(operation)
  const usage = usageOf(operation, flags)
  const command = program.command(usage, operation.summary).usage(`${usage} [options]`)
  for (const flag of flags) if (!operation.positionals.includes(flag.field)) addFlag(command, flag)
  for (const example of operation.examples) command.example(`  ${example}`)
}

function argumentSection(positionals: readonly Flag[]) {
  if (positionals.length === 0) return []
  const width = Math.max(...positionals.map(({ field }) => field.length))
  const lines = positionals.map(({ field, values, about }) => {
    const choice = values.length === 0 ? '' : `${values.join('|')}: `
    return `  ${field.padEnd(width)}  ${choice}${about}`
  })
  return [{ title: 'Arguments', body: lines.join('\n') }]
}

function usageOf(operation: Operation, flags: readonly Flag[]): string {
  const words = operation.positionals.map((field) => {
    const isList = flags.find((flag) => flag.field === field)?.isList === true
    return isList ? `[...${field}]` : `<${field}>`
  })
  return [operation.command, ...words].join(' ')
}

function addFlag(program: CAC | Command, flag: Flag): void {
  program.option(flag.type === 'switch' ? `--${flag.name}` : `--${flag.name} <${flag.placeholder}>`, flag.about)
}
