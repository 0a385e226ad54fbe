/** A file open for reading parts of it, on a descriptor of the operating system. */
import { constants, readSync } from 'node:fs'
import { MemoryError } from '../model/memory-error.ts'
import type { ReadFile } from '../ports.ts'
import { fileFault } from './file-fault.ts'
import { Descriptor } from './open-file.ts'

export class DiskReadFile implements ReadFile {
  readonly #path: string
  readonly #file: Descriptor
  #open = true

  /** Throws an errno, or `not_a_file`. */
  constructor(path: string) {
    this.#path = path
    this.#file = new Descriptor(path, { flags: constants.O_RDONLY, followLinks: false })
  }

  get bytes(): number {
    return this.#file.bytes
  }

  read(position: number, length: number): Uint8Array<ArrayBuffer> {
    const data = new Uint8Array(length)
    this.readInto(position, data)
    return data
  }

  readInto(position: number, target: Uint8Array): void {
    const { length } = target
    let filled = 0
    try {
      while (filled < length) {
        const count = readSync(this.#file.number, target, filled, length - filled, position + filled)
        if (count === 0) break
        filled += count
      }
    } catch (cause) {
      throw fileFault('read', this.#path, cause)
    }
    if (filled === length) return
    throw new MemoryError('io_failed', `${this.#path} ends before byte ${position + length}`, { path: this.#path })
  }

  [Symbol.dispose](): void {
    if (!this.#open) return
    this.#open = false
    this.#file[Symbol.dispose]()
  }
}
