/** What kind of character a UTF-16 code unit or a code point is to the analyzer. Fixed tables: a runtime's own may be older. */

export const SEPARATOR = 0
/** A letter without case to split at: `a`-`z`, every letter, mark and digit outside ASCII. */
export const LETTER = 1
export const UPPER = 2
export const DIGIT = 3
export const UNDERSCORE = 4
/** Joins words inside of names: `-`, `.`, `/`, `\`, `:`. */
export const CONNECTOR = 5
/** From here on: scripts written without spaces, found by characters and by pairs of them. */
export const HAN = 6
export const HIRAGANA = 7
export const KATAKANA = 8
export const HANGUL = 9
export const SOUTH_EAST_ASIAN = 10

/**
 * The characters U+0080…U+FFFF of the categories L, M and N in Unicode 17, as ranges: distance from the end of the
 * range before, then how many follow the first, in base 36. `test/search/character-class.test.ts` makes it anew.
 */
const WORD_RANGES =
  '4q 8,1 2 4,1 2,2 2,m 2,u 2,cp 5,b f,4 8 2 i,38 2,1 3,3 2 7 2,2 2 2,j 2,2a 2,3u 2,4s 2,11 3 7,14 9,18 2 2,1 ' +
  '2,1 2 9,q 5,3 u,a 6,21 5,2t 2,7 3,9 2,i 3 h,1m 3,2s f,1h 5 3 3,19 j,r 5,a 6,n 2,6 8,22 2,3k 3,9 2,i 2,7 3,1 ' +
  '3,l 2,6 2 4,3 3,8 3,1 3,3 9 5,1 2,4 3,b 3,5 3 2 3,2 2,5 5,1 3,l 2,6 2,1 2,1 2,1 3 2,4 5,1 3,2 4 8,3 2 8,f ' +
  'c,2 2,8 2,2 2,l 2,6 2,1 2,4 3,9 2,2 2,2 3 g,3 3,9 a,6 2,2 2,7 3,1 3,l 2,6 2,1 2,4 3,8 3,1 3,2 8,2 5,1 2,4 ' +
  '3,9 2,6 b,1 2,5 4,2 2,3 4,1 2 2,1 4,1 4,2 4,b 5,4 4,2 2,3 3 7 f,c e,c 2,2 2,m 2,f 3,8 2,2 2,3 8,1 2,2 2,1 ' +
  '3,3 3,9 9,6 2,3 2,7 2,2 2,m 2,9 2,4 3,8 2,2 2,3 8,1 6,2 2,3 3,9 2,2 d,c 2,2 2,1e 2,2 2,4 6,f 3,i 2,5 2,2 2,h ' +
  '4,n 2,8 2 3,6 4 5,5 2 2,7 7,9 3,1 e,1l 6,e 2,9 14,1 2 2,4 2,n 2 2,m 3,4 2 2,6 2,9 3,3 x o,1 7,j 2 2 2 5,9 ' +
  '2,z 5,j 2,h 2,z a 1m,21 7,25 3,11 2 6 3,16 2,98 2,3 3,6 2 2,3 3,14 2,3 3,w 2,3 3,6 2 2,3 3,e 2,1k 2,3 3,1u ' +
  '3,2 a,j 4,f h,2d 3,5 4,h7 3,g 2,p 6,22 4,a 8,l a,l c,j d,c 2,2 2,1 d,2b 4 5,1 3,9 7,9 i,2 2,a 7,2g 8,16 6,1x ' +
  'b,u 2,b 5,b b,13 3,4 c,17 5,p 7,a 12,r 5,1q 2,s 3,a 7,9 e 9,19 3,b l,24 4,9 i,8 d,37 d,1j 9,9 4,1c 3,a 6,16 ' +
  '3,2 h,2 2,12 6,et 3,5 3,11 3,5 3,7 2 2 2 2,u 3,1g 2,6 2 4,2 2,6 4,3 3,5 5,c 6,2 2,6 38,1 3,5 6,a 7,c 1g,w i ' +
  '5 3,9 2 4,4 7 2 2 2,3 2,a 3,3 6,4 5 2,1l k7,1n 27,l hj,t vh,6c 7,8 a 3,11 2 6 3,1j 8 g,n a,6 2,6 2,6 2,6 2,6 ' +
  '2,6 2,6 2,6 2,v 1c d2,2 q,e 2,4 3,4 5,2d 3,1 3,2 2,2h 2,3 6,16 2,2l 4,3 b,v 1d,f x,9 v,7 2,e x,9 14,e 8x,533 ' +
  '1t,h3g 1w,19 3,7g 4,r l,1e 2,9 2,36 12,8 3,2u 3,29 l,1i 5 4,5 b,1f d,1x b,9 7,n 4 2,1c 3,z d,s 4,1s f,a 7,u ' +
  '2,1i a,d 3,9 7,m 4,20 p,2 3,f 3,4 b,5 3,5 3,5 a,6 2,6 2,16 2,d 7,3e 2,1 3,9 7,8mb d,m 5,1c 6it,a5 3,2x 13,6 ' +
  'd,4 6,b 2,c 2,4 2 2,1 2,1 2,2z y,a2 j,1r 3,1h 15,b 5,f h,f 1t,4 2,3q k,9 8,p 7,p c,2g 4,5 3,5 3,5 3,2'

