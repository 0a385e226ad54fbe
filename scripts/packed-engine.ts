/** The Cypher engine's native file, packed for a program that is compiled. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import type { PackedAddon } from '../src/adapters/cypher-addon-file.ts'

/** Smaller by a tenth than the fastest. Beyond it each percent costs seconds. */
const LEVEL = 9

/** In a new folder. Null where npm has not installed it for the platform. @param target such as `linux-x64` */
export function packedEngine(target = `${process.platform}-${process.arch}`): PackedAddon | null {
  const path = enginePath(target)
  if (path === null) return null
  const addon = readFileSync(path)
  const packedPath = join(mkdtempSync(join(tmpdir(), 'knowhow-packed-')), 'cypher-engine.zst')
  writeFileSync(packedPath, zstdCompressSync(addon, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } }))
  return { packedPath, sha256: createHash('sha256').update(addon).digest('hex') }
}

/** Packages of platforms are the engine's own, and lie where it finds them. */
function enginePath(target: string): string | null {
  try {
    const { resolve } = createRequire(import.meta.resolve('@ladybugdb/core'))
    return resolve(`@ladybugdb/core-${target}/lbugjs.node`)
  } catch {
    return null
  }
}
