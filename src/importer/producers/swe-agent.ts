/** Trajectories of SWE-agent: `trajectory`, a list of actions with their observations, and `history`, the messages. */

import { contentText, fieldOf, listField, parsedValue, textField } from './json-records.ts'
import { readChat } from './openai-chat.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/swe-agent.txt' with { type: 'text' }
import { askedIn } from './request-text.ts'
import type { Run } from './run.ts'
import { RunBuilder, type ToolAnswer } from './run-builder.ts'
import { type Call, describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

export const sweAgent: Producer = {
  name: 'swe-agent',
  title: 'SWE-agent',
  recordShape,
  read({ records }) {
    const runs = records.flatMap((record) => {
      const steps = listField(record, 'trajectory').filter(isStep)
      if (steps.length > 0) return [readTrajectory(steps, listField(record, 'history'))]
      const history = listField(record, 'history').filter((message) => textField(message, 'agent') !== null)
      return history.length > 0 ? [readChat(history)] : []
    })
    return runs.length === 0 ? null : runs
  },
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
    const folder = workingFolder(fieldOf(step, 'state'))
    builder.folder ??= folder
    builder.answered(callOf(action), observed(textField(step, 'observation') ?? ''), folder)
  }
  return builder.run()
}

/** Of the state before the action; older versions keep it as text. */
function workingFolder(state: unknown): string | null {
  return textField(typeof state === 'string' ? parsedValue(state)[0] : state, 'working_dir')
}

/** An edit that the frame undoes says so in words. */
function observed(observation: string): ToolAnswer {
  const read = readToolOutput(withoutState(observation))
  return read.output.startsWith('Your proposed edit has introduced') ? { ...read, errorFlag: true } : read
}

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

function callOf(action: string): Call {
  const [, verb, path] = /^str_replace_editor (\w+) (\S+)/.exec(action) ?? []
  if (verb === 'view') return { ...describeCall('view', { path }), command: action }
  if (verb !== undefined || OWN_EDIT.test(action)) return { ...describeCall('edit', action), command: action }
  if (OWN_LOOK.test(action)) return { ...describeCall('read', action), command: action }
  if (OWN_NOTE.test(action)) return { ...describeCall('submit', action), command: action }
  return describeCall('bash', { command: action })
}