/** First and last code unit of the scripts written without spaces, as far as NFKC leaves them. */
const SPACELESS: readonly (readonly [first: number, last: number, kind: number])[] = [
  [0x0e01, 0x0e3a, SOUTH_EAST_ASIAN], // Thai
  [0x0e40, 0x0e4e, SOUTH_EAST_ASIAN],
  [0x0e81, 0x0ecf, SOUTH_EAST_ASIAN], // Lao
  [0x1000, 0x103f, SOUTH_EAST_ASIAN], // Burmese
  [0x1100, 0x11ff, HANGUL],
  [0x1780, 0x17d3, SOUTH_EAST_ASIAN], // Khmer
  [0x3005, 0x3007, HAN],
  [0x3041, 0x309f, HIRAGANA],
  [0x30a1, 0x30ff, KATAKANA],
  [0x3105, 0x312f, HAN], // Bopomofo
  [0x31f0, 0x31ff, KATAKANA],
  [0x3400, 0x4dbf, HAN],
  [0x4e00, 0x9fff, HAN],
  [0xac00, 0xd7a3, HANGUL],
  [0xf900, 0xfaff, HAN],
]

/** Kind by code unit, beyond ASCII after `learnAllKinds` alone; surrogates are separators here, see `astralKind`. */
export const KINDS = new Uint8Array(0x10000)
fillAscii(KINDS)
let hasAllKinds = false

/** Once, at the first text that is not ASCII: the whole table takes longer to make than many a search. */
export function learnAllKinds(): void {
  if (hasAllKinds) return
  hasAllKinds = true
  fillBeyondAscii(KINDS)
}

function fillAscii(kinds: Uint8Array): void {
  kinds.fill(DIGIT, 0x30, 0x3a)
  kinds.fill(UPPER, 0x41, 0x5b)
  kinds.fill(LETTER, 0x61, 0x7b)
  kinds[0x5f] = UNDERSCORE
  for (const connector of '-./\\:') kinds[connector.charCodeAt(0)] = CONNECTOR
}

function fillBeyondAscii(kinds: Uint8Array): void {
  let end = 0
  for (const range of WORD_RANGES.split(' ')) {
    const [distance = '', more = '0'] = range.split(',')
    const first = end + Number.parseInt(distance, 36)
    end = first + Number.parseInt(more, 36)
    kinds.fill(LETTER, first, end + 1)
  }
  for (const [first, last, kind] of SPACELESS)
    for (let unit = first; unit <= last; unit += 1) if (kinds[unit] === LETTER) kinds[unit] = kind
}

/** @param codePoint above U+FFFF. By blocks, which also holds for scripts still to come. */
export function astralKind(codePoint: number): number {
  if (codePoint >= 0x20000 && codePoint < 0x40000) return HAN
  if (codePoint < 0x1d000) return LETTER
  return codePoint >= 0x1df00 && codePoint < 0x1f000 ? LETTER : SEPARATOR
}
