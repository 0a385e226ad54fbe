/**
 * A lock that the operating system frees with its process: an SQLite file held by an exclusive transaction.
 * The file stays empty. While the lock is held nothing in this process may open and close that file by other means:
 * POSIX drops every lock of a process on a file when any of its descriptors is closed.
 */
import { accessSync, constants, lstatSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type ErrorCode, MemoryError } from '../model/memory-error.ts'
import type { Lock } from '../ports.ts'
import { fileFault } from './file-fault.ts'
import { isRunning } from './running-process.ts'
import { primaryCode, SQLITE } from './sqlite-code.ts'

// A connection that nothing references is closed by garbage collection, and its lock with it.
const held = new Set<DatabaseSync>()

export const sqliteLock: Lock = { acquire, isRunning, pause }

function acquire(path: string): Disposable | null {
  const isThere = refuseOtherKinds(path)
  let database: DatabaseSync | null = null
  try {
    // Of a file that it may only read SQLite grants two "exclusive" transactions at once.
    if (isThere) accessSync(path, constants.R_OK | constants.W_OK)
    database = new DatabaseSync(path)
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    database?.close()
    if (primaryCode(cause) === SQLITE.busy) return null
    throw lockFault(path, cause)
  }
  held.add(database)
  return new HeldLock(database)
}

/** The one wait of Bun, Deno and Node that needs no event loop and no processor: nothing ever wakes it. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms)
}

/** SQLite follows a link, and makes the file it leads to. @returns whether the file is there */
function refuseOtherKinds(path: string): boolean {
  const found = kindAt(path)
  if (found === 'missing' || found === 'file') return found === 'file'
  if (found === 'link')
    throw new MemoryError('path_outside', `${path} is a symbolic link, which is not followed; move it away`, { path })
  throw new MemoryError('not_a_file', `cannot lock ${path}: it is no ordinary file; move it away`, { path })
}

function kindAt(path: string): 'missing' | 'file' | 'link' | 'other' {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return 'missing'
    if (found.isFile()) return 'file'
    return found.isSymbolicLink() ? 'link' : 'other'
  } catch (cause) {
    throw fileFault('lock', path, cause)
  }
}

class HeldLock implements Disposable {
  #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  [Symbol.dispose](): void {
    if (held.delete(this.#database)) this.#database.close()
  }
}

/** SQLite's words speak of a database, of which nobody knows. */
export function lockFault(path: string, cause: unknown): MemoryError {
  const fault = (code: ErrorCode, words: string): MemoryError => new MemoryError(code, words, { path, cause })
  switch (primaryCode(cause)) {
    case null:
      return fileFault('lock', path, cause)
    case SQLITE.notADatabase:
      return fault('io_failed', `${path} is not a lock file of this program; move it away and run it again`)
    case SQLITE.full:
      return fault('disk_full', `cannot lock ${path}: the disk is full; make room and run it again`)
    // The file itself was found to be writable before.
    case SQLITE.readOnly:
      return fault(
        'io_failed',
        `cannot lock ${path}: its folder cannot be written; check the folder's owner and mode, and that its disk is not read-only`,
      )
    case SQLITE.cannotOpen:
      return fault(
        'io_failed',
        `cannot lock ${path}: it cannot be made or opened; check that its folder is there and can be written`,
      )
    default: {
      const reason = cause instanceof Error ? cause.message : String(cause)
      return fault('io_failed', `cannot lock ${path}: ${reason}; check that its folder can be written`)
    }
  }
}
