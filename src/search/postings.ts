/**
 * The inverted index of one view in memory: which term stands how often in which slot. A slot is the small number of
 * a document, from 1, free for another after its removal. Holds whole numbers only, so that it is equal to a freshly
 * built one after any changes; knows nothing of paths or scores.
 */
import { invariant } from '../model/memory-error.ts'
import type { Analysis } from './analyzer.ts'
import { PostingLists } from './posting-lists.ts'

export class Postings {
  // A map, never an object: `constructor` and `__proto__` are words like others.
  readonly #ids = new Map<string, number>()
  /** Text by term id; ids of terms that no document has any more are free. */
  readonly #texts: string[] = []
  readonly #freeIds: number[] = []
  /** By term id: how often the document being added has it; zeros between documents. */
  #pending = new Int32Array(1 << 10)
  readonly #lists = new PostingLists()
  /** Ids of the document's distinct terms, by slot; null where the slot is free. */
  readonly #termIds: (Int32Array | null)[] = []
  #lengths = new Float64Array(1 << 6)
  #documentCount = 0
  #lengthTotal = 0

  get documentCount(): number {
    return this.#documentCount
  }

  /** In words, over all documents. */
  get lengthTotal(): number {
    return this.#lengthTotal
  }

  get termCount(): number {
    return this.#ids.size
  }

  /** Length in words by slot. */
  get lengths(): Float64Array {
    return this.#lengths
  }

  get lists(): PostingLists {
    return this.#lists
  }

  add(slot: number, analysis: Analysis): void {
    while (this.#termIds.length <= slot) this.#termIds.push(null)
    invariant(this.#termIds[slot] === null, `slot ${slot} is taken`)
    const found: number[] = []
    for (const term of analysis.terms) {
      const id = this.#ids.get(term) ?? this.#newId(term)
      const frequency = this.#pending[id] ?? 0
      if (frequency === 0) found.push(id)
      this.#pending[id] = frequency + 1
    }
    for (const id of found) {
      this.#lists.push(id, slot, this.#pending[id] ?? 0)
      this.#pending[id] = 0
    }
    this.#termIds[slot] = new Int32Array(found)
    this.#setLength(slot, analysis.length)
    this.#documentCount += 1
  }

  remove(slot: number): void {
    const ids = this.#termIds[slot]
    invariant(ids, `slot ${slot} is free`)
    for (const id of ids) {
      this.#lists.remove(id, slot)
      if (this.#lists.count(id) === 0) this.#forget(id)
    }
    this.#termIds[slot] = null
    this.#setLength(slot, 0)
    this.#documentCount -= 1
  }

  /** @returns the term's id, which is also that of its list; null when no document has it */
  idOf(term: string): number | null {
    return this.#ids.get(term) ?? null
  }

  documentFrequency(term: string): number {
    const id = this.idOf(term)
    return id === null ? 0 : this.#lists.count(id)
  }

  has(slot: number, term: string): boolean {
    const id = this.idOf(term)
    return id !== null && (this.#termIds[slot]?.includes(id) ?? false)
  }

  #setLength(slot: number, length: number): void {
    if (slot >= this.#lengths.length) {
      const larger = new Float64Array(Math.max(this.#lengths.length * 2, slot + 1))
      larger.set(this.#lengths)
      this.#lengths = larger
    }
    this.#lengthTotal += length - (this.#lengths[slot] ?? 0)
    this.#lengths[slot] = length
  }

  #newId(term: string): number {
    const id = this.#freeIds.pop() ?? this.#texts.length
    this.#texts[id] = term
    this.#ids.set(term, id)
    if (id >= this.#pending.length) {
      const larger = new Int32Array(this.#pending.length * 2)
      larger.set(this.#pending)
      this.#pending = larger
    }
    return id
  }

  #forget(id: number): void {
    this.#ids.delete(this.#texts[id] ?? '')
    this.#freeIds.push(id)
  }
}
