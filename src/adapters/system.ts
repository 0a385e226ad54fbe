/** Digests of the machine. Its two modules take longer to load than all of a short command, so `main` imports this late. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Digest } from '../ports.ts'

export { openIds, systemClock } from './clock-and-ids.ts'

export const systemDigest: Digest = {
  sha256: (data) => createHash('sha256').update(data).digest('hex'),
  crc32: (data) => crc32(data),
}
