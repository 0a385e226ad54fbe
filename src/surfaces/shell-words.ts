/** A line taken apart into words as shells do, with quotes and backslashes; nothing is expanded. */
import { MemoryError } from '../model/memory-error.ts'

export interface ShellWord {
  /** Without its quotes and backslashes. */
  readonly text: string
  /** Where it begins in the line, quotes included; UTF-16 units. */
  readonly start: number
  /** The quote that it ends within; null where it is closed. */
  readonly openQuote: '"' | "'" | null
}

/** What a backslash makes plain within double quotes; before anything else it stands for itself. */
const ESCAPED_IN_QUOTES: ReadonlySet<string> = new Set(['"', '\\', '$', '`'])

/** Throws `invalid_argument` for a quote that is not closed. */
export function shellWords(line: string): readonly string[] {
  const words = wordsSoFar(line)
  const open = words.at(-1)?.openQuote ?? null
  if (open === null) return words.map(({ text }) => text)
  throw new MemoryError('invalid_argument', `a quote ${open} is not closed; close it, or write \\${open} for the sign`)
}

/** The words of a line that may not be finished. A space at its end closes the last one. */
export function wordsSoFar(line: string): readonly ShellWord[] {
  const words: ShellWord[] = []
  for (let at = 0; at < line.length; ) {
    if (isSpace(line[at])) {
      at += 1
      continue
    }
    const { word, end } = wordFrom(line, at)
    words.push(word)
    at = end
  }
  return words
}

function wordFrom(line: string, start: number): { readonly word: ShellWord; readonly end: number } {
  let text = ''
  let quote: ShellWord['openQuote'] = null
  let at = start
  for (; at < line.length && (quote !== null || !isSpace(line[at])); at += 1) {
    const sign = line[at] ?? ''
    if (sign === quote) quote = null
    else if (quote === null && (sign === '"' || sign === "'")) quote = sign
    else if (sign === '\\' && quote !== "'" && at + 1 < line.length) {
      const next = line[at + 1] ?? ''
      const isEscape = quote === null || ESCAPED_IN_QUOTES.has(next)
      text += isEscape ? next : sign + next
      at += 1
    } else text += sign
  }
  return { word: { text, start, openQuote: quote }, end: at }
}

function isSpace(sign: string | undefined): boolean {
  return sign === ' ' || sign === '\t'
}

/** The word as it can be typed: quoted where it has to be. */
export function typedWord(word: string): string {
  if (/^[^\s"'\\]+$/.test(word)) return word
  return `"${word.replace(/["\\$`]/g, '\\$&')}"`
}
