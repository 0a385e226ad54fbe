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
  /** How many documents have a vector. */
  readonly count: number
  /** Which ones share a row; null where each slot has the row of its own number. */
  readonly sharing: RowSharing | null
  /** Slots whose text has no vector and was not refused, ascending. */
  readonly owed: readonly number[]
}

interface RowSharing {
  /** In the order of their rows, and then of their numbers. */
  readonly slots: Int32Array
  /** By row where its documents begin in `slots`, and where the last row's end. */
  readonly starts: Int32Array
}

const NONE = new Int32Array()
export const NOTHING_PLACED: PlacedTexts = { places: NONE, rows: NONE, count: 0, sharing: null, owed: [] }

/** @param keys of all texts, zeros for one that does not count. @param places where they are */
export function placedTexts(keys: Uint8Array, places: Int32Array): PlacedTexts {
  // After a reindex the vectors mostly lie in the order of the documents.
  if (isAscending(places)) return { places, rows: places, count: places.length, sharing: null, owed: [] }
  const words = keyWords(keys)
  const slotCount = places.length
  const owed: number[] = []
  // Place and slot in one number, exact below 2^53: sorting them needs no call for each comparison.
  const sorted = new Float64Array(slotCount)
  let count = 0
  for (let slot = 0; slot < slotCount; slot += 1) {
    const place = places[slot] ?? REFUSED
    if (place >= 0) {
      sorted[count] = place * slotCount + slot
      count += 1
    } else if (place !== REFUSED && !isNoKey(words, slot)) owed.push(slot)
  }
  return { places, count, owed, ...rowsOf(sorted.subarray(0, count).sort(), slotCount) }
}

/** The documents of a row. */
export function slotsOf({ sharing }: PlacedTexts, row: number): Iterable<number> {
  return sharing === null ? [row] : sharing.slots.subarray(sharing.starts[row], sharing.starts[row + 1])
}

/** Whether there are places alone, each above the one before. */
function isAscending(places: Int32Array): boolean {
  let last = -1
  for (let slot = 0; slot < places.length; slot += 1) {
    const place = places[slot] ?? -1
    if (place <= last) return false
    last = place
  }
  return true
}

function rowsOf(sorted: Float64Array, slotCount: number): Pick<PlacedTexts, 'rows' | 'sharing'> {
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
  return { rows: rows.subarray(0, rowCount), sharing: { slots, starts: starts.subarray(0, rowCount + 1) } }
}
