/** Pieces that the scripts of several shells have in common. */
import type { Place, WordTree } from './word-tree.ts'

/** What a `case` compares with: a text, with anything before or behind it. */
export interface Pattern {
  readonly text: string
  readonly anything: 'before' | 'behind' | null
}

/** Where a place is of this kind, which is never any text. */
export interface PlaceCase {
  readonly patterns: readonly Pattern[]
  readonly place: Place
}

/** What may follow a flag, by the command, a blank and the flag. */
export function valueCases({ commonFlags, commands }: WordTree): readonly PlaceCase[] {
  const common = commonFlags.map(({ word, value }) => [{ text: ` ${word}`, anything: 'before' }, value] as const)
  const own = commands.flatMap(({ name, flags }) =>
    flags.map(({ word, value }) => [{ text: `${name} ${word}`, anything: null }, value] as const),
  )
  return grouped([...common, ...own])
}

/** What may stand without a flag, by the command, a blank and how many such words stand before. */
export function placeCases({ commands }: WordTree): readonly PlaceCase[] {
  return grouped(
    commands.flatMap(({ name, places, repeats }) =>
      places.map((place, index) => {
        const isRepeated = repeats && index === places.length - 1
        const pattern: Pattern = isRepeated
          ? { text: `${name} `, anything: 'behind' }
          : { text: `${name} ${index}`, anything: null }
        return [pattern, place] as const
      }),
    ),
  )
}

/** Cases of the same place become one, in the order of their first patterns. */
function grouped(all: readonly (readonly [Pattern, Place | null])[]): readonly PlaceCase[] {
  const told = all.flatMap(([pattern, place]) => (place === null || place.kind === 'text' ? [] : [{ pattern, place }]))
  const same = Map.groupBy(told, ({ place }) => JSON.stringify(place))
  return [...same.values()].flatMap((cases) => {
    const [first] = cases
    return first === undefined ? [] : [{ patterns: cases.map(({ pattern }) => pattern), place: first.place }]
  })
}

/** A word that a POSIX-like shell takes literally, whatever it holds. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Cases as POSIX-like shells write them. @param filled what is done for a place */
export function posixCases(cases: readonly PlaceCase[], filled: (place: Place) => string): readonly string[] {
  return cases.map(({ patterns, place }) => `${patterns.map(posixPattern).join('|')}) ${filled(place)} ;;`)
}

function posixPattern({ text, anything }: Pattern): string {
  return `${anything === 'before' ? '*' : ''}${quoted(text)}${anything === 'behind' ? '*' : ''}`
}

/** Functions that both POSIX-like shells know alike. */
export function posixQuestions({ valueFlags, commands }: WordTree): string {
  const pairs = commands.map(({ name }) => name).filter((name) => name.includes(' '))
  return `_knowhow_takes_value() {
    case $1 in
    ${alternatives(valueFlags)}) return 0 ;;
    esac
    return 1
}

_knowhow_has_command() {
    case $1 in
    ${alternatives(pairs)}) return 0 ;;
    esac
    return 1
}`
}

/** The pattern that stands for each of the words, or for none but ''. */
function alternatives(words: readonly string[]): string {
  return (words.length === 0 ? [''] : words).map(quoted).join('|')
}

export function indented(lines: readonly string[], by: number): string {
  return lines.map((line) => ' '.repeat(by) + line).join('\n')
}
