/**
 * Trajectories of mini-SWE-agent: a chat whose replies hold one command in a fence, and whose answers hold its exit code
 * between tags. Versions that call a tool instead are chats like others.
 */

import { contentText, fieldOf, listField, textField } from './json-records.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/mini-swe-agent.txt' with { type: 'text' }
import { askedIn } from './request-text.ts'
import type { Run } from './run.ts'
import { RunBuilder } from './run-builder.ts'
import { describeCall, inOwnShell } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

const FENCED = /```(?:mswea_bash_command|bash|sh)\n([\s\S]*?)\n?```/
const ANSWERED = /^\s*(?:Observation:\s*)?<returncode>/

export const miniSweAgent: Producer = {
  name: 'mini-swe-agent',
  title: 'mini-SWE-agent',
  recordShape,
  recognises: ({ records }) => chatsOf(records).length > 0,
  read: ({ records }) => chatsOf(records).map(readChat),
}

function chatsOf(records: readonly unknown[]): readonly (readonly unknown[])[] {
  const lists = [records, ...records.map((record) => (Array.isArray(record) ? record : listField(record, 'messages')))]
  return lists.filter((list) => list.some(isAnswer))
}

function isAnswer(message: unknown): boolean {
  return textField(message, 'role') === 'user' && ANSWERED.test(contentText(fieldOf(message, 'content')))
}

function readChat(messages: readonly unknown[]): Run {
  const builder = new RunBuilder()
  // An answer is of the latest reply: a command that was never run has none.
  let open = ''
  for (const [at, message] of messages.entries()) {
    const text = contentText(fieldOf(message, 'content'))
    const role = textField(message, 'role')
    if (role === 'assistant') {
      builder.reply()
      const command = commandOf(message, text)
      open = command === null ? '' : String(at)
      if (command !== null) builder.call(inOwnShell(describeCall('bash', { command })), [open])
    } else if (role === 'user' && ANSWERED.test(text)) {
      builder.answer(open, readToolOutput(text.replace(/^\s*Observation:\s*/, '')))
      open = ''
    } else if (role === 'user') {
      // What is none of them tells the agent of a fault in its reply.
      if (builder.isEmpty) builder.ask(askedIn(text))
    }
  }
  return builder.run()
}

function commandOf(message: unknown, text: string): string | null {
  const [action] = listField(fieldOf(message, 'extra'), 'actions')
  const command = typeof action === 'string' ? action : (textField(action, 'command') ?? FENCED.exec(text)?.[1] ?? '')
  return command.trim() === '' ? null : command.trim()
}
