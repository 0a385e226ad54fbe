// Counts the tokens of byte-level BPE tokenizers in UTF-8. Knows memory addresses and nothing else: what lies where, who
// fills it and what a grammar is called is in wasm/README.md.

// Classes of a character, as bits.
const LETTER: u32 = 1
const NUMBER: u32 = 2
const SPACE: u32 = 4
const MARK: u32 = 8
/** Lu or Lt. */
const UPPER: u32 = 16
/** Ll. */
const LOWER: u32 = 32
const LINE_END: u32 = 128

const CL100K: u32 = 0
const O200K: u32 = 1

/** Of a rank or a place there is not. */
const NONE: u32 = 0xffffffff

const MULTIPLIER: u64 = 0x9e3779b97f4a7c15
const SECOND_MULTIPLIER: u64 = 0xc2b2ae3d27d4eb4f

// ---- what `configure` was told

let report: usize = 0
let blockOf: usize = 0
let classes: usize = 0
let grid: usize = 0
let pairs: usize = 0
let pairShift: u64 = 0
let filter: usize = 0
let products: usize = 0
let rivals: usize = 0
let folds: usize = 0
let masks: usize = 0
let words: usize = 0
let wordMask: usize = 0
let phrases: usize = 0
let rulers: usize = 0
let scratch: usize = 0
let wholes: usize = 0
let wholeMask: usize = 0
let trie: usize = 0
let starters: usize = 0
let grammar: u32 = 0
let digitsMax: u32 = 0
let letters: u32 = 0
let hasSlashTail: bool = false
let hasSuffix: bool = false
let usesMasks: bool = false
let usesMemory: bool = false

export function configure(at: usize): void {
  report = load<u32>(at)
  blockOf = load<u32>(at, 4)
  classes = load<u32>(at, 8)
  grid = load<u32>(at, 12)
  pairs = load<u32>(at, 16)
  pairShift = load<u32>(at, 20)
  filter = load<u32>(at, 24)
  products = load<u32>(at, 28)
  masks = load<u32>(at, 32)
  words = load<u32>(at, 36)
  wordMask = load<u32>(at, 40)
  phrases = load<u32>(at, 44)
  rulers = load<u32>(at, 48)
  scratch = load<u32>(at, 52)
  wholes = load<u32>(at, 56)
  wholeMask = load<u32>(at, 60)
  trie = load<u32>(at, 64)
  starters = load<u32>(at, 68)
  grammar = load<u32>(at, 72)
  digitsMax = load<u32>(at, 76)
  letters = load<u32>(at, 80)
  hasSlashTail = load<u32>(at, 84) != 0
  hasSuffix = load<u32>(at, 88) != 0
  rivals = load<u32>(at, 92)
  folds = load<u32>(at, 96)
  usesMasks = load<u32>(at, 100) != 0
  usesMemory = load<u32>(at, 104) != 0
}

// ---- merges

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

