/** From the texts of many documents to the postings of both views, as plain columns. Knows nothing of files or scores. */
import type { ExperienceTexts, ViewName } from '../model/experience.ts'
import { PostingColumns, type ViewColumns } from './posting-columns.ts'
import { TermCounter } from './term-counter.ts'
import type { TermTexts } from './term-texts.ts'
import { Vocabulary } from './vocabulary.ts'

export interface IndexColumns {
  readonly documentCount: number
  /** In the order of their coming; every one stands in some document. A term that only contents have has no postings in `when_to_use`. */
  readonly terms: TermTexts
  readonly views: Readonly<Record<ViewName, ViewColumns>>
}

/** One builder makes one index. */
export class IndexBuilder {
  readonly #vocabulary = new Vocabulary()
  readonly #counter = new TermCounter(this.#vocabulary)
  readonly #views: Readonly<Record<ViewName, PostingColumns>> = {
    when_to_use: new PostingColumns(),
    when_to_use_content: new PostingColumns(),
  }
  #documentCount = 0

  /** Adds the document of the next number, from 0. Two empty texts make one that no query finds. */
  add(whenToUse: string, content: string): void {
    const counter = this.#counter
    counter.add(whenToUse)
    this.#views.when_to_use.add(counter)
    // The longer text is the shorter one, a blank line and the content: its counts go on from where they stand.
    counter.add(content)
    this.#views.when_to_use_content.add(counter)
    counter.clear()
    this.#documentCount += 1
  }

  /** Once, at the end. */
  finish(): IndexColumns {
    const { terms } = this.#vocabulary
    return {
      documentCount: this.#documentCount,
      terms,
      views: {
        when_to_use: this.#views.when_to_use.finish(terms.length),
        when_to_use_content: this.#views.when_to_use_content.finish(terms.length),
      },
    }
  }
}

const NO_POSTINGS = {
  lengths: new Uint32Array(),
  lengthTotal: 0,
  starts: new Uint32Array(1),
  documents: new Uint32Array(),
  frequencies: new Uint32Array(),
}
const NO_COLUMNS: IndexColumns = {
  documentCount: 0,
  terms: new Vocabulary().terms,
  views: { when_to_use: NO_POSTINGS, when_to_use_content: NO_POSTINGS },
}

/** Of documents in the order of `texts`. */
export function columnsOf(texts: readonly ExperienceTexts[]): IndexColumns {
  if (texts.length === 0) return NO_COLUMNS
  const builder = new IndexBuilder()
  for (const { 'when-to-use': whenToUse, content } of texts) builder.add(whenToUse, content)
  return builder.finish()
}

export const openBuilder = (): IndexBuilder => new IndexBuilder()
