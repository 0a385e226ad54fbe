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
const LEAVING_FACTOR = Array.from({ length: KNOWN_UNITS_MIN }).reduce<number>((power) => Math.imul(power, FACTOR), 1)
const FILTER_BITS = 16

/** A rolling hash of eight units goes over the text; only where it is that of a known beginning, values are compared. */
export class KnownValues {
  #byHash = new Map<number, string[]>()
  #filter = new Uint8Array(1 << FILTER_BITS)

  /** A value not added before; one of under eight units is ignored. */
  add(value: string): void {
    if (value.length < KNOWN_UNITS_MIN) return
    let hash = 0
    for (let index = 0; index < KNOWN_UNITS_MIN; index += 1)
      hash = (Math.imul(hash, FACTOR) + value.charCodeAt(index)) | 0
    const values = this.#byHash.get(hash)
    if (values === undefined) this.#byHash.set(hash, [value])
    else values.push(value)
    this.#filter[hash >>> (32 - FILTER_BITS)] = 1
  }

  /** In order, without overlaps. */
  find(text: string): readonly Span[] {
    const spans: Span[] = []
    if (this.#byHash.size === 0) return spans
    let hash = 0
    let resumeAt = 0
    for (let index = 0; index < text.length; index += 1) {
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(index)) | 0
      const start = index + 1 - KNOWN_UNITS_MIN
      if (start > 0) hash = (hash - Math.imul(text.charCodeAt(start - 1), LEAVING_FACTOR)) | 0
      if (start < resumeAt || this.#filter[hash >>> (32 - FILTER_BITS)] !== 1) continue
      const length = longestMatch(this.#byHash.get(hash) ?? [], text, start)
      if (length === 0) continue
      resumeAt = start + length
      spans.push({ start, end: resumeAt })
    }
    return spans
  }
}

function longestMatch(values: readonly string[], text: string, start: number): number {
  let length = 0
  for (const value of values) if (value.length > length && text.startsWith(value, start)) length = value.length
  return length
}
