/** Ranks the documents of one view for the terms of a query: those of the base that stand, and those beside it. */
import type { ViewName } from '../model/experience.ts'
import type { Base } from './base.ts'
import { BestCandidates, type Candidate } from './best-candidates.ts'
import { inverseDocumentFrequency, lengthNorm, scoreLimit, termScore } from './bm25.ts'
import type { IndexColumns } from './index-builder.ts'
import { ensureRoom, newPostingRun, type PostingRun } from './posting-codec.ts'

/**
 * What is searched. A slot is a document's number: first those of the base, then those beside it.
 * Both views have the same slots.
 */
export interface ViewContents {
  readonly base: Base | null
  /** By document of the base: 1 when it is no more, or is left out. */
  readonly dead: Uint8Array
  /** Documents that the base does not have as they are. */
  readonly beside: IndexColumns
  /** By term of `beside` its position there. */
  readonly besideTerms: ReadonlyMap<string, number>
  /** Workspace path of a slot. */
  readonly pathOf: (slot: number) => string
}

export function besideContents(beside: IndexColumns): Pick<ViewContents, 'beside' | 'besideTerms'> {
  return { beside, besideTerms: new Map([...beside.terms].map((term, position) => [term, position])) }
}

export interface SlotCandidate extends Candidate {
  readonly slot: number
}

/** One term of a query with everything that has it. */
interface WeighedTerm {
  /** How much the term tells (IDF). */
  readonly weight: number
  /** Slots ascending. */
  readonly postings: PostingRun
}

/** A query's terms in a view as it is now. */
export class WeighedQuery {
  readonly #terms: readonly WeighedTerm[]
  readonly #view: ViewTotals

  /** @param terms distinct and sorted: sums of floats depend on their order */
  constructor(view: ViewTotals, terms: readonly string[]) {
    this.#view = view
    this.#terms = terms.map((term) => {
      const postings = view.postingsOf(term)
      return { weight: inverseDocumentFrequency(view.documentCount, postings.count), postings }
    })
  }

  /** No document can score as much; 0 for a query without terms. */
  get upperBound(): number {
    return this.#terms.reduce((sum, { weight }) => sum + scoreLimit(weight), 0)
  }

  /** Share of the query's weight that the document's terms carry, 0…1. */
  coverageOf(slot: number): number {
    const total = this.#terms.reduce((sum, { weight }) => sum + weight, 0)
    const found = this.#terms.reduce((sum, { weight, postings }) => (hasSlot(postings, slot) ? sum + weight : sum), 0)
    return total === 0 ? 0 : found / total
  }

  /** The best `limit` of the documents that have a term, best first, ties by path. */
  ranked(limit: number): readonly SlotCandidate[] {
    const { slotCount, pathOf } = this.#view
    if (scores.length < slotCount) {
      scores = new Float64Array(slotCount)
      touched = new Uint32Array(slotCount)
    }
    const best = new BestCandidates<SlotCandidate>(limit)
    let { scoreMin } = best
    try {
      const count = this.#accumulate(scores, touched)
      for (let at = 0; at < count; at += 1) {
        const slot = touched[at] ?? 0
        const score = scores[slot] ?? 0
        scores[slot] = 0
        if (score < scoreMin) continue
        best.add({ slot, score, path: pathOf(slot) })
        scoreMin = best.scoreMin
      }
    } catch (error) {
      // Names are read from a file, which may prove to be damaged.
      scores.fill(0)
      throw error
    }
    return best.sorted()
  }

  /** @returns how many slots have a score now; `touched` names each once */
  #accumulate(scores: Float64Array, touched: Uint32Array): number {
    const norm = lengthNorm(this.#view.documentCount, this.#view.lengthTotal)
    const { lengths } = this.#view
    let touchedCount = 0
    for (const { weight, postings } of this.#terms) {
      const limit = scoreLimit(weight)
      const { documents, frequencies, count } = postings
      for (let at = 0; at < count; at += 1) {
        const slot = documents[at] ?? 0
        const before = scores[slot] ?? 0
        // Every term adds more than zero, so zero means: not seen yet.
        if (before === 0) touched[touchedCount++] = slot
        scores[slot] = before + termScore(limit, frequencies[at] ?? 0, lengths[slot] ?? 0, norm)
      }
    }
    return touchedCount
  }
}

// One for all views: a search is synchronous and leaves the scores filled with zeros.
let scores = new Float64Array(64)
let touched = new Uint32Array(64)

function hasSlot({ documents, count }: PostingRun, slot: number): boolean {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((documents[middle] ?? 0) < slot) low = middle + 1
    else high = middle
  }
  return low < count && documents[low] === slot
}

/** The whole numbers that BM25 needs of one view, as if all its documents had just been indexed together. */
export class ViewTotals {
  readonly documentCount: number
  /** In words. */
  readonly lengthTotal: number
  /** In words, by slot. */
  readonly lengths: Uint32Array
  readonly #name: ViewName
  readonly #contents: ViewContents

  constructor(name: ViewName, contents: ViewContents) {
    this.#name = name
    this.#contents = contents
    const { base, dead, beside } = contents
    const added = beside.views[name]
    const old = base?.lengths(name) ?? new Uint32Array()
    this.lengths = new Uint32Array(old.length + added.lengths.length)
    this.lengths.set(old)
    this.lengths.set(added.lengths, old.length)
    let documentCount = (base?.footer.views[name].documents ?? 0) + beside.documentCount
    let lengthTotal = (base?.footer.views[name].length_total ?? 0) + added.lengthTotal
    // Looked for, since hardly any is dead: thousands of rounds would be slow in a process that has just begun.
    for (let document = dead.indexOf(1); document !== -1; document = dead.indexOf(1, document + 1)) {
      lengthTotal -= old[document] ?? 0
      if (base?.isInvalid(document) === false) documentCount -= 1
    }
    this.documentCount = documentCount
    this.lengthTotal = lengthTotal
  }

  get slotCount(): number {
    return this.lengths.length
  }

  get pathOf(): (slot: number) => string {
    return this.#contents.pathOf
  }

  /** Slots ascending. */
  postingsOf(term: string): PostingRun {
    const { base, dead, beside, besideTerms } = this.#contents
    const run = newPostingRun(0)
    base?.addPostings(this.#name, term, dead, run)
    const position = besideTerms.get(term)
    if (position === undefined) return run
    const { starts, documents, frequencies } = beside.views[this.#name]
    const start = starts[position] ?? 0
    const end = starts[position + 1] ?? start
    ensureRoom(run, run.count + end - start)
    for (let at = start; at < end; at += 1, run.count += 1) {
      run.documents[run.count] = (documents[at] ?? 0) + dead.length
      run.frequencies[run.count] = frequencies[at] ?? 0
    }
    return run
  }
}
