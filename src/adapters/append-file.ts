/** A file open for appending, on descriptors of the operating system. */
import { constants, fstatSync, fsyncSync, ftruncateSync, writeSync } from 'node:fs'
import { MemoryError } from '../model/memory-error.ts'
import type { AppendFile } from '../ports.ts'
import { fileFault } from './file-fault.ts'
import { Descriptor } from './open-file.ts'

const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT

/** After a fault that leaves the file's end unknown, every further use is refused: reopen and look. */
export class DiskAppendFile implements AppendFile {
  #path: string
  #file: Descriptor
  #bytes: number
  #unsafe = false
  #open = true

  constructor(path: string) {
    this.#path = path
    try {
      this.#file = new Descriptor(path, { flags: FLAGS, followLinks: false })
    } catch (cause) {
      throw fileFault('open', path, cause)
    }
    this.#bytes = this.#file.bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  append(data: Uint8Array): void {
    this.#requireSafe()
    let start = Number.NaN
    try {
      start = fstatSync(this.#file.number).size
      for (let written = 0; written < data.length; )
        written += writeSync(this.#file.number, data, written, data.length - written)
    } catch (cause) {
      this.#takeBack(start, start + data.length)
      throw fileFault('append to', this.#path, cause)
    }
    this.#bytes += data.length
  }

  sync(): void {
    this.#requireSafe()
    try {
      fsyncSync(this.#file.number)
    } catch (cause) {
      // The kernel may drop the pages and report success next time: https://lwn.net/Articles/752063/
      this.#unsafe = true
      throw new MemoryError('io_failed', `cannot sync ${this.#path}; check the disk and run it again`, {
        path: this.#path,
        cause,
      })
    }
  }

  truncate(bytes: number): void {
    this.#requireSafe()
    try {
      ftruncateSync(this.#file.number, bytes)
    } catch (cause) {
      this.#unsafe = true
      throw fileFault('shorten', this.#path, cause)
    }
    this.#bytes = bytes
  }

  [Symbol.dispose](): void {
    if (!this.#open) return
    this.#open = false
    this.#file[Symbol.dispose]()
  }

  /** Removes a half-written tail, unless someone else appended behind it. */
  #takeBack(start: number, end: number): void {
    // Nothing was written where not even the size could be had.
    if (Number.isNaN(start)) return
    try {
      const size = fstatSync(this.#file.number).size
      if (size > end) this.#unsafe = true
      else if (size > start) ftruncateSync(this.#file.number, start)
    } catch {
      // The fault that is being reported matters more; the log's reader drops a torn tail.
      this.#unsafe = true
    }
  }

  #requireSafe(): void {
    if (!this.#open) throw new MemoryError('io_failed', `${this.#path} is closed; open it again`, { path: this.#path })
    if (this.#unsafe)
      throw new MemoryError('io_failed', `${this.#path} failed earlier and its end is unknown; open it again`, {
        path: this.#path,
      })
  }
}
