/** Words as POSIX shells read them. */

/** What every shell takes as it stands. */
const PLAIN = /^[\w./:@%+=-]+$/

/** The word as it is to be typed: in quotes where it needs them. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
