/** Texts that are shown in part, cut between characters. */

/** The first `unitsMax` UTF-16 units, one less where a surrogate pair would be cut. */
export function beginningOf(text: string, unitsMax: number): string {
  const beginning = text.slice(0, unitsMax)
  return text.length > unitsMax ? beginning.replace(/[\ud800-\udbff]$/, '') : beginning
}

/** With an ellipsis where it is longer. */
export function shortened(text: string, unitsMax: number): string {
  return text.length > unitsMax ? `${beginningOf(text, unitsMax)}…` : text
}
