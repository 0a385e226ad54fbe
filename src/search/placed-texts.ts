/**
 * A view's texts as they lie in the cache: which documents share a vector, and which have none. Knows numbers alone:
 * slots of documents and places of vectors.
 */
import { isNoKey, keyWords } from './key-table.ts'
import { REFUSED } from './vector-cache.ts'

export interface PlacedTexts {
  /** By slot, below 0 for none; see `VectorCache.placesOf`. */
  readonly places: Int32Array
  /** Every place once, ascending: one row for all the documents that share it. */
  readonly rows: Int32Array
  /** The documents that have a vector, in the order of their rows and then of their numbers. */
  readonly slots: Int32Array
  /** By row where its documents begin in `slots`, and where the last row's end. */
  readonly starts: Int32Array
  /** Slots whose text has no vector and was not refused, ascending. */
  readonly owed: readonly number[]
}

export const NOTHING_PLACED: PlacedTexts = {
  places: new Int32Array(),
  rows: new Int32Array(),
  slots: new Int32Array(),
  starts: new Int32Array(1),
  owed: [],
}

/** @param keys of all texts, zeros for one that does not count. @param places where they are */
export function placedTexts(keys: Uint8Array, places: Int32Array): PlacedTexts {
  const words = keyWords(keys)
  const slotCount = places.length
  const owed: number[] = []
  // Place and slot in one number, exact below 2^53: sorting them needs no call for each comparison.
  const sorted = new Float64Array(slotCount)
  let count = 0
  let last = -1
  let isAscending = true
  for (let slot = 0; slot < slotCount; slot += 1) {
    const place = places[slot] ?? REFUSED
    if (place >= 0) {
      isAscending &&= place >= last
      last = place
      sorted[count] = place * slotCount + slot
      count += 1
    } else if (place !== REFUSED && !isNoKey(words, slot)) owed.push(slot)
  }
  const found = sorted.subarray(0, count)
  if (!isAscending) found.sort()
  return { places, owed, ...rowsOf(found, slotCount) }
}

function rowsOf(sorted: Float64Array, slotCount: number): Pick<PlacedTexts, 'rows' | 'slots' | 'starts'> {
  const slots = new Int32Array(sorted.length)
  const rows = new Int32Array(sorted.length)
  const starts = new Int32Array(sorted.length + 1)
  let rowCount = 0
  let last = -1
  for (let at = 0; at < sorted.length; at += 1) {
    const value = sorted[at] ?? 0
    const place = Math.floor(value / slotCount)
    slots[at] = value - place * slotCount
    if (place === last) continue
    last = place
    rows[rowCount] = place
    starts[rowCount] = at
    rowCount += 1
  }
  starts[rowCount] = sorted.length
  return { slots, rows: rows.subarray(0, rowCount), starts: starts.subarray(0, rowCount + 1) }
}
