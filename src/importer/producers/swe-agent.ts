/** Trajectories of SWE-agent: `trajectory`, a list of actions with their observations, and `history`, the messages. */

import { contentText, fieldOf, listField, parsedValue, textField } from './json-records.ts'
import { readChat } from './openai-chat.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/swe-agent.txt' with { type: 'text' }
import { askedIn } from './request-text.ts'
import type { Run } from './run.ts'
import { RunBuilder, type ToolAnswer } from './run-builder.ts'
import { codeLine, withCode } from './shown-text.ts'
import { type Call, describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

export const sweAgent: Producer = {
  name: 'swe-agent',
  title: 'SWE-agent',
  recordShape,
  recognises: ({ records }) =>
    records.some((record) => listField(record, 'trajectory').some(isStep) || listField(record, 'history').some(isOwn)),
  read: ({ records }) =>
    records.flatMap((record) => {
      const steps = listField(record, 'trajectory').filter(isStep)
      if (steps.length > 0) return [readTrajectory(steps, listField(record, 'history'))]
      const history = listField(record, 'history').filter(isOwn)
      return history.length > 0 ? [readChat(history)] : []
    }),
}

function isOwn(message: unknown): boolean {
  return textField(message, 'agent') !== null
}

function isStep(step: unknown): boolean {
  return textField(step, 'action') !== null && textField(step, 'observation') !== null
}

function readTrajectory(steps: readonly unknown[], history: readonly unknown[]): Run {
  const builder = new RunBuilder()
  // A demonstration of how to work may stand before what is asked.
  const messages = [...history, ...steps.flatMap((step) => listField(step, 'messages'))]
  const asked = messages.find(
    (message) => textField(message, 'role') === 'user' && fieldOf(message, 'is_demo') !== true,
  )
  builder.ask(askedIn(contentText(fieldOf(asked, 'content'))))
  for (const step of steps) {
    const action = (textField(step, 'action') ?? '').trim()
    builder.reply()
    if (action === '') continue
    const observation = textField(step, 'observation') ?? ''
    const folder = stateField(step, 'working_dir')
    builder.folder ??= folder
    builder.answered(callOf(action, openFile(step, observation)), answerIn(observation), folder)
  }
  return builder.run()
}

/** Of the state before the action; older versions keep it as text. */
function stateField(step: unknown, name: string): string | null {
  const state = fieldOf(step, 'state')
  return textField(typeof state === 'string' ? parsedValue(state)[0] : state, name)
}

/** What the state does not tell the answer of an edit does. */
function openFile(step: unknown, observation: string): string | null {
  const file = stateField(step, 'open_file')
  const shown = /^\[File: (\S+) \(/.exec(observation)?.[1]
  return file === null || file === '' || file === 'n/a' ? (shown ?? null) : file
}

function answerIn(observation: string): ToolAnswer {
  return { ...readToolOutput(withoutState(observation)), isFinished: !STOPPED.test(observation) }
}

/** What the frame says of a command that it ended itself. */
const STOPPED =
  /^\s*(?:EXECUTION TIMED OUT\b|COMMAND (?:TIMED OUT|EXECUTION TIMED OUT)\b|The command '[^']{0,1000}' was cancelled because it took more than\b)/

/** The frame adds its state to what was printed. */
function withoutState(observation: string): string {
  const text = observation.replaceAll('\r', '')
  const at = text.lastIndexOf('(Open file: ')
  const isState = at !== -1 && STATE.test(text.slice(at))
  return isState ? text.slice(0, at).replace(/\n$/, '') : text
}

const STATE = /^\(Open file: [^\n]*\)\n\(Current directory: [^\n]*\)\s*(?:bash-\$\s*)?$/

/** The agent's own commands are not the shell's: `open` shows a file, `edit` changes it. */
const OWN_LOOK = /^(?:open|goto|scroll_up|scroll_down|search_dir|search_file|find_file|view|filemap)\b/
const OWN_EDIT = /^(?:edit|create|insert|append|str_replace|undo_edit)\b/
const OWN_NOTE = /^(?:submit|exit_cost|exit_context|exit_forfeit)\b/

/** @param file that the agent has open; null when the log does not tell it */
function callOf(action: string, file: string | null): Call {
  const own = { shell: false, command: action } as const
  const [, verb = '', path = '', rest = ''] = /^str_replace_editor (\w+) (\S+)\s*(.*)$/s.exec(action) ?? []
  if (verb === 'view') return { ...own, kind: 'look', shown: `read ${path}` }
  if (verb !== '')
    return { ...own, kind: 'edit', shown: rest === '' ? `${verb} ${path}` : withCode(`${verb} ${path}:`, rest) }
  if (OWN_EDIT.test(action)) return { ...own, kind: 'edit', shown: shownEdit(action, file) }
  if (OWN_LOOK.test(action)) return { ...own, kind: 'look', shown: codeLine(action) }
  if (OWN_NOTE.test(action)) return { ...own, kind: 'note', shown: codeLine(action) }
  return describeCall('bash', { command: action })
}

/** `edit 4:5` and the lines that stand there afterwards; the file is the one that is open. */
function shownEdit(action: string, file: string | null): string {
  const where = file ?? 'the open file'
  const [, verb = '', from = '', to = from, body = ''] = /^(edit|insert) (\d+)(?::(\d+))?\n(.*)$/s.exec(action) ?? []
  const text = body.replace(/\n?end_of_\w+\s*$/, '')
  const lines = from === to ? `line ${from}` : `lines ${from} to ${to}`
  if (verb !== '')
    return text === ''
      ? `remove ${lines} of ${where}`
      : withCode(`${verb === 'insert' ? 'insert into' : verb} ${where}, ${lines}:`, text)
  return /^(?:create|str_replace) /.test(action) ? codeLine(action) : withCode(`edit ${where}:`, action)
}
