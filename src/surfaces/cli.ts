/** One command, from argv to exit code. */
import type { Machine } from '../app/machine.ts'
import { OpenedWorkspace } from '../app/opened-workspace.ts'
import { type Operation, runOperation } from '../app/operation.ts'
import { operationContext } from '../app/operation-table.ts'
import type { WorkspaceChoice } from '../app/workspace-settings.ts'
import { MemoryError, unreachable } from '../model/memory-error.ts'
import { versionText, wantsJson } from './argv.ts'
import { type CommandLine, namesNoCommand, readCommandLine } from './command-line.ts'
import { lateVariables, parseEnvironment } from './environment-file.ts'
import { EXIT, exitCodeOfEnding } from './exit-codes.ts'
import { type CommonFlags, namingFlag } from './flags.ts'
import { fieldsIn } from './given-fields.ts'
import { namingWorkspace, SAYS_HOW_TO_GO_ON } from './named-workspace.ts'
import { ProgressMeter } from './progress.ts'
import { yieldToSignals } from './running.ts'
import { REPL_COMMAND } from './surface-commands.ts'
import type { Terminal } from './terminal.ts'
import { shownSafely } from './terminal-text.ts'
import { toldFault } from './told-fault.ts'

const ENVIRONMENT_BYTES_MAX = 1024 * 1024

/** @param argv without the program's own name. Never throws what a person caused. */
export async function runCommand(
  argv: readonly string[],
  machine: Machine,
  terminal: Terminal,
  version: string,
): Promise<number> {
  let told = terminal
  try {
    const opensRepl = namesNoCommand(argv) && (await terminal.isAtTerminal())
    const line = readCommandLine(opensRepl ? [REPL_COMMAND, ...argv] : argv)
    switch (line.kind) {
      case 'version':
        terminal.out(versionText(version, line.json))
        return EXIT.done
      case 'help': {
        const { helpText } = await import('./help.ts')
        const text = helpText(line.topic, version)
        terminal.out(line.json ? `${JSON.stringify({ help: text })}\n` : text)
        return EXIT.done
      }
      case 'run':
      case 'open':
        told = { ...terminal, error: (text) => terminal.error(namingWorkspace(text, line.common.workspace)) }
        return await (line.kind === 'run' ? runLine(line, machine, told) : openSurface(line, machine, told, version))
      default:
        return unreachable(line)
    }
  } catch (error) {
    return tellError(error, wantsJson(argv), told)
  }
}

type RunLine = Extract<CommandLine, { kind: 'run' }>

async function runLine(line: RunLine, machine: Machine, terminal: Terminal): Promise<number> {
  const { operation, common, remote } = line
  const input = line.from === null ? line.input : { ...fieldsIn(line.from, machine, terminal.input), ...line.input }
  const surroundings = { ...machine, environment: environmentWith(common, machine, terminal) }
  const output =
    remote === null
      ? await runHere(operation, input, common, surroundings, terminal)
      : await askElsewhere(operation, input, remote, common, surroundings, terminal)
  if (common.json) terminal.out(`${JSON.stringify(output)}\n`)
  else {
    const { rendered } = await import('./render.ts')
    const text = rendered(operation.name, output, { colour: await terminal.takesColour() })
    terminal.out(SAYS_HOW_TO_GO_ON.has(operation.name) ? namingWorkspace(text, common.workspace) : text)
  }
  return exitCodeOfEnding(operation.endingOf?.(output) ?? 'done')
}

async function runHere(
  operation: Operation,
  input: RunLine['input'],
  common: CommonFlags,
  machine: Machine,
  terminal: Terminal,
): Promise<unknown> {
  const choice = workspaceChoice(common, machine, operation.command ?? operation.name)
  const opened = openOrAnswer(operation, () => new OpenedWorkspace(machine, choice))
  return 'answer' in opened ? opened.answer : runIn(opened.workspace, operation, input, common, terminal, machine.clock)
}

