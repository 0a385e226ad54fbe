/**
 * What was once found out about a token, by its text: one whole number each. A hit makes no string and no garbage. Bounded:
 * a full memo forgets everything. Knows nothing of what the numbers mean.
 */
import { slotOf } from './unit-hash.ts'

/** Longer tokens are rare, and seldom come again. UTF-16 code units. */
export const MEMO_UNITS_MAX = 64
/** With their texts some 8 MB. */
const TOKENS_MAX = 1 << 17
/** No answer has this number. */
export const UNKNOWN = -(2 ** 31)

// The cells of one slot: together, since a look at memory costs more than a comparison.
const HASH = 0
const START = 1
/** Zero where the slot is free. */
const LENGTH = 2
const ANSWER = 3
const CELLS = 4

export class TokenMemo {
  #tokensMax: number
  /** Open addressing, at most half full. */
  #table = new Int32Array(CELLS << 10)
  #shift = 32 - 10
  #size = 0
  /** Each token's own copy, joined: UTF-16 code units. */
  #units = new Uint16Array(1 << 12)
  #unitsUsed = 0

  constructor(tokensMax = TOKENS_MAX) {
    this.#tokensMax = tokensMax
  }

  get isFull(): boolean {
    return this.#size >= this.#tokensMax
  }

  /** @param hash of the code units from `start` to `end`; any function of theirs */
  find(text: string, start: number, end: number, hash: number): number {
    const table = this.#table
    const mask = table.length - 1
    let slot = slotOf(hash, this.#shift) * CELLS
    for (;;) {
      const length = table[slot + LENGTH] ?? 0
      if (length === 0) return UNKNOWN
      if (table[slot + HASH] === hash && length === end - start) {
        const own = this.#units
        let at = start
        let from = table[slot + START] ?? 0
        while (at < end && own[from] === text.charCodeAt(at)) {
          at += 1
          from += 1
        }
        if (at === end) return table[slot + ANSWER] ?? 0
      }
      slot = (slot + CELLS) & mask
    }
  }

  /** Only for what `find` does not know, and not when full. From 1 to MEMO_UNITS_MAX units. */
  add(text: string, start: number, end: number, hash: number, answer: number): void {
    if (this.#size * 2 * CELLS >= this.#table.length) this.#growTable()
    const first = this.#unitsUsed
    this.#unitsUsed += end - start
    if (this.#unitsUsed > this.#units.length) {
      const units = new Uint16Array(this.#unitsUsed * 2)
      units.set(this.#units)
      this.#units = units
    }
    for (let at = start; at < end; at += 1) this.#units[first + at - start] = text.charCodeAt(at)
    const slot = freeSlot(this.#table, hash, this.#shift)
    this.#table[slot + HASH] = hash
    this.#table[slot + START] = first
    this.#table[slot + LENGTH] = end - start
    this.#table[slot + ANSWER] = answer
    this.#size += 1
  }

  clear(): void {
    this.#table.fill(0)
    this.#size = 0
    this.#unitsUsed = 0
  }

  #growTable(): void {
    const old = this.#table
    const table = new Int32Array(old.length * 2)
    this.#shift -= 1
    for (let from = 0; from < old.length; from += CELLS)
      if (old[from + LENGTH] !== 0) {
        const slot = freeSlot(table, old[from + HASH] ?? 0, this.#shift)
        for (let cell = 0; cell < CELLS; cell += 1) table[slot + cell] = old[from + cell] ?? 0
      }
    this.#table = table
  }
}

function freeSlot(table: Int32Array, hash: number, shift: number): number {
  const mask = table.length - 1
  let slot = slotOf(hash, shift) * CELLS
  while (table[slot + LENGTH] !== 0) slot = (slot + CELLS) & mask
  return slot
}
