/** One posting list as bytes: for each document the distance from the one before, then the frequency, as varints. */

const encoder = new TextEncoder()
/** Of 32 bits. */
const VARINT_BYTES_MAX = 5

/** Documents ascending, with the frequency of the term in each; `count` of them are meant, the arrays may be longer. */
export interface PostingRun {
  documents: Uint32Array
  frequencies: Uint32Array
  count: number
}

export function newPostingRun(capacity = 1024): PostingRun {
  return { documents: new Uint32Array(capacity), frequencies: new Uint32Array(capacity), count: 0 }
}

/** Room for `count` postings; what the run holds is kept. */
export function ensureRoom(run: PostingRun, count: number): void {
  if (count <= run.documents.length) return
  const capacity = Math.max(count, run.documents.length * 2)
  run.documents = extended(run.documents, capacity)
  run.frequencies = extended(run.frequencies, capacity)
}

function extended(values: Uint32Array, length: number): Uint32Array {
  const longer = new Uint32Array(length)
  longer.set(values)
  return longer
}

/** Bytes that grow as they are written. */
export class ByteSink {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  /** @param capacity bytes that are expected */
  constructor(capacity = 1 << 10) {
    this.#bytes = new Uint8Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** A view of all, valid until the next write. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  /** All bytes, with room for `count` more behind `length`; for `advance`. */
  reserve(count: number): Uint8Array {
    if (this.#length + count > this.#bytes.length) this.#grow(count)
    return this.#bytes
  }

  /** What was written into the reserve up to `length` counts from here on. */
  advance(length: number): void {
    this.#length = length
  }

  /** UTF-16 code units in UTF-8. */
  units(units: Uint16Array, start: number, end: number): void {
    const bytes = this.reserve(end - start)
    let to = this.#length
    for (let at = start; at < end; at += 1) {
      const unit = units[at] ?? 0
      if (unit > 0x7f) {
        this.append(encoder.encode(String.fromCharCode(...units.subarray(start, end))))
        return
      }
      bytes[to++] = unit
    }
    this.#length = to
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length).set(bytes, this.#length)
    this.#length += bytes.length
  }

  #grow(room: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + room))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** Which postings of two columns are meant, and what is added to their documents' numbers. */
export interface PostingRange {
  readonly documents: Uint32Array
  readonly frequencies: Uint32Array
  readonly start: number
  readonly end: number
  readonly offset: number
}

/**
 * @param last of the list that these continue, -1 for one that begins
 * @returns the last document's number, `last` when there is none
 */
export function encodePostings(
  { documents, frequencies, start, end, offset }: PostingRange,
  last: number,
  sink: ByteSink,
): number {
  const bytes = sink.reserve((end - start) * 2 * VARINT_BYTES_MAX)
  let to = sink.length
  let previous = last
  for (let at = start; at < end; at += 1) {
    const document = (documents[at] ?? 0) + offset
    to = writeVarint(document - previous - 1, bytes, to)
    to = writeVarint(frequencies[at] ?? 0, bytes, to)
    previous = document
  }
  sink.advance(to)
  return previous
}

/** @returns where the next begins */
function writeVarint(value: number, bytes: Uint8Array, start: number): number {
  let to = start
  let rest = value
  while (rest > 0x7f) {
    bytes[to++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  bytes[to++] = rest
  return to
}

/**
 * Adds the list's postings to `run`, those of `dead` documents left out.
 * @param dead 1 by document that is no more, null when all live
 */
export function decodePostings(bytes: Uint8Array, count: number, dead: Uint8Array | null, run: PostingRun): void {
  ensureRoom(run, run.count + count)
  const { documents, frequencies } = run
  let kept = run.count
  let document = -1
  let at = 0
  for (let read = 0; read < count; read += 1) {
    let byte = bytes[at++] ?? 0
    let gap = byte & 0x7f
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++] ?? 0
      gap |= (byte & 0x7f) << shift
    }
    byte = bytes[at++] ?? 0
    let frequency = byte & 0x7f
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++] ?? 0
      frequency |= (byte & 0x7f) << shift
    }
    document += (gap >>> 0) + 1
    documents[kept] = document
    frequencies[kept] = frequency
    kept += dead === null || dead[document] === 0 ? 1 : 0
  }
  run.count = kept
}
