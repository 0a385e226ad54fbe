/** A workspace that stays open from one question to the next, for surfaces that answer many; opened anew when its settings change. */
import type { Running } from '../importer/running.ts'
import { invariant } from '../model/memory-error.ts'
import type { Machine } from './machine.ts'
import { OpenedWorkspace } from './opened-workspace.ts'
import { type Operation, runOperation } from './operation.ts'
import { operationContext } from './operation-table.ts'
import { settingsFiles, type WorkspaceChoice } from './workspace-settings.ts'

export interface KeptOptions {
  /** See `OperationContext`. */
  readonly masksOriginals?: boolean
}

interface Opened {
  readonly workspace: OpenedWorkspace
  /** The files of settings that it was opened with. */
  readonly settings: string
  /** Questions that it is answering. */
  asking: number
}

export class KeptWorkspace implements Disposable {
  readonly #machine: Machine
  readonly #choice: WorkspaceChoice
  readonly #options: KeptOptions
  #opened: Opened | null = null
  #isClosed = false

  constructor(machine: Machine, choice: WorkspaceChoice, options: KeptOptions = {}) {
    this.#machine = machine
    this.#choice = choice
    this.#options = options
  }

  /**
   * One answer. Several may be asked at once.
   * @param running is told the notices of the workspace too
   * Throws what `OpenedWorkspace` and `runOperation` throw; after wrong settings it is well again once they are.
   */
  async ask(operation: Operation, input: unknown, running: Omit<Running, 'onWait'>): Promise<unknown> {
    invariant(!this.#isClosed, 'nobody asks what is closed')
    const opened = this.#current()
    opened.asking++
    try {
      for (const notice of opened.workspace.noticesFor(operation)) running.say(notice)
      return await runOperation(operation, operationContext(opened.workspace, running, this.#options), input)
    } finally {
      opened.asking--
      if (opened !== this.#opened || this.#isClosed) closeIfIdle(opened)
    }
  }

  #current(): Opened {
    // Read before it is opened: what changes in between is seen by the next question.
    const settings = JSON.stringify(settingsFiles(this.#machine, this.#choice))
    const last = this.#opened
    if (last?.settings === settings) return last
    this.#opened = null
    if (last !== null) closeIfIdle(last)
    this.#opened = { workspace: new OpenedWorkspace(this.#machine, this.#choice), settings, asking: 0 }
    return this.#opened
  }

  /** Answers that are still being made end before what they use is closed. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    if (this.#opened !== null) closeIfIdle(this.#opened)
  }
}

function closeIfIdle({ workspace, asking }: Opened): void {
  if (asking === 0) workspace[Symbol.dispose]()
}
