/** The postings of one view, taken in by document and handed out by term. Knows numbers only. */
import { invariant } from '../model/memory-error.ts'
import type { TermCounter } from './term-counter.ts'

/** Document numbers and terms' positions count from 0. */
export interface ViewColumns {
  /** In words, by document. */
  readonly lengths: Uint32Array
  readonly lengthTotal: number
  /** By id of the term, and one more: its postings are `starts[id]` to `starts[id + 1]`. */
  readonly starts: Uint32Array
  /** By posting: the document's number, ascending within a term. */
  readonly documents: Uint32Array
  /** By posting: how often the term stands in the document, from 1. */
  readonly frequencies: Uint32Array
}

/**
 * Two cells a posting: term id, frequency. What is written once is never copied to grow: each chunk is twice the one
 * before instead, from 8 KB, as a search after one edit indexes one document, to 1 MB.
 */
const FIRST_CHUNK_CELLS = 1 << 11
const CHUNK_CELLS_MAX = 1 << 18

export class PostingColumns {
  #chunks: Uint32Array[] = []
  #chunk = new Uint32Array()
  #used = 0
  #lengths = new Uint32Array(1 << 6)
  /** By document: how many distinct terms it has. */
  #termCounts = new Uint32Array(1 << 6)
  #documentCount = 0
  #postingCount = 0

  /** Adds what was counted as the next document. */
  add({ ids, frequencies, distinctCount, length }: TermCounter): void {
    const document = this.#documentCount
    if (document === this.#lengths.length) {
      this.#lengths = longer(this.#lengths)
      this.#termCounts = longer(this.#termCounts)
    }
    this.#lengths[document] = length
    this.#termCounts[document] = distinctCount
    this.#documentCount += 1
    this.#postingCount += distinctCount
    const chunk = this.#chunkFor(distinctCount * 2)
    let to = this.#used
    for (let at = 0; at < distinctCount; at += 1) {
      const id = ids[at] ?? 0
      chunk[to] = id
      chunk[to + 1] = frequencies[id] ?? 0
      to += 2
    }
    this.#used = to
  }

  /** A document's postings stand in one chunk. */
  #chunkFor(cells: number): Uint32Array {
    if (this.#used + cells > this.#chunk.length) {
      const grown = Math.min(this.#chunk.length * 2, CHUNK_CELLS_MAX)
      // Only a document that needs more gets a chunk above the maximum.
      this.#chunk = new Uint32Array(Math.max(FIRST_CHUNK_CELLS, grown, cells))
      this.#chunks.push(this.#chunk)
      this.#used = 0
    }
    return this.#chunk
  }

  /**
   * A counting sort by term. Gives up what was taken in: once.
   * @param termCount one more than the highest id
   */
  finish(termCount: number): ViewColumns {
    const starts = this.#starts(termCount)
    /** By id: where the term's next posting goes. */
    const next = starts.slice()
    const documents = new Uint32Array(this.#postingCount)
    const frequencies = new Uint32Array(this.#postingCount)
    const chunks = this.#chunks.reverse()
    let chunk: Uint32Array = new Uint32Array()
    let from = 0
    for (let document = 0; document < this.#documentCount; document += 1) {
      const cells = (this.#termCounts[document] ?? 0) * 2
      // The same question as when it was written. A chunk read to its end is garbage.
      if (from + cells > chunk.length) {
        chunk = chunks.pop() ?? chunk
        from = 0
      }
      for (const end = from + cells; from < end; from += 2) {
        const id = chunk[from] ?? 0
        const place = next[id] ?? 0
        next[id] = place + 1
        documents[place] = document
        frequencies[place] = chunk[from + 1] ?? 0
      }
    }
    invariant(chunks.length === 0, 'a chunk of postings was left')
    const lengths = this.#lengths.slice(0, this.#documentCount)
    return { lengths, lengthTotal: lengths.reduce((sum, length) => sum + length, 0), starts, documents, frequencies }
  }

  #starts(termCount: number): Uint32Array {
    const starts = new Uint32Array(termCount + 1)
    const documentFrequencies = this.#documentFrequencies(termCount)
    for (let id = 0; id < termCount; id += 1) starts[id + 1] = (starts[id] ?? 0) + (documentFrequencies[id] ?? 0)
    return starts
  }

  /** By term id: how many documents have it. */
  #documentFrequencies(termCount: number): Uint32Array {
    const counts = new Uint32Array(termCount)
    for (const chunk of this.#chunks)
      for (let at = 0; at < chunk.length; at += 2)
        // No posting has the frequency zero: that is room left at a chunk's end.
        if (chunk[at + 1] !== 0) {
          const id = chunk[at] ?? 0
          counts[id] = (counts[id] ?? 0) + 1
        }
    return counts
  }
}

function longer(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(values.length * 2)
  larger.set(values)
  return larger
}
