/** Texts that have a name, such as knowledge of a concept. */

/** Whether a text is its name and, at most, what ends a sentence. */
export function saysNoMore(name: string, text: string): boolean {
  return text.toLowerCase().startsWith(name.toLowerCase()) && /^[\s\p{P}]*$/u.test(text.slice(name.length))
}
