/** One REPL without its terminal: from a line that was typed to what is shown for it. Keeps settings and results. */
import type { KeptWorkspace } from '../../app/kept-workspace.ts'
import type { Operation } from '../../app/operation.ts'
import { procedureSearch } from '../../app/operations/search.ts'
import { sessionList } from '../../app/operations/session.ts'
import { sayingOnce } from '../../app/saying-once.ts'
import type { Running } from '../../importer/running.ts'
import { MemoryError, unreachable } from '../../model/memory-error.ts'
import { wantsJson } from '../argv.ts'
import { EXIT, type ExitCode, exitCodeOfEnding } from '../exit-codes.ts'
import { namingFlag } from '../flags.ts'
import { fieldsIn } from '../given-fields.ts'
import { SAYS_HOW_TO_GO_ON } from '../named-workspace.ts'
import { Paint } from '../paint.ts'
import { yieldToSignals } from '../running.ts'
import { wordsSoFar } from '../shell-words.ts'
import type { Opening } from '../surface-command.ts'
import { toldFault } from '../told-fault.ts'
import { withMatchedWords } from './matched-words.ts'
import { NumberedResults, wholeMemoryText } from './numbered-results.ts'
import { looksForWords, replWords } from './repl-commands.ts'
import { type ReplLine, readReplLine } from './repl-line.ts'
import { ReplSettings, type SettingName } from './repl-settings.ts'

export interface Reply {
  /** Ends with a line end; empty where there is nothing to show. */
  readonly text: string
  /** Whether it is one JSON document, in a line of its own. */
  readonly isDocument: boolean
  readonly isFault: boolean
  readonly exit: ExitCode
  /** Whether the person leaves. */
  readonly isLeaving: boolean
}

export interface DialogueOptions extends Pick<Opening, 'machine' | 'common' | 'version'> {
  readonly workspace: KeptWorkspace
  readonly colour: boolean
  /** A notice beside the answers; each is told once. */
  readonly say: (notice: string) => void
}

export type AskRunning = Pick<Running, 'progress' | 'signal'>

const NOTHING: Reply = { text: '', isDocument: false, isFault: false, exit: EXIT.done, isLeaving: false }
/** Its text is read because of the last query. */
const READS = 'procedure_read'
/** Where nothing was found; no text of others stands there. */
const INDEX_ADVICE = 'with --index'

/** Of each result, so that five have room on a screen; `/read N` shows the rest. */
const SITUATION_UNITS_MAX = 160

export class Dialogue {
  readonly settings = new ReplSettings()
  readonly results = new NumberedResults()
  readonly #options: DialogueOptions
  readonly #paint: Paint
  readonly #say: (notice: string) => void
  #lastQuery = ''

  constructor(options: DialogueOptions) {
    this.#options = options
    this.#paint = new Paint(options.colour)
    this.#say = sayingOnce((notice) => options.say(this.#words(notice)))
  }

