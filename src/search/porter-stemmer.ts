/**
 * Porter's stemmer over code units in place, exactly as Orama's `stemmer` (a law test compares them), without its
 * regular expressions: the words of an index are stemmed some ten times faster. Knows English letters only.
 */

const VOWEL = 1
/** A vowel behind a consonant, a consonant behind a vowel: Orama's patterns try both. */
const Y = 2
const CONSONANT = 4

const A = 0x61
const B = 0x62
const E = 0x65
const I = 0x69
const L = 0x6c
const O = 0x6f
const S = 0x73
const T = 0x74
const U = 0x75
const W = 0x77
const X = 0x78
const LOWER_Y = 0x79
const Z = 0x7a
/** A `y` that starts a word is a consonant; written as a capital it is none of the letters above. */
const UPPER_Y = 0x59

function classOf(unit: number | undefined): number {
  if (unit === A || unit === E || unit === I || unit === O || unit === U) return VOWEL
  return unit === LOWER_Y ? Y : CONSONANT
}

// Where a word can be in `[C]VCVC`: bits of a non-deterministic automaton.
const START = 1
const C0 = 2
const V1 = 4
const C1 = 8
const V2 = 16
const C2 = 32
/** By class: the states that a character enters from the state before (shifted), and those it stays in. */
const CONSONANTS = C0 | C1 | C2
const VOWELS = V1 | V2

/** @returns every state the first `length` units were ever in, and in the high bits (<< 8) those at the end */
function statesOf(word: Uint16Array, length: number): number {
  let states = START
  let seen = 0
  for (let at = 0; at < length; at += 1) {
    const kind = classOf(word[at])
    const forward = states << 1
    // A vowel also starts V1 without a C0 before.
    const first = (states & START) << 2
    if (kind === VOWEL) states = ((forward | first) & VOWELS) | (states & VOWELS)
    else if (kind === CONSONANT) states = (forward & CONSONANTS) | (states & CONSONANTS)
    else states = forward | first
    states &= CONSONANTS | VOWELS
    seen |= states
  }
  return seen | (states << 8)
}

const hasVowel = (word: Uint16Array, length: number) => (statesOf(word, length) & V1) !== 0
/** Porter's m > 0. */
const isMeasured = (word: Uint16Array, length: number) => (statesOf(word, length) & C1) !== 0
/** m > 1 */
const isLong = (word: Uint16Array, length: number) => (statesOf(word, length) & C2) !== 0

/** Consonants, one vowel, one consonant other than w and x. */
function isShortSyllable(word: Uint16Array, length: number): boolean {
  if (length < 3) return false
  const last = word[length - 1]
  if (classOf(last) !== CONSONANT || last === W || last === X || classOf(word[length - 2]) === CONSONANT) return false
  if (classOf(word[0]) === VOWEL) return false
  for (let at = 1; at < length - 2; at += 1) if (classOf(word[at]) !== CONSONANT) return false
  return true
}

interface Suffix {
  readonly ending: string
  readonly replacement: string
}

/** By the last two letters (`endOf`), longer ones first. */
type Suffixes = readonly (readonly Suffix[])[]

const NONE: readonly Suffix[] = []
const endOf = (beforeLast: number, last: number) => (beforeLast - A) * 26 + last - A

function suffixesOf(list: string): Suffixes {
  const suffixes: (readonly Suffix[])[] = Array.from({ length: 26 * 26 }, () => NONE)
  for (const item of list.split(' ')) {
    const [ending = '', replacement = ''] = item.split(':')
    const end = endOf(ending.charCodeAt(ending.length - 2), ending.charCodeAt(ending.length - 1))
    const group = [...(suffixes[end] ?? []), { ending, replacement }]
    suffixes[end] = group.sort((a, b) => b.ending.length - a.ending.length)
  }
  return suffixes
}

const STEP_2 = suffixesOf(
  'ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ' +
    'ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log',
)
const STEP_3 = suffixesOf('icate:ic ative: alize:al iciti:ic ical:ic ful: ness:')
const STEP_4 = suffixesOf('al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize')

