// The symbols that the merging of a piece begins with: bytes, and for characters outside ASCII the one symbol that
// their bytes become in any case before a neighbour could take one of them.
import { isTail } from './characters'
import { NONE, pairRank, productOf } from './merge-table'
import { folds, rivals, scratch } from './settings'

const UNFOLDED: u32 = 1

/**
 * The symbol that the bytes of a character of 2 or 3 become before anything else could take one of them, given that what is
 * next to it are such characters too; UNFOLDED when there is none. Replays the merges: as long as no merge with a neighbour
 * has a lower rank than what is still to be done within, the least rank of all is never one of those.
 */
function foldedOf(p: usize, length: u32): u32 {
  let a = <u32>load<u8>(p), b = <u32>load<u8>(p, 1)
  let highest = pairRank(a, b), product: u32
  if (length == 2) {
    if (highest == NONE || rival(a, 0) <= highest || rival(b, 4) <= highest) return UNFOLDED
    product = productOf(highest)
  } else {
    const c = <u32>load<u8>(p, 2), behind = pairRank(b, c)
    if (behind < highest) {
      if (rival(c, 4) <= behind) return UNFOLDED
      highest = behind
      b = productOf(behind)
    } else {
      if (highest == NONE || rival(a, 0) <= highest) return UNFOLDED
      a = productOf(highest)
      b = c
    }
    const rank = pairRank(a, b)
    if (rank == NONE) return UNFOLDED
    if (rank > highest) highest = rank
    if (rival(a, 0) <= highest || rival(b, 4) <= highest) return UNFOLDED
    product = productOf(rank)
  }
  return rival(product, 0) <= highest || rival(product, 4) <= highest ? UNFOLDED : product
}

/** Least rank of a merge with what is before it, or, 4 bytes on, with what is behind it. */
@inline
function rival(symbol: u32, side: usize): u32 {
  return load<u32>(rivals + (<usize>symbol << 3) + side)
}

/** The symbol of a character of 2 or 3 bytes, worked out when it comes first; UNFOLDED too where the bytes are none. */
function foldAt(p: usize, length: u32): u32 {
  const first = <u32>load<u8>(p), second = <u32>load<u8>(p, 1)
  let code = ((first & 0x1f) << 6) | (second & 0x3f), tails = isTail(second)
  if (length == 3) {
    const third = <u32>load<u8>(p, 2)
    code = ((code & 0x3ff) << 6) | (third & 0x3f)
    tails = tails && isTail(third) && code >= 0x800
  }
  if (!tails) return UNFOLDED
  const entry = folds + (<usize>code << 2)
  const known = load<u32>(entry)
  if (known != 0) return known
  const symbol = foldedOf(p, length)
  store<u32>(entry, symbol)
  return symbol
}

/** Writes the symbols to begin with. @returns how many */
export function firstSymbols(p: usize, length: usize): usize {
  let to = scratch
  const end = p + length
  let isAfterWide = true
  for (let q = p; q < end; ) {
    const first = <u32>load<u8>(q)
    if (isAfterWide && first >= 0xc2 && first < 0xf0 && folds != 0) {
      const bytes: u32 = first < 0xe0 ? 2 : 3
      const next = q + <usize>bytes
      const symbol = next == end || (next < end && load<u8>(next) >= 0xc2) ? foldAt(q, bytes) : UNFOLDED
      if (symbol != UNFOLDED) {
        store<u32>(to, symbol)
        to += 4
        q = next
        continue
      }
    }
    store<u32>(to, first)
    to += 4
    q++
    isAfterWide = isTail(first)
  }
  return (to - scratch) >> 2
}
