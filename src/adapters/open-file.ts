/** Opening and reading whole files by descriptor: what was checked is what is read. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { MemoryError } from '../model/memory-error.ts'
import { errnoOf, tooLarge } from './file-fault.ts'

/** No text of the product is larger; one read of over 2 GB kills some runtimes. */
export const READ_BYTES_MAX = 2 ** 31 - 1

/** Read at once behind the end that a file states. */
const REST_BYTES = 64 * 1024

// Zero where a platform has no such flag (Windows).
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
// Opening a FIFO would wait for its writer; with this it returns at once and `fstat` refuses it.
const NO_WAIT = constants.O_NONBLOCK ?? 0

interface OpenOptions {
  readonly flags: number
  readonly followLinks: boolean
}

/** A descriptor that owns its closing. */
export class Descriptor implements Disposable {
  readonly number: number
  readonly bytes: number

  /** Throws an errno, or `not_a_file` for a folder, device, FIFO or socket. */
  constructor(path: string, options: OpenOptions) {
    this.number = opened(path, options)
    try {
      const stat = fstatSync(this.number)
      this.bytes = stat.size
      if (!stat.isFile()) throw notAFile(path, stat.isDirectory() ? 'a folder' : 'a device, pipe or socket', options)
    } catch (cause) {
      this[Symbol.dispose]()
      throw cause
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.number)
  }
}

/**
 * To its end, wherever that is by then: what /proc holds says it is empty, and a log may be growing. Throws an errno,
 * `not_a_file`, or `file_too_large`, as a rule before anything is read.
 */
export function readWhole(path: string, followLinks: boolean, bytesMax: number): Uint8Array {
  using file = new Descriptor(path, { flags: constants.O_RDONLY, followLinks })
  const limit = Math.min(bytesMax, READ_BYTES_MAX)
  if (file.bytes > limit) throw tooLarge(path, file.bytes, limit)
  const data = new Uint8Array(file.bytes)
  let filled = 0
  while (filled < data.length) {
    const count = readSync(file.number, data, filled, data.length - filled, filled)
    if (count === 0) break
    filled += count
  }
  // Shorter when another program cut the file meanwhile, or as /sys states whole pages.
  return filled === data.length ? withRest(file, path, data, limit) : data.slice(0, filled)
}

/** Most files end where they say, which one read of a byte shows. */
const probe = new Uint8Array(1)

function withRest(file: Descriptor, path: string, data: Uint8Array, limit: number): Uint8Array {
  // What is made as it is read is best read in large parts.
  if (data.length > 0 && readSync(file.number, probe, 0, 1, data.length) === 0) return data
  const parts = [data]
  for (let length = data.length; ; ) {
    const part = new Uint8Array(REST_BYTES)
    const count = readSync(file.number, part, 0, part.length, length)
    if (count === 0) return parts.length === 1 ? data : joined(parts, length)
    length += count
    if (length > limit) throw tooLarge(path, length, limit)
    parts.push(part.subarray(0, count))
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function opened(path: string, options: OpenOptions): number {
  const { flags, followLinks } = options
  if (!followLinks && NO_FOLLOW === 0) refuseLink(path, options)
  try {
    return openSync(path, flags | (followLinks ? 0 : NO_FOLLOW) | NO_WAIT, 0o666)
  } catch (cause) {
    // What is no link itself has a circle of them in its path.
    if (!followLinks && errnoOf(cause) === 'ELOOP') refuseLink(path, options)
    // A socket, or a device without its driver.
    if (errnoOf(cause) === 'ENXIO') throw notAFile(path, 'a device, pipe or socket', options)
    throw cause
  }
}

function refuseLink(path: string, options: OpenOptions): void {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (isLink) throw notAFile(path, 'a symbolic link', options)
}

/** What a person named may be of use where it is; what stands in the program's way is not. */
function notAFile(path: string, kind: string, { followLinks }: OpenOptions): MemoryError {
  const next = followLinks ? 'name a regular file' : 'move it away'
  return new MemoryError('not_a_file', `${path} is ${kind}, not a file; ${next}`, { path })
}
