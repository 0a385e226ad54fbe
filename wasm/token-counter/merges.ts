// The merges of one piece, in the order of their ranks: in vectors of ranks while there are at most 32 symbols, in
// lists up to 256, by a heap beyond.
import { firstSymbols } from './folds'
import { NONE, pairRank, productOf } from './merge-table'
import { scratch } from './settings'

@inline
function leastLane(least: v128): v128 {
  const half = i32x4.min_u(least, i32x4.shuffle(least, least, 2, 3, 0, 1))
  return i32x4.min_u(half, i32x4.shuffle(half, half, 1, 0, 3, 2))
}

/** Rank << 5 | place, so that the least is the first of its rank. */
@inline
function placed(rank: u32, place: u32): u32 {
  return rank == NONE ? NONE : (rank << 5) | place
}

/** Of one merge: which place is no symbol any more, and what stands at two others from now on. */
let gonePlace: u32 = 0
let herePlace: u32 = 0
let hereRank: u32 = 0
let frontPlace: u32 = 0
let frontRank: u32 = 0

/** Ranks of four places from `first` on after a merge. */
@inline
function after(ranks: v128, first: u32): v128 {
  const places = i32x4.add(i32x4(0, 1, 2, 3), i32x4.splat(first))
  const without = v128.or(ranks, i32x4.eq(places, i32x4.splat(gonePlace)))
  const withHere = v128.bitselect(i32x4.splat(hereRank), without, i32x4.eq(places, i32x4.splat(herePlace)))
  return v128.bitselect(i32x4.splat(frontRank), withHere, i32x4.eq(places, i32x4.splat(frontPlace)))
}

const SHORT: usize = 32
/** Of no symbol. */
const NOWHERE: u32 = 32

/** Does the merge of `best`. @returns the symbols that are left, a bit for each place */
@inline
function afterMerge(alive: u32, best: u32): u32 {
  const symbols = scratch, at = best & 31
  const product = productOf(best >> 5)
  store<u32>(symbols + (<usize>at << 2), product)
  const behind = alive & (<u32>0xfffffffe << at)
  const rest = behind & (behind - 1)
  const before = alive & ((<u32>1 << at) - 1)
  gonePlace = ctz(behind)
  herePlace = at
  hereRank = rest == 0 ? NONE : placed(pairRank(product, load<u32>(symbols + (<usize>ctz(rest) << 2))), at)
  frontPlace = before == 0 ? NOWHERE : 31 - clz(before)
  frontRank = before == 0 ? NONE : placed(pairRank(load<u32>(symbols + (<usize>frontPlace << 2)), product), frontPlace)
  return alive & ~(<u32>1 << gonePlace)
}

/**
 * Symbols that are left of 1 to 32. Ranks stay in vectors, by the place of their left symbol: what is stored piecemeal
 * cannot be loaded as a whole without a wait.
 */
function mergedShort(count: usize): u32 {
  const symbols = scratch, ranks = scratch + SHORT * 4
  const none = i32x4.splat(-1)
  for (let at: usize = 0; at < SHORT * 4; at += 16) v128.store(ranks + at, none)
  let b = load<u32>(symbols)
  for (let place: u32 = 0; place < <u32>count - 1; place++) {
    const a = b
    b = load<u32>(symbols + (<usize>place << 2), 4)
    store<u32>(ranks + (<usize>place << 2), placed(pairRank(a, b), place))
  }
  let alive = <u32>((<u64>1 << count) - 1)
  let r0 = v128.load(ranks), r1 = v128.load(ranks, 16), r2 = v128.load(ranks, 32), r3 = v128.load(ranks, 48)
  if (count <= 16) {
    for (;;) {
      const best = <u32>i32x4.extract_lane(leastLane(i32x4.min_u(i32x4.min_u(r0, r1), i32x4.min_u(r2, r3))), 0)
      if (best == NONE) return popcnt(alive)
      alive = afterMerge(alive, best)
      r0 = after(r0, 0)
      r1 = after(r1, 4)
      r2 = after(r2, 8)
      r3 = after(r3, 12)
    }
  }
  let r4 = v128.load(ranks, 64), r5 = v128.load(ranks, 80), r6 = v128.load(ranks, 96), r7 = v128.load(ranks, 112)
  for (;;) {
    const low = i32x4.min_u(i32x4.min_u(r0, r1), i32x4.min_u(r2, r3))
    const high = i32x4.min_u(i32x4.min_u(r4, r5), i32x4.min_u(r6, r7))
    const best = <u32>i32x4.extract_lane(leastLane(i32x4.min_u(low, high)), 0)
    if (best == NONE) return popcnt(alive)
    alive = afterMerge(alive, best)
    r0 = after(r0, 0)
    r1 = after(r1, 4)
    r2 = after(r2, 8)
    r3 = after(r3, 12)
    r4 = after(r4, 16)
    r5 = after(r5, 20)
    r6 = after(r6, 24)
    r7 = after(r7, 28)
  }
  return 0
}

/** Ranks stand at the place of their left symbol, NONE where there is none. */
@inline
function firstRanks(symbols: usize, ranks: usize, count: usize): void {
  let b = load<u32>(symbols)
  for (let at: usize = 4; at < count << 2; at += 4) {
    const a = b
    b = load<u32>(symbols + at)
    store<u32>(ranks + at - 4, pairRank(a, b))
  }
}

const MIDDLE: usize = 256

