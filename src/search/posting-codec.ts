/** One posting list as bytes: for each document the distance from the one before, then the frequency, as varints. */

const encoder = new TextEncoder()

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

  varint(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow(5)
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  /** In UTF-8. */
  text(text: string): void {
    const { length } = text
    if (this.#length + length > this.#bytes.length) this.#grow(length)
    for (let at = 0; at < length; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit > 0x7f) {
        this.append(encoder.encode(text))
        return
      }
      this.#bytes[this.#length + at] = unit
    }
    this.#length += length
  }

  append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #grow(room: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + room))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** @param last of the list that these continue, -1 for one that begins */
export function encodePostings(run: PostingRun, last: number, sink: ByteSink): void {
  let previous = last
  for (let at = 0; at < run.count; at += 1) {
    const document = run.documents[at] ?? 0
    sink.varint(document - previous - 1)
    sink.varint(run.frequencies[at] ?? 0)
    previous = document
  }
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
