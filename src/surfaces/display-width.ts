/** How many columns of a terminal a text takes. Graphemes are whole: an emoji of several code points is one of two columns. */

/** First and last code point of East Asian Wide and Fullwidth characters, emoji apart, in Unicode 17. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
]

const EMOJI = /^\p{Emoji_Presentation}|\ufe0f|^\p{Regional_Indicator}{2}/u
const WIDTHLESS = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u
const PRINTABLE_ASCII = /^[ -~]*$/

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function graphemesOf(text: string): readonly string[] {
  return PRINTABLE_ASCII.test(text) ? text.split('') : Array.from(graphemes.segment(text), ({ segment }) => segment)
}

export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length
  return graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0)
}

/** 0, 1 or 2. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && PRINTABLE_ASCII.test(grapheme)) return 1
  if (WIDTHLESS.test(grapheme)) return 0
  return EMOJI.test(grapheme) || isWide(grapheme.codePointAt(0) ?? 0) ? 2 : 1
}

function isWide(codePoint: number): boolean {
  return WIDE.some(([first, last]) => codePoint >= first && codePoint <= last)
}
