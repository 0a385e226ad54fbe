/** Pieces that the scripts of several shells have in common. */

/** A word that a POSIX-like shell takes literally, whatever it holds. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** The pattern of a `case` of POSIX-like shells that stands for each of the words, or for none but ''. */
export function alternatives(words: readonly string[]): string {
  return (words.length === 0 ? [''] : words).map(quoted).join('|')
}

/** Branches of a `case` that share what they do become one, in the order of their first patterns. */
export function grouped(
  branches: readonly (readonly [pattern: string, body: string])[],
): readonly [readonly string[], string][] {
  return [...Map.groupBy(branches, ([, body]) => body)].map(([body, same]) => [same.map(([pattern]) => pattern), body])
}

export function indented(lines: readonly string[], by: number): string {
  return lines.map((line) => ' '.repeat(by) + line).join('\n')
}
