/**
 * A dialogue with a person at a terminal. Each key goes to one of three: the line that is edited, the text that is paged
 * through, or, while an answer is being made, to nobody until it is there; then it is typed.
 */
import type { Conversation } from '../../ports/conversation.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import type { Completed } from './completion.ts'
import type { AskRunning, Dialogue, Reply } from './dialogue.ts'
import { LineEditor } from './line-editor.ts'
import type { LineHistory } from './line-history.ts'
import { HOW_TO_LEAVE } from './line-talk.ts'
import { isLong, Pager } from './pager.ts'
import { PASTE_MARKED, PASTE_UNMARKED, type Typed, TypedKeys } from './typed-keys.ts'
import { wrappedLines } from './wrapped-text.ts'

export interface TerminalTalkOptions {
  readonly conversation: Conversation
  readonly dialogue: Dialogue
  readonly terminal: Pick<Terminal, 'out' | 'signal'>
  readonly colour: boolean
  readonly history: LineHistory
  readonly complete: (line: string) => Promise<Completed>
  readonly progress: { readonly show: AskRunning['progress']; readonly clear: () => void }
}

const CTRL_C = '\u0003'
const ENTER = /[\r\n]/

export class TerminalTalk {
  readonly #options: TerminalTalkOptions
  readonly #keys = new TypedKeys()
  readonly #over = Promise.withResolvers<ExitCode>()
  #editor: LineEditor | null = null
  /** Typed while an answer is being made, and not seen yet. */
  #waiting: Typed[] = []
  #running: AbortController | null = null
  #pager: Pager | null = null

  constructor(options: TerminalTalkOptions) {
    this.#options = options
  }

  /** To its end; whatever ends it, the terminal is as it was. */
  async run(): Promise<ExitCode> {
    const { conversation, terminal, history, complete } = this.#options
    const lines = await history.lines()
    this.#editor = new LineEditor({
      conversation,
      out: terminal.out,
      history: lines,
      complete,
      onLine: (line) => void this.#answer(line),
      onCompleted: () => this.#typeWaiting(),
      onClear: (wasEmpty) => this.#cleared(wasEmpty),
      onEnd: () => this.#leave(EXIT.done),
    })
    terminal.out(PASTE_MARKED)
    try {
      conversation.onResize(() => this.#resize())
      conversation.onReturn(() => terminal.out(PASTE_MARKED))
      conversation.onInterruption(() => this.#interrupt())
      if (terminal.signal.aborted) return EXIT.interrupted
      terminal.signal.addEventListener('abort', () => this.#leave(EXIT.interrupted), { once: true })
      void this.#listen()
      this.#prompt()
      return await this.#over.promise
    } finally {
      this.#editor.close()
      conversation.takeKeys(false)
      terminal.out(`${PASTE_UNMARKED}\n`)
    }
  }

  async #listen(): Promise<void> {
    try {
      for await (const piece of this.#options.conversation.typed())
        for (const typed of this.#keys.take(piece)) this.#take(typed)
      this.#leave(EXIT.done)
    } catch (error) {
      this.#over.reject(error)
    }
  }

  #take(typed: Typed): void {
    if (this.#running !== null || this.#editor?.isCompleting === true) this.#hold(typed)
    else if (this.#pager !== null) this.#page(this.#pager, typed)
    else if (typed.kind === 'paste') this.#editor?.insert(typed.text)
    else this.#type(typed.text)
  }

  /** A line at a time: what follows one is for whoever has the keys once it is told. */
  #type(keys: string): void {
    const enter = ENTER.exec(keys)
    const end = enter === null ? keys.length : enter.index + 1
    const untyped = this.#editor?.type(keys.slice(0, end)) ?? ''
    const rest = untyped + keys.slice(end)
    if (rest !== '') this.#take({ kind: 'keys', text: rest })
  }

  #hold(typed: Typed): void {
    if (typed.kind === 'keys' && typed.text.includes(CTRL_C)) this.#interrupt()
    else this.#waiting.push(typed)
  }

  #interrupt(): void {
    if (this.#running === null) {
      this.#waiting = []
      if (this.#pager === null) this.#editor?.clear()
      else this.#page(this.#pager, { kind: 'keys', text: CTRL_C })
      return
    }
    this.#waiting = []
    // What does not end by the first one is left behind by the second.
    if (this.#running.signal.aborted) this.#leave(EXIT.interrupted)
    this.#running.abort()
  }

  async #answer(line: string): Promise<void> {
    const { dialogue, history, terminal, progress } = this.#options
    this.#running = new AbortController()
    try {
      const signal = AbortSignal.any([this.#running.signal, terminal.signal])
      // Kept beside its answer: whoever ends the program while one is being made finds the line again.
      const [reply] = await Promise.all([dialogue.reply(line, { progress: progress.show, signal }), history.keep(line)])
      progress.clear()
      this.#show(reply)
      this.#running = null
      if (reply.isLeaving) this.#leave(EXIT.done)
      else if (this.#pager === null) this.#goOn()
      else this.#typeWaiting()
    } catch (error) {
      this.#over.reject(error)
    }
  }

  #show({ text, isDocument }: Reply): void {
    const { conversation, terminal, colour } = this.#options
    const lines = isDocument ? [] : wrappedLines(text.replace(/\n$/, ''), conversation.size().columns)
    if (isDocument || text === '') terminal.out(text)
    else if (!isLong(lines, conversation.size())) terminal.out(`${lines.join('\n')}\n`)
    else
      this.#pager = new Pager(text.replace(/\n$/, ''), { size: () => conversation.size(), out: terminal.out, colour })
    if (this.#pager?.isOver === true) this.#pager = null
  }

  #page(pager: Pager, typed: Typed): void {
    if (typed.kind === 'paste') pager.leave()
    const rest = typed.kind === 'paste' ? typed.text : pager.take(typed.text)
    if (!pager.isOver) return
    this.#pager = null
    if (rest !== '') this.#waiting.unshift({ kind: typed.kind, text: rest })
    this.#goOn()
  }

  #goOn(): void {
    this.#prompt()
    this.#typeWaiting()
  }

  #typeWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const typed of waiting) this.#take(typed)
  }

  #prompt(): void {
    this.#editor?.prompt(this.#options.dialogue.settings.prompt)
  }

  #cleared(wasEmpty: boolean): void {
    if (!wasEmpty) return
    this.#options.terminal.out(`\n${HOW_TO_LEAVE}\n`)
    this.#prompt()
  }

  #resize(): void {
    if (this.#pager !== null) this.#pager.resize()
    else if (this.#running === null) this.#editor?.resize()
  }

  #leave(exit: ExitCode): void {
    this.#running?.abort()
    this.#over.resolve(exit)
  }
}
