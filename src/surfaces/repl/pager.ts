/** A text of more rows than the screen has, page by page. What was shown stays where the terminal scrolls to. */
import type { Conversation } from '../../ports/conversation.ts'
import { KEYS } from './typed-keys.ts'
import { rowsOf, wrappedLines } from './wrapped-text.ts'

export interface PagerOptions {
  readonly size: () => ReturnType<Conversation['size']>
  readonly out: (text: string) => void
  readonly colour: boolean
}

const CLEARED_LINE = '\r\u001b[K'
const CLEARED_SCREEN = '\u001b[2J\u001b[H'

type Step = 'page' | 'line' | 'back' | 'rest' | 'leave'

const STEPS: Readonly<Record<string, Step>> = {
  ' ': 'page',
  f: 'page',
  '\u001b[6~': 'page',
  '\r': 'line',
  '\n': 'line',
  j: 'line',
  '\u001b[B': 'line',
  b: 'back',
  '\u001b[5~': 'back',
  G: 'rest',
  q: 'leave',
  Q: 'leave',
  '\u0003': 'leave',
  '\u0004': 'leave',
  '\u001b': 'leave',
}

/** What begins the next line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const WRITES = /^[^\u0000-\u001f\u007f]$/u

/** Whether it needs more rows than there are, one of them for what is typed next. */
export function isLong(lines: readonly string[], { columns, rows }: ReturnType<Conversation['size']>): boolean {
  let taken = 0
  for (const line of lines) {
    taken += rowsOf(line, columns)
    if (taken > rows - 1) return true
  }
  return false
}

export class Pager {
  readonly #options: PagerOptions
  readonly #text: string
  #lines: readonly string[]
  /** What is on the screen: from the first line to before the last. */
  #first = 0
  #last = 0

  constructor(text: string, options: PagerOptions) {
    this.#text = text
    this.#options = options
    this.#lines = wrappedLines(text, options.size().columns)
    this.#show(this.#rows)
  }

  get isOver(): boolean {
    return this.#last >= this.#lines.length
  }

  /** @returns the keys that are not for it: those behind the one that ended it, and what begins a line of its own */
  take(keys: string): string {
    let used = 0
    for (const { 0: key } of keys.matchAll(KEYS)) {
      if (this.isOver) break
      const step = STEPS[key]
      if (step === undefined && WRITES.test(key)) this.leave()
      else used += key.length
      if (step !== undefined) this.#go(step)
    }
    return keys.slice(used)
  }

  leave(): void {
    this.#last = this.#lines.length
    this.#options.out(CLEARED_LINE)
  }

  /** The same place on a screen of another size. */
  resize(): void {
    const share = this.#first / this.#lines.length
    this.#lines = wrappedLines(this.#text, this.#options.size().columns)
    this.#showFrom(Math.floor(share * this.#lines.length))
  }

  get #rows(): number {
    return Math.max(1, this.#options.size().rows - 1)
  }

  #go(step: Step): void {
    if (step === 'back') this.#showFrom(this.#pageStart(this.#first))
    else if (step === 'leave') this.leave()
    else this.#show(step === 'page' ? this.#rows : step === 'line' ? 1 : Number.POSITIVE_INFINITY)
  }

  /** A page that begins at a line, on a cleared screen. */
  #showFrom(first: number): void {
    this.#options.out(CLEARED_SCREEN)
    this.#last = first
    this.#show(this.#rows)
  }

  /** Goes on by so many rows. */
  #show(rows: number): void {
    const { columns } = this.#options.size()
    const from = this.#last
    let taken = 0
    for (; this.#last < this.#lines.length; this.#last += 1) {
      taken += rowsOf(this.#lines[this.#last] ?? '', columns)
      // One that is longer than the screen is shown all the same.
      if (taken > rows && this.#last > from) break
    }
    const shown = this.#lines.slice(from, this.#last).map((line) => `${line}\n`)
    this.#options.out(CLEARED_LINE + shown.join('') + (this.isOver ? '' : this.#state(columns)))
    this.#first = this.#pageStart(this.#last)
  }

  /** The first line of the page that ends before one. */
  #pageStart(end: number): number {
    const { columns } = this.#options.size()
    let taken = 0
    let first = end
    while (first > 0) {
      taken += rowsOf(this.#lines[first - 1] ?? '', columns)
      if (taken > this.#rows && first < end) break
      first -= 1
    }
    return first
  }

  #state(columns: number): string {
    const place = `${this.#last} of ${this.#lines.length} lines`
    const long = `${place}: space goes on, b back, q or the next line leaves`
    const words = (long.length < columns ? long : `${this.#last}/${this.#lines.length} space b q`).slice(0, columns - 1)
    return this.#options.colour ? `\u001b[7m${words}\u001b[0m` : words
  }
}
