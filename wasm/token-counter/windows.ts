// Pieces of ASCII by the grammar `cl100k`, 64 bytes at once: a bit for each byte says where one begins, the first byte
// has the lowest. Counts those that are certain and leaves the rest to the grammar.
import { pieceTokens } from './caches'
import { contraction } from './grammars'
import { digitsMax } from './settings'

export const WINDOW: usize = 64

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
export let windowTokens: u32 = 0

/** Counts the pieces whose ends are certain. @returns where the next one begins, `p` when there is none */
export function countWindow(p: usize): usize {
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
