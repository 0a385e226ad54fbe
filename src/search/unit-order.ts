/** Sorts many short texts by their UTF-16 code units without making strings: by their beginnings digit by digit. */

/** Units that a key tells apart; what differs later is compared. */
const KEY_UNITS = 8
/** A larger unit ends the key with this digit: what differs in it or behind is compared. */
const DIGIT_MAX = 0xff
/** So few are sorted faster without a call of the runtime's sort. */
const INSERTED_MAX = 12

type Compare = (a: number, b: number) => number

/**
 * @param units of all texts, joined; number `n` is `starts[n]` to `starts[n + 1]`
 * @returns the numbers 0 to below `count`, by their texts
 */
export function sortedByUnits(units: Uint16Array, starts: Uint32Array, count: number): Uint32Array<ArrayBuffer> {
  const keys = keysOf(units, starts, count)
  let sorted = new Uint32Array(count)
  for (let number = 0; number < count; number += 1) sorted[number] = number
  let other = new Uint32Array(count)
  for (let digit = KEY_UNITS - 1; digit >= 0; digit -= 1) {
    sortByDigit(sorted, other, keys, digit)
    ;[sorted, other] = [other, sorted]
  }
  sortEqualKeys(sorted, keys, (a, b) => compareUnits(units, starts, a, b))
  return sorted
}

/** KEY_UNITS bytes each: 0 behind the end, else the unit and one. */
function keysOf(units: Uint16Array, starts: Uint32Array, count: number): Uint8Array {
  const keys = new Uint8Array(count * KEY_UNITS)
  for (let number = 0; number < count; number += 1) {
    const start = starts[number] ?? 0
    const length = Math.min((starts[number + 1] ?? 0) - start, KEY_UNITS)
    for (let at = 0; at < length; at += 1) {
      const digit = Math.min((units[start + at] ?? 0) + 1, DIGIT_MAX)
      keys[number * KEY_UNITS + at] = digit
      if (digit === DIGIT_MAX) break
    }
  }
  return keys
}

function sortByDigit(from: Uint32Array, to: Uint32Array, keys: Uint8Array, digit: number): void {
  const next = new Uint32Array(DIGIT_MAX + 2)
  for (let at = digit; at < keys.length; at += KEY_UNITS) {
    const above = (keys[at] ?? 0) + 1
    next[above] = (next[above] ?? 0) + 1
  }
  for (let at = 1; at < next.length; at += 1) next[at] = (next[at] ?? 0) + (next[at - 1] ?? 0)
  for (let at = 0; at < from.length; at += 1) {
    const number = from[at] ?? 0
    const key = keys[number * KEY_UNITS + digit] ?? 0
    const place = next[key] ?? 0
    next[key] = place + 1
    to[place] = number
  }
}

function sortEqualKeys(sorted: Uint32Array, keys: Uint8Array, compare: Compare): void {
  let start = 0
  for (let at = 1; at <= sorted.length; at += 1) {
    if (at < sorted.length && isSameKey(keys, sorted[at - 1] ?? 0, sorted[at] ?? 0)) continue
    if (at - start > INSERTED_MAX) sorted.subarray(start, at).sort(compare)
    else if (at - start > 1) sortByInsertion(sorted, start, at, compare)
    start = at
  }
}

function sortByInsertion(sorted: Uint32Array, start: number, end: number, compare: Compare): void {
  for (let at = start + 1; at < end; at += 1) {
    const number = sorted[at] ?? 0
    let place = at
    while (place > start && compare(sorted[place - 1] ?? 0, number) > 0) {
      sorted[place] = sorted[place - 1] ?? 0
      place -= 1
    }
    sorted[place] = number
  }
}

function isSameKey(keys: Uint8Array, a: number, b: number): boolean {
  for (let digit = 0; digit < KEY_UNITS; digit += 1)
    if (keys[a * KEY_UNITS + digit] !== keys[b * KEY_UNITS + digit]) return false
  return true
}

function compareUnits(units: Uint16Array, starts: Uint32Array, a: number, b: number): number {
  const startA = starts[a] ?? 0
  const startB = starts[b] ?? 0
  const lengthA = (starts[a + 1] ?? 0) - startA
  const lengthB = (starts[b + 1] ?? 0) - startB
  const length = Math.min(lengthA, lengthB)
  for (let at = 0; at < length; at += 1) {
    const difference = (units[startA + at] ?? 0) - (units[startB + at] ?? 0)
    if (difference !== 0) return difference
  }
  return lengthA - lengthB
}