  /** Never throws what a person caused, nor what the program has caused. */
  async reply(line: string, running: AskRunning): Promise<Reply> {
    const json = this.#options.common.json || asksForJson(line)
    try {
      const read = readReplLine(line, this.#options.common.workspace)
      return await this.#replyTo(read, json, running)
    } catch (error) {
      return this.#faultReply(error, json)
    }
  }

  /** One operation, asked without a line. Throws what it throws. */
  ask(operation: Operation, input: unknown, running: AskRunning, say = this.#say): Promise<unknown> {
    return this.#options.workspace.ask(operation, input, { ...running, say, yieldToSignals })
  }

  async #replyTo(line: ReplLine, json: boolean, running: AskRunning): Promise<Reply> {
    switch (line.kind) {
      case 'nothing':
        return NOTHING
      case 'quit':
        return { ...NOTHING, isLeaving: true }
      case 'search':
        return this.#run(procedureSearch, { query: line.query }, json, this.#say, running)
      case 'run': {
        const input = line.from === null ? line.input : { ...this.#fieldsIn(line.from), ...line.input }
        const isQuiet = line.quiet || this.#options.common.quiet
        return this.#run(line.operation, input, json, isQuiet ? () => {} : this.#say, running)
      }
      case 'setting':
        return this.#set(line.name, line.value, json, running)
      case 'help':
        return this.#help(line.topic, json)
      default:
        return unreachable(line)
    }
  }

  async #run(
    operation: Operation,
    given: Readonly<Record<string, unknown>>,
    json: boolean,
    say: (notice: string) => void,
    running: AskRunning,
  ): Promise<Reply> {
    const memory = this.results.memoryAt(operation, given)
    if (memory !== null) return json ? document(memory) : shown(this.#marked(wholeMemoryText(memory, this.#paint)))
    const input = this.settings.completed(operation, this.results.named(operation, given))
    const answer = await this.#answer(operation, input, say, running)
    this.results.take(operation.name, answer)
    if (looksForWords(operation)) this.#lastQuery = String(given.query)
    const exit = exitCodeOfEnding(operation.endingOf?.(answer) ?? 'done')
    return { ...(json ? document(answer) : shown(await this.#rendered(operation, answer))), exit }
  }

  async #answer(
    operation: Operation,
    input: unknown,
    say: (notice: string) => void,
    running: AskRunning,
  ): Promise<unknown> {
    try {
      return await this.ask(operation, input, running, say)
    } catch (error) {
      const { whenUnopened } = operation
      if (whenUnopened !== undefined && error instanceof MemoryError && error.code !== 'interrupted')
        return whenUnopened(error)
      throw namingFlag(error, operation)
    }
  }

  async #rendered(operation: Operation, answer: unknown): Promise<string> {
    const { rendered } = await import('../render.ts')
    const options = { colour: this.#options.colour, situationUnitsMax: SITUATION_UNITS_MAX }
    const text = rendered(operation.name, answer, options)
    if (looksForWords(operation) && this.results.count === 0) return text.replace(INDEX_ADVICE, 'by /index')
    if (looksForWords(operation) || operation.name === READS) return this.#marked(text)
    return SAYS_HOW_TO_GO_ON.has(operation.name) ? this.#words(text) : text
  }

  /** With the words of the last query marked, which takes colour to see. */
  #marked(text: string): string {
    return this.#options.colour ? withMatchedWords(text, this.#lastQuery) : text
  }

  async #set(name: SettingName, value: string | null, json: boolean, running: AskRunning): Promise<Reply> {
    const sessions = async () => {
      const answer = await this.ask(sessionList, {}, running)
      return (answer as { sessions: readonly { session_id: string }[] }).sessions.map(({ session_id: id }) => id)
    }
    if (value !== null) await this.settings.choose(name, value, sessions)
    if (json) return document({ [name]: this.settings.values[name] ?? null })
    return shown(`${this.#paint.plain(this.settings.told(name))}\n`)
  }

  async #help(topic: Extract<ReplLine, { kind: 'help' }>['topic'], json: boolean): Promise<Reply> {
    const { replHelp, withoutStartFlags } = await import('./repl-help.ts')
    if (topic === null) return json ? document({ help: replHelp(new Paint(false)) }) : shown(replHelp(this.#paint))
    const { helpText } = await import('../help.ts')
    // The screen decides where its lines end.
    const text = this.#words(withoutStartFlags(helpText(topic, this.#options.version, Number.POSITIVE_INFINITY)))
    return json ? document({ help: text }) : shown(text)
  }

  #fieldsIn(from: string): Readonly<Record<string, unknown>> {
    return fieldsIn(from, this.#options.machine, () => {
      throw new MemoryError('invalid_argument', '--from -: standard input holds what is typed here; name a file', {
        field: 'from',
      })
    })
  }

  /** What is told of a line that nobody could read. */
  fault(error: MemoryError): Reply {
    return this.#faultReply(error, this.#options.common.json)
  }

  #faultReply(error: unknown, json: boolean): Reply {
    const { report, exit, trace } = toldFault(error)
    const message = this.#words(report.message)
    if (json) return { ...document({ error: { ...report, message } }), isFault: true, exit }
    const lines = trace === null ? [message] : [trace, message]
    const text = lines.map((line) => `knowhow: ${this.#paint.plain(line)}\n`).join('')
    return { ...NOTHING, text, isFault: true, exit }
  }

  #words(text: string): string {
    return replWords(text, this.#options.common.workspace)
  }
}

/** Also of a line that cannot be read: its error is told in it. */
function asksForJson(line: string): boolean {
  return line.startsWith('/') && wantsJson(wordsSoFar(line.slice(1)).map(({ text }) => text))
}

function shown(text: string): Reply {
  return { ...NOTHING, text }
}

function document(answer: unknown): Reply {
  return { ...NOTHING, text: `${JSON.stringify(answer)}\n`, isDocument: true }
}
