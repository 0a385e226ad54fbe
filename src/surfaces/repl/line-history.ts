/** The lines that were typed, kept across runs for whoever typed them. Never those that hold a secret. */
import nodePath from 'node:path'
import process from 'node:process'
import type { Machine } from '../../app/machine.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { shownSafely } from '../terminal-text.ts'
import { isPrivate } from './repl-line.ts'

export const HISTORY_LINES_MAX = 1_000
/** A longer one was pasted, and is not brought back to be edited. */
const LINE_UNITS_MAX = 4_096

export class LineHistory {
  readonly #machine: Machine
  readonly #path: string | null
  readonly #say: (notice: string) => void
  #isUsable: boolean

  constructor(machine: Machine, say: (notice: string) => void) {
    this.#machine = machine
    this.#path = historyPath(machine.environment)
    this.#isUsable = this.#path !== null
    this.#say = say
  }

  /** Those of earlier runs, oldest first. */
  async lines(): Promise<readonly string[]> {
    const lines = await this.#using((path, file) => file.read(path, HISTORY_LINES_MAX))
    // Whoever wrote what would steer the terminal, it was not typed here.
    return (lines ?? []).filter((line) => shownSafely(line) === line)
  }

  async keep(line: string): Promise<void> {
    if (!this.#isUsable || line.trim() === '' || line.length > LINE_UNITS_MAX || isPrivate(line)) return
    const { Redactor } = await import('../../importer/redaction/redactor.ts')
    if (new Redactor().contains(line)) return
    await this.#using((path, file) => file.append(path, line, HISTORY_LINES_MAX))
  }

  /** Null where it cannot be used, which is told once. */
  async #using<T>(use: (path: string, file: Awaited<ReturnType<Machine['openPrivateLines']>>) => T): Promise<T | null> {
    if (!this.#isUsable || this.#path === null) return null
    try {
      return use(this.#path, await this.#machine.openPrivateLines())
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      this.#isUsable = false
      this.#say(`lines are not kept for the next time: ${error.message}`)
      return null
    }
  }
}

/** Null where the environment names neither a folder of states nor a home. */
export function historyPath(
  environment: Machine['environment'],
  platform: NodeJS.Platform = process.platform,
): string | null {
  const path = platform === 'win32' ? nodePath.win32 : nodePath.posix
  const home = platform === 'win32' ? environment.USERPROFILE : environment.HOME
  const set = platform === 'win32' ? environment.LOCALAPPDATA : environment.XDG_STATE_HOME
  const isSet = set !== undefined && path.isAbsolute(set)
  const states = isSet ? set : home ? path.join(home, '.local', 'state') : ''
  return path.isAbsolute(states) ? path.join(states, 'knowhow', 'history') : null
}
