/** Texts that are asked for what is like another, by the words they share. Kept in memory, for one run over few texts. */
import { analyzeDocument } from '../search/analyzer.ts'
import { cosineOf, squares } from '../search/numbered-likeness.ts'
import { isStopWord } from '../search/stop-words.ts'

/** Cosines of how often words, and pairs of neighbours, stand in them. Above this two texts say nearly the same. */
const NEAR = 0.9
/** Above this they are about the same. */
const RELATED = 0.1
/** Words that turn a sentence round, whatever else it says, as the analyzer leaves them. */
const TURNS: ReadonlySet<string> = new Set([
  'no',
  'not',
  'never',
  'none',
  'without',
  'cannot',
  'neither',
  'nor',
  'unabl',
  'fail',
  'failur',
  'pass',
])
/** Of "can't" the analyzer leaves what it leaves of "can". */
const SHORT_NOT = /n['’ʼ＇]t\b/gi

interface PhraseCounts {
  /** How often each word, and each pair of neighbours, stands in a text. */
  readonly counts: ReadonlyMap<string, number>
  readonly squares: number
  /** Equal in all that say the same. */
  readonly strict: string
}

export interface Similar {
  readonly at: number
  readonly similarity: number
}

export class WordIndex {
  readonly #texts: PhraseCounts[] = []
  /** Which texts hold a word, and how often. */
  readonly #holding = new Map<string, { readonly at: number; readonly count: number }[]>()

  /** Its number is how many there were before. */
  add(text: string): void {
    const phrases = phraseCounts(text)
    for (const [phrase, count] of phrases.counts) {
      const places = this.#holding.get(phrase) ?? []
      places.push({ at: this.#texts.length, count })
      this.#holding.set(phrase, places)
    }
    this.#texts.push(phrases)
  }

  /** Numbers of those that say the same or nearly so, the most similar first; ties by number. */
  same(text: string): readonly Similar[] {
    const phrases = phraseCounts(text)
    return this.#similar(phrases, NEAR).filter(({ at }) => this.#texts[at]?.strict === phrases.strict)
  }

  /** Numbers of those that share words with it, the most similar first; ties by number. */
  related(text: string): readonly Similar[] {
    return this.#similar(phraseCounts(text), RELATED)
  }

  #similar(phrases: PhraseCounts, keptAbove: number): readonly Similar[] {
    const shared = new Map<number, number>()
    for (const [phrase, count] of phrases.counts)
      for (const { at, count: there } of this.#holding.get(phrase) ?? [])
        shared.set(at, (shared.get(at) ?? 0) + count * there)
    return [...shared]
      .map(([at, dot]) => ({ at, similarity: cosineOf(dot, phrases.squares, this.#texts[at]?.squares ?? 0) }))
      .filter(({ similarity }) => similarity > keptAbove)
      .sort((a, b) => b.similarity - a.similarity || a.at - b.at)
  }
}

function phraseCounts(text: string): PhraseCounts {
  const counts = new Map<string, number>()
  const strict: string[] = Array.from(text.matchAll(SHORT_NOT), () => 'not')
  const add = (phrase: string) => counts.set(phrase, (counts.get(phrase) ?? 0) + 1)
  let last = ''
  for (const word of analyzeDocument(text).terms) {
    if (/\d/.test(word) || TURNS.has(word)) strict.push(word)
    if (!isStopWord(word)) add(word)
    // Who did what to whom is told by order alone.
    add(`${last} ${word}`)
    last = word
  }
  return { counts, squares: squares(counts), strict: strict.sort().join(' ') }
}
