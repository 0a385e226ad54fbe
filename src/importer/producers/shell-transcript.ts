/**
 * What a terminal showed: prompts, commands and their output. It records no exit codes, so an outcome is known only
 * where the text itself tells (outcome.ts). Comments typed at a prompt are taken as what was asked.
 */

import { LAST_CODE } from './exit-code-mask.ts'
import { judgeOutcome } from './outcome.ts'
import type { LogInput, Producer } from './producer.ts'
import recordShape from './record-shapes/shell-transcript.txt' with { type: 'text' }
import type { Run, Step } from './run.ts'
import { screenText } from './screen-text.ts'
import { isBarePrompt, type PromptReader, promptReader } from './shell-prompt.ts'
import { describeCall } from './tool-call.ts'
import { withPlaces } from './working-place.ts'

export const shellTranscript: Producer = {
  name: 'shell-transcript',
  title: 'shell sessions',
  recordShape,
  recognises: ({ records, ...log }) => records.length === 0 && sessionOf(log) !== null,
  read(log) {
    const session = sessionOf(log)
    return session === null ? [] : [readSession(session.lines, session.readPrompt, log.format === 'markdown')]
  },
}

interface Session {
  readonly lines: readonly string[]
  readonly readPrompt: PromptReader
}

/** Null when no prompt is seen twice. */
function sessionOf({ text, format }: LogInput): Session | null {
  const lines = screenText(text).split('\n')
  const readPrompt = promptReader(lines, { weak: format !== 'markdown' })
  return readPrompt === null ? null : { lines, readPrompt }
}

interface Entry {
  command: string
  readonly place: string | null
  readonly output: string[]
  /** Something followed it in the log: it came to its end. */
  ended: boolean
}

function readSession(lines: readonly string[], readPrompt: PromptReader, markdown: boolean): Run {
  const entries = sessionEntries(lines, readPrompt, markdown)
  const steps: Step[] = []
  const named: (string | null)[] = []
  let task: string | null = null
  let firstTask: string | null = null
  for (const [index, entry] of entries.entries()) {
    if (/^#\s?\S/.test(entry.command)) {
      const before = entries[index - 1]
      const goesOn = before?.command.startsWith('#') === true && before.output.every((line) => line.trim() === '')
      const note = entry.command.replace(/^#\s?/, '')
      task = goesOn && task !== null ? `${task} ${note}` : note
      if (steps.length === 0) firstTask = task
      continue
    }
    if (isExitQuestion(entry.command)) continue
    const asked = entries[index + 1]
    const code = asked !== undefined && isExitQuestion(asked.command) ? exitAnswer(asked.output) : null
    steps.push(stepOf(entry, code, task))
    named.push(entry.place)
  }
  return { task: firstTask, folder: null, turns: 0, steps: withPlaces(steps, { folder: null, linesStay: true, named }) }
}

function stepOf(entry: Entry, code: number | null, task: string | null): Step {
  const { kind, command, shown } = describeCall('shell', { command: entry.command })
  const output = entry.output.join('\n').trimEnd()
  const verdict = judgeOutcome({ shell: command, exitCode: code, errorFlag: null, output })
  const interrupted = /^\s*\^[CZ]\s*$/m.test(output)
  const outcome = interrupted && verdict.outcome === 'passed' ? 'unknown' : verdict.outcome
  // What was sent to the background may still run when the next prompt stands there.
  const finished = entry.ended && !interrupted && !/(?<!&)&$/.test(command)
  return { kind, shell: true, command, shown, output, ...verdict, outcome, finished, task }
}

const EXIT_QUESTION = new RegExp(String.raw`^(?:echo\s+)?"?(?:exit[ =:]+|rc[ =:]+)?${LAST_CODE}"?$`, 'i')

function isExitQuestion(command: string): boolean {
  return EXIT_QUESTION.test(command)
}

function exitAnswer(output: readonly string[]): number | null {
  const code = /^\D{0,8}(-?\d{1,10})\s*$/.exec(output[0] ?? '')?.[1]
  return code === undefined ? null : Number(code)
}

function sessionEntries(lines: readonly string[], readPrompt: PromptReader, markdown: boolean): readonly Entry[] {
  const entries: Entry[] = []
  let entry: Entry | null = null
  let fenced = false
  const words = wordLines(lines)
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (markdown && /^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced
      if (entry !== null) entry.ended = true
      entry = null
      continue
    }
    const prompted = readPrompt(line)
    if (prompted === null) {
      if (isBarePrompt(line) && entry !== null) entry.ended = true
      else entry?.output.push(line)
      continue
    }
    if (entry !== null) entry.ended = true
    const { text, end } = wholeCommand(prompted.command, lines, words, index)
    entry = { command: text, place: prompted.place, output: [], ended: false }
    entries.push(entry)
    index = end
  }
  return entries
}

/** Lines that are one word, by the word, the last first. */
function wordLines(lines: readonly string[]): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>()
  for (let index = lines.length - 1; index >= 0; index--) {
    const word = /^(?:> ?)?\s*([A-Za-z_]\w{0,40})\s*$/.exec((lines[index] ?? '').slice(0, 100))?.[1]
    if (word === undefined) continue
    const known = places.get(word)
    if (known === undefined) places.set(word, [index])
    else known.push(index)
  }
  return places
}

const COMMAND_LINES_MAX = 2_000

/**
 * Adds the lines that belong to the command: after a backslash, and the body of a here-document.
 * @param words of all lines; those before `start` are taken out, as commands are read in order
 */
function wholeCommand(
  command: string,
  lines: readonly string[],
  words: ReadonlyMap<string, number[]>,
  start: number,
): { text: string; end: number } {
  const parts = [command]
  let end = start
  const limit = Math.min(lines.length - 1, start + COMMAND_LINES_MAX)
  while (parts.at(-1)?.endsWith('\\') === true && end < limit) {
    end++
    parts.push((lines[end] ?? '').replace(/^> /, ''))
  }
  const line = parts.join('\n').replace(/ ?\\\n\s*/g, ' ')
  const tag = /<<-?\s*(["']?)([A-Za-z_]\w*)\1/.exec(command)?.[2]
  const places = tag === undefined ? [] : (words.get(tag) ?? [])
  while ((places.at(-1) ?? lines.length) <= end) places.pop()
  const last = places.at(-1)
  // No end of the here-document near by: the log does not show its body.
  if (last === undefined || last > limit) return { text: line, end }
  const body = lines.slice(end + 1, last + 1).map((bodyLine) => bodyLine.replace(/^> ?/, ''))
  return { text: [...parts, ...body].join('\n'), end: last }
}
