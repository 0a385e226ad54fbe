/**
 * How often which term stands in a text: what `analyzeDocument` finds, counted, and many times faster over many texts.
 * What a token means depends on its characters alone, so each is looked into once and then remembered.
 */
import { TermIds } from './term-ids.ts'
import { MEMO_UNITS_MAX, TokenMemo, UNKNOWN } from './token-memo.ts'
import { readable, scanTokens, type TokenSink, unitsAt } from './token-scanner.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Counts from one `clear` to the next. Analysis does not reach over a blank line: texts added apart are one text. */
export class TermCounter {
  readonly #counts: TokenCounts

  constructor(vocabulary: Vocabulary) {
    this.#counts = new TokenCounts(vocabulary)
  }

  add(text: string): void {
    scanTokens(readable(text), this.#counts)
  }

  /** Ids of the terms found, each once, in the order of their coming: the first `distinctCount`. Valid until `add`. */
  get ids(): Int32Array {
    return this.#counts.ids
  }

  get distinctCount(): number {
    return this.#counts.distinctCount
  }

  /** By term id; zero for terms not found. Valid until `add`. */
  get frequencies(): Int32Array {
    return this.#counts.frequencies
  }

  /** In words, see `Analysis.length`. */
  get length(): number {
    return this.#counts.length
  }

  clear(): void {
    this.#counts.clear()
  }
}

class TokenCounts implements TokenSink {
  ids = new Int32Array(1 << 9)
  frequencies = new Int32Array(1 << 9)
  distinctCount = 0
  length = 0
  readonly #vocabulary: Vocabulary
  readonly #terms: TermIds
  /** The answer: from 0, the id of the one term of a word; below, ~ where in `#lists` the terms stand. */
  readonly #memo = new TokenMemo()
  /** Per list: how many words the token counts as, how many terms, their ids. */
  #lists = new Int32Array(1 << 9)
  #listsUsed = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.#terms = new TermIds(vocabulary)
  }

  addName(text: string, start: number, end: number, hash: number, traits: number): void {
    const answer = end - start > MEMO_UNITS_MAX ? UNKNOWN : this.#memo.find(text, start, end, hash)
    if (answer >= 0) {
      this.length += 1
      this.#count(answer)
    } else if (answer === UNKNOWN) this.#addNewName(text, start, end, hash, traits)
    else this.#addList(~answer)
  }

  addWhole(text: string, start: number, end: number, words: 0 | 1): void {
    this.length += words
    this.#countNew(this.#terms.ofWhole(text, start, end))
  }

  addRun(text: string, start: number, end: number): void {
    let previous = -1
    for (let at = start, next = start; at < end; at = next) {
      next = at + unitsAt(text, at)
      this.#countNew(this.#vocabulary.idOfText(text, at, next))
      if (previous >= 0) this.#countNew(this.#vocabulary.idOfText(text, previous, next))
      previous = at
      this.length += 1
    }
  }

  clear(): void {
    for (let at = 0; at < this.distinctCount; at += 1) this.frequencies[this.ids[at] ?? 0] = 0
    this.distinctCount = 0
    this.length = 0
  }

  #count(id: number): void {
    const frequency = this.frequencies[id] ?? 0
    if (frequency === 0) this.ids[this.distinctCount++] = id
    this.frequencies[id] = frequency + 1
  }

  /** For an id that may be larger than any before. */
  #countNew(id: number): void {
    if (id >= this.frequencies.length) this.#makeRoom()
    this.#count(id)
  }

  #makeRoom(): void {
    const capacity = this.#vocabulary.size * 2
    this.ids = longer(this.ids, capacity)
    this.frequencies = longer(this.frequencies, capacity)
  }

  #addList(at: number): void {
    const lists = this.#lists
    this.length += lists[at] ?? 0
    const end = at + 2 + (lists[at + 1] ?? 0)
    for (let from = at + 2; from < end; from += 1) this.#count(lists[from] ?? 0)
  }

  #addNewName(text: string, start: number, end: number, hash: number, traits: number): void {
    const terms = this.#terms
    terms.setName(text, start, end, traits)
    this.length += terms.words
    for (let at = 0; at < terms.count; at += 1) this.#countNew(terms.ids[at] ?? 0)
    if (end - start > MEMO_UNITS_MAX) return
    if (this.#memo.isFull) {
      this.#memo.clear()
      this.#listsUsed = 0
    }
    const isOne = terms.count === 1 && terms.words === 1
    this.#memo.add(text, start, end, hash, isOne ? (terms.ids[0] ?? 0) : ~this.#newList())
  }

  #newList(): number {
    const { ids, count, words } = this.#terms
    const at = this.#listsUsed
    this.#listsUsed += 2 + count
    if (this.#listsUsed > this.#lists.length) this.#lists = longer(this.#lists, this.#listsUsed * 2)
    this.#lists[at] = words
    this.#lists[at + 1] = count
    for (let term = 0; term < count; term += 1) this.#lists[at + 2 + term] = ids[term] ?? 0
    return at
  }
}

function longer(values: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length)
  larger.set(values)
  return larger
}
