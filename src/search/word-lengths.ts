/** Which lengths the words of a list have, by first and last letter: most other words need no string made to be told apart. */

/** UTF-16 code units; longer words are never of a list. */
const LENGTH_MAX = 31

export class WordLengths {
  /** By `endsOf`: a bit for each length. */
  readonly #lengths = new Uint32Array(1 << 10)

  /** @param words of the letters a-z, up to LENGTH_MAX */
  constructor(words: Iterable<string>) {
    for (const word of words) {
      const ends = endsOf(word.charCodeAt(0), word.charCodeAt(word.length - 1))
      this.#lengths[ends] = (this.#lengths[ends] ?? 0) | (1 << word.length)
    }
  }

  /** @returns false when the word is certainly none of the list. @param end behind `start` */
  mayHold(units: Uint16Array, start: number, end: number): boolean {
    const length = end - start
    if (length > LENGTH_MAX) return false
    return ((this.#lengths[endsOf(units[start] ?? 0, units[end - 1] ?? 0)] ?? 0) & (1 << length)) !== 0
  }
}

/** Five bits tell the letters of ASCII apart. */
const endsOf = (first: number, last: number) => ((first & 0x1f) << 5) | (last & 0x1f)
