/** Cuts a text in two where it hurts least. Loses no character. */

// Each is looked for in the middle half of the text; the cut falls behind it.
const BOUNDARIES: readonly RegExp[] = [/\n/g, /[.!?…]["')\]]*\s|[。！？]/g, /\s/g]

/**
 * Cuts at the line end nearest to the middle, else at a sentence's, else at a word's, else in the middle itself.
 * @param text   of at least 4 code units
 * @returns      two parts, neither empty; no surrogate pair is split
 */
export function halvesOf(text: string): readonly [string, string] {
  const cut = boundaryNear(text) ?? wholeCharacterCut(text, Math.floor(text.length / 2))
  return [text.slice(0, cut), text.slice(cut)]
}

function boundaryNear(text: string): number | null {
  const start = Math.floor(text.length / 4)
  const middleHalf = text.slice(start, text.length - start)
  for (const boundary of BOUNDARIES) {
    const cuts = [...middleHalf.matchAll(boundary)].map((match) => start + match.index + match[0].length)
    const distance = (cut: number): number => Math.abs(cut - text.length / 2)
    if (cuts.length > 0) return cuts.reduce((best, cut) => (distance(cut) < distance(best) ? cut : best))
  }
  return null
}

function wholeCharacterCut(text: string, cut: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(cut - 1, cut + 1)) ? cut + 1 : cut
}
