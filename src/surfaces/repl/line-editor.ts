/** The line that a person edits: `node:readline`, fed key by key, so that what is pasted and what stops an answer never reach it. */
import readline from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import type { Conversation } from '../../ports/conversation.ts'
import type { Completed } from './completion.ts'
import { HISTORY_LINES_MAX } from './line-history.ts'
import { isPrivate } from './repl-line.ts'
import { KEYS } from './typed-keys.ts'

export interface LineEditorOptions {
  readonly conversation: Conversation
  readonly out: (text: string) => void
  /** Of earlier runs, oldest first. */
  readonly history: readonly string[]
  readonly complete: (line: string) => Promise<Completed>
  readonly onLine: (line: string) => void
  /** What a Tab asked for stands in the line, or is listed. */
  readonly onCompleted: () => void
  /** Ctrl-C, once the line is empty again; whether it was before. */
  readonly onClear: (wasEmpty: boolean) => void
  /** Ctrl-D on an empty line. */
  readonly onEnd: () => void
}

/** So many are listed; of more one hears how many they are. */
const LISTED_MAX = 200

export class LineEditor {
  readonly #options: LineEditorOptions
  readonly #keys: PassThrough
  readonly #screen: Writable
  readonly #readline: readline.Interface
  #isCompleting = false

  constructor(options: LineEditorOptions) {
    const { conversation, out } = options
    this.#options = options
    this.#keys = Object.assign(new PassThrough(), {
      setRawMode: (isRaw: boolean) => conversation.takeKeys(isRaw),
      isTTY: true,
    })
    this.#screen = screenOf(conversation, out)
    this.#readline = readline.createInterface({
      input: this.#keys,
      output: this.#screen,
      terminal: true,
      history: options.history.toReversed(),
      historySize: HISTORY_LINES_MAX,
      removeHistoryDuplicates: true,
      completer: (line: string, give: (fault: null, found: [string[], string]) => void) =>
        void this.#completeInto(line, give),
    })
    this.#readline.on('line', options.onLine)
    this.#readline.on('close', options.onEnd)
    this.#readline.on('history', (lines) => {
      if (isPrivate(lines[0] ?? '')) lines.shift()
    })
    this.#readline.on('SIGINT', () => this.clear())
  }

  prompt(text: string): void {
    this.#readline.setPrompt(text)
    this.#readline.prompt()
  }

  /** While what a Tab asks for is looked up; keys that come meanwhile are for the line as it is then. */
  get isCompleting(): boolean {
    return this.#isCompleting
  }

  /**
   * At once: when it returns, a line that ends within the keys has been told.
   * @returns the keys behind a Tab, which are to wait for `onCompleted`
   */
  type(keys: string): string {
    let typed = 0
    // Readline takes a Tab among other keys for pasted text; over a slow line several keys come at once.
    for (const [key] of keys.matchAll(KEYS)) {
      this.#keys.emit('data', Buffer.from(key))
      typed += key.length
      if (this.#isCompleting) break
    }
    return keys.slice(typed)
  }

  /** As if it had been typed, without being taken for keys. */
  insert(text: string): void {
    this.#readline.write(text)
  }

  clear(): void {
    const wasEmpty = this.#readline.line === ''
    this.#readline.write(null, { ctrl: true, name: 'e' })
    this.#readline.write(null, { ctrl: true, name: 'u' })
    this.#options.onClear(wasEmpty)
  }

  /** The line anew, on a screen of another size. */
  resize(): void {
    this.#screen.emit('resize')
  }

  close(): void {
    this.#readline.off('close', this.#options.onEnd)
    this.#readline.close()
  }

  async #completeInto(line: string, give: (fault: null, found: [string[], string]) => void): Promise<void> {
    this.#isCompleting = true
    const found = await this.#complete(line)
    this.#isCompleting = false
    give(null, found)
    this.#options.onCompleted()
  }

  async #complete(line: string): Promise<[string[], string]> {
    const { candidates, typed } = await this.#options.complete(line)
    const [only] = candidates
    if (candidates.length === 1 && only !== undefined) return [[only.endsWith('/') ? only : `${only} `], typed]
    if (candidates.length <= LISTED_MAX) return [[...candidates], typed]
    const common = commonBeginning(candidates)
    if (common.length > typed.length) return [[common], typed]
    this.#options.out(`\n${candidates.length} begin so; type on, then Tab again\n`)
    this.#readline.prompt(true)
    return [[], typed]
  }
}

/** What readline draws on. */
function screenOf(conversation: Conversation, out: (text: string) => void): Writable {
  const screen = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      out(String(text))
      done()
    },
  })
  const size = (name: 'columns' | 'rows') => ({ get: () => conversation.size()[name] })
  return Object.defineProperties(screen, { isTTY: { value: true }, columns: size('columns'), rows: size('rows') })
}

/** @param words sorted or not, at least one */
function commonBeginning(words: readonly string[]): string {
  return words.reduce((common, word) => {
    let units = 0
    while (units < common.length && common[units] === word[units]) units += 1
    return common.slice(0, units)
  })
}
