/** Digests by Node's modules, which every runtime has. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Digest } from '../ports.ts'

export const nodeDigest: Digest = {
  sha256: (data) => createHash('sha256').update(data).digest('hex'),
  sha256Bytes: (data) => createHash('sha256').update(data).digest(),
  crc32: (data) => crc32(data),
}
