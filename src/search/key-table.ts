/**
 * Numbers keys, each once, in the order in which they lie. The keys are digests, so their first bytes serve
 * as the hash; equality is of all bytes. The table is a plain column, so that a file can carry it.
 */
import { enterHash } from './string-hash.ts'

/** Half of a SHA-256: texts that share it do not come about, and there is half as much to read and to compare. */
export const KEY_BYTES = 16
const KEY_WORDS = KEY_BYTES / 4

/** Of a key that is not there. */
export const NOT_FOUND = -1

const SLOTS_MIN = 16
/** Slots by key at least. Most keys are found without the table, so it may be fuller than others, and is read faster. */
const SLOTS_SHARE = 1.25

/** Bytes of a table for so many keys: a power of two, and some slot stays free. */
export function keyTableBytes(count: number): number {
  let slots = SLOTS_MIN
  while (slots < count * SLOTS_SHARE) slots *= 2
  return slots * 4
}

/** Enters all keys into a table of zeros of `keyTableBytes`. @param keys KEY_WORDS by number */
export function fillKeyTable(table: Uint32Array, keys: Uint32Array): void {
  for (let number = 0; number * KEY_WORDS < keys.length; number += 1)
    enterHash(table, keys[number * KEY_WORDS] ?? 0, number)
}

export class KeyTable {
  /** KEY_WORDS by number. */
  readonly #keys: Uint32Array
  /** Open addressing: number + 1, 0 where a slot is free. */
  readonly #slots: Uint32Array

  /** @param slots as `fillKeyTable` filled them */
  constructor(keys: Uint32Array, slots: Uint32Array) {
    this.#keys = keys
    this.#slots = slots
  }

  /**
   * Looks for each key whose number is NOT_FOUND, and adds `first` to what it finds. One loop without a call or an
   * object, because most processes look for thousands of keys once, in code that is still interpreted.
   * @param wanted KEY_WORDS by key. @param numbers by key
   */
  findAll(wanted: Uint32Array, numbers: Int32Array, first: number): void {
    const keys = this.#keys
    const slots = this.#slots
    const mask = slots.length - 1
    // Keys are mostly asked for in the order in which they lie, so the next one is tried before the table.
    let next = 0
    for (let at = 0, w = 0; at < numbers.length; at += 1, w += KEY_WORDS) {
      if (numbers[at] !== NOT_FOUND) continue
      let number = next
      for (let slot = (wanted[w] ?? 0) & mask; number !== NOT_FOUND; slot = (slot + 1) & mask) {
        const k = number * KEY_WORDS
        if (
          keys[k] === wanted[w] &&
          keys[k + 1] === wanted[w + 1] &&
          keys[k + 2] === wanted[w + 2] &&
          keys[k + 3] === wanted[w + 3]
        ) {
          numbers[at] = first + number
          next = number + 1
          break
        }
        number = (slots[slot] ?? 0) - 1
      }
    }
  }
}

/** Keys as numbers, in place where they lie at a multiple of 4 bytes. */
export function keyWords(keys: Uint8Array): Uint32Array {
  const aligned = keys.byteOffset % 4 === 0 ? keys : new Uint8Array(keys)
  return new Uint32Array(aligned.buffer, aligned.byteOffset, keys.length / 4)
}

/** Whether a key is all zeros, which no digest is: it stands for a text that does not count. */
export function isNoKey(keys: Uint32Array, number: number): boolean {
  const start = number * KEY_WORDS
  for (let word = start; word < start + KEY_WORDS; word += 1) if (keys[word] !== 0) return false
  return true
}
