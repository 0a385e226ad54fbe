/** What comes from a terminal, told apart: keys that were pressed, and text that was pasted. */
import { shownSafely } from '../terminal-text.ts'

export type Typed = { readonly kind: 'keys'; readonly text: string } | { readonly kind: 'paste'; readonly text: string }

/** Asks a terminal to put marks around what is pasted, and to stop doing so. */
export const PASTE_MARKED = '\u001b[?2004h'
export const PASTE_UNMARKED = '\u001b[?2004l'

/** Each key by itself, with all that a terminal sends for it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
export const KEYS = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Za-z]|[^\u001b[O])?|[^\u001b]/gu

const CTRL_C = '\u0003'
const PASTE_START = '\u001b[200~'
const PASTE_END = '\u001b[201~'
/** A shorter beginning of a mark may be a key by itself, but for what is pasted, which has no keys in it. */
const KEY_UNITS_MAX = 1

/** Marks may be cut anywhere, as text comes in the pieces that a network makes of it. */
export class TypedKeys {
  #held = ''
  /** Null while nothing is being pasted. */
  #pasted: string | null = null

  take(piece: string): readonly Typed[] {
    const typed: Typed[] = []
    let rest = this.#held + piece
    this.#held = ''
    while (rest !== '') {
      const mark = this.#pasted === null ? PASTE_START : PASTE_END
      const at = rest.indexOf(mark)
      const stop = this.#pasted === null || at !== -1 ? -1 : rest.indexOf(CTRL_C)
      if (stop !== -1) {
        // A mark that never comes would keep all keys for ever.
        this.#pasted = null
        rest = rest.slice(stop)
        continue
      }
      const end = at === -1 ? rest.length - cutMarkUnits(rest, mark, this.#pasted === null ? KEY_UNITS_MAX + 1 : 1) : at
      this.#add(rest.slice(0, end), typed)
      if (at === -1) {
        this.#held = rest.slice(end)
        return typed
      }
      if (this.#pasted === null) this.#pasted = ''
      else {
        typed.push({ kind: 'paste', text: inOneLine(this.#pasted) })
        this.#pasted = null
      }
      rest = rest.slice(at + mark.length)
    }
    return typed
  }

  #add(text: string, typed: Typed[]): void {
    if (this.#pasted !== null) this.#pasted += text
    else if (text !== '') typed.push({ kind: 'keys', text })
  }
}

/** How much of a mark stands at the end; 0 for less than `least`. */
function cutMarkUnits(text: string, mark: string, least: number): number {
  for (let units = mark.length - 1; units >= least; units -= 1) if (text.endsWith(mark.slice(0, units))) return units
  return 0
}

/** Several lines are one query, and nothing in them is a key. */
function inOneLine(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replaceAll('\t', ' ').trim())
  return shownSafely(lines.filter((line) => line !== '').join(' '))
}
