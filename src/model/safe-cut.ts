/**
 * Places to cut a text at which the counts of its parts add up to that of the whole, for every byte-level BPE whose
 * pre-tokenizer is a known one. Knows what those patterns have in common; knows no tokenizer.
 */

/**
 * Behind a line end between two visible characters, and behind a word before a quotation mark, a comma, or a space and
 * another word. No piece of the known patterns reaches across, none ends elsewhere because the text does, and NFC joins
 * nothing there.
 * `/` is out, for it may follow line ends; U+0085 and U+FEFF, for not all patterns agree whether they are spaces.
 */
const SAFE_CUT = /[^\s\u0085\ufeff]\n(?=[^\s/\u0085\ufeff])|[A-Za-z0-9](?=[",]| [A-Za-z])/g

/**
 * The first safe cut at `from` or behind it, before `limit`; null when there is none. Offsets are in code units.
 * @param from above 0
 */
export function nextSafeCut(text: string, from: number, limit: number): number | null {
  // Of a part, so that a search in vain looks no further than it.
  const start = Math.max(0, from - 2)
  const part = text.slice(start, limit)
  SAFE_CUT.lastIndex = 0
  while (SAFE_CUT.test(part)) {
    const cut = start + SAFE_CUT.lastIndex
    if (cut >= from) return cut
  }
  return null
}
