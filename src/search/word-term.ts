/** From a word as written to the term it is found by: folded, stemmed, bounded in length. Cuts nothing into words. */
import { regularInPlace } from './irregular-forms.ts'
import { stemInPlace } from './porter-stemmer.ts'
import { isStopWord } from './stop-words.ts'
import { unitHash } from './unit-hash.ts'

/** UTF-16 code units. Longer terms keep their beginning and a hash of the whole, so that only equal words match. */
export const TERM_UNITS_MAX = 64
const TERM_UNITS_KEPT = 48
const CACHED_WORDS_MAX = 65_536

/** Letters that Unicode does not decompose, as people write them without the key for them. */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ı', 'i'],
  ['ς', 'σ'],
])
const SPECIAL_LETTER = /[ßæœøłđðþħŧıς]/g
// Behind a Latin or Greek letter; й or ñ-like letters of other scripts are letters of their own.
const ACCENTS = /([a-z\u00df-\u024f\u0370-\u03ff])[\u0300-\u036f]+/g
const YO = /\u0435\u0308/g
// Vowel points that Hebrew and Arabic mostly leave out, and the Arabic line that only stretches a word.
const VOWEL_POINTS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g

const letters = new Uint16Array(TERM_UNITS_MAX)
const cachedTerms = new Map<string, string>()

/** @param word without spaces, NFKC. Equal for two spellings that should find each other. */
export function wordTerm(word: string): string {
  const cached = cachedTerms.get(word)
  if (cached !== undefined) return cached
  const term = ownCopy(stemmedTerm(boundedTerm(folded(word))))
  if (word.length > TERM_UNITS_MAX) return term
  if (cachedTerms.size >= CACHED_WORDS_MAX) cachedTerms.clear()
  cachedTerms.set(ownCopy(word), term)
  return term
}

/** A name with its punctuation: folded and bounded, never stemmed. */
export function foldedTerm(name: string): string {
  return ownCopy(boundedTerm(folded(name)))
}

function folded(text: string): string {
  const lower = text.toLowerCase()
  if (!/[\u0080-\uffff]/.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replace(ACCENTS, '$1')
    .replace(YO, '\u0435')
    .replace(VOWEL_POINTS, '')
    .replace(SPECIAL_LETTER, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
    .normalize('NFC')
}

function boundedTerm(text: string): string {
  if (text.length <= TERM_UNITS_MAX) return text
  return `${text.slice(0, TERM_UNITS_KEPT).toWellFormed()}#${(unitHash(text) >>> 0).toString(16)}`
}

function stemmedTerm(term: string): string {
  if (!/^[a-z]+$/.test(term) || isStopWord(term)) return term
  // Porter's algorithm, the one Orama and SQLite's FTS5 use: of four ways tried it was the best over three collections.
  for (let at = 0; at < term.length; at += 1) letters[at] = term.charCodeAt(at)
  const length = stemInPlace(letters, regularInPlace(letters, term.length))
  return String.fromCharCode(...letters.subarray(0, length))
}

/** A slice keeps the whole text it was cut from alive; a term may be kept for long, and is therefore a copy. */
function ownCopy(term: string): string {
  const units: number[] = []
  for (let at = 0; at < term.length; at += 1) units.push(term.charCodeAt(at))
  return String.fromCharCode(...units)
}
