// Texts that are one token each wherever they stand. They are found before anything else is done: the longest of those
// that begin first.
import { starters, trie } from './settings'

export let addedLength: usize = 0
/** Whether an added token may begin there if more follows. */
export let isCut: bool = false

/** As where none is looked for. */
export function forgetAdded(): void {
  addedLength = 0
  isCut = false
}

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
export function nextAdded(p: usize, end: usize, isWholeText: bool): usize {
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
  forgetAdded()
  return end
}