/** A byte that may be the last one of a character outside ASCII. */
@inline
function isTail(byte: u32): bool {
  return (byte & 0xc0) == 0x80
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
function productOf(rank: u32): u32 {
  return products == 0 ? rank + 256 : load<u32>(products + (<usize>rank << 2))
}

/** Rank of the merge of two symbols, NONE when there is none. Most are none, which the filter mostly knows. */
@inline
function pairRank(a: u32, b: u32): u32 {
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

// ---- characters that may be taken as one symbol from the beginning

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
function firstSymbols(p: usize, length: usize): usize {
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

/** Tokens that the merges alone leave of a piece of at least 2 bytes. Needs 36 bytes of scratch a byte, at least 4 KiB. */
export function mergedTokens(p: usize, length: usize): u32 {
  const count = firstSymbols(p, length)
  if (count <= SHORT) return mergedShort(count)
  return count <= MIDDLE ? mergedMiddle(count) : mergedLong(count)
}

/** Whether the piece is a token that no merges make, of those that count all the same. */
function isWhole(p: usize, length: usize): bool {
  let hash: u32 = 0x811c9dc5
  for (let i: usize = 0; i < length; i++) hash = (hash ^ <u32>load<u8>(p + i)) * 0x01000193
  for (let slot = <usize>hash & wholeMask; ; slot = (slot + 1) & wholeMask) {
    const entry = <usize>load<u32>(wholes + (slot << 2))
    if (entry == 0) return false
    if (load<u32>(entry) == <u32>length && memory.compare(entry + 4, p, length) == 0) return true
  }
  return false
}

function workedOut(p: usize, length: usize): u32 {
  return wholes != 0 && isWhole(p, length) ? 1 : mergedTokens(p, length)
}

// ---- what was worked out before

@inline
function mixed(bytes: v128, length: usize): u64 {
  return (<u64>i64x2.extract_lane(bytes, 0) ^ <u64>length) * MULTIPLIER + <u64>i64x2.extract_lane(bytes, 1) * SECOND_MULTIPLIER
}

/** Of 2 to 15 bytes. A slot is 16 bytes: those of the piece, then its length and, above that, its count. Two slots a set. */
function wordTokens(p: usize, length: usize): u32 {
  const lo = load<u64>(p) & load<u64>(masks + (length << 4))
  const hi = (load<u64>(p, 8) & load<u64>(masks + (length << 4), 8)) | (<u64>length << 56)
  const hash = lo * MULTIPLIER + hi * SECOND_MULTIPLIER
  const set = words + ((<usize>(hash >> 40) & wordMask) << 5)
  const hi0 = load<u64>(set, 8)
  if (load<u64>(set) == lo && (hi0 & 0x0fffffffffffffff) == hi) return <u32>(hi0 >> 60)
  const hi1 = load<u64>(set, 24)
  if (load<u64>(set, 16) == lo && (hi1 & 0x0fffffffffffffff) == hi) return <u32>(hi1 >> 60)
  const count = workedOut(p, length)
  store<u64>(set, load<u64>(set), 16)
  store<u64>(set, hi0, 24)
  store<u64>(set, lo)
  store<u64>(set, hi | (<u64>count << 60), 8)
  return count
}

/** 64 minus the bits of a slot's number. */
const PHRASE_SHIFT: u64 = 52

/** Of 16 to 48 bytes, as three times 16 of them that overlap. A slot is 64 bytes: these, the length and the count. */
function phraseTokens(p: usize, length: usize): u32 {
  const first = v128.load(p), last = v128.load(p + length - 16)
  const middle = length > 32 ? v128.load(p, 16) : first
  const hash = mixed(v128.xor(i8x16.add(first, last), middle), length)
  const slot = phrases + (<usize>(((hash ^ (hash >> 29)) * MULTIPLIER) >> PHRASE_SHIFT) << 6)
  if (load<u32>(slot, 48) == <u32>length) {
    const ends = v128.and(i8x16.eq(v128.load(slot), first), i8x16.eq(v128.load(slot, 32), last))
    if (i8x16.all_true(v128.and(ends, i8x16.eq(v128.load(slot, 16), middle)))) return load<u32>(slot, 52)
  }
  const count = workedOut(p, length)
  v128.store(slot, first)
  v128.store(slot, middle, 16)
  v128.store(slot, last, 32)
  store<u32>(slot, <u32>length, 48)
  store<u32>(slot, count, 52)
  return count
}

const RULER_SHIFT: u64 = 56
const RULER_SLOT: usize = 264

/** Of 49 to 256 bytes: rulers and indents, which come again. A slot is 264 bytes: length, count, the bytes. */
function rulerTokens(p: usize, length: usize): u32 {
  const head = i8x16.add(v128.load(p), v128.load(p, 16)), tail = i8x16.add(v128.load(p, 32), v128.load(p + length - 16))
  const hash = mixed(v128.xor(head, tail), length)
  const slot = rulers + <usize>(((hash ^ (hash >> 29)) * MULTIPLIER) >> RULER_SHIFT) * RULER_SLOT
  if (load<u32>(slot) == <u32>length && memory.compare(slot + 8, p, length) == 0) return load<u32>(slot, 4)
  const count = workedOut(p, length)
  store<u32>(slot, <u32>length)
  store<u32>(slot, count, 4)
  memory.copy(slot + 8, p, length)
  return count
}

@inline
function pieceTokens(p: usize, length: usize): u32 {
  if (length == 1) return 1
  if (!usesMemory) return workedOut(p, length)
  if (length < 16) return wordTokens(p, length)
  if (length <= 48) return phraseTokens(p, length)
  return length <= 256 ? rulerTokens(p, length) : workedOut(p, length)
}

// ---- characters

/** Whether the last piece could be another if more followed. */
let isTouched: bool = false
/** Classes of all characters outside ASCII that were looked at. */
let seen: u32 = 0
/** Bytes of the character that was looked at last. */
let width: usize = 0

/** Of a character outside ASCII. Bytes that are no UTF-8 stand for some character, and lead nowhere outside the table. */
function wideClass(p: usize, first: u32): u32 {
  let code: u32
  if (first < 0xe0) {
    code = ((first & 0x1f) << 6) | (load<u8>(p, 1) & 0x3f)
    width = 2
  } else if (first < 0xf0) {
    code = ((first & 0x0f) << 12) | ((<u32>load<u8>(p, 1) & 0x3f) << 6) | (load<u8>(p, 2) & 0x3f)
    width = 3
  } else {
    code = ((first & 0x07) << 18) | ((<u32>load<u8>(p, 1) & 0x3f) << 12) | ((<u32>load<u8>(p, 2) & 0x3f) << 6) | (load<u8>(p, 3) & 0x3f)
    width = 4
    if (code > 0x10ffff) code = 0
  }
  const found = <u32>load<u8>(classes + (<usize>load<u8>(blockOf + (code >> 7)) << 7) + (code & 0x7f))
  seen |= found
  return found
}

@inline
function classAt(p: usize): u32 {
  const first = <u32>load<u8>(p)
  if (first >= 0x80) return wideClass(p, first)
  width = 1
  return load<u8>(classes + first)
}

/** Behind the characters from `p` on that have one of these classes. */
@inline
function endOf(p: usize, end: usize, wanted: u32): usize {
  while (p < end) {
    if (!(classAt(p) & wanted)) return p
    p += width
  }
  isTouched = true
  return p
}

/** Behind those that have none of them. */
@inline
function endOfOthers(p: usize, end: usize, unwanted: u32): usize {
  while (p < end) {
    if (classAt(p) & unwanted) return p
    p += width
  }
  isTouched = true
  return p
}

/** Behind the letters from `p` on, ASCII ones 16 at once. */
function endOfLetters(p: usize, end: usize): usize {
  for (;;) {
    const folded = v128.or(v128.load(p), i8x16.splat(0x20))
    const others = ~i8x16.bitmask(i8x16.lt_u(i8x16.sub(folded, i8x16.splat(0x61)), i8x16.splat(26))) & 0xffff
    if (others != 0) {
      p += ctz(others)
      break
    }
    p += 16
  }
  if (p >= end) {
    isTouched = true
    return end
  }
  return load<u8>(p) < 0x80 ? p : endOf(p, end, letters)
}

// ---- grammars: where the piece that begins at `p` ends

/** Bytes of 's, 't, 're, 've, 'm, 'll or 'd, 0 for none; `fold` 0x20 where capitals are meant too. */
function contraction(p: usize, end: usize, fold: u32): usize {
  // Also where it ends with the text: a mark that follows may compose with its last letter.
  if (p + 3 >= end) isTouched = true
  if (p + 2 > end || load<u8>(p) != 0x27) return 0
  const a = <u32>load<u8>(p, 1) | fold
  if (a == 0x73 || a == 0x74 || a == 0x6d || a == 0x64) return 2
  if (p + 3 > end) return 0
  const b = <u32>load<u8>(p, 2) | fold
  if ((a == 0x72 || a == 0x76) && b == 0x65) return 3
  return a == 0x6c && b == 0x6c ? 3 : 0
}

/** `\p{N}{1,3}` behind its first number. */
function endOfNumber(p: usize, end: usize): usize {
  for (let count: u32 = 1; count < digitsMax; count++) {
    if (p >= end) isTouched = true
    if (p >= end || !(classAt(p) & NUMBER)) return p
    p += width
  }
  return p
}

/** ` ?[^\s\p{L}\p{N}]+[\r\n]*` of a first character of `width` bytes; `p` where it does not match. */
function endOfPunctuation(p: usize, first: u32, class_: u32, end: usize): usize {
  const stops = SPACE | NUMBER | letters
  let q = p
  if (first == 0x20) {
    q++
    if (q >= end) isTouched = true
    if (q >= end || classAt(q) & stops) return p
  } else if (class_ & stops) return p
  q = endOfOthers(q + width, end, stops)
  while (q < end) {
    const byte = <u32>load<u8>(q)
    if (byte != 0x0a && byte != 0x0d && !(hasSlashTail && byte == 0x2f)) return q
    q++
  }
  isTouched = true
  return q
}

/** `\s*[\r\n]+` where lines count, else `\s+(?!\S)`, else `\s+`. */
function endOfSpace(p: usize, end: usize, hasLines: bool): usize {
  let q = p, last = p, line: usize = 0
  while (q < end) {
    const class_ = classAt(q)
    if (!(class_ & SPACE)) break
    last = q
    q += width
    if (class_ & LINE_END) line = q
  }
  if (q >= end) isTouched = true
  if (hasLines && line != 0) return line
  return q >= end || last == p ? q : last
}

function cl100kEnd(p: usize, end: usize): usize {
  const first = <u32>load<u8>(p)
  if (first == 0x27) {
    const length = contraction(p, end, 0x20)
    if (length != 0) return p + length
  }
  const class_ = classAt(p), q = p + width
  if (class_ & letters) return endOfLetters(q, end)
  if (!(class_ & (NUMBER | LINE_END))) {
    if (q >= end) isTouched = true
    else if (classAt(q) & letters) return endOfLetters(q, end)
  }
  if (class_ & NUMBER) return endOfNumber(q, end)
  width = q - p
  const behind = endOfPunctuation(p, first, class_, end)
  return behind > p ? behind : endOfSpace(p, end, true)
}

/** Whether the last word had a small letter. */
let hasSmall: bool = false

/** `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`, or without it capitals alone; 0 for neither. */
function caseWordEnd(p: usize, end: usize): usize {
  let q = p, both: usize = 0, class_: u32 = 0
  while (q < end) {
    class_ = classAt(q)
    if (!(class_ & (LETTER | MARK)) || class_ & LOWER) break
    q += width
    // Small and capital at once: where nothing small follows, the word ends behind the last of them.
    if (!(class_ & UPPER)) both = q
  }
  hasSmall = true
  if (q >= end) isTouched = true
  else if (class_ & LOWER) {
    q += width
    while (q < end) {
      class_ = classAt(q)
      if (!(class_ & (LETTER | MARK)) || class_ & UPPER) return q
      q += width
    }
    isTouched = true
    return q
  }
  if (both != 0) return both
  hasSmall = false
  return q > p ? q : 0
}

@inline
function withSuffix(p: usize, end: usize): usize {
  if (!hasSuffix) return p
  if (p >= end) isTouched = true
  return p < end && load<u8>(p) == 0x27 ? p + contraction(p, end, 0x20) : p
}

function o200kEnd(p: usize, end: usize): usize {
  const first = <u32>load<u8>(p)
  const class_ = classAt(p), q = p + width
  if (class_ & LETTER) return withSuffix(caseWordEnd(p, end), end)
  if (!(class_ & (NUMBER | LINE_END))) {
    if (q >= end) isTouched = true
    const word: usize = q >= end ? 0 : caseWordEnd(q, end)
    if (word != 0 && hasSmall) return withSuffix(word, end)
    // A mark is small and capital at once, and so a word by itself before what has no small letter.
    if (class_ & MARK) return withSuffix(caseWordEnd(p, end), end)
    if (word != 0) return withSuffix(word, end)
  }
  if (class_ & NUMBER) return endOfNumber(q, end)
  width = q - p
  const behind = endOfPunctuation(p, first, class_, end)
  return behind > p ? behind : endOfSpace(p, end, true)
}

function gpt2End(p: usize, end: usize): usize {
  const first = <u32>load<u8>(p)
  if (first == 0x27) {
    const length = contraction(p, end, 0)
    if (length != 0) return p + length
  }
  let class_ = classAt(p), q = p + width
  if (first == 0x20) {
    if (q >= end) {
      isTouched = true
      return q
    }
    class_ = classAt(q)
    if (!(class_ & SPACE)) q += width
  }
  if (class_ & SPACE) return endOfSpace(p, end, false)
  if (class_ & LETTER) return endOfLetters(q, end)
  if (class_ & NUMBER) return endOf(q, end, NUMBER)
  return endOfOthers(q, end, SPACE | LETTER | NUMBER)
}

// ---- ASCII, 64 bytes at once: where pieces begin, as bits of which the first byte has the lowest

const WINDOW: usize = 64

@inline
function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16)
  const high = <u32>i8x16.bitmask(c) | (<u32>i8x16.bitmask(d) << 16)
  return <u64>low | (<u64>high << 32)
}

/** The `count` bytes from `least` on. Compared with their signs, for which processors have an instruction. */
@inline
function areWithin(bytes: v128, least: u8, count: u8): v128 {
  return i8x16.lt_s(i8x16.sub(bytes, i8x16.splat(<i8>(least + 128))), i8x16.splat(<i8>(count - 128)))
}

@inline
function areLetters(bytes: v128): v128 {
  return areWithin(v128.or(bytes, i8x16.splat(0x20)), 0x61, 26)
}

@inline
function are(bytes: v128, byte: i8): v128 {
  return i8x16.eq(bytes, i8x16.splat(byte))
}

@inline
function areLineEnds(bytes: v128): v128 {
  return v128.or(are(bytes, 0x0a), are(bytes, 0x0d))
}

/**
 * Where pieces of `cl100k` begin in a window that itself begins with one. What the last of them is depends on more than
 * was looked at. Rules look back, at what a piece follows; `<< 1` is what follows one.
 */
function cl100kStarts(p: usize): u64 {
  const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48)
  const wide = bits(a, b, c, d)
  const letter = bits(areLetters(a), areLetters(b), areLetters(c), areLetters(d))
  const digit = bits(areWithin(a, 0x30, 10), areWithin(b, 0x30, 10), areWithin(c, 0x30, 10), areWithin(d, 0x30, 10))
  const blank = bits(are(a, 0x20), are(b, 0x20), are(c, 0x20), are(d, 0x20))
  const space = blank | bits(areWithin(a, 9, 5), areWithin(b, 9, 5), areWithin(c, 9, 5), areWithin(d, 9, 5))
  const lineEnd = bits(areLineEnds(a), areLineEnds(b), areLineEnds(c), areLineEnds(d))
  const quote = bits(are(a, 0x27), are(b, 0x27), are(c, 0x27), are(d, 0x27))
  const inLine = space ^ lineEnd
  const other = ~(letter | digit | space)
  const known: u64 = wide == 0 ? 64 : ctz(wide)
  if (known == 0) return 1
  // How white space that reaches the end of what is known is parted, what follows decides.
  const open = clz(~(space << (64 - known)))
  const last = open == 0 ? known - 1 : known - open
  const punctuation = other & ~((other | blank) << 1)
  // Line ends behind punctuation belong to it. The sum carries through the runs that begin there.
  const tail = lineEnd & ~(lineEnd + (lineEnd & (other << 1)))
  const ownSpace = space ^ tail
  const indent = inLine & ((lineEnd ^ tail) << 1)
  let starts = letter & ~((letter | inLine | punctuation) << 1)
  starts |= punctuation | (ownSpace & ~(ownSpace << 1)) | (inLine & ~(space >> 1)) | indent
  const closing = (inLine + indent) & ~inLine & lineEnd
  if (closing != 0) starts = withoutBlankLines(starts, indent, closing)
  starts |= digitsMax == 1 ? digit : threesOf(digit)
  const quotes = quote & punctuation & (letter >> 1)
  if (quotes != 0) starts |= behindContractions(p, quotes)
  return (starts & ((<u64>2 << last) - 1)) | 1
}

