/** Help as cac lays it out, for commands that are made from the operation table. */
import { type CAC, type Command, cac } from 'cac'
import type { Operation } from '../app/operation.ts'
import { operationsFor } from '../app/operation-table.ts'
import { COMMON_FLAGS, type Flag, flagsOf } from './flags.ts'

/** @param operation null for the program as a whole */
export function printHelp(operation: Operation | null, version: string): void {
  const program = programOf(operationsFor('cli'), version)
  const command = program.commands.find(({ name }) => name === operation?.command)
  if (command !== undefined) program.matchedCommand = command
  program.outputHelp()
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
  program.option(flag.type === 'switch' ? `--${flag.name}` : `--${flag.name} <${flag.placeholder}>`, flag.about)
}
