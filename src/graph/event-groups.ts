/** Texts that say the same: in other letters, or in nearly the same words. What differs in a number or in a "not" does not. */
import { analyzeDocument } from '../search/analyzer.ts'
import { isStopWord } from '../search/stop-words.ts'

export interface GroupedText {
  readonly id: string
  readonly text: string
}

export interface TextGroup<T extends GroupedText> {
  /** The first of them. */
  readonly lead: T
  /** The lead among them, each with how near it is to the lead, 0…1; 1 is the same text. */
  readonly members: readonly { readonly text: T; readonly likeness: number }[]
}

/** Cosine of how often words, and pairs of neighbours, stand in them. */
const NEAR = 0.9
/** Words that turn a sentence round, whatever else it says. */
const TURNS =
  /^(?:no|not|never|none|without|cannot|neither|nor|unable|fail\w*|pass\w*|(?:are|ca|could|did|do|does|had|has|have|is|should|was|were|wo|would)n)$/

interface Leading<T extends GroupedText> {
  readonly lead: T
  readonly members: { readonly text: T; readonly likeness: number }[]
  readonly words: WordCounts
}

interface WordCounts {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
  /** Equal in all that say the same. */
  readonly strict: string
}

/** Of fewer shared words two texts are not about the same. */
const ALIKE = 0.1

/** Which of some texts another is like, by the words they share. */
export class TextLikeness {
  readonly #texts: readonly { readonly id: string; readonly words: WordCounts }[]

  constructor(texts: readonly GroupedText[]) {
    this.#texts = texts.map(({ id, text }) => ({ id, words: wordCounts(text) }))
  }

  /** Ids, the most alike first, ties in the order given. */
  alike(text: string, most: number): readonly string[] {
    const { counts, length } = wordCounts(text)
    return this.#texts
      .map(({ id, words }) => ({ id, likeness: sharedIn(counts, words.counts) / (length * words.length) }))
      .filter(({ likeness }) => likeness >= ALIKE)
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, most)
      .map(({ id }) => id)
  }
}

function sharedIn(counts: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const [word, count] of counts) sum += count * (others.get(word) ?? 0)
  return sum
}

/** Each text joins the nearest lead before it, or leads. In the order given; ties go to the earlier lead. */
export function groupTexts<T extends GroupedText>(texts: readonly T[]): readonly TextGroup<T>[] {
  const leads: Leading<T>[] = []
  const exact = new Map<string, Leading<T>>()
  /** Which leads hold a word, and how often. */
  const holding = new Map<string, { readonly lead: number; readonly count: number }[]>()
  for (const text of texts) {
    const same = exact.get(normalized(text.text))
    if (same !== undefined) {
      same.members.push({ text, likeness: 1 })
      continue
    }
    const words = wordCounts(text.text)
    const near = nearest(words, leads, holding)
    if (near !== null) {
      near.lead.members.push({ text, likeness: near.likeness })
      continue
    }
    const leading = { lead: text, members: [{ text, likeness: 1 }], words }
    exact.set(normalized(text.text), leading)
    for (const [word, count] of words.counts) {
      const places = holding.get(word) ?? []
      places.push({ lead: leads.length, count })
      holding.set(word, places)
    }
    leads.push(leading)
  }
  return leads
}

function nearest<T extends GroupedText>(
  words: WordCounts,
  leads: readonly Leading<T>[],
  holding: ReadonlyMap<string, readonly { readonly lead: number; readonly count: number }[]>,
): { readonly lead: Leading<T>; readonly likeness: number } | null {
  const shared = new Map<number, number>()
  for (const [word, count] of words.counts)
    for (const { lead, count: there } of holding.get(word) ?? [])
      shared.set(lead, (shared.get(lead) ?? 0) + count * there)
  let best: { readonly at: number; readonly likeness: number } | null = null
  for (const [at, dot] of shared) {
    const lead = leads[at]
    if (lead === undefined || lead.words.strict !== words.strict) continue
    const likeness = dot / (lead.words.length * words.length)
    if (likeness < NEAR) continue
    if (best === null || likeness > best.likeness || (likeness === best.likeness && at < best.at))
      best = { at, likeness }
  }
  const lead = best === null ? undefined : leads[best.at]
  return best === null || lead === undefined ? null : { lead, likeness: Math.min(1, best.likeness) }
}

function wordCounts(text: string): WordCounts {
  const counts = new Map<string, number>()
  const strict: string[] = []
  const add = (part: string) => counts.set(part, (counts.get(part) ?? 0) + 1)
  let last = ''
  for (const word of analyzeDocument(text).terms) {
    if (/\d/.test(word) || TURNS.test(word)) strict.push(word)
    if (!isStopWord(word)) add(word)
    // Who did what to whom is told by order alone.
    add(`${last} ${word}`)
    last = word
  }
  let squares = 0
  for (const count of counts.values()) squares += count * count
  return { counts, length: Math.sqrt(squares), strict: strict.sort().join(' ') }
}

function normalized(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}
