/** The REPL as it is opened: by a person at a terminal, at one that can draw nothing, or by a script. */
import { KeptWorkspace } from '../../app/kept-workspace.ts'
import { type KnownSource, knownValues } from '../../app/operations/known-values.ts'
import { MemoryError } from '../../model/memory-error.ts'
import type { Conversation } from '../../ports/conversation.ts'
import type { ExitCode } from '../exit-codes.ts'
import { ProgressMeter } from '../progress.ts'
import type { Opening } from '../surface-command.ts'
import { shownSafely } from '../terminal-text.ts'
import { type CompletionSources, completedLine } from './completion.ts'
import { type AskRunning, Dialogue } from './dialogue.ts'
import { greeting } from './greeting.ts'
import { LineHistory } from './line-history.ts'
import { talkPlainly, talkWithScript } from './line-talk.ts'
import { TerminalTalk } from './terminal-talk.ts'
import { wrappedLines } from './wrapped-text.ts'

export async function openRepl(opening: Opening): Promise<ExitCode> {
  const { machine, choice, terminal, common, version } = opening
  const conversation = await terminal.converse()
  const isDrawn = conversation.isAtTerminal && machine.environment.TERM !== 'dumb'
  const colour = conversation.isAtTerminal && (await terminal.takesColour())
  using workspace = new KeptWorkspace(machine, choice)
  const meter = new ProgressMeter({ write: terminal.error, isDrawn: isDrawn && !common.quiet, clock: machine.clock })
  const say = (notice: string) => {
    meter.clear()
    const line = shownSafely(`knowhow: ${notice}`)
    if (!common.quiet) terminal.error(`${wrappedLines(line, columnsOf(conversation)).join('\n')}\n`)
  }
  const dialogue = new Dialogue({ machine, common, version, workspace, colour, say })
  const progress: AskRunning['progress'] = (step) => {
    if (!common.quiet) meter.show(step)
  }
  if (!conversation.isAtTerminal) return await talkWithScript({ conversation, dialogue, terminal, progress })
  if (!common.json) {
    const text = await greeting(dialogue, { version, colour, running: { progress, signal: terminal.signal } })
    terminal.out(wrappedLines(text, columnsOf(conversation)).join('\n'))
  }
  if (!isDrawn) return await talkPlainly({ conversation, dialogue, terminal, progress })
  const sources = completionSources(dialogue, opening)
  return await new TerminalTalk({
    conversation,
    dialogue,
    terminal,
    colour,
    history: new LineHistory(machine, say),
    complete: (line) => completedLine(line, sources),
    progress: { show: progress, clear: () => meter.clear() },
  }).run()
}

/** Off a terminal lines are as long as they are. */
function columnsOf(conversation: Conversation): number {
  return conversation.isAtTerminal ? conversation.size().columns : Number.POSITIVE_INFINITY
}

function completionSources(dialogue: Dialogue, { machine, terminal }: Opening): CompletionSources {
  const running = { progress: () => {}, signal: terminal.signal }
  return {
    known: async (source: KnownSource) => {
      const answer = await dialogue.ask(knownValues, { of: source }, running, () => {})
      return (answer as { readonly values: readonly string[] }).values
    },
    filesIn: (folder) => {
      try {
        const entries = machine.files.list(machine.outside.absolutePath(folder === '' ? '.' : folder)) ?? []
        return entries.map(({ name, kind }) => (kind === 'folder' ? `${name}/` : name))
      } catch (error) {
        if (error instanceof MemoryError) return []
        throw error
      }
    },
    resultCount: () => dialogue.results.count,
  }
}