/** An indent that nothing but a line end follows is no piece of its own. @param closing those line ends */
function withoutBlankLines(starts: u64, indent: u64, closing: u64): u64 {
  for (; closing != 0; closing &= closing - 1) {
    const before = indent & ((closing & -closing) - 1)
    starts &= ~(<u64>1 << (63 - clz(before)))
  }
  return starts
}

/** Each third digit of a run. */
function threesOf(digit: u64): u64 {
  let starts: u64 = 0
  const third = digit & (digit << 1) & (digit << 2)
  for (let next = digit & ~(digit << 1); next != 0; next = (next << 3) & third) starts |= next
  return starts
}

function behindContractions(p: usize, quotes: u64): u64 {
  let starts: u64 = 0
  for (; quotes != 0; quotes &= quotes - 1) {
    const at = ctz(quotes)
    // One so near the end is among what is counted with the next window.
    if (at > 60) break
    const length = <u64>contraction(p + <usize>at, p + WINDOW, 0x20)
    if (length != 0) starts |= <u64>1 << (at + length)
  }
  return starts
}

/** Tokens of the pieces of the last window. */
let windowTokens: u32 = 0

/** Counts the pieces whose ends are certain. @returns where the next one begins, `p` when there is none */
function countWindow(p: usize): usize {
  const starts = cl100kStarts(p)
  const last = 63 - clz(starts)
  const singles = starts & (starts >> 1)
  let tokens = <u32>popcnt(singles)
  for (let left = (starts ^ singles) & ~(<u64>1 << last); left != 0; left &= left - 1) {
    const at = ctz(left)
    tokens += pieceTokens(p + <usize>at, <usize>ctz(starts >> (at + 1)) + 1)
  }
  windowTokens = tokens
  return p + <usize>last
}

