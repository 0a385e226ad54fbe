/** Puts a run together from what a log says in its order: requests, replies, calls, and answers that may come later. */
import { judgeOutcome } from './outcome.ts'
import { tellsInterruption, tellsRefusal } from './refused-call.ts'
import { nextTask } from './request-text.ts'
import type { Run, Step } from './run.ts'
import type { Call } from './tool-call.ts'
import type { ToolOutput } from './tool-output.ts'
import { withPlaces } from './working-place.ts'

export interface ToolAnswer extends ToolOutput {
  /** False when the call was cut off, refused or sent to the background. True when not given. */
  readonly isFinished?: boolean
  /** See `OutcomeClues`. False when not given. */
  readonly stopsAtFirstFailure?: boolean
}

interface OpenCall {
  readonly call: Call
  readonly task: string | null
  /** Where its step belongs. */
  readonly position: number
  readonly keys: readonly string[]
  readonly calledAt: number
}

export class RunBuilder {
  /** Where the run worked, as soon as the log says so. */
  folder: string | null = null
  /** See `Step.logPath`, of what is added complete; null in the log at hand. */
  logPath: string | null = null
  #task: string | null = null
  #firstTask: string | null = null
  #turns = 0
  readonly #steps: Step[] = []
  readonly #named: (string | null)[] = []
  readonly #open = new Map<string, Set<OpenCall>>()
  /** Calls and answers so far. */
  #events = 0

  get isEmpty(): boolean {
    return this.#turns === 0 && this.#steps.length === 0
  }

  /** What a person wrote; nothing when it is blank. */
  ask(text: string): void {
    if (text.trim() === '') return
    this.#turns += 1
    this.#task = nextTask(this.#task, text)
    this.#firstTask ??= this.#task
  }

  /** A message of the model. */
  reply(): void {
    this.#turns += 1
  }

  /**
   * @param keys  by which an answer may name it; the oldest call that has the answer's key gets it
   * @param place the folder that the log names for it; null when it names none
   */
  call(call: Call, keys: readonly string[] = [], place: string | null = null): void {
    const opened = { call, task: this.#task, position: this.#steps.length, keys, calledAt: this.#events++ }
    for (const key of keys) this.#open.set(key, (this.#open.get(key) ?? new Set()).add(opened))
    this.#steps.push({ ...stepOf(call), task: this.#task, calledAt: opened.calledAt })
    this.#named.push(place)
  }

  /** @returns whether a call waits for it */
  answer(key: string, answer: ToolAnswer): boolean {
    const opened = this.#open.get(key)?.values().next().value
    if (opened === undefined) return false
    for (const other of opened.keys) this.#open.get(other)?.delete(opened)
    const { calledAt, task } = opened
    this.#steps[opened.position] = { ...answeredStep(opened.call, answer), task, calledAt, answeredAt: this.#events++ }
    return true
  }

  /** A call and its answer in one. */
  answered(call: Call, answer: ToolAnswer, place: string | null = null): void {
    this.#add(answeredStep(call, answer), place)
  }

  /** What changed between two attempts, without a call in the log. @param shown for a reader */
  commit(id: string, shown: string): void {
    const step = stepOf({ kind: 'call', shell: false, command: `commit ${id}`, shown })
    this.#add({ ...step, finished: true, commit: id }, null)
  }

  #add(step: Untasked, place: string | null): void {
    const { logPath } = this
    this.#steps.push({ ...step, task: this.#task, ...(logPath === null ? {} : { logPath }) })
    this.#named.push(place)
  }

  run(): Run {
    const { folder } = this
    const steps = withPlaces(this.#steps, { folder, linesStay: false, named: this.#named })
    return { task: this.#firstTask, folder, turns: this.#turns, steps }
  }
}

type Untasked = Omit<Step, 'task'>

/** Of a call without an answer. */
function stepOf({ kind, shell, command, shown, setting }: Call): Untasked {
  const call = { kind, shell, command, shown, ...(setting === undefined ? {} : { setting }) }
  return { ...call, output: '', outcome: 'unknown', evidence: 'none', finished: false }
}

function answeredStep(call: Call, answer: ToolAnswer): Untasked {
  const { output, exitCode, errorFlag, isFinished = true, stopsAtFirstFailure = false } = answer
  const unanswered = { ...stepOf(call), output }
  if (!isFinished || tellsInterruption(output) || (exitCode === null && tellsRefusal(output))) return unanswered
  const { command, kind, shell } = call
  const isEdit = kind === 'edit'
  // What is looked at may be a record of anything.
  const isError = kind !== 'look' && answer.isErrorRecord === true && (exitCode ?? 0) === 0
  const clues = {
    shell: shell ? command : null,
    isEdit,
    exitCode: isError ? null : exitCode,
    errorFlag: isError ? true : errorFlag,
    stopsAtFirstFailure,
    output,
  }
  return { ...unanswered, ...judgeOutcome(clues), finished: true }
}
