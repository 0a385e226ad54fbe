/** Lays the sections of a packed base one behind the other, with the sums of their blocks. Knows nothing of contents. */
import { MemoryError } from '../model/memory-error.ts'
import type { Digest } from '../ports.ts'
import { ALIGNMENT, BLOCK_BYTES, type Footer, MAGIC, type Section, type SectionName } from './base-format.ts'
import { footerBytes } from './file-footer.ts'

/** One read of over 2 GB kills some runtimes. */
const SECTION_BYTES_MAX = 2 ** 31 - 1

export class SectionWriter {
  readonly #digest: Digest
  readonly #parts: Uint8Array<ArrayBuffer>[] = []
  readonly #sections: Partial<Record<SectionName, Section>> = {}
  readonly #sums: number[] = []
  #end = 0

  constructor(digest: Digest) {
    this.#digest = digest
  }

  /** The data are not copied: they must not change any more. */
  add(name: SectionName, data: ArrayBufferView<ArrayBuffer>): void {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    if (bytes.length > SECTION_BYTES_MAX)
      throw new MemoryError(
        'file_too_large',
        `the search index would need ${bytes.length} bytes for its ${name}, more than ${SECTION_BYTES_MAX}; divide the workspace`,
      )
    this.#place(name, bytes)
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES)
      this.#sums.push(this.#digest.crc32(bytes.subarray(at, at + BLOCK_BYTES)))
  }

  #place(name: SectionName, bytes: Uint8Array<ArrayBuffer>): void {
    this.#sections[name] = { offset: this.#end, bytes: bytes.length, block: this.#sums.length }
    const padding = (ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT
    this.#parts.push(bytes, new Uint8Array(padding))
    this.#end += bytes.length + padding
  }

  /** @returns what the file holds, in order */
  finish(facts: Omit<Footer, 'sections' | 'sums_crc'>): readonly Uint8Array<ArrayBuffer>[] {
    const sums = new Uint8Array(Uint32Array.from(this.#sums).buffer)
    this.#place('sums', sums)
    const footer: Footer = {
      ...facts,
      sums_crc: this.#digest.crc32(sums),
      sections: this.#sections as Footer['sections'],
    }
    return [...this.#parts, footerBytes(footer, MAGIC, this.#digest)]
  }
}