@inline
function pieceEnd(p: usize, end: usize): usize {
  if (grammar == CL100K) return cl100kEnd(p, end)
  return grammar == O200K ? o200kEnd(p, end) : gpt2End(p, end)
}

// ---- added tokens

let addedLength: usize = 0
/** Whether an added token may begin there if more follows. */
let isCut: bool = false

/** Length of the longest added token at `p`, 0 for none. */
function addedAt(p: usize, end: usize): usize {
  let node = trie, found: usize = 0
  for (let q = p; ; q++) {
    if (load<u32>(node) != 0) found = q - p
    const edges = <usize>load<u32>(node, 4)
    if (edges == 0) return found
    if (q >= end) {
      isCut = true
      return found
    }
    const byte = <u32>load<u8>(q)
    let next: usize = 0
    for (let edge = node + 8; edge < node + 8 + (edges << 2); edge += 4) {
      if (load<u32>(edge) >> 24 != byte) continue
      next = trie + (<usize>(load<u32>(edge) & 0xffffff) << 2)
      break
    }
    if (next == 0) return found
    node = next
  }
  return found
}

/** Where the next added token begins, `end` for none; unless the text is whole, also where one may begin. */
function nextAdded(p: usize, end: usize, isWholeText: bool): usize {
  const only = <u32>load<u32>(starters, 256)
  for (; p < end; p++) {
    if (only < 256) {
      let hits = 0
      while (p < end && (hits = i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(<i8>only)))) == 0) p += 16
      p += ctz(hits)
      if (p >= end) break
    } else if (load<u8>(starters + <usize>load<u8>(p)) == 0) continue
    isCut = false
    addedLength = addedAt(p, end)
    if (isCut && !isWholeText) {
      addedLength = 0
      return p
    }
    if (addedLength != 0) return p
  }
  isCut = false
  addedLength = 0
  return end
}

