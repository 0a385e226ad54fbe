/** Texts that say the same: in other letters, or in nearly the same words. What differs in a number or in a "not" does not. */
import { WordIndex } from './word-index.ts'

export interface GroupedText {
  readonly id: string
  readonly text: string
}

export interface TextGroup<Lead extends GroupedText, T extends GroupedText> {
  readonly lead: Lead | T
  /** Those of the texts, one that leads among them, each with its similarity to the lead, 0…1; 1 is the same words in the same order. */
  readonly members: readonly { readonly text: T; readonly similarity: number }[]
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

function normalized(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}
