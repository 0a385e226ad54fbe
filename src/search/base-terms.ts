/** The sections of a packed base that tell of its terms: those of the base before, and what new documents add. */
import { VIEW_NAMES, type ViewName } from '../model/experience.ts'
import { invariant } from '../model/memory-error.ts'
import type { TermColumns } from './base.ts'
import { ENTRY, ENTRY_WORDS, LIST, VIEW_WORD } from './base-format.ts'
import type { Survival } from './base-manifest.ts'
import type { SectionWriter } from './base-sections.ts'
import type { IndexColumns } from './index-builder.ts'
import { ByteSink, decodePostings, encodePostings, newPostingRun, type PostingRange } from './posting-codec.ts'
import { enterHash, stringHash, tableSlots } from './string-hash.ts'

const encoder = new TextEncoder()
/** An average list and term: what is too little grows. */
const BYTES_PER_TERM = 16

/** @returns how many terms there are */
export function addTerms(
  file: SectionWriter,
  before: TermColumns | null,
  survival: Survival,
  added: IndexColumns,
): number {
  const writer = new TermWriter(added, survival.kept)
  if (before === null) writer.addFresh(null)
  else {
    const known = knownPositions(before, added)
    if (survival.numbers === null) writer.extend(before, known)
    else writer.renumber(before, survival.dead, survival.numbers, known)
    writer.addFresh(new Set(known.values()))
  }
  return writer.finish(file)
}

/** By term of the base before, in its order: the position of the same term among the added ones. */
function knownPositions(before: TermColumns, added: IndexColumns): ReadonlyMap<number, number> {
  const known: [number, number][] = []
  for (let position = 0; position < added.terms.length; position += 1) {
    const found = termIn(before, added.terms.textAt(position))
    if (found !== -1) known.push([found, position])
  }
  return new Map(known.sort(([a], [b]) => a - b))
}

function termIn({ texts, entries, table }: TermColumns, term: string): number {
  const wanted = encoder.encode(term)
  const hash = stringHash(term)
  const mask = table.length - 1
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const found = (table[slot] ?? 0) - 1
    if (found === -1) return -1
    const at = found * ENTRY_WORDS
    if (entries[at + ENTRY.hash] !== hash || entries[at + ENTRY.bytes] !== wanted.length) continue
    const start = entries[at + ENTRY.start] ?? 0
    if (wanted.every((byte, offset) => texts[start + offset] === byte)) return found
  }
}

class TermWriter {
  readonly #added: IndexColumns
  /** The first new document's number. */
  readonly #offset: number
  #texts: ByteSink
  readonly #lists: Record<ViewName, ByteSink>
  /** Grows where terms of the base before come along. */
  #entries: Uint32Array<ArrayBuffer>
  #termCount = 0
  /** Whose terms are all still here under their numbers; null for none. */
  #before: TermColumns | null = null
  readonly #run = newPostingRun()

