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

/** Places by slot up to which all are counted: that takes less time than to sort, and memory for each place. */
const DENSE = 4

const NONE = new Int32Array()
export const NOTHING_PLACED: PlacedTexts = { places: NONE, rows: NONE, count: 0, sharing: null, owed: [] }

/** @param keys of all texts, zeros for one that does not count. @param places where they are */
export function placedTexts(keys: Uint8Array, places: Int32Array): PlacedTexts {
  // After a reindex the vectors mostly lie in the order of the documents.
  if (isAscending(places)) return { places, rows: places, count: places.length, sharing: null, owed: [] }
  const words = keyWords(keys)
  const slotCount = places.length
  const owed: number[] = []
  let [count, placeEnd] = [0, 0]
  for (let slot = 0; slot < slotCount; slot += 1) {
    const place = places[slot] ?? REFUSED
    if (place >= 0) {
      count += 1
      if (place >= placeEnd) placeEnd = place + 1
    } else if (place !== REFUSED && !isNoKey(words, slot)) owed.push(slot)
  }
  const slots = placeEnd <= DENSE * slotCount ? byCounting(places, count, placeEnd) : bySorting(places, count)
  return { places, count, owed, ...rowsOf(places, slots) }
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

/** Slots that have a place, in the order of their places and then of their numbers. @param placeEnd above all places */
function byCounting(places: Int32Array, count: number, placeEnd: number): Int32Array {
  const starts = new Int32Array(placeEnd + 1)
  for (let slot = 0; slot < places.length; slot += 1) {
    const place = places[slot] ?? REFUSED
    if (place >= 0) starts[place + 1] = (starts[place + 1] ?? 0) + 1
  }
  for (let place = 1; place < placeEnd; place += 1) starts[place] = (starts[place] ?? 0) + (starts[place - 1] ?? 0)
  const slots = new Int32Array(count)
  for (let slot = 0; slot < places.length; slot += 1) {
    const place = places[slot] ?? REFUSED
    if (place < 0) continue
    const at = starts[place] ?? 0
    slots[at] = slot
    starts[place] = at + 1
  }
  return slots
}

/** The same, of few among very many places. */
function bySorting(places: Int32Array, count: number): Int32Array {
  // Place and slot in one number, exact below 2^53: sorting them needs no call for each comparison.
  const sorted = new Float64Array(count)
  let at = 0
  for (let slot = 0; slot < places.length; slot += 1) {
    const place = places[slot] ?? REFUSED
    if (place >= 0) sorted[at++] = place * places.length + slot
  }
  return Int32Array.from(sorted.sort(), (value) => value % places.length)
}

function rowsOf(places: Int32Array, slots: Int32Array): Pick<PlacedTexts, 'rows' | 'sharing'> {
  const rows = new Int32Array(slots.length)
  const starts = new Int32Array(slots.length + 1)
  let rowCount = 0
  let last = -1
  for (let at = 0; at < slots.length; at += 1) {
    const place = places[slots[at] ?? 0] ?? REFUSED
    if (place === last) continue
    last = place
    rows[rowCount] = place
    starts[rowCount] = at
    rowCount += 1
  }
  starts[rowCount] = slots.length
  return { rows: rows.subarray(0, rowCount), sharing: { slots, starts: starts.subarray(0, rowCount + 1) } }
}
