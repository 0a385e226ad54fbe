/**
 * What a terminal showed: prompts, commands and their output. It records no exit codes, so an outcome is known only
 * where the text itself tells (outcome.ts). Comments typed at a prompt are taken as what was asked.
 */
import { judgeOutcome } from './outcome.ts'
import type { Producer } from './producer.ts'
import type { Run, Step } from './run.ts'
import { type PromptReader, promptReader } from './shell-prompt.ts'
import { terminalText } from './terminal-text.ts'
import { describeCall } from './tool-call.ts'

export const shellTranscript: Producer = {
  name: 'shell-transcript',
  read({ text, format, records }) {
    if (records.length > 0) return null
    const lines = terminalText(text).split('\n')
    const readPrompt = promptReader(lines, { weak: format !== 'markdown' })
    return readPrompt === null ? null : [readSession(lines, readPrompt, format === 'markdown')]
  },
}

interface Entry {
  command: string
  readonly output: string[]
  /** Something followed it in the log: it came to its end. */
  ended: boolean
}

function readSession(lines: readonly string[], readPrompt: PromptReader, markdown: boolean): Run {
  const entries = sessionEntries(lines, readPrompt, markdown)
  const steps: Step[] = []
  let task: string | null = null
  let firstTask: string | null = null
  for (const [index, entry] of entries.entries()) {
    if (/^#\s?\S/.test(entry.command)) {
      const before = entries[index - 1]
      const goesOn = before?.command.startsWith('#') === true && before.output.join('').trim() === ''
      const note = entry.command.replace(/^#\s?/, '')
      task = goesOn && task !== null ? `${task} ${note}` : note
      if (steps.length === 0) firstTask = task
      continue
    }
    if (isExitQuestion(entry.command)) continue
    const asked = entries[index + 1]
    const code = asked !== undefined && isExitQuestion(asked.command) ? exitAnswer(asked.output) : null
    steps.push(stepOf(entry, code, task))
  }
  return { task: firstTask, folder: null, turns: 0, steps }
}

function stepOf(entry: Entry, code: number | null, task: string | null): Step {
  const { kind, command, shown } = describeCall('shell', { command: entry.command })
  const output = entry.output.join('\n').trimEnd()
  const verdict = judgeOutcome({ shell: command, exitCode: code, errorFlag: null, output })
  const interrupted = /^\s*\^[CZ]\s*$/m.test(output)
  const outcome = interrupted && verdict.outcome === 'passed' ? 'unknown' : verdict.outcome
  const finished = entry.ended && !interrupted
  return { tool: 'shell', kind, command, shown, output, outcome, evidence: verdict.evidence, finished, task }
}

function isExitQuestion(command: string): boolean {
  return /^(?:echo\s+)?"?(?:exit[ =:]+|rc[ =:]+)?\$(?:\?|\{\?\}|LASTEXITCODE|status)"?$/i.test(command)
}

function exitAnswer(output: readonly string[]): number | null {
  const code = /^\D{0,8}(-?\d{1,10})\s*$/.exec(output[0] ?? '')?.[1]
  return code === undefined ? null : Number(code)
}

function sessionEntries(lines: readonly string[], readPrompt: PromptReader, markdown: boolean): readonly Entry[] {
  const entries: Entry[] = []
  let entry: Entry | null = null
  let fenced = false
  const log = new LogLines(lines)
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (markdown && /^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced
      if (entry !== null) entry.ended = true
      entry = null
      continue
    }
    const command = readPrompt(line)
    if (command === null) {
      if (isBarePrompt(line) && entry !== null) entry.ended = true
      else entry?.output.push(line)
      continue
    }
    if (entry !== null) entry.ended = true
    const { text, end } = wholeCommand(command, log, index)
    entry = { command: text, output: [], ended: false }
    entries.push(entry)
    index = end
  }
  return entries
}

/** The prompt that waits at the end of a session, or after an empty line was entered. */
function isBarePrompt(line: string): boolean {
  return /^(?:\([\w.-]+\) )?(?:\[?[\w.-]+@[\w.-]+[: ][^$#%\n]{0,200}\]?[$#%]|\$|❯)\s*$/.test(line.slice(0, 300))
}

/** Lines of a log, and where those stand that can end a here-document. */
class LogLines {
  readonly lines: readonly string[]
  #wordLines: ReadonlyMap<string, readonly number[]> | null = null

  constructor(lines: readonly string[]) {
    this.lines = lines
  }

  /** The first line after `index` that is `word` alone; null without one. Finds each in logarithmic time. */
  nextWord(word: string, index: number): number | null {
    this.#wordLines ??= wordLines(this.lines)
    const places = this.#wordLines.get(word) ?? []
    let low = 0
    let high = places.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((places[middle] ?? 0) <= index) low = middle + 1
      else high = middle
    }
    return places[low] ?? null
  }
}

function wordLines(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (const [index, line] of lines.entries()) {
    const word = /^(?:> ?)?\s*([A-Za-z_]\w{0,40})\s*$/.exec(line.slice(0, 100))?.[1]
    if (word === undefined) continue
    const known = places.get(word)
    if (known === undefined) places.set(word, [index])
    else known.push(index)
  }
  return places
}

const COMMAND_LINES_MAX = 2_000

/** Adds the lines that belong to the command: after a backslash, and the body of a here-document. */
function wholeCommand(command: string, log: LogLines, start: number): { text: string; end: number } {
  const { lines } = log
  const parts = [command]
  let end = start
  const limit = Math.min(lines.length - 1, start + COMMAND_LINES_MAX)
  while (parts.at(-1)?.endsWith('\\') === true && end < limit) {
    end++
    parts.push((lines[end] ?? '').replace(/^> /, ''))
  }
  const tag = /<<-?\s*(["']?)([A-Za-z_]\w*)\1/.exec(command)?.[2]
  if (tag === undefined) return { text: parts.join('\n').replace(/ ?\\\n\s*/g, ' '), end }
  const last = log.nextWord(tag, end)
  // No end of the here-document near by: the log shows only its first line.
  if (last === null || last > limit) return { text: command, end: start }
  const body = lines.slice(end + 1, last + 1).map((line) => line.replace(/^> ?/, ''))
  return { text: [...parts, ...body].join('\n'), end: last }
}
