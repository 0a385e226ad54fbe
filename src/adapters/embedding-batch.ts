/** How many texts go into one request. What a server refused teaches it; what a text becomes never depends on it. */

/** 512 answers of 4,096 dimensions, 25 bytes a number, stay under the cap on an answer. */
export const BATCH_TEXTS_MAX = 512
/** UTF-16 units of one request, unless a single text has more. OpenAI takes 300,000 tokens; a CPU needs a minute for these. */
const BATCH_UNITS_MAX = 100_000

export class BatchLimits {
  #textsMax: number
  #aloneUnits = Number.POSITIVE_INFINITY

  constructor(textsMax: number) {
    this.#textsMax = Math.max(1, Math.min(Math.floor(textsMax), BATCH_TEXTS_MAX))
  }

  /** @returns how many of the texts from `start` make the next request; at least 1 */
  nextCount(texts: readonly string[], start: number): number {
    let units = 0
    let count = 0
    for (const text of texts.slice(start, start + this.#textsMax)) {
      units += text.length
      // A text that is probably too long would have all others of its batch asked twice.
      if (count > 0 && (units > BATCH_UNITS_MAX || text.length >= this.#aloneUnits)) break
      count += 1
      if (text.length >= this.#aloneUnits) break
    }
    return count
  }

  /** A batch was refused although each of its texts was taken in a smaller one. */
  learnTooMany(count: number): void {
    this.#textsMax = Math.min(this.#textsMax, Math.ceil(count / 2))
  }

  /** The server said that a text of so many units is too long. */
  learnTooLong(units: number): void {
    this.#aloneUnits = Math.min(this.#aloneUnits, units)
  }
}
