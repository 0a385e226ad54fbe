/**
 * Compiled tokenizers in the cache folder of whoever runs the program, by the SHA-256 of their tokenizer.json. Not in the
 * workspace: one that came from someone else could bring a file that counts wrongly under an honest name, which no
 * checksum tells. For the same reason a file that others may write is not read.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import nodePath from 'node:path'
import process from 'node:process'
import type { ByteLevelBpe } from './byte-level-bpe.ts'
import { packBpe, unpackBpe } from './compiled-bpe.ts'
import { removeLeftovers } from './leftovers.ts'

const FILE_BYTES_MAX = 128 * 1024 * 1024
const OWNER_ALONE = 0o600
const OWNER_ALONE_FOLDER = 0o700
const OTHERS_WRITE = 0o022
const TEMPORARY = /\.[0-9a-f-]{36}\.incomplete$/
// Zero where a platform has no such flag (Windows).
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

type Environment = Readonly<Record<string, string | undefined>>

/** Null where the environment names neither a cache nor a home. */
export function compiledFolder(environment: Environment, platform: NodeJS.Platform = process.platform): string | null {
  const path = platform === 'win32' ? nodePath.win32 : nodePath.posix
  const home = platform === 'win32' ? environment.USERPROFILE : environment.HOME
  const set = platform === 'win32' ? environment.LOCALAPPDATA : environment.XDG_CACHE_HOME
  const caches = set || (home ? path.join(home, '.cache') : '')
  // Relative to where somebody happens to stand would be into whatever lies there.
  return path.isAbsolute(caches) ? path.join(caches, 'knowhow', 'tokenizers') : null
}

/** Null when none is there, or one that is of no use. Never throws. */
export function cachedBpe(folder: string, sha256: string): ByteLevelBpe | null {
  try {
    const bytes = ownBytes(pathIn(folder, sha256))
    return bytes === null ? null : unpackBpe(bytes, sha256)
  } catch {
    // Missing, a link, unreadable, no JSON: it is made anew.
    return null
  }
}

/** By one atomic step, without a sync: what a power cut leaves of it has no valid checksum. Never throws. */
export function cacheBpe(folder: string, sha256: string, bpe: ByteLevelBpe, nowMs: number): void {
  const temporary = `${pathIn(folder, sha256)}.${crypto.randomUUID()}.incomplete`
  try {
    mkdirSync(folder, { recursive: true, mode: OWNER_ALONE_FOLDER })
    removeLeftovers(folder, TEMPORARY, nowMs)
    try {
      writeFileSync(temporary, packBpe(bpe, sha256), { mode: OWNER_ALONE, flag: 'wx' })
      renameSync(temporary, pathIn(folder, sha256))
    } finally {
      // Missing after the step, there after a fault.
      rmSync(temporary, { force: true })
    }
  } catch {
    // Read-only, full or another user's: the next run does the work again, and this one has what it needs.
  }
}

function pathIn(folder: string, sha256: string): string {
  return `${folder}/${sha256}.bpe`
}

/** Null for a file of someone else, or that others may write. */
function ownBytes(path: string): Uint8Array | null {
  const file = openSync(path, READ_FLAGS)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile() || stat.size > FILE_BYTES_MAX) return null
    const userId = process.getuid?.()
    if (userId !== undefined && (stat.uid !== userId || (stat.mode & OTHERS_WRITE) !== 0)) return null
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}
