// Counts the tokens of byte-level BPE tokenizers in UTF-8. Knows memory addresses and nothing else: what lies where, who
// fills it and what a grammar is called is in wasm/README.md. This is what the host calls; a module for each part of the
// work is in wasm/token-counter/.
import { addedLength, forgetAdded, isCut, nextAdded } from './token-counter/added-tokens'
import { pieceTokens } from './token-counter/caches'
import { beginCount, beginPiece, isTouched, seen } from './token-counter/characters'
import { pieceEnd } from './token-counter/grammars'
import { report, trie, usesWindows } from './token-counter/settings'
import { countWindow, WINDOW, windowTokens } from './token-counter/windows'

export { enterMerges } from './token-counter/merge-table'
export { mergedTokens } from './token-counter/merges'
export { configure } from './token-counter/settings'

/**
 * Tokens from `start` to `end`. Unless the text is whole, pieces that more text could change are left out: the report
 * says where they begin, and then the classes of all characters outside ASCII that were looked at.
 * `hasAdded`: whether added tokens are looked for.
 */
export function countTokens(start: usize, end: usize, isWholeText: bool, hasAdded: bool): u32 {
  let tokens: u32 = 0, p = start
  beginCount()
  forgetAdded()
  for (;;) {
    const stop = hasAdded && trie != 0 ? nextAdded(p, end, isWholeText) : end
    const added = addedLength
    const isOpen = !isWholeText && (stop == end || isCut)
    while (p < stop) {
      if (usesWindows && p + WINDOW <= stop && load<u8>(p) < 0x80) {
        const next = countWindow(p)
        if (next != p) {
          tokens += windowTokens
          p = next
          continue
        }
      }
      beginPiece()
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
