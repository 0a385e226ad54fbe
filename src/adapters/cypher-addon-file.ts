/**
 * The engine's native part that the program brings with it. In a compiled program another text stands in place of this
 * file: where the packed addon lies inside, or null when it was built without. From the sources it is the package's own.
 */
import { createRequire } from 'node:module'
import process from 'node:process'

export interface PackedAddon {
  /** Of the file, packed by zstd. */
  readonly packedPath: string
  /** Of the addon itself. */
  readonly sha256: string
}

/** What there is: a packed addon, a path to one that lies open, or null. */
export function cypherAddonFile(): PackedAddon | string | null {
  try {
    const { resolve } = createRequire(import.meta.resolve('@ladybugdb/core'))
    return resolve(`@ladybugdb/core-${process.platform}-${process.arch}/lbugjs.node`)
  } catch {
    // No package for this platform.
    return null
  }
}
