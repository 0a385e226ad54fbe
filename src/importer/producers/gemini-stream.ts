/**
 * The stream of `gemini --output-format stream-json`: events one a line, answers named by the id of their call. Of the
 * shell it tells what was printed, and an exit code only where the shell tool wrote one there.
 */
import { fieldOf, textField } from './json-records.ts'
import type { Run } from './run.ts'
import { RunBuilder, type ToolAnswer } from './run-builder.ts'
import { type RunReader, runsSplitAt } from './split-runs.ts'
import { describeCall } from './tool-call.ts'
import { readToolOutput } from './tool-output.ts'

/** Whether a record is the heading of a stream, a call or an answer, as no chat holds them. */
export function isStreamed(record: unknown): boolean {
  const type = textField(record, 'type')
  if (type === 'init') return textField(record, 'session_id') !== null && textField(record, 'model') !== null
  return (type === 'tool_use' && textField(record, 'tool_name') !== null) || isAnswer(record)
}

function isAnswer(record: unknown): boolean {
  return textField(record, 'type') === 'tool_result' && textField(record, 'tool_id') !== null
}

/** A run a stream; several may stand one behind the other. */
export function readStream(records: readonly unknown[]): readonly Run[] {
  return runsSplitAt(
    records,
    (record) => textField(record, 'type') === 'init',
    () => new Stream(),
  )
}

class Stream implements RunReader {
  readonly builder = new RunBuilder()
  readonly #shells = new Set<string>()
  #isReplying = false

  add(record: unknown): void {
    const id = textField(record, 'tool_id') ?? ''
    const wasReplying = this.#isReplying
    this.#isReplying = false
    switch (textField(record, 'type')) {
      case 'message':
        // A reply comes in pieces.
        this.#isReplying = textField(record, 'role') === 'assistant'
        if (!this.#isReplying) this.builder.ask(textField(record, 'content') ?? '')
        else if (!wasReplying) this.builder.reply()
        break
      case 'tool_use': {
        const given = fieldOf(record, 'parameters')
        const call = describeCall(textField(record, 'tool_name') ?? 'tool', given)
        if (call.shell) this.#shells.add(id)
        this.builder.call(call, [id], textField(given, 'directory', 'dir_path'))
        break
      }
      case 'tool_result':
        if (id !== '') this.builder.answer(id, answerOf(record, { isShell: this.#shells.has(id) }))
        break
      default:
    }
  }
}

function answerOf(record: unknown, { isShell }: { readonly isShell: boolean }): ToolAnswer {
  const error = textField(fieldOf(record, 'error'), 'message')
  const read = readToolOutput([textField(record, 'output'), error].filter((part) => (part ?? '') !== '').join('\n'))
  const status = textField(record, 'status')
  // The shell tool succeeds whatever the command does.
  return { ...read, errorFlag: status === 'error' ? true : isShell ? null : status === 'success' ? false : null }
}
