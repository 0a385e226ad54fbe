/** Texts that say the same: in other letters, or in nearly the same words. What differs in a number or in a "not" does not. */
import { analyzeDocument } from '../search/analyzer.ts'
import { isStopWord } from '../search/stop-words.ts'

export interface GroupedText {
  readonly id: string
  readonly text: string
}

export interface TextGroup<Lead extends GroupedText, T extends GroupedText> {
  readonly lead: Lead | T
  /** Those of the texts, one that leads among them, each with its similarity to the lead, 0…1; 1 is the same words in the same order. */
  readonly members: readonly { readonly text: T; readonly similarity: number }[]
}

/** Cosine of how often words, and pairs of neighbours, stand in them. */
const NEAR = 0.9
/** With less than this two texts are not about the same. */
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

interface WordCounts {
  readonly counts: ReadonlyMap<string, number>
  /** Euclidean. */
  readonly norm: number
  /** Equal in all that say the same. */
  readonly strict: string
}

export interface Similar {
  readonly at: number
  readonly similarity: number
}

/** Texts that are asked for what is like another, by the words they share. */
export class WordIndex {
  readonly #texts: WordCounts[] = []
  /** Which texts hold a word, and how often. */
  readonly #holding = new Map<string, { readonly at: number; readonly count: number }[]>()

  /** Its number is how many there were before. */
  add(text: string): void {
    const words = wordCounts(text)
    for (const [word, count] of words.counts) {
      const places = this.#holding.get(word) ?? []
      places.push({ at: this.#texts.length, count })
      this.#holding.set(word, places)
    }
    this.#texts.push(words)
  }

  /** Numbers of those that say the same or nearly so, the most similar first; ties by number. */
  same(text: string): readonly Similar[] {
    const words = wordCounts(text)
    return this.#similar(words, NEAR).filter(({ at }) => this.#texts[at]?.strict === words.strict)
  }

  /** Numbers of those that share words with it, the most similar first; ties by number. */
  related(text: string): readonly Similar[] {
    return this.#similar(wordCounts(text), RELATED)
  }

  #similar(words: WordCounts, least: number): readonly Similar[] {
    const shared = new Map<number, number>()
    for (const [word, count] of words.counts)
      for (const { at, count: there } of this.#holding.get(word) ?? [])
        shared.set(at, (shared.get(at) ?? 0) + count * there)
    return [...shared]
      .map(([at, dot]) => ({ at, similarity: Math.min(1, dot / ((this.#texts[at]?.norm ?? 0) * words.norm)) }))
      .filter(({ similarity }) => similarity >= least)
      .sort((a, b) => b.similarity - a.similarity || a.at - b.at)
  }
}

/**
 * Each text joins the lead that is most similar to it, one that is the same text before all others, or leads itself. The
 * given leads never join each other.
 */
export function groupTexts<Lead extends GroupedText, T extends GroupedText>(
  leads: readonly Lead[],
  texts: readonly T[],
): readonly TextGroup<Lead, T>[] {
  const groups: { readonly lead: Lead | T; readonly members: { text: T; similarity: number }[] }[] = []
  const same = new Map<string, number>()
  const near = new WordIndex()
  const begin = (lead: Lead | T, members: { text: T; similarity: number }[]) => {
    const normal = normalized(lead.text)
    if (!same.has(normal)) same.set(normal, groups.length)
    near.add(lead.text)
    groups.push({ lead, members })
  }
  for (const lead of leads) begin(lead, [])
  for (const text of texts) {
    const exact = same.get(normalized(text.text))
    const found = exact === undefined ? near.same(text.text)[0] : { at: exact, similarity: 1 }
    if (found === undefined) begin(text, [{ text, similarity: 1 }])
    else groups[found.at]?.members.push({ text, similarity: found.similarity })
  }
  return groups
}

function wordCounts(text: string): WordCounts {
  const counts = new Map<string, number>()
  const strict: string[] = Array.from(text.matchAll(SHORT_NOT), () => 'not')
  const add = (part: string) => counts.set(part, (counts.get(part) ?? 0) + 1)
  let last = ''
  for (const word of analyzeDocument(text).terms) {
    if (/\d/.test(word) || TURNS.has(word)) strict.push(word)
    if (!isStopWord(word)) add(word)
    // Who did what to whom is told by order alone.
    add(`${last} ${word}`)
    last = word
  }
  let squares = 0
  for (const count of counts.values()) squares += count * count
  return { counts, norm: Math.sqrt(squares), strict: strict.sort().join(' ') }
}

function normalized(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}
