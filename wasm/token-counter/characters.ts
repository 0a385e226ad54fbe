// Characters: their classes, and how far those of some classes go on. Remembers of what was looked at that the text
// ended there, and which classes there were outside ASCII.
import { blockOf, classes, letters } from './settings'

// Classes of a character, as bits.
export const LETTER: u32 = 1
export const NUMBER: u32 = 2
export const SPACE: u32 = 4
export const MARK: u32 = 8
/** Lu or Lt. */
export const UPPER: u32 = 16
/** Ll. */
export const LOWER: u32 = 32
export const LINE_END: u32 = 128

/** Whether the last piece could be another if more followed. */
export let isTouched: bool = false
/** Classes of all characters outside ASCII that were looked at. */
export let seen: u32 = 0
/** Bytes of the character that was looked at last. */
export let width: usize = 0

@inline
export function beginCount(): void {
  seen = 0
}

@inline
export function beginPiece(): void {
  isTouched = false
}

/** The piece at hand could be another if more followed. */
@inline
export function touchEnd(): void {
  isTouched = true
}

/** Says again how many bytes the character at hand has, after others were looked at. */
@inline
export function restoreWidth(bytes: usize): void {
  width = bytes
}

/** A byte that may be the last one of a character outside ASCII. */
@inline
export function isTail(byte: u32): bool {
  return (byte & 0xc0) == 0x80
}

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
export function classAt(p: usize): u32 {
  const first = <u32>load<u8>(p)
  if (first >= 0x80) return wideClass(p, first)
  width = 1
  return load<u8>(classes + first)
}

/** Behind the characters from `p` on that have one of these classes. */
@inline
export function endOf(p: usize, end: usize, wanted: u32): usize {
  while (p < end) {
    if (!(classAt(p) & wanted)) return p
    p += width
  }
  touchEnd()
  return p
}

/** Behind those that have none of them. */
@inline
export function endOfOthers(p: usize, end: usize, unwanted: u32): usize {
  while (p < end) {
    if (classAt(p) & unwanted) return p
    p += width
  }
  touchEnd()
  return p
}

/** Behind the letters from `p` on, ASCII ones 16 at once. */
export function endOfLetters(p: usize, end: usize): usize {
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
    touchEnd()
    return end
  }
  return load<u8>(p) < 0x80 ? p : endOf(p, end, letters)
}