// ---- the whole

/**
 * Tokens from `start` to `end`. Unless the text is whole, pieces that more text could change are left out: the report
 * says where they begin, and then the classes of all characters outside ASCII that were looked at.
 * `hasAdded`: whether added tokens are looked for.
 */
export function countTokens(start: usize, end: usize, isWholeText: bool, hasAdded: bool): u32 {
  let tokens: u32 = 0, p = start
  seen = 0
  for (;;) {
    addedLength = 0
    isCut = false
    const stop = hasAdded && trie != 0 ? nextAdded(p, end, isWholeText) : end
    const added = addedLength
    const isOpen = !isWholeText && (stop == end || isCut)
    while (p < stop) {
      if (usesMasks && p + WINDOW <= stop && load<u8>(p) < 0x80) {
        const next = countWindow(p)
        if (next != p) {
          tokens += windowTokens
          p = next
          continue
        }
      }
      isTouched = false
      const behind = pieceEnd(p, stop)
      if (isOpen && isTouched) break
      // Only bytes that are no UTF-8 lead behind the end.
      const length = (behind < stop ? behind : stop) - p
      tokens += pieceTokens(p, length)
      p += length
    }
    if (p < stop || added == 0) break
    tokens++
    p = stop + added
  }
  store<u32>(report, <u32>p)
  store<u32>(report, seen, 4)
  return tokens
}
