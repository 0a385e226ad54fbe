// Which two symbols merge, at which rank, and into which: a square for pairs of bytes, a hash table behind a filter for
// others. Filled once; of each symbol it is noted too which merges could take something from a character.
import { isTail } from './characters'
import { filter, grid, pairs, pairShift, products, rivals } from './settings'

/** Of a rank or a place there is not. */
export const NONE: u32 = 0xffffffff

export const MULTIPLIER: u64 = 0x9e3779b97f4a7c15

@inline
function pairKey(a: u32, b: u32): u64 {
  return (<u64>a << 20) | <u64>b
}

/**
 * Enters the merges of ranks 0 to `count`. Of a pair that comes twice the first counts. `left`, `right`: u32 by rank;
 * `ends`: the first byte and the last one by symbol, 0 where it is not known.
 */
export function enterMerges(left: usize, right: usize, count: u32, ends: usize): void {
  memory.fill(grid, 0xff, 4 << 16)
  const mask = (<usize>1 << (64 - <usize>pairShift)) - 1
  for (let rank: u32 = 0; rank < count; rank++) {
    const a = load<u32>(left + (rank << 2)), b = load<u32>(right + (rank << 2))
    noteRivals(a, b, rank, ends)
    if ((a | b) < 256) {
      const cell = grid + (((a << 8) | b) << 2)
      if (load<u32>(cell) == NONE) store<u32>(cell, rank)
      continue
    }
    const key = pairKey(a, b), hash = key * MULTIPLIER
    const bit = <usize>(hash >> 44)
    store<u8>(filter + (bit >> 3), load<u8>(filter + (bit >> 3)) | (<u8>1 << <u8>(bit & 7)))
    let slot = <usize>(hash >> pairShift)
    for (;;) {
      const found = load<u64>(pairs + (slot << 3))
      if (found == 0) store<u64>(pairs + (slot << 3), (key << 24) | <u64>rank)
      if (found == 0 || found >> 24 == key) break
      slot = (slot + 1) & mask
    }
  }
}

/** What a merge could take from a character: its right symbol, by a left one that ends a character; and the reverse. */
@inline
function noteRivals(a: u32, b: u32, rank: u32, ends: usize): void {
  const last = <u32>load<u8>(ends + (<usize>a << 1), 1), first = <u32>load<u8>(ends + (<usize>b << 1))
  const made = ends + (<usize>productOf(rank) << 1)
  store<u8>(made, load<u8>(ends + (<usize>a << 1)))
  store<u8>(made, load<u8>(ends + (<usize>b << 1), 1), 1)
  const ofRight = rivals + (<usize>b << 3), ofLeft = rivals + (<usize>a << 3) + 4
  if ((last == 0 || isTail(last)) && load<u32>(ofRight) == NONE) store<u32>(ofRight, rank)
  if ((first == 0 || first >= 0xc0) && load<u32>(ofLeft) == NONE) store<u32>(ofLeft, rank)
}

/** The symbol that a merge makes. */
@inline
export function productOf(rank: u32): u32 {
  return products == 0 ? rank + 256 : load<u32>(products + (<usize>rank << 2))
}

/** Rank of the merge of two symbols, NONE when there is none. Most are none, which the filter mostly knows. */
@inline
export function pairRank(a: u32, b: u32): u32 {
  if ((a | b) < 256) return load<u32>(grid + (((a << 8) | b) << 2))
  const key = pairKey(a, b), hash = key * MULTIPLIER
  const bit = <usize>(hash >> 44)
  if (((<u32>load<u8>(filter + (bit >> 3)) >> (<u32>bit & 7)) & 1) == 0) return NONE
  const mask = (<usize>1 << (64 - <usize>pairShift)) - 1
  let slot = <usize>(hash >> pairShift)
  for (;;) {
    const found = load<u64>(pairs + (slot << 3))
    if (found >> 24 == key) return <u32>found & 0xffffff
    if (found == 0) return NONE
    slot = (slot + 1) & mask
  }
  return NONE
}
