import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Digest } from '../../src/ports.ts'

/** The real SHA-256: a fake one would let a test agree with a wrong constant. */
export const digest: Digest = {
  sha256: (data) => createHash('sha256').update(data).digest('hex'),
  sha256Bytes: (data) => createHash('sha256').update(data).digest(),
  crc32: (data) => crc32(data),
}
