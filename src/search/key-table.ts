/**
 * Numbers keys of 32 bytes in the order in which they come. The keys are digests, so their first bytes serve as
 * the hash; equality is of all bytes.
 */
import { tableSlots } from './string-hash.ts'

export const KEY_BYTES = 32

export class KeyTable {
  /** KEY_BYTES by number. */
  #keys: Uint8Array
  /** Open addressing: number + 1, 0 where a slot is free. */
  #slots: Uint32Array
  #count = 0

  /** @param expected keys for which there is room at first */
  constructor(expected = 16) {
    this.#keys = new Uint8Array(Math.max(1, expected) * KEY_BYTES)
    this.#slots = new Uint32Array(tableSlots(expected))
  }

  /** How many keys there are: one more than the highest number. */
  get count(): number {
    return this.#count
  }

  /** @returns the key's number; a new key's is the next */
  add(key: Uint8Array): number {
    const slot = this.#slotOf(key)
    const found = (this.#slots[slot] ?? 0) - 1
    if (found !== -1) return found
    const number = this.#count
    if ((number + 1) * KEY_BYTES > this.#keys.length) {
      this.#grow()
      return this.add(key)
    }
    this.#keys.set(key, number * KEY_BYTES)
    this.#slots[slot] = number + 1
    this.#count += 1
    return number
  }

  /** @returns -1 when the key was never added */
  numberOf(key: Uint8Array): number {
    return (this.#slots[this.#slotOf(key)] ?? 0) - 1
  }

  /** Where the key is, or the free slot where it would go. */
  #slotOf(key: Uint8Array): number {
    const mask = this.#slots.length - 1
    let slot = hashOf(key, 0) & mask
    for (;;) {
      const number = (this.#slots[slot] ?? 0) - 1
      if (number === -1 || this.#isAt(number, key)) return slot
      slot = (slot + 1) & mask
    }
  }

  #isAt(number: number, key: Uint8Array): boolean {
    const start = number * KEY_BYTES
    for (let at = 0; at < KEY_BYTES; at += 1) if (this.#keys[start + at] !== key[at]) return false
    return true
  }

  #grow(): void {
    const keys = new Uint8Array(this.#keys.length * 2)
    keys.set(this.#keys)
    this.#keys = keys
    this.#slots = new Uint32Array(tableSlots(keys.length / KEY_BYTES))
    const mask = this.#slots.length - 1
    for (let number = 0; number < this.#count; number += 1) {
      let slot = hashOf(keys, number * KEY_BYTES) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = number + 1
    }
  }
}

function hashOf(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
}
