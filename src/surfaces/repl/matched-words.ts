/** Which words of a text a query is about, by the terms that search finds it by, and how they are shown. */
import { addNameTerms, analyzeQuery } from '../../search/analyzer.ts'
import { readable, scanTokens, type TokenSink } from '../../search/token-scanner.ts'
import { foldedTerm } from '../../search/word-term.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const PAINTED = /(\u001b\[[\d;]*m)/
const RESET = '\u001b[0m'
/** What `Paint` makes faint are facts about a text, none of its words. */
const FAINT = '\u001b[2m'
const MATCHED = '\u001b[1;4m'

/** Offsets are UTF-16 code units, the end exclusive. */
interface Span {
  readonly start: number
  readonly end: number
}

/** @param text painted by `Paint`. @returns it with the query's words bold and underlined */
export function withMatchedWords(text: string, query: string): string {
  const terms = new Set(analyzeQuery(query))
  if (terms.size === 0) return text
  let style = ''
  const parts = text.split(PAINTED).map((part, at) => {
    if (at % 2 === 0) return style === FAINT ? part : marked(part, terms, style)
    style = part === RESET ? '' : part
    return part
  })
  return parts.join('')
}

function marked(text: string, terms: ReadonlySet<string>, style: string): string {
  let shown = ''
  let at = 0
  for (const { start, end } of matchedSpans(text, terms)) {
    shown += `${text.slice(at, start)}${MATCHED}${text.slice(start, end)}${RESET}${style}`
    at = end
  }
  return shown + text.slice(at)
}

/** In order, without overlaps. */
export function matchedSpans(text: string, terms: ReadonlySet<string>): readonly Span[] {
  const found: Span[] = []
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    const read = readable(word)
    const spans = new MatchedTokens(terms)
    scanTokens(read, spans)
    // What is written in other characters than it is found by has other offsets: it is shown whole.
    const own = read === word || spans.found.length === 0 ? spans.found : [{ start: 0, end: word.length }]
    for (const { start, end } of own) found.push({ start: index + start, end: index + end })
  }
  return merged(found)
}

function merged(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last === undefined || span.start >= last.end) joined.push(span)
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
  }
  return joined
}

class MatchedTokens implements TokenSink {
  readonly found: Span[] = []
  readonly #terms: ReadonlySet<string>

  constructor(terms: ReadonlySet<string>) {
    this.#terms = terms
  }

  /** Whole where the query has it whole, else those of its words that the query has. */
  addName(text: string, start: number, end: number, _hash: number, traits: number): void {
    const name = text.slice(start, end)
    if (this.#terms.has(foldedTerm(name))) {
      this.found.push({ start, end })
      return
    }
    for (const { 0: word, index } of name.matchAll(/[^-./\\:_]+/g)) {
      const own = { terms: [] as string[], length: 0 }
      addNameTerms(word, traits, own)
      if (own.terms.some((term) => this.#terms.has(term)))
        this.found.push({ start: start + index, end: start + index + word.length })
    }
  }

  addWhole(text: string, start: number, end: number): void {
    if (this.#terms.has(foldedTerm(text.slice(start, end)))) this.found.push({ start, end })
  }

  /** A run of characters is found by its pairs. */
  addRun(text: string, start: number, end: number): void {
    const characters = Array.from(text.slice(start, end))
    let at = start
    for (const [place, character] of characters.entries()) {
      const pair = character + (characters[place + 1] ?? '')
      if (this.#terms.has(pair) || (characters.length === 1 && this.#terms.has(character)))
        this.found.push({ start: at, end: at + pair.length })
      at += character.length
    }
  }
}
