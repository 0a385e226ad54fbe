/** A dialogue line by line: with a script, and on terminals that can draw nothing. */
import { MemoryError } from '../../model/memory-error.ts'
import type { Conversation } from '../../ports/conversation.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import type { AskRunning, Dialogue } from './dialogue.ts'
import { wrappedLines } from './wrapped-text.ts'

const LINE_UNITS_MAX = 1024 * 1024

export interface LineTalkOptions {
  readonly conversation: Conversation
  readonly dialogue: Dialogue
  readonly terminal: Terminal
  readonly progress: AskRunning['progress']
}

/** @returns the highest exit code of its lines: a script is to notice what went wrong on the way */
export async function talkWithScript({
  conversation,
  dialogue,
  terminal,
  progress,
}: LineTalkOptions): Promise<ExitCode> {
  const { signal } = terminal
  let exit: ExitCode = EXIT.done
  for await (const line of untilAborted(typedLines(conversation), signal)) {
    const reply = line === null ? dialogue.fault(tooLong()) : await dialogue.reply(line, { progress, signal })
    if (reply.isFault && !reply.isDocument) terminal.error(reply.text)
    else terminal.out(reply.text)
    if (reply.exit > exit) exit = reply.exit
    if (reply.isLeaving) break
  }
  return signal.aborted ? EXIT.interrupted : exit
}

/** With a person, whose lines the terminal itself lets edit. An interruption stops what runs. */
export async function talkPlainly({ conversation, dialogue, terminal, progress }: LineTalkOptions): Promise<ExitCode> {
  let running: AbortController | null = null
  const prompt = () => terminal.out(dialogue.settings.prompt)
  conversation.onInterruption(() => {
    if (running !== null) running.abort()
    else terminal.out(`\n${HOW_TO_LEAVE}\n${dialogue.settings.prompt}`)
  })
  prompt()
  for await (const line of untilAborted(typedLines(conversation), terminal.signal)) {
    running = new AbortController()
    const signal = AbortSignal.any([running.signal, terminal.signal])
    const reply = line === null ? dialogue.fault(tooLong()) : await dialogue.reply(line, { progress, signal })
    const { text, isDocument, isLeaving } = reply
    terminal.out(isDocument ? text : wrappedLines(text, conversation.size().columns).join('\n'))
    running = null
    if (isLeaving) return EXIT.done
    prompt()
  }
  terminal.out('\n')
  return terminal.signal.aborted ? EXIT.interrupted : EXIT.done
}

export const HOW_TO_LEAVE = 'Ctrl-D or /quit leaves.'

/** Null for a line that is too long, of which nothing is kept. The last one may have no line end. */
export async function* typedLines(conversation: Conversation): AsyncIterable<string | null> {
  let rest = ''
  let isTooLong = false
  for await (const piece of conversation.typed()) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      yield isTooLong || line.length > LINE_UNITS_MAX ? null : line.replace(/\r$/, '')
      isTooLong = false
    }
    if (rest.length <= LINE_UNITS_MAX) continue
    isTooLong = true
    rest = ''
  }
  if (isTooLong) yield null
  else if (rest !== '') yield rest
}

function tooLong(): MemoryError {
  return new MemoryError('invalid_argument', `a line has more than ${LINE_UNITS_MAX} characters; give shorter ones`)
}

/** Nobody waits for input that may never come once the program is to end. */
async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  const aborted = new Promise<{ readonly done: true }>((resolve) => {
    if (signal.aborted) resolve({ done: true })
    else signal.addEventListener('abort', () => resolve({ done: true }), { once: true })
  })
  const iterator = items[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([aborted, iterator.next()])
    if (next.done === true) return
    yield next.value
  }
}
