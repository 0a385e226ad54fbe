/** Text as a terminal shows it. */
import { shownSafely } from './terminal-text.ts'

/** Colour where the terminal takes it, and only visible characters everywhere. */
export class Paint {
  readonly #colour: boolean

  constructor(colour: boolean) {
    this.#colour = colour
  }

  readonly strong = (text: string) => this.#with('1', text)
  readonly faint = (text: string) => this.#with('2', text)
  readonly plain = (text: string) => shownSafely(text)
  readonly alarm = (text: string) => this.#with('33', text)

  #with(code: string, text: string): string {
    const safe = shownSafely(text)
    return this.#colour ? `\u001b[${code}m${safe}\u001b[0m` : safe
  }
}