/** The same of up to 256, with the neighbours in lists of places. */
function mergedMiddle(count: usize): u32 {
  const symbols = scratch, ranks = symbols + MIDDLE * 4, nexts = ranks + MIDDLE * 4, prevs = nexts + MIDDLE * 4
  const none = i32x4.splat(-1)
  const end = ranks + (((count + 15) & ~15) << 2)
  for (let at = ranks; at < end; at += 16) v128.store(at, none)
  firstRanks(symbols, ranks, count)
  for (let at: usize = 0; at < count << 2; at += 4) {
    store<u32>(nexts + at, <u32>at + 4)
    store<u32>(prevs + at, <u32>at - 4)
  }
  store<u32>(nexts + ((count - 1) << 2), NONE)
  store<u32>(prevs, NONE)
  let left = <u32>count
  for (;;) {
    let least = none
    for (let at = ranks; at < end; at += 64) {
      const low = i32x4.min_u(v128.load(at), v128.load(at, 16))
      least = i32x4.min_u(least, i32x4.min_u(low, i32x4.min_u(v128.load(at, 32), v128.load(at, 48))))
    }
    least = leastLane(least)
    const best = <u32>i32x4.extract_lane(least, 0)
    if (best == NONE) break
    let at = ranks
    while (!v128.any_true(i32x4.eq(v128.load(at), least))) at += 16
    const place = at - ranks + (<usize>ctz(<u32>i32x4.bitmask(i32x4.eq(v128.load(at), least))) << 2)
    const product = productOf(best)
    const gone = <usize>load<u32>(nexts + place)
    const behind = load<u32>(nexts + gone)
    store<u32>(symbols + place, product)
    store<u32>(nexts + place, behind)
    store<u32>(ranks + gone, NONE)
    let rank = NONE
    if (behind != NONE) {
      store<u32>(prevs + <usize>behind, <u32>place)
      rank = pairRank(product, load<u32>(symbols + <usize>behind))
    }
    store<u32>(ranks + place, rank)
    const before = load<u32>(prevs + place)
    if (before != NONE) store<u32>(ranks + <usize>before, pairRank(load<u32>(symbols + <usize>before), product))
    left--
  }
  return left
}

const DEAD: u32 = 0xfffffffe

let heap: usize = 0
let heapCount: usize = 0

function push(value: u64): void {
  let at = heapCount++
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = load<u64>(heap + (parent << 3))
    if (above <= value) break
    store<u64>(heap + (at << 3), above)
    at = parent
  }
  store<u64>(heap + (at << 3), value)
}

function pop(): u64 {
  const top = load<u64>(heap)
  const value = load<u64>(heap + (--heapCount << 3))
  let at: usize = 0
  for (;;) {
    let child = (at << 1) + 1
    if (child >= heapCount) break
    let below = load<u64>(heap + (child << 3))
    if (child + 1 < heapCount) {
      const other = load<u64>(heap + (child << 3), 8)
      if (other < below) { below = other; child++ }
    }
    if (below >= value) break
    store<u64>(heap + (at << 3), below)
    at = child
  }
  store<u64>(heap + (at << 3), value)
  return top
}

@inline
function pushPair(rank: u32, place: usize): void {
  if (rank != NONE) push((<u64>rank << 32) | <u64>place)
}

/** The same of any number, in the time of sorting: a heap of rank << 32 | place. */
function mergedLong(count: usize): u32 {
  const symbols = scratch, nexts = symbols + (count << 2), prevs = nexts + (count << 2)
  heap = (prevs + (count << 2) + 7) & ~7
  heapCount = 0
  for (let i: usize = 0; i < count; i++) {
    store<u32>(nexts + (i << 2), <u32>i + 1)
    store<u32>(prevs + (i << 2), <u32>i - 1)
    if (i + 1 < count) pushPair(pairRank(load<u32>(symbols + (i << 2)), load<u32>(symbols + (i << 2), 4)), i)
  }
  let left = <u32>count
  while (heapCount > 0) {
    const best = pop()
    const at = <usize><u32>best
    const symbol = load<u32>(symbols + (at << 2))
    const next = <usize>load<u32>(nexts + (at << 2))
    // Of what was merged since, the entry is stale.
    if (symbol == DEAD || next >= count) continue
    const rank = <u32>(best >> 32)
    if (pairRank(symbol, load<u32>(symbols + (next << 2))) != rank) continue
    const product = productOf(rank)
    store<u32>(symbols + (at << 2), product)
    store<u32>(symbols + (next << 2), DEAD)
    const behind = <usize>load<u32>(nexts + (next << 2))
    store<u32>(nexts + (at << 2), <u32>behind)
    left--
    if (behind < count) {
      store<u32>(prevs + (behind << 2), <u32>at)
      pushPair(pairRank(product, load<u32>(symbols + (behind << 2))), at)
    }
    const before = load<u32>(prevs + (at << 2))
    if (before != NONE) pushPair(pairRank(load<u32>(symbols + (<usize>before << 2)), product), before)
  }
  return left
}

/** Tokens that the merges alone leave of a piece of at least 2 bytes. Needs 36 bytes of scratch a byte, and 4 KiB at least. */
export function mergedTokens(p: usize, length: usize): u32 {
  const count = firstSymbols(p, length)
  if (count <= SHORT) return mergedShort(count)
  return count <= MIDDLE ? mergedMiddle(count) : mergedLong(count)
}