  constructor(added: IndexColumns, offset: number) {
    this.#added = added
    this.#offset = offset
    const { length } = added.terms
    this.#entries = new Uint32Array(length * ENTRY_WORDS)
    this.#texts = new ByteSink(length * BYTES_PER_TERM)
    this.#lists = {
      when_to_use: new ByteSink(length * BYTES_PER_TERM),
      when_to_use_content: new ByteSink(length * BYTES_PER_TERM),
    }
  }

  /** Takes everything over as it lies; the postings of new documents go behind the old ones of their terms. */
  extend(before: TermColumns, known: ReadonlyMap<number, number>): void {
    this.#termCount = before.entries.length / ENTRY_WORDS
    this.#entries = new Uint32Array(before.entries.length + (this.#added.terms.length - known.size) * ENTRY_WORDS)
    this.#entries.set(before.entries)
    this.#before = before
    this.#texts = new ByteSink(before.texts.length + this.#added.terms.length * BYTES_PER_TERM)
    this.#texts.append(before.texts)
    for (const view of VIEW_NAMES) this.#extendLists(view, before.lists[view], known)
  }

  #extendLists(view: ViewName, old: Uint8Array, known: ReadonlyMap<number, number>): void {
    const entries = this.#entries
    const sink = new ByteSink(old.length + this.#added.views[view].documents.length * 4)
    const word = VIEW_WORD[view]
    let copied = 0
    let shift = 0
    let next = 0
    for (const [term, position] of known) {
      next = shiftStarts(entries, word, next, term + 1, shift)
      const at = term * ENTRY_WORDS + word
      const end = (entries[at + LIST.start] ?? 0) - shift + (entries[at + LIST.bytes] ?? 0)
      sink.append(old.subarray(copied, end))
      copied = end
      shift += appendPostings(this.#newPostings(view, position), entries, at, sink)
    }
    shiftStarts(entries, word, next, this.#termCount, shift)
    sink.append(old.subarray(copied))
    this.#lists[view] = sink
  }

  /** Writes every list of the base before anew without the dead; a term whose list is then empty is left out. */
  renumber(before: TermColumns, dead: Uint8Array, numbers: Int32Array, known: ReadonlyMap<number, number>): void {
    const { entries, texts, lists } = before
    const run = this.#run
    for (let at = 0, term = 0; at < entries.length; at += ENTRY_WORDS, term += 1) {
      const position = known.get(term)
      for (const view of VIEW_NAMES) {
        const list = at + VIEW_WORD[view]
        const start = entries[list + LIST.start] ?? 0
        run.count = 0
        decodePostings(
          lists[view].subarray(start, start + (entries[list + LIST.bytes] ?? 0)),
          entries[list + LIST.count] ?? 0,
          dead,
          run,
        )
        for (let posting = 0; posting < run.count; posting += 1)
          run.documents[posting] = numbers[run.documents[posting] ?? 0] ?? 0
        const { documents, frequencies, count } = run
        this.#addList(view, { documents, frequencies, start: 0, end: count, offset: 0 })
        if (position !== undefined) this.#continueList(view, this.#newPostings(view, position))
      }
      const start = entries[at + ENTRY.start] ?? 0
      const textStart = this.#texts.length
      if (this.#endTerm(entries[at + ENTRY.hash] ?? 0, textStart, entries[at + ENTRY.bytes] ?? 0))
        this.#texts.append(texts.subarray(start, start + (entries[at + ENTRY.bytes] ?? 0)))
    }
  }

  /** @param known positions that the base before has; null for none */
  addFresh(known: ReadonlySet<number> | null): void {
    const { terms } = this.#added
    const first = this.#termCount
    this.#ensureRoom(first + terms.length - (known?.size ?? 0))
    for (const view of VIEW_NAMES) this.#addFreshLists(view, known)
    for (let position = 0; position < terms.length; position += 1) {
      if (known?.has(position) === true) continue
      const start = this.#texts.length
      terms.write(position, this.#texts)
      const hasPostings = this.#endTerm(terms.hashAt(position), start, this.#texts.length - start)
      // The entries of both views were laid one behind the other before.
      invariant(hasPostings, 'a new term stands in a document')
    }
  }

  /** One view's lists alone, in one loop: there are as many as there are words in the world. */
  #addFreshLists(view: ViewName, known: ReadonlySet<number> | null): void {
    const { starts } = this.#added.views[view]
    const entries = this.#entries
    const sink = this.#lists[view]
    const postings = { ...this.#newPostings(view, 0) }
    let at = this.#termCount * ENTRY_WORDS + VIEW_WORD[view]
    for (let position = 0; position + 1 < starts.length; position += 1) {
      if (known?.has(position) === true) continue
      postings.start = starts[position] ?? 0
      postings.end = starts[position + 1] ?? 0
      beginList(entries, at, sink)
      appendPostings(postings, entries, at, sink)
      at += ENTRY_WORDS
    }
  }

  #newPostings(view: ViewName, position: number): PostingRange {
    const { starts, documents, frequencies } = this.#added.views[view]
    const start = starts[position] ?? 0
    return { documents, frequencies, start, end: starts[position + 1] ?? start, offset: this.#offset }
  }

  /** Of the term that ends next. */
  #addList(view: ViewName, postings: PostingRange): void {
    this.#ensureRoom(this.#termCount + 1)
    beginList(this.#entries, this.#termCount * ENTRY_WORDS + VIEW_WORD[view], this.#lists[view])
    this.#continueList(view, postings)
  }

  #continueList(view: ViewName, postings: PostingRange): void {
    appendPostings(postings, this.#entries, this.#termCount * ENTRY_WORDS + VIEW_WORD[view], this.#lists[view])
  }

  /** @returns false for a term without any posting, which is none */
  #endTerm(hash: number, textStart: number, textBytes: number): boolean {
    const at = this.#termCount * ENTRY_WORDS
    const { when_to_use: first, when_to_use_content: second } = VIEW_WORD
    if (this.#entries[at + first + LIST.count] === 0 && this.#entries[at + second + LIST.count] === 0) return false
    this.#entries[at + ENTRY.hash] = hash
    this.#entries[at + ENTRY.start] = textStart
    this.#entries[at + ENTRY.bytes] = textBytes
    this.#termCount += 1
    return true
  }

  #ensureRoom(termCount: number): void {
    if (this.#entries.length >= termCount * ENTRY_WORDS) return
    const larger = new Uint32Array(Math.max(termCount * ENTRY_WORDS, Math.ceil(this.#entries.length * 1.5)))
    larger.set(this.#entries)
    this.#entries = larger
  }

  finish(file: SectionWriter): number {
    file.add('terms', this.#texts.written)
    file.add('entries', this.#entries.subarray(0, this.#termCount * ENTRY_WORDS))
    file.add('term_table', this.#termTable())
    for (const view of VIEW_NAMES) file.add(`postings_${view}`, this.#lists[view].written)
    return this.#termCount
  }

  #termTable(): Uint32Array<ArrayBuffer> {
    const slots = tableSlots(this.#termCount)
    const before = this.#before?.table.length === slots ? this.#before : null
    const table = before?.table ?? new Uint32Array(slots)
    for (let term = (before?.entries.length ?? 0) / ENTRY_WORDS; term < this.#termCount; term += 1)
      enterHash(table, this.#entries[term * ENTRY_WORDS + ENTRY.hash] ?? 0, term)
    return table
  }
}

/** An empty list at the end of `sink`, of which `entries` tell from `at` on. */
function beginList(entries: Uint32Array, at: number, sink: ByteSink): void {
  entries[at + LIST.count] = 0
  entries[at + LIST.start] = sink.length
  entries[at + LIST.bytes] = 0
  entries[at + LIST.last] = 0
}

/**
 * Continues the list of which `entries` tell from `at` on.
 * @param sink its end is the list's
 * @returns how many bytes that took
 */
function appendPostings(postings: PostingRange, entries: Uint32Array, at: number, sink: ByteSink): number {
  if (postings.start === postings.end) return 0
  const start = sink.length
  const count = entries[at + LIST.count] ?? 0
  entries[at + LIST.last] = encodePostings(postings, count === 0 ? -1 : (entries[at + LIST.last] ?? 0), sink)
  entries[at + LIST.count] = count + postings.end - postings.start
  entries[at + LIST.bytes] = (entries[at + LIST.bytes] ?? 0) + sink.length - start
  return sink.length - start
}

/** Moves the lists of the terms from `first` to `end` (exclusive). @returns `end` */
function shiftStarts(entries: Uint32Array, word: number, first: number, end: number, shift: number): number {
  for (let at = first * ENTRY_WORDS + word + LIST.start; at < end * ENTRY_WORDS; at += ENTRY_WORDS)
    entries[at] = (entries[at] ?? 0) + shift
  return end
}