async function askElsewhere(
  operation: Operation,
  input: RunLine['input'],
  url: string,
  common: CommonFlags,
  machine: Machine,
  { signal, error: write }: Terminal,
): Promise<unknown> {
  const { askRemote } = await import('./remote.ts')
  const say = (text: string) => void (common.quiet || write(`knowhow: ${shownSafely(text)}\n`))
  try {
    return await askRemote(operation, input, { url, common, machine, signal, say })
  } catch (error) {
    throw namingFlag(error, operation)
  }
}

async function openSurface(
  { surface, input, common }: Extract<CommandLine, { kind: 'open' }>,
  machine: Machine,
  terminal: Terminal,
  version: string,
): Promise<number> {
  const surroundings = { ...machine, environment: environmentWith(common, machine, terminal) }
  const choice = workspaceChoice(common, surroundings, surface.command)
  const { checkedInput } = await import('../app/checked-input.ts')
  try {
    const fields = checkedInput(surface.input(), input)
    return await surface.open({ machine: surroundings, choice, common, terminal, version }, fields)
  } catch (error) {
    throw namingFlag(error, surface)
  }
}

/** Throws `invalid_argument`. */
function workspaceChoice(
  { workspace, config }: CommonFlags,
  { outside, environment }: Machine,
  command: string,
): WorkspaceChoice {
  if (workspace === '') throw new MemoryError('invalid_argument', '--workspace needs the name of a folder')
  const root = workspace ?? given(environment.KNOWHOW_WORKSPACE) ?? '.knowhow'
  const configPath = config === null ? null : outside.absolutePath(config)
  return { root: outside.absolutePath(root), configPath, command }
}

/** The answer that an operation has for a workspace that cannot be opened, if it has one. */
function openOrAnswer(
  { whenUnopened }: Operation,
  open: () => OpenedWorkspace,
): { readonly workspace: OpenedWorkspace } | { readonly answer: unknown } {
  try {
    return { workspace: open() }
  } catch (error) {
    if (whenUnopened === undefined || !(error instanceof MemoryError)) throw error
    return { answer: whenUnopened(error) }
  }
}

async function runIn(
  opened: OpenedWorkspace,
  operation: Operation,
  input: RunLine['input'],
  { quiet }: CommonFlags,
  terminal: Terminal,
  clock: Machine['clock'],
): Promise<unknown> {
  using workspace = opened
  const isDrawn = operation.isLong === true && !quiet && (await terminal.drawsErrors())
  const meter = new ProgressMeter({ write: terminal.error, isDrawn, clock })
  const say = (text: string) => {
    meter.clear()
    if (!quiet) tell(`knowhow: ${text}`, terminal)
  }
  for (const notice of workspace.noticesFor(operation)) say(notice)
  const context = operationContext(workspace, {
    progress: (step) => {
      if (!quiet) meter.show(step)
    },
    say,
    yieldToSignals,
    signal: terminal.signal,
  })
  try {
    return await runOperation(operation, context, input)
  } catch (error) {
    throw namingFlag(error, operation)
  } finally {
    meter.clear()
  }
}

function environmentWith(
  { envFile, quiet }: CommonFlags,
  machine: Machine,
  terminal: Terminal,
): Machine['environment'] {
  if (envFile === null) return machine.environment
  const absolute = machine.outside.absolutePath(envFile)
  const text = new TextDecoder().decode(machine.outside.read(absolute, ENVIRONMENT_BYTES_MAX))
  const variables = parseEnvironment(text, absolute)
  const late = lateVariables(variables).filter((name) => machine.environment[name] === undefined)
  if (late.length > 0 && !quiet)
    tell(
      `knowhow: in ${absolute} these come too late to count: ${late.join(', ')}; set them in the environment`,
      terminal,
    )
  return { ...Object.fromEntries(variables), ...machine.environment }
}

function given(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value
}

function tellError(error: unknown, json: boolean, terminal: Terminal): number {
  const { report, exit, trace } = toldFault(error)
  if (trace !== null) tell(trace, terminal)
  if (json) terminal.out(`${JSON.stringify({ error: report })}\n`)
  else tell(`knowhow: ${report.message}`, terminal)
  return exit
}

/** The one way to stderr: names of files and settings in these lines may come from anyone. */
function tell(text: string, terminal: Terminal): void {
  terminal.error(`${shownSafely(text)}\n`)
}
