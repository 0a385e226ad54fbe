/** Commands of Codex that run longer than a call waits: what later calls hear of them is the answer to the first. */
import { fieldOf, textField } from './json-records.ts'
import type { RunBuilder, ToolAnswer } from './run-builder.ts'

export interface CodexAnswer extends ToolAnswer {
  /** The name of the command that still runs. */
  readonly runsAs?: string
}

interface Running {
  /** Of the call that started it. */
  readonly key: string
  readonly printed: string[]
  isStopped: boolean
}

export class RunningCommands {
  readonly #builder: RunBuilder
  readonly #running = new Map<string, Running>()
  readonly #polls = new Map<string, Running>()

  constructor(builder: RunBuilder) {
    this.#builder = builder
  }

  /** Whether a call does nothing but wait for a command, or stop it. @param given to `write_stdin` */
  isPolled(key: string, given: unknown): boolean {
    const name = fieldOf(given, 'session_id')
    const running = this.#running.get(typeof name === 'number' ? String(name) : typeof name === 'string' ? name : '')
    const typed = textField(given, 'chars') ?? ''
    if (running === undefined || !(typed === '' || typed === INTERRUPT)) return false
    running.isStopped ||= typed === INTERRUPT
    this.#polls.set(key, running)
    return true
  }

  answer(key: string, answer: CodexAnswer): void {
    const running = this.#polls.get(key) ?? { key, printed: [], isStopped: false }
    this.#polls.delete(key)
    running.printed.push(answer.output)
    if (answer.runsAs !== undefined) this.#running.set(answer.runsAs, running)
    else this.#answerCall(running, answer)
  }

  /** At the end of the log: what has not ended by then has no outcome. */
  leave(): void {
    for (const running of new Set(this.#running.values()))
      this.#answerCall(running, { output: '', exitCode: null, errorFlag: null, isFinished: false })
  }

  #answerCall({ key, printed, isStopped }: Running, answer: ToolAnswer): void {
    const output = printed.filter((part) => part !== '').join('\n')
    // The code of what was interrupted says nothing of it.
    this.#builder.answer(key, { ...answer, output, ...(isStopped ? { isFinished: false } : {}) })
  }
}

/** Control-C. */
const INTERRUPT = '\u0003'
