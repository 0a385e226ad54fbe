/** Cuts a stream of bytes into lines of bounded length. Knows nothing of what they say. */

const LINE_END = 10
/** What is kept at hand for the next line. */
const ROOM_BYTES = 64 * 1024

export class LineSplitter {
  readonly #bytesMax: number
  /** The line that is coming, so far. */
  #room = new Uint8Array(ROOM_BYTES)
  #bytes = 0
  /** Whether it was told to be too long already: nothing of it is kept. */
  #isPassing = false

  /** @param bytesMax of a line, without its end */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** The lines that end in this chunk, without their ends; `too_long` once for each that has too many bytes. */
  *push(chunk: Uint8Array): Generator<Uint8Array | 'too_long'> {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LINE_END, from)
      const isTooLong = this.#takes(chunk.subarray(from, end === -1 ? chunk.length : end))
      if (isTooLong) yield 'too_long'
      if (end === -1) return
      const line = this.end()
      if (line !== null) yield line
      from = end + 1
    }
  }

  /** The line that is there so far, which ends here. Null for an empty one, and for the rest of one that was too long. */
  end(): Uint8Array | null {
    const line = this.#bytes === 0 ? null : this.#room.slice(0, this.#bytes)
    this.#forget()
    this.#isPassing = false
    return line
  }

  /** @returns whether the line has become too long by this part of it */
  #takes(part: Uint8Array): boolean {
    if (this.#isPassing) return false
    const bytes = this.#bytes + part.length
    if (bytes > this.#bytesMax) {
      this.#forget()
      this.#isPassing = true
      return true
    }
    if (bytes > this.#room.length) {
      const larger = new Uint8Array(Math.max(bytes, 2 * this.#room.length))
      larger.set(this.#room.subarray(0, this.#bytes))
      this.#room = larger
    }
    this.#room.set(part, this.#bytes)
    this.#bytes = bytes
    return false
  }

  #forget(): void {
    this.#bytes = 0
    if (this.#room.length > ROOM_BYTES) this.#room = new Uint8Array(ROOM_BYTES)
  }
}
