// Where the piece that begins at a place ends, character by character: the patterns of tokenizers, written as the
// choices that they make in their order. Knows each grammar whole, whatever the characters are.
import {
  classAt,
  endOfLetters,
  endOfOthers,
  LETTER,
  LINE_END,
  LOWER,
  MARK,
  NUMBER,
  restoreWidth,
  SPACE,
  touchEnd,
  UPPER,
  width,
} from './characters'
import { digitsMax, grammar, hasSlashTail, hasSuffix, letters } from './settings'

const CL100K: u32 = 0
const O200K: u32 = 1

/** Bytes of 's, 't, 're, 've, 'm, 'll or 'd, 0 for none; `fold` 0x20 where capitals are meant too. */
export function contraction(p: usize, end: usize, fold: u32): usize {
  // Also where it ends with the text: a mark that follows may compose with its last letter.
  if (p + 3 >= end) touchEnd()
  if (p + 2 > end || load<u8>(p) != 0x27) return 0
  const a = <u32>load<u8>(p, 1) | fold
  if (a == 0x73 || a == 0x74 || a == 0x6d || a == 0x64) return 2
  if (p + 3 > end) return 0
  const b = <u32>load<u8>(p, 2) | fold
  if ((a == 0x72 || a == 0x76) && b == 0x65) return 3
  return a == 0x6c && b == 0x6c ? 3 : 0
}

/** `\p{N}{1,3}` behind its first number; `\p{N}+` where `digitsMax` is 0. */
function endOfNumber(p: usize, end: usize): usize {
  for (let count: u32 = 1; count != digitsMax; count++) {
    if (p >= end) touchEnd()
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
    if (q >= end) touchEnd()
    if (q >= end || classAt(q) & stops) return p
  } else if (class_ & stops) return p
  q = endOfOthers(q + width, end, stops)
  while (q < end) {
    const byte = <u32>load<u8>(q)
    if (byte != 0x0a && byte != 0x0d && !(hasSlashTail && byte == 0x2f)) return q
    q++
  }
  touchEnd()
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
  if (q >= end) touchEnd()
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
    if (q >= end) touchEnd()
    else if (classAt(q) & letters) return endOfLetters(q, end)
  }
  if (class_ & NUMBER) return endOfNumber(q, end)
  restoreWidth(q - p)
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
  if (q >= end) touchEnd()
  else if (class_ & LOWER) {
    q += width
    while (q < end) {
      class_ = classAt(q)
      if (!(class_ & (LETTER | MARK)) || class_ & UPPER) return q
      q += width
    }
    touchEnd()
    return q
  }
  if (both != 0) return both
  hasSmall = false
  return q > p ? q : 0
}

@inline
function withSuffix(p: usize, end: usize): usize {
  if (!hasSuffix) return p
  if (p >= end) touchEnd()
  return p < end && load<u8>(p) == 0x27 ? p + contraction(p, end, 0x20) : p
}

function o200kEnd(p: usize, end: usize): usize {
  const first = <u32>load<u8>(p)
  const class_ = classAt(p), q = p + width
  if (class_ & LETTER) return withSuffix(caseWordEnd(p, end), end)
  if (!(class_ & (NUMBER | LINE_END))) {
    if (q >= end) touchEnd()
    const word: usize = q >= end ? 0 : caseWordEnd(q, end)
    if (word != 0 && hasSmall) return withSuffix(word, end)
    // A mark is small and capital at once, and so a word by itself before what has no small letter.
    if (class_ & MARK) return withSuffix(caseWordEnd(p, end), end)
    if (word != 0) return withSuffix(word, end)
  }
  if (class_ & NUMBER) return endOfNumber(q, end)
  restoreWidth(q - p)
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
      touchEnd()
      return q
    }
    class_ = classAt(q)
    if (!(class_ & SPACE)) q += width
  }
  if (class_ & SPACE) return endOfSpace(p, end, false)
  if (class_ & LETTER) return endOfLetters(q, end)
  if (class_ & NUMBER) return endOfNumber(q, end)
  return endOfOthers(q, end, SPACE | LETTER | NUMBER)
}

@inline
export function pieceEnd(p: usize, end: usize): usize {
  if (grammar == CL100K) return cl100kEnd(p, end)
  return grammar == O200K ? o200kEnd(p, end) : gpt2End(p, end)
}