function endsWith(word: Uint16Array, length: number, ending: string): boolean {
  const start = length - ending.length
  if (start < 1) return false
  for (let at = ending.length - 1; at >= 0; at -= 1) if (word[start + at] !== ending.charCodeAt(at)) return false
  return true
}

/** The longest one that leaves a letter before it. */
function suffixOf(word: Uint16Array, length: number, suffixes: Suffixes): Suffix | null {
  if (length < 3) return null
  const group = suffixes[endOf(word[length - 2] ?? 0, word[length - 1] ?? 0)] ?? NONE
  for (let at = 0; at < group.length; at += 1) {
    const suffix = group[at]
    if (suffix !== undefined && endsWith(word, length, suffix.ending)) return suffix
  }
  return null
}

/**
 * @param word its first `length` units are letters a-z; changed in place
 * @returns the length of the stem; a word of fewer than three letters is its own
 */
export function stemInPlace(word: Uint16Array, length: number): number {
  if (length < 3) return length
  const startsWithY = word[0] === LOWER_Y
  if (startsWithY) word[0] = UPPER_Y
  let end = withoutPlural(word, length)
  end = withoutPast(word, end)
  if (end > 1 && word[end - 1] === LOWER_Y && hasVowel(word, end - 1)) word[end - 1] = I
  end = replaced(word, end, STEP_2)
  end = replaced(word, end, STEP_3)
  end = withoutEnding(word, end)
  end = withoutFinalE(word, end)
  if (word[end - 1] === L && word[end - 2] === L && end > 1 && isLong(word, end)) end -= 1
  if (startsWithY) word[0] = LOWER_Y
  return end
}

function withoutPlural(word: Uint16Array, length: number): number {
  if (word[length - 1] !== S || length < 3) return length
  if (endsWith(word, length, 'sses') || endsWith(word, length, 'ies')) return length - 2
  return word[length - 2] === S ? length : length - 1
}

function withoutPast(word: Uint16Array, length: number): number {
  if (endsWith(word, length, 'eed')) return isMeasured(word, length - 3) ? length - 1 : length
  const cut = endsWith(word, length, 'ed') ? 2 : endsWith(word, length, 'ing') ? 3 : 0
  if (cut === 0 || !hasVowel(word, length - cut)) return length
  const end = length - cut
  const [before, last] = [word[end - 2], word[end - 1]]
  const isAtBlIz =
    end > 1 && ((before === A && last === T) || (before === B && last === L) || (before === I && last === Z))
  const isDouble = end > 1 && before === last && classOf(last) === CONSONANT && last !== L && last !== S && last !== Z
  if (!isAtBlIz && isDouble) return end - 1
  if (!isAtBlIz && !isShortSyllable(word, end)) return end
  word[end] = E
  return end + 1
}

function replaced(word: Uint16Array, length: number, suffixes: Suffixes): number {
  const suffix = suffixOf(word, length, suffixes)
  if (suffix === null) return length
  const { ending, replacement } = suffix
  const start = length - ending.length
  if (!isMeasured(word, start)) return length
  for (let at = 0; at < replacement.length; at += 1) word[start + at] = replacement.charCodeAt(at)
  return start + replacement.length
}

function withoutEnding(word: Uint16Array, length: number): number {
  const suffix = suffixOf(word, length, STEP_4)
  // Orama takes the s or t of `sion` and `tion` away as well.
  const cut = suffix?.ending.length ?? (endsWith(word, length, 'sion') || endsWith(word, length, 'tion') ? 4 : 0)
  return cut > 0 && isLong(word, length - cut) ? length - cut : length
}

function withoutFinalE(word: Uint16Array, length: number): number {
  if (word[length - 1] !== E || length < 2) return length
  const end = length - 1
  const states = statesOf(word, end)
  const isMeasuredOne = ((states >> 8) & (C1 | V2)) !== 0
  return (states & C2) !== 0 || (isMeasuredOne && !isShortSyllable(word, end)) ? end : length
}
