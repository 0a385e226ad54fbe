/** Reads stretches of a packed base's sections, each checked against the CRC-32 of the blocks it lies in. */
import { MemoryError } from '../model/memory-error.ts'
import type { Digest, ReadFile } from '../ports.ts'
import { BLOCK_BYTES, type Section } from './base-format.ts'

/** The file is cut, changed, or of another version. Only ever answered by building anew. */
export class FileDamage extends Error {}

/** Whole, and written by another version of the program. */
export class OtherVersion extends FileDamage {}

/** Exactly these bytes, unchecked. What cannot be read is damage too. */
export function readBytes(file: ReadFile, position: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = orDamage(() => file.read(position, length))
  if (bytes.length !== length) throw new FileDamage('the file ends early')
  return bytes
}

/** The same, to where they are wanted. */
export function readBytesInto(file: ReadFile, position: number, target: Uint8Array): void {
  orDamage(() => file.readInto(position, target))
}

function orDamage<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof MemoryError) throw new FileDamage(cause.message, { cause })
    throw cause
  }
}

export class CheckedFile {
  readonly #file: ReadFile
  readonly #digest: Digest
  /** CRC-32 by block. */
  readonly #sums: Uint32Array

  constructor(file: ReadFile, digest: Digest, sums: Uint32Array) {
    this.#file = file
    this.#digest = digest
    this.#sums = sums
  }

  /** @returns a view into whole blocks: `start` of a number is a multiple of that number's bytes in the view too */
  read(section: Section, start: number, length: number): Uint8Array<ArrayBuffer> {
    if (start + length > section.bytes) throw new FileDamage('a list lies outside its section')
    const firstBlock = Math.floor(start / BLOCK_BYTES)
    const from = firstBlock * BLOCK_BYTES
    const to = Math.min(section.bytes, Math.ceil((start + length) / BLOCK_BYTES) * BLOCK_BYTES)
    const bytes = readBytes(this.#file, section.offset + from, Math.max(0, to - from))
    let block = section.block + firstBlock
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES, block += 1)
      if (this.#digest.crc32(bytes.subarray(at, at + BLOCK_BYTES)) !== this.#sums[block])
        throw new FileDamage('a block is damaged')
    return bytes.subarray(start - from, start - from + length)
  }
}

/** The bytes as numbers, in place. */
export function uint32s(bytes: Uint8Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  if (bytes.length % 4 !== 0) throw new FileDamage('a section has a broken number')
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

export function int32s(bytes: Uint8Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = uint32s(bytes)
  return new Int32Array(buffer, byteOffset, length)
}

export function float64s(bytes: Uint8Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  if (bytes.length % 8 !== 0) throw new FileDamage('a section has a broken number')
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8)
}
