/** How every file of the index ends: a JSON footer, then its length and CRC-32 (uint32, little-endian), then a magic. */
import type { Digest, ReadFile } from '../ports.ts'
import { FileDamage, OtherVersion, readBytes } from './checked-file.ts'

const TAIL_BYTES = 16

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** @param magic 8 ASCII characters */
export function footerBytes(footer: unknown, magic: string, digest: Digest): Uint8Array<ArrayBuffer> {
  const text = encoder.encode(JSON.stringify(footer))
  const bytes = new Uint8Array(text.length + TAIL_BYTES)
  bytes.set(text)
  const tail = new DataView(bytes.buffer, text.length)
  tail.setUint32(0, text.length, true)
  tail.setUint32(4, digest.crc32(text), true)
  bytes.set(encoder.encode(magic), text.length + 8)
  return bytes
}

/** Throws `FileDamage` when it is not whole, not of this kind, or of another version. @returns where it starts, too */
export function readFooter<T>(
  file: ReadFile,
  digest: Digest,
  { magic, isFooter }: { readonly magic: string; readonly isFooter: (value: unknown) => value is T },
): { readonly footer: T; readonly start: number } {
  if (file.bytes < TAIL_BYTES) throw new FileDamage('the file is too short')
  const tail = readBytes(file, file.bytes - TAIL_BYTES, TAIL_BYTES)
  const numbers = new DataView(tail.buffer, tail.byteOffset)
  const length = numbers.getUint32(0, true)
  const start = file.bytes - TAIL_BYTES - length
  if (decoder.decode(tail.subarray(8)) !== magic || start < 0) throw new FileDamage('the file has no whole footer')
  const bytes = readBytes(file, start, length)
  if (digest.crc32(bytes) !== numbers.getUint32(4, true)) throw new FileDamage('the footer is damaged')
  const footer = parsedJson(bytes)
  if (!isFooter(footer)) throw new OtherVersion('the footer is of another version')
  return { footer, start }
}

/** Throws `FileDamage`. */
export function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch (cause) {
    throw new FileDamage('a part of the file is no JSON', { cause })
  }
}
