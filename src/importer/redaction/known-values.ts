/** Finds any of many known texts in one pass. Knows nothing of why they are known. */

/** Shorter values are ordinary words by chance. */
const KNOWN_UNITS_MIN = 8

export interface Span {
  /** UTF-16 offsets; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

const FACTOR = 31
// FACTOR ** 8, wrapped to 32 bits as the hash itself.
const LEAVING_FACTOR = (FACTOR ** KNOWN_UNITS_MIN) | 0
const FILTER_BITS = 16

/**
 * A rolling hash of eight units goes over the text; only where it is that of a known beginning, values are compared, and
 * then by halving: tokens of one kind share long beginnings, so that a list of all with the same eight units is no help.
 */
export class KnownValues {
  #hashes = new Set<number>()
  #filter = new Uint8Array(1 << FILTER_BITS)
  #added: string[] = []
  #sorted = sortedValues([])

  /** A value not added before; one of under eight units is ignored. */
  add(value: string): void {
    if (value.length < KNOWN_UNITS_MIN) return
    let hash = 0
    for (let index = 0; index < KNOWN_UNITS_MIN; index += 1)
      hash = (Math.imul(hash, FACTOR) + value.charCodeAt(index)) | 0
    this.#hashes.add(hash)
    this.#filter[hash >>> (32 - FILTER_BITS)] = 1
    this.#added.push(value)
  }

  /** In order, without overlaps. */
  find(text: string): readonly Span[] {
    if (this.#added.length > 0) this.#sorted = sortedValues([...this.#sorted.values, ...this.#added.splice(0)])
    const spans: Span[] = []
    if (this.#hashes.size === 0) return spans
    let hash = 0
    let resumeAt = 0
    for (let index = 0; index < text.length; index += 1) {
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(index)) | 0
      const start = index + 1 - KNOWN_UNITS_MIN
      if (start > 0) hash = (hash - Math.imul(text.charCodeAt(start - 1), LEAVING_FACTOR)) | 0
      if (start < resumeAt || this.#filter[hash >>> (32 - FILTER_BITS)] !== 1 || !this.#hashes.has(hash)) continue
      const length = longestMatch(this.#sorted, text, start)
      if (length === 0) continue
      resumeAt = start + length
      spans.push({ start, end: resumeAt })
    }
    return spans
  }
}

interface SortedValues {
  /** By UTF-16 code units. */
  readonly values: readonly string[]
  /** For each value the index of the longest other one it begins with, or -1. */
  readonly beginnings: readonly number[]
  readonly unitsMax: number
}

function sortedValues(unsorted: readonly string[]): SortedValues {
  const values = unsorted.toSorted((a, b) => (a < b ? -1 : 1))
  const beginnings: number[] = []
  let unitsMax = 0
  for (const [index, value] of values.entries()) {
    let beginning = index - 1
    while (beginning >= 0 && !value.startsWith(values[beginning] ?? '')) beginning = beginnings[beginning] ?? -1
    beginnings.push(beginning)
    unitsMax = Math.max(unitsMax, value.length)
  }
  return { values, beginnings, unitsMax }
}

/** Every value that `text` goes on with at `start` begins the last one that does not sort after it. */
function longestMatch({ values, beginnings, unitsMax }: SortedValues, text: string, start: number): number {
  const ahead = text.slice(start, start + unitsMax)
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] ?? '') <= ahead) low = middle + 1
    else high = middle
  }
  for (let index = low - 1; index >= 0; index = beginnings[index] ?? -1) {
    const value = values[index] ?? ''
    if (ahead.startsWith(value)) return value.length
  }
  return 0
}
