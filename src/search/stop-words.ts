/** Terms too common to tell texts apart. They are indexed like all others, and left out of a query that has better ones. */
import { WordLengths } from './word-lengths.ts'

const ENGLISH =
  'a about am an and any are as at be been being but by can could did do does doing for from had has have having he her ' +
  'his how i if in into is it its me my no nor not of on or our she should so such than that the their them then there ' +
  'these they this those to too us was we were what when where which while who whom whose why will with would you your ' +
  'aren couldn didn doesn don hadn hasn haven isn shouldn wasn weren wouldn'

/** Pairs of kana that stand in most Japanese sentences; single kana are too common in any case. */
const JAPANESE =
  'あっ あり ある いう いて いる から こと され ざい した して しな しま する すれ せん たい ため たら です では でき でし とき ない なっ ' +
  'なり なる ので のに まし ませ ます また まで もの よう より られ れる れた'

const STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${JAPANESE}`.split(' '))
const englishLengths = new WordLengths(ENGLISH.split(' '))

const KANA_FIRST = 0x3041
const KANA_LAST = 0x309f
const isSingleKana = (term: string) =>
  term.length === 1 && term.charCodeAt(0) >= KANA_FIRST && term.charCodeAt(0) <= KANA_LAST

/** The same of an English word in lower-case code units; makes a string only of what may be one. */
export function isStopWordIn(units: Uint16Array, start: number, end: number): boolean {
  if (!englishLengths.mayHold(units, start, end)) return false
  return STOP_WORDS.has(String.fromCharCode(...units.subarray(start, end)))
}

/** All of them, each once. */
export function* stopWords(): Generator<string> {
  yield* STOP_WORDS
  for (let unit = KANA_FIRST; unit <= KANA_LAST; unit += 1) yield String.fromCharCode(unit)
}

export function isStopWord(term: string): boolean {
  return STOP_WORDS.has(term) || isSingleKana(term)
}
