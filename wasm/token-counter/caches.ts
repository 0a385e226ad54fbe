// Tokens of one piece, looked up where a piece of its length was worked out before: words, phrases and rulers. What is
// not there is a token as a whole, or merged.
import { MULTIPLIER } from './merge-table'
import { mergedTokens } from './merges'
import { lengthMasks, phrases, rulers, usesCaches, wholeMask, wholes, wordMask, words } from './settings'

const SECOND_MULTIPLIER: u64 = 0xc2b2ae3d27d4eb4f

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

@inline
function mixed(bytes: v128, length: usize): u64 {
  return (<u64>i64x2.extract_lane(bytes, 0) ^ <u64>length) * MULTIPLIER + <u64>i64x2.extract_lane(bytes, 1) * SECOND_MULTIPLIER
}

/** Of 2 to 15 bytes. A slot is 16 bytes: those of the piece, then its length and, above that, its count. Two slots a set. */
function wordTokens(p: usize, length: usize): u32 {
  const lo = load<u64>(p) & load<u64>(lengthMasks + (length << 4))
  const hi = (load<u64>(p, 8) & load<u64>(lengthMasks + (length << 4), 8)) | (<u64>length << 56)
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
export function pieceTokens(p: usize, length: usize): u32 {
  if (length == 1) return 1
  if (!usesCaches) return workedOut(p, length)
  if (length < 16) return wordTokens(p, length)
  if (length <= 48) return phraseTokens(p, length)
  return length <= 256 ? rulerTokens(p, length) : workedOut(p, length)
}
