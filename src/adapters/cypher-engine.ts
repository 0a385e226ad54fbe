/** The graph engine behind its port: a process of this program's own that can be killed, and a private folder for it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { MemoryError } from '../model/memory-error.ts'
import type { CypherEngine, CypherLimits, CypherQuestion, CypherResult, SheetWriter } from '../ports.ts'
import { cypherEntry } from './cypher-entry.ts'
import type { FromEngine, ToEngine } from './cypher-messages.ts'
import { messageLines } from './message-lines.ts'
import { ownProgram } from './own-program.ts'

const FOLDER = 'knowhow-cypher-'
/** A folder whose process was killed together with the one that made it. Those in use are younger. */
const LEFTOVER_MS = 2 * 60 * 60 * 1000
const MESSAGE_UNITS_MAX = 600

/** All that a library or a runtime needs to start. Keys and addresses of servers are not for the engine. */
const ENVIRONMENT =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|LANG|LC_ALL|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|SYSTEMROOT|WINDIR|USERPROFILE|LOCALAPPDATA|DENO_DIR)$/i

/** @param program executable and arguments of the process that holds it */
export async function openCypherEngine(
  program: readonly string[] = [...ownProgram(), cypherEntry()],
): Promise<CypherEngine> {
  try {
    removeLeftovers()
  } catch (error) {
    throw unavailable(`there is no folder for it (${error instanceof Error ? error.message : String(error)})`)
  }
  return new ProcessEngine(join(tmpdir(), `${FOLDER}${randomUUID()}`), program)
}

class ProcessEngine implements CypherEngine {
  readonly #folder: string
  readonly #child: ChildProcess
  readonly #made: Promise<FromEngine>
  readonly #version: Promise<FromEngine>
  #waiting: ((answer: FromEngine) => void) | null = null
  /** Once it is gone: what every call ends with. */
  #end: FromEngine | null = null

  constructor(folder: string, [program = '', ...args]: readonly string[]) {
    this.#folder = folder
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name)))
    this.#child = spawn(program, args, {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    })
    this.#child.on('error', (error) => this.#over(error.message))
    this.#child.on('exit', (code, signal) => this.#over(`its process ended with ${signal ?? code}`))
    // A process that ends does not read what it is told last.
    this.#child.stdin?.on('error', () => {})
    if (this.#child.stdout !== null) messageLines(this.#child.stdout, (line) => this.#hearLine(line))
    // Made by that process, nothing lies in the folder before there are two that remove it when the other is killed.
    this.#made = this.#tell({ folder })
    this.#version = this.#made.then((answer) => ('made' in answer ? this.#tell({ load: true }) : answer))
  }

  async ready(limits: CypherLimits): Promise<string> {
    const answer = await this.#within(limits, () => this.#version)
    if ('version' in answer) return answer.version
    throw notReady(answer)
  }

  async fill(write: (sheets: SheetWriter) => readonly string[], limits: CypherLimits): Promise<void> {
    const made = await this.#within(limits, () => this.#made)
    if (!('made' in made)) throw notReady(made)
    // While this is written the engine loads.
    const statements = write({
      write: (sheet, text) => this.#append(sheet, text),
      pathOf: (sheet) => this.#pathOf(sheet),
    })
    await this.ready(limits)
    const answer = await this.#within(limits, () => this.#tell({ fill: statements }))
    if (!('filled' in answer)) throw failed(answer)
  }

  #append(sheet: string, text: string): void {
    try {
      appendFileSync(this.#pathOf(sheet), text, { mode: 0o600 })
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new MemoryError(
        'engine_unavailable',
        `the copy of the graph cannot be written for Cypher (${why}); set TMPDIR to a folder with more room`,
        { cause },
      )
    }
  }

  async ask(question: CypherQuestion, limits: CypherLimits): Promise<CypherResult> {
    const answer = await this.#within(limits, () => this.#tell({ ask: question }))
    if ('result' in answer) return answer.result
    if ('fault' in answer && answer.fault === 'refused')
      throw new MemoryError('invalid_argument', `query: ${shortened(answer.message)}`, { field: 'query' })
    throw failed(answer)
  }

  #pathOf(sheet: string): string {
    return join(this.#folder, `${sheet}.csv`)
  }

  #tell(message: ToEngine): Promise<FromEngine> {
    if (this.#end !== null) return Promise.resolve(this.#end)
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#child.stdin?.write(`${JSON.stringify(message)}\n`)
    })
  }

  #hearLine(line: string): void {
    try {
      this.#hear(JSON.parse(line) as FromEngine)
    } catch {
      // Somebody else's code speaks on this stream: nothing after it can be believed.
      this[Symbol.dispose]()
      this.#hear({ fault: 'failed', message: 'its process answered with something else than JSON' })
    }
  }

  #hear(answer: FromEngine): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.(answer)
  }

  #over(message: string): void {
    this.#end ??= { fault: 'failed', message }
    this.#removeFolder()
    this.#hear(this.#end)
  }

  async #within({ timeLimitMs, limitMs, signal }: CypherLimits, work: () => Promise<FromEngine>): Promise<FromEngine> {
    const limit = Promise.withResolvers<never>()
    const timer = setTimeout(() => limit.reject(timedOut(limitMs / 1000)), Math.max(0, timeLimitMs))
    const interrupt = () => limit.reject(new MemoryError('interrupted', 'the query was interrupted'))
    signal?.addEventListener('abort', interrupt)
    if (signal?.aborted === true) interrupt()
    try {
      return await Promise.race([work(), limit.promise])
    } catch (error) {
      this[Symbol.dispose]()
      throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', interrupt)
    }
  }

  #removeFolder(): void {
    try {
      rmSync(this.#folder, { recursive: true, force: true })
    } catch {
      // Where a library that is loaded cannot be removed, it is when the process is over.
    }
  }

  [Symbol.dispose](): void {
    this.#end ??= { fault: 'failed', message: 'it was closed' }
    this.#child.kill('SIGKILL')
    this.#removeFolder()
  }
}

function timedOut(seconds: number): MemoryError {
  return new MemoryError(
    'cypher_timeout',
    `the query took longer than ${seconds} s and was ended; narrow it, bound its patterns, or give it longer with --timeout`,
  )
}

function notReady(answer: FromEngine): MemoryError {
  const isMissing = 'fault' in answer && answer.fault === 'missing'
  return unavailable('message' in answer ? answer.message : 'it does not answer', isMissing)
}

function unavailable(reason: string, isMissing = false): MemoryError {
  return new MemoryError(
    'engine_unavailable',
    `the Cypher engine cannot be used here: ${shortened(reason)}. Every other command works without it; knowhow doctor tells more`,
    { isMissing },
  )
}

function failed(answer: FromEngine): MemoryError {
  const words = 'message' in answer ? shortened(answer.message) : 'it does not answer'
  return new MemoryError('cypher_failed', `the Cypher engine gave up: ${words}. Ask for less, or narrow the query`)
}

/** What the engine says, in one line. */
function shortened(message: string): string {
  const line = message.split('\n')[0] ?? ''
  return line.length > MESSAGE_UNITS_MAX ? `${line.slice(0, MESSAGE_UNITS_MAX).toWellFormed()}…` : line
}

function removeLeftovers(): void {
  const folder = tmpdir()
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(FOLDER)) continue
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory() !== true || Date.now() - found.mtimeMs < LEFTOVER_MS) continue
    if (process.getuid === undefined || found.uid === process.getuid()) rmSync(path, { recursive: true, force: true })
  }
}
