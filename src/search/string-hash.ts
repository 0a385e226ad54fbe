/** A hash of strings for the tables of the base file: the same on every runtime, fast over short strings. */

import { unitHash } from './unit-hash.ts'

/** FNV-1a over UTF-16 code units, mixed once more so that the low bits tell apart. 32 bits, unsigned. */
export function stringHash(text: string): number {
  return mixedHash(unitHash(text))
}

/** @param hash FNV-1a over UTF-16 code units, as of `withUnit` */
export function mixedHash(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (half ^ (half >>> 13)) >>> 0
}

/** Slots of an open-addressing table for `count` keys: a power of two, at most half full. */
export function tableSlots(count: number): number {
  let slots = 16
  while (slots < count * 2) slots *= 2
  return slots
}

/**
 * Enters `index + 1` into a table in which 0 marks a free slot; collisions go to the next slot.
 * @param table with more slots than are entered, so that it keeps a free one
 */
export function enterHash(table: Uint32Array, hash: number, index: number): void {
  const mask = table.length - 1
  let slot = hash & mask
  while (table[slot] !== 0) slot = (slot + 1) & mask
  table[slot] = index + 1
}
