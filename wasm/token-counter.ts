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
}

// ---- merges

@inline
function pairKey(a: u32, b: u32): u64 {
  return (<u64>a << 20) | <u64>b
}

/** Enters the merges of ranks 0 to `count`. Of a pair that comes twice the first counts. `left`, `right`: u32 by rank. */
export function enterMerges(left: usize, right: usize, count: u32): void {
  memory.fill(grid, 0xff, 4 << 16)
  const mask = (<usize>1 << (64 - <usize>pairShift)) - 1
  for (let rank: u32 = 0; rank < count; rank++) {
    const a = load<u32>(left + (rank << 2)), b = load<u32>(right + (rank << 2))
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

@inline
function leastLane(least: v128): v128 {
  const half = i32x4.min_u(least, i32x4.shuffle(least, least, 2, 3, 0, 1))
  return i32x4.min_u(half, i32x4.shuffle(half, half, 1, 0, 3, 2))
}

const SHORT: usize = 32

/**
 * Symbols that are left of 2 to 32 bytes. Ranks stand at the place of their left symbol, NONE where there is none, so
 * that the least of all is found in eight vectors; `alive` has a bit for each symbol's place.
 */
function mergedShort(p: usize, length: usize): u32 {
  const symbols = scratch, ranks = scratch + SHORT * 4
  const isWide = length > 16
  const none = i32x4.splat(-1)
  for (let at: usize = 0; at < 64; at += 16) v128.store(ranks + at, none)
  if (isWide) for (let at: usize = 64; at < 128; at += 16) v128.store(ranks + at, none)
  let b = <u32>load<u8>(p)
  store<u32>(symbols, b)
  for (let i: usize = 1; i < length; i++) {
    const a = b
    b = load<u8>(p + i)
    store<u32>(symbols + (i << 2), b)
    store<u32>(ranks + (i << 2) - 4, load<u32>(grid + (((a << 8) | b) << 2)))
  }
  let alive: u32 = length == 32 ? NONE : (1 << <u32>length) - 1
  for (;;) {
    const r0 = v128.load(ranks), r1 = v128.load(ranks, 16), r2 = v128.load(ranks, 32), r3 = v128.load(ranks, 48)
    let least = i32x4.min_u(i32x4.min_u(r0, r1), i32x4.min_u(r2, r3))
    if (isWide) {
      const low = i32x4.min_u(v128.load(ranks, 64), v128.load(ranks, 80))
      least = i32x4.min_u(least, i32x4.min_u(low, i32x4.min_u(v128.load(ranks, 96), v128.load(ranks, 112))))
    }
    least = leastLane(least)
    const best = <u32>i32x4.extract_lane(least, 0)
    if (best == NONE) break
    let hits = i32x4.bitmask(i32x4.eq(r0, least)) | (i32x4.bitmask(i32x4.eq(r1, least)) << 4)
      | (i32x4.bitmask(i32x4.eq(r2, least)) << 8) | (i32x4.bitmask(i32x4.eq(r3, least)) << 12)
    if (hits == 0) {
      const low = i32x4.bitmask(i32x4.eq(v128.load(ranks, 64), least)) | (i32x4.bitmask(i32x4.eq(v128.load(ranks, 80), least)) << 4)
      const high = i32x4.bitmask(i32x4.eq(v128.load(ranks, 96), least)) | (i32x4.bitmask(i32x4.eq(v128.load(ranks, 112), least)) << 4)
      hits = (low << 16) | (high << 24)
    }
    const at = ctz(<u32>hits)
    const product = load<u32>(products + (<usize>best << 2))
    store<u32>(symbols + (<usize>at << 2), product)
    const behind = alive & (<u32>0xfffffffe << at)
    const gone = ctz(behind)
    alive &= ~(<u32>1 << gone)
    store<u32>(ranks + (<usize>gone << 2), NONE)
    const rest = behind & (behind - 1)
    store<u32>(ranks + (<usize>at << 2), rest == 0 ? NONE : pairRank(product, load<u32>(symbols + (<usize>ctz(rest) << 2))))
    const before = alive & ((<u32>1 << at) - 1)
    if (before != 0) {
      const place = <usize>(31 - clz(before)) << 2
      store<u32>(ranks + place, pairRank(load<u32>(symbols + place), product))
    }
  }
  return popcnt(alive)
}

const MIDDLE: usize = 256

/** The same of up to 256 bytes, with the neighbours in lists of places. */
function mergedMiddle(p: usize, length: usize): u32 {
  const ranks = scratch, symbols = ranks + MIDDLE * 4, nexts = symbols + MIDDLE * 4, prevs = nexts + MIDDLE * 4
  const none = i32x4.splat(-1)
  const end = ranks + (((length + 15) & ~15) << 2)
  for (let at = ranks; at < end; at += 16) v128.store(at, none)
  let b = <u32>load<u8>(p)
  store<u32>(symbols, b)
  store<u32>(prevs, NONE)
  for (let i: usize = 1; i < length; i++) {
    const a = b, at = i << 2
    b = load<u8>(p + i)
    store<u32>(symbols + at, b)
    store<u32>(ranks + at - 4, load<u32>(grid + (((a << 8) | b) << 2)))
    store<u32>(nexts + at - 4, <u32>at)
    store<u32>(prevs + at, <u32>at - 4)
  }
  store<u32>(nexts + ((length - 1) << 2), NONE)
  let left = <u32>length
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
    const product = load<u32>(products + (<usize>best << 2))
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

/** The same of any length, in the time of sorting: a heap of rank << 32 | place. */
function mergedLong(p: usize, length: usize): u32 {
  const symbols = scratch, nexts = symbols + (length << 2), prevs = nexts + (length << 2)
  heap = (prevs + (length << 2) + 7) & ~7
  heapCount = 0
  for (let i: usize = 0; i < length; i++) {
    store<u32>(symbols + (i << 2), load<u8>(p + i))
    store<u32>(nexts + (i << 2), <u32>i + 1)
    store<u32>(prevs + (i << 2), <u32>i - 1)
    if (i + 1 < length) pushPair(pairRank(load<u8>(p + i), load<u8>(p + i, 1)), i)
  }
  let left = <u32>length
  while (heapCount > 0) {
    const best = pop()
    const at = <usize><u32>best
    const symbol = load<u32>(symbols + (at << 2))
    const next = <usize>load<u32>(nexts + (at << 2))
    // Of what was merged since, the entry is stale.
    if (symbol == DEAD || next >= length) continue
    const rank = <u32>(best >> 32)
    if (pairRank(symbol, load<u32>(symbols + (next << 2))) != rank) continue
    const product = load<u32>(products + (<usize>rank << 2))
    store<u32>(symbols + (at << 2), product)
    store<u32>(symbols + (next << 2), DEAD)
    const behind = <usize>load<u32>(nexts + (next << 2))
    store<u32>(nexts + (at << 2), <u32>behind)
    left--
    if (behind < length) {
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
  if (length <= SHORT) return mergedShort(p, length)
  return length <= MIDDLE ? mergedMiddle(p, length) : mergedLong(p, length)
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
  if (p + 3 > end) isTouched = true
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
