/**
 * Chats of the Gemini CLI: an object with `messages` of type `user` and `gemini` whose tool calls hold their results, the
 * same messages one a line, and the saved form with `parts` of function calls and responses.
 */
import { contentText, fieldOf, listField, stableJson, textField } from './json-records.ts'
import type { Producer } from './producer.ts'
import type { Run } from './run.ts'
import { RunBuilder, type ToolAnswer } from './run-builder.ts'
import { screenText } from './screen-text.ts'
import { describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

export const geminiCli: Producer = {
  name: 'gemini-cli',
  read({ records }) {
    const runs = [...chatsOf(records), ...savedChatsOf(records)]
    return runs.length === 0 ? null : runs
  },
}

function isMessage(record: unknown): boolean {
  const type = textField(record, 'type')
  return (
    (type === 'gemini' && (fieldOf(record, 'content') !== undefined || fieldOf(record, 'toolCalls') !== undefined)) ||
    (type === 'user' && fieldOf(record, 'content') !== undefined && fieldOf(record, 'message') === undefined)
  )
}

function chatsOf(records: readonly unknown[]): readonly Run[] {
  const lists = [records, ...records.map((record) => listField(record, 'messages'))]
  return lists.flatMap((list) => {
    const messages = list.filter(isMessage)
    return messages.some((message) => textField(message, 'type') === 'gemini') ? [readChat(messages)] : []
  })
}

function readChat(messages: readonly unknown[]): Run {
  const builder = new RunBuilder()
  for (const message of messages) {
    if (textField(message, 'type') === 'user') {
      builder.ask(contentText(fieldOf(message, 'content')))
      continue
    }
    builder.reply()
    for (const call of listField(message, 'toolCalls')) {
      const described = describeCall(textField(call, 'name') ?? 'tool', fieldOf(call, 'args'))
      const place = textField(fieldOf(call, 'args'), 'directory', 'dir_path')
      builder.answered(described, answerOf(call), place)
    }
  }
  return builder.run()
}

function answerOf(call: unknown): ToolAnswer {
  const status = textField(call, 'status')
  const responses = listField(call, 'result').flatMap((part) => responseText(part) ?? [])
  const display = textField(call, 'resultDisplay')
  const read = readShell(responses.length > 0 ? responses.join('\n') : (display ?? ''))
  const isFinished = status === 'success' || status === 'error'
  return { ...read, errorFlag: status === 'error' ? true : isFinished ? false : read.errorFlag, isFinished }
}

function responseText(part: unknown): string | null {
  const response = fieldOf(fieldOf(part, 'functionResponse'), 'response')
  const text = textField(response, 'error', 'output')
  return text ?? (response === undefined ? null : stableJson(response))
}

const FIELD = /^(Command|Directory|Stdout|Stderr|Output|Error|Exit Code|Signal|Background PIDs|Process Group PGID): ?/

/** What the shell tool tells of a command is a list of named fields; any other answer is the output itself. */
function readShell(text: string): ReturnType<typeof readToolOutput> {
  if (!/^(?:Command|Output): /.test(text) || !/^Exit Code: /m.test(text)) return readToolOutput(text)
  const fields = new Map<string, string[]>()
  let open: string[] = []
  for (const line of text.split('\n')) {
    const [heading, name] = FIELD.exec(line) ?? []
    if (heading === undefined || name === undefined || fields.has(name)) {
      open.push(line)
      continue
    }
    open = [line.slice(heading.length)]
    fields.set(name, open)
  }
  const fieldText = (name: string) => fields.get(name)?.join('\n').trim() ?? ''
  const printed = ['Output', 'Stdout', 'Stderr', 'Error']
    .map(fieldText)
    .filter((value) => value !== '' && value !== '(none)' && value !== '(empty)')
  const code = /^-?\d{1,10}$/.exec(fieldText('Exit Code'))?.[0]
  return {
    output: screenText(printed.join('\n')),
    exitCode: code === undefined ? null : Number(code),
    errorFlag: null,
  }
}

const isSaved = (record: unknown) =>
  ['user', 'model'].includes(textField(record, 'role') ?? '') && listField(record, 'parts').length > 0

function savedChatsOf(records: readonly unknown[]): readonly Run[] {
  const lists = [records, ...records.flatMap((record) => (Array.isArray(record) ? [record as unknown[]] : []))]
  return lists.flatMap((list) => (list.some(isSaved) ? [readSaved(list.filter(isSaved))] : []))
}

/** Answers name the function, and in later versions the call's id too. */
function readSaved(messages: readonly unknown[]): Run {
  const builder = new RunBuilder()
  for (const message of messages) {
    if (textField(message, 'role') === 'model') builder.reply()
    else builder.ask(contentText(listField(message, 'parts')))
    for (const part of listField(message, 'parts')) {
      const call = fieldOf(part, 'functionCall')
      const name = textField(call, 'name')
      if (name !== null) {
        const id = textField(call, 'id')
        builder.call(describeCall(name, fieldOf(call, 'args')), [...(id === null ? [] : [`id ${id}`]), `name ${name}`])
      }
      const response = fieldOf(part, 'functionResponse')
      const [id, answered] = [textField(response, 'id'), textField(response, 'name')]
      const read = readShell(responseText(part) ?? '')
      const isError = textField(fieldOf(response, 'response'), 'error') !== null
      const answer = isError ? { ...read, errorFlag: true } : read
      if (id === null || !builder.answer(`id ${id}`, answer)) builder.answer(`name ${answered ?? ''}`, answer)
    }
  }
  return builder.run()
}
