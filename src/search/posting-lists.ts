/**
 * Many growing lists of postings (slot, frequency) in one typed array: ten million small JavaScript arrays would cost
 * gigabytes and the garbage collector's time. Knows numbers only; which term a list belongs to is kept elsewhere.
 */
import { invariant } from '../model/memory-error.ts'

/** Two cells a posting: the slot, then the frequency. */
export const POSTING_CELLS = 2

export class PostingLists {
  #cells = new Int32Array(1 << 12)
  #cellsUsed = 0
  // By list: where it starts, how many postings it has, and the power of two of postings that fit.
  #starts = new Int32Array(1 << 10)
  #counts = new Int32Array(1 << 10)
  #powers = new Int8Array(1 << 10).fill(-1)
  /** Starts of blocks that were given back, by power. */
  readonly #freeBlocks: number[][] = []

  /** Every list's postings; those of `list` are `count(list)` pairs from `start(list)`, in no order. */
  get cells(): Int32Array {
    return this.#cells
  }

  start(list: number): number {
    return this.#starts[list] ?? 0
  }

  count(list: number): number {
    return this.#counts[list] ?? 0
  }

  /** @param list a small whole number; an unused one is an empty list */
  push(list: number, slot: number, frequency: number): void {
    if (list >= this.#starts.length) this.#growLists(list)
    const count = this.count(list)
    const power = this.#powers[list] ?? -1
    if (power === -1 || count === 1 << power) this.#move(list, power + 1)
    const at = this.start(list) + count * POSTING_CELLS
    this.#cells[at] = slot
    this.#cells[at + 1] = frequency
    this.#counts[list] = count + 1
  }

  /** Takes the slot's posting out; an emptied list gives its room back. */
  remove(list: number, slot: number): void {
    const start = this.start(list)
    const last = start + (this.count(list) - 1) * POSTING_CELLS
    let at = start
    while (at <= last && this.#cells[at] !== slot) at += POSTING_CELLS
    invariant(at <= last, `slot ${slot} is missing from list ${list}`)
    this.#cells.copyWithin(at, last, last + POSTING_CELLS)
    this.#counts[list] = this.count(list) - 1
    if (this.count(list) > 0) return
    this.#giveBack(start, this.#powers[list] ?? 0)
    this.#powers[list] = -1
  }

  #move(list: number, power: number): void {
    const from = this.start(list)
    const count = this.count(list)
    const to = this.#block(power)
    this.#cells.copyWithin(to, from, from + count * POSTING_CELLS)
    if (count > 0) this.#giveBack(from, power - 1)
    this.#starts[list] = to
    this.#powers[list] = power
  }

  #block(power: number): number {
    const free = this.#freeBlocks[power]?.pop()
    if (free !== undefined) return free
    const start = this.#cellsUsed
    this.#cellsUsed += POSTING_CELLS << power
    if (this.#cellsUsed > this.#cells.length) {
      const larger = new Int32Array(Math.max(this.#cells.length * 2, this.#cellsUsed))
      larger.set(this.#cells)
      this.#cells = larger
    }
    return start
  }

  #giveBack(start: number, power: number): void {
    while (this.#freeBlocks.length <= power) this.#freeBlocks.push([])
    this.#freeBlocks[power]?.push(start)
  }

  #growLists(list: number): void {
    const length = Math.max(this.#starts.length * 2, list + 1)
    const starts = new Int32Array(length)
    const counts = new Int32Array(length)
    const powers = new Int8Array(length).fill(-1)
    starts.set(this.#starts)
    counts.set(this.#counts)
    powers.set(this.#powers)
    this.#starts = starts
    this.#counts = counts
    this.#powers = powers
  }
}
