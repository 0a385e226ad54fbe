/**
 * From a text to the terms it is found by, the same for documents and queries. The plain way, with strings: many texts
 * are counted faster by `TermCounter`, which this one proves right. Knows nothing of indexes or scores.
 */
import { addName, addWord, type TermSink } from './name-terms.ts'
import { isStopWord } from './stop-words.ts'
import { HUMPED, JOINED, readable, scanTokens, type TokenSink, unitsAt } from './token-scanner.ts'
import { foldedTerm } from './word-term.ts'

export interface Analysis {
  /** In text order, with repeats. */
  readonly terms: readonly string[]
  /**
   * Words as a person counts them: `fooBar` is one, `src/a.ts` three, a Chinese character one. The additional terms of
   * names and pairs are left out, or a text would rank lower for naming a file than for describing it.
   */
  readonly length: number
}

export function analyzeDocument(text: string): Analysis {
  return analysisOf(text, false)
}

/** @returns the query's distinct terms, sorted; stop words only when there is nothing else */
export function analyzeQuery(text: string): readonly string[] {
  const terms = [...new Set(analysisOf(text, true).terms)].sort()
  const telling = terms.filter((term) => !isStopWord(term))
  return telling.length > 0 ? telling : terms
}

function analysisOf(text: string, isQuery: boolean): Analysis {
  const terms = new TermList(isQuery)
  scanTokens(readable(text), terms)
  return terms
}

class TermList implements TokenSink, TermSink {
  readonly terms: string[] = []
  length = 0
  readonly #isQuery: boolean

  /** @param isQuery a query is precise: a run of Chinese characters is found by its pairs alone */
  constructor(isQuery: boolean) {
    this.#isQuery = isQuery
  }

  addName(text: string, start: number, end: number, _hash: number, traits: number): void {
    addNameTerms(text.slice(start, end), traits, this)
  }

  addWhole(text: string, start: number, end: number, words: 0 | 1): void {
    this.terms.push(foldedTerm(text.slice(start, end)))
    this.length += words
  }

  /** Every pair of neighbours, and in documents every character too. */
  addRun(text: string, start: number, end: number): void {
    let previous = -1
    for (let at = start, next = start; at < end; at = next) {
      next = at + unitsAt(text, at)
      if (!this.#isQuery || (at === start && next === end)) this.terms.push(text.slice(at, next))
      if (previous >= 0) this.terms.push(text.slice(previous, next))
      previous = at
      this.length += 1
    }
  }
}

/** @param traits see TokenSink.addName */
export function addNameTerms(name: string, traits: number, sink: TermSink): void {
  if ((traits & JOINED) !== 0) addName(name, sink)
  else addWord(name, sink, (traits & HUMPED) !== 0)
}
