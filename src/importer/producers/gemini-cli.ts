/**
 * Chats of the Gemini CLI: an object with `messages` of type `user` and `gemini` whose tool calls hold their results, the
 * same messages one a line, and the saved form with `parts` of function calls and responses. What it prints as a stream
 * is read in gemini-stream.ts.
 */

import { isStreamed, readStream } from './gemini-stream.ts'
import { contentText, fieldOf, listField, stableJson, textField } from './json-records.ts'
import type { Producer } from './producer.ts'
import recordShape from './record-shapes/gemini-cli.txt' with { type: 'text' }
import type { Run } from './run.ts'
import { RunBuilder, type ToolAnswer } from './run-builder.ts'
import { screenText } from './screen-text.ts'
import { describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

export const geminiCli: Producer = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  recordShape,
  recognises: ({ records }) =>
    chatsOf(records).length > 0 || savedChatsOf(records).length > 0 || records.some(isStreamed),
  read: ({ records }) =>
    records.some(isStreamed)
      ? readStream(records)
      : [...chatsOf(records).map(readChat), ...savedChatsOf(records).map(readSaved)],
}

function isMessage(record: unknown): boolean {
  const type = textField(record, 'type')
  return (
    (type === 'gemini' && (fieldOf(record, 'content') !== undefined || fieldOf(record, 'toolCalls') !== undefined)) ||
    (type === 'user' && fieldOf(record, 'content') !== undefined && fieldOf(record, 'message') === undefined)
  )
}

type Messages = readonly unknown[]

function chatsOf(records: readonly unknown[]): readonly Messages[] {
  const lists = [records, ...records.map((record) => listField(record, 'messages'))]
  return lists.flatMap((list) => {
    const messages = list.filter(isMessage)
    return messages.some((message) => textField(message, 'type') === 'gemini') ? [messages] : []
  })
}

function readChat(messages: Messages): Run {
  const builder = new RunBuilder()
  for (const message of messages) {
    if (textField(message, 'type') === 'user') {
      builder.ask(contentText(fieldOf(message, 'content')))
      continue
    }
    builder.reply()
    const calls = listField(message, 'toolCalls')
    // All were made before any was answered, though each holds its answer.
    for (const [at, call] of calls.entries()) {
      const described = describeCall(textField(call, 'name') ?? 'tool', fieldOf(call, 'args'))
      builder.call(described, [callKey(at)], textField(fieldOf(call, 'args'), 'directory', 'dir_path'))
    }
    for (const [at, call] of calls.entries()) builder.answer(callKey(at), answerOf(call))
  }
  return builder.run()
}

function callKey(at: number): string {
  return `call ${at}`
}

function answerOf(call: unknown): ToolAnswer {
  const status = textField(call, 'status')
  const responses = listField(call, 'result').flatMap((part) => responseText(part) ?? [])
  const display = textField(call, 'resultDisplay')
  const read = readShell(responses.length > 0 ? responses.join('\n') : (display ?? ''))
  const isShell = textField(call, 'name') === 'run_shell_command'
  const isWhole = isShell
    ? read.exitCode !== null || responses[0]?.startsWith('Output: ') === true
    : responses.length > 0 || display !== null
  const isError = status === 'error' || (status === 'success' && listField(call, 'result').some(isErrorPart))
  const isFinished = isError || (status === 'success' && isWhole)
  // The tool succeeds whatever the command does.
  return { ...read, errorFlag: isError ? true : isShell ? null : false, isFinished }
}

/** An empty error is none. */
function isErrorPart(part: unknown): boolean {
  return (textField(fieldOf(fieldOf(part, 'functionResponse'), 'response'), 'error') ?? '').trim() !== ''
}

function responseText(part: unknown): string | null {
  const response = fieldOf(fieldOf(part, 'functionResponse'), 'response')
  const text = isErrorPart(part) ? textField(response, 'error') : textField(response, 'output', 'error')
  return text ?? (response === undefined ? null : stableJson(response))
}

const LEAD_FIELD = /^(?:Command|Directory|Stdout|Output): ?/
const TAIL_FIELD = /^(?:Stderr|Error|Signal|Background PIDs|Process Group PGID): ?/
const EXIT_FIELD = /^Exit Code: (-?\d{1,10}|\(none\))$/
const EMPTY = /^\((?:none|empty)\)$/

/**
 * What the shell tool tells of a command is a list of named fields, any other answer is the output itself. A command may
 * print such lines too, so the exit code is the last one told, and what stands before it and is no lead is output.
 */
function readShell(text: string): ReturnType<typeof readToolOutput> {
  const lines = text.split('\n')
  const end = lines.findLastIndex((line) => EXIT_FIELD.test(line))
  if (end === -1 || !LEAD_FIELD.test(text)) return readToolOutput(text)
  const printed: string[] = []
  for (const [at, line] of lines.slice(0, end).entries()) {
    // The command may span lines: the next field ends it.
    const isBefore = /^(?:Command|Directory): /.test(line) && at < 2
    const shown = at < LEAD_LINES || TAIL_FIELD.test(line) ? line.replace(LEAD_FIELD, '').replace(TAIL_FIELD, '') : line
    if (!isBefore && !EMPTY.test(shown)) printed.push(shown)
  }
  const code = EXIT_FIELD.exec(lines[end] ?? '')?.[1]
  const exitCode = code === undefined || EMPTY.test(code) ? null : Number(code)
  return { output: screenText(printed.join('\n').trim()), exitCode, errorFlag: null }
}

/** In which the fields in front of the output stand. */
const LEAD_LINES = 3

const isSaved = (record: unknown) =>
  ['user', 'model'].includes(textField(record, 'role') ?? '') && listField(record, 'parts').length > 0

function savedChatsOf(records: readonly unknown[]): readonly Messages[] {
  const lists = [records, ...records.flatMap((record) => (Array.isArray(record) ? [record as unknown[]] : []))]
  return lists.flatMap((list) => (list.some(isSaved) ? [list.filter(isSaved)] : []))
}

/** Answers name the function, and in later versions the call's id too. */
function readSaved(messages: Messages): Run {
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
      const answer = isErrorPart(part) ? { ...read, errorFlag: true } : read
      if (id === null || !builder.answer(`id ${id}`, answer)) builder.answer(`name ${answered ?? ''}`, answer)
    }
  }
  return builder.run()
}
