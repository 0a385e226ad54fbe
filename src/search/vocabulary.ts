/** The distinct terms of many texts, numbered from 0 in the order of their coming. Knows no documents. */
import { TermTexts } from './term-texts.ts'
import { HASH_SEED, slotOf, withUnit } from './unit-hash.ts'

// The cells of one slot, and no more: most looks end at a free one, and a table of half the size is sooner found in a cache.
const HASH = 0
/** The id and one; zero where the slot is free. */
const NUMBER = 1
const CELLS = 2

export class Vocabulary {
  /** All terms, joined: UTF-16 code units. Term `id` is `#starts[id]` to `#starts[id + 1]`. */
  #units = new Uint16Array(1 << 12)
  #starts = new Uint32Array(1 << 9)
  #hashes = new Int32Array(1 << 9)
  #size = 0
  /** Open addressing, at most half full. */
  #table = new Int32Array(CELLS << 9)
  #shift = 32 - 9
  #scratch = new Uint16Array(1 << 8)

  get size(): number {
    return this.#size
  }

  /** @returns the id of the term that is these code units, a new one when it is new */
  idOf(units: Uint16Array, start: number, end: number): number {
    let hash = HASH_SEED
    for (let at = start; at < end; at += 1) hash = withUnit(hash, units[at] ?? 0)
    const table = this.#table
    const mask = table.length - 1
    let slot = slotOf(hash, this.#shift) * CELLS
    for (;;) {
      const found = table[slot + NUMBER] ?? 0
      if (found === 0) return this.#add(slot, hash, units, start, end)
      if (table[slot + HASH] === hash && this.#isTerm(found - 1, units, start, end)) return found - 1
      slot = (slot + CELLS) & mask
    }
  }

  #isTerm(id: number, units: Uint16Array, start: number, end: number): boolean {
    let from = this.#starts[id] ?? 0
    if (this.#starts[id + 1] !== from + end - start) return false
    const own = this.#units
    for (let at = start; at < end; at += 1, from += 1) if (own[from] !== units[at]) return false
    return true
  }

  idOfText(text: string, start = 0, end = text.length): number {
    if (end - start > this.#scratch.length) this.#scratch = new Uint16Array((end - start) * 2)
    for (let at = start; at < end; at += 1) this.#scratch[at - start] = text.charCodeAt(at)
    return this.idOf(this.#scratch, 0, end - start)
  }

  /** All terms so far, by id. */
  get terms(): TermTexts {
    return new TermTexts(this.#size, this.#units, this.#starts, this.#hashes)
  }

  #add(slot: number, hash: number, units: Uint16Array, start: number, end: number): number {
    const id = this.#size
    const first = this.#starts[id] ?? 0
    const last = first + end - start
    if (last > this.#units.length) this.#units = longer(new Uint16Array(last * 2), this.#units)
    if (id + 2 > this.#starts.length) {
      this.#starts = longer(new Uint32Array(this.#starts.length * 2), this.#starts)
      this.#hashes = longer(new Int32Array(this.#starts.length), this.#hashes)
    }
    for (let at = start; at < end; at += 1) this.#units[first + at - start] = units[at] ?? 0
    this.#starts[id + 1] = last
    this.#hashes[id] = hash
    this.#table[slot + HASH] = hash
    this.#table[slot + NUMBER] = id + 1
    this.#size += 1
    if (this.#size * 2 * CELLS > this.#table.length) this.#growTable()
    return id
  }

  #growTable(): void {
    const old = this.#table
    const table = new Int32Array(old.length * 2)
    const mask = table.length - 1
    this.#shift -= 1
    for (let from = 0; from < old.length; from += CELLS) {
      if (old[from + NUMBER] === 0) continue
      let slot = slotOf(old[from + HASH] ?? 0, this.#shift) * CELLS
      while (table[slot + NUMBER] !== 0) slot = (slot + CELLS) & mask
      for (let cell = 0; cell < CELLS; cell += 1) table[slot + cell] = old[from + cell] ?? 0
    }
    this.#table = table
  }
}

function longer<T extends Uint16Array | Uint32Array | Int32Array>(array: T, beginning: T): T {
  array.set(beginning)
  return array
}
