/** The port `PrivateLines` on the disk: one line one write, and a lock for who makes the file shorter. */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import nodePath from 'node:path'
import process from 'node:process'
import { MemoryError } from '../model/memory-error.ts'
import type { PrivateLines } from '../ports/private-lines.ts'
import { errnoOf, fileFault } from './file-fault.ts'
import { sqliteLock } from './sqlite-lock.ts'

const OWNER_ALONE = 0o600
const OWNER_ALONE_FOLDER = 0o700
const OTHERS = 0o077
const FILE_BYTES_MAX = 16 * 1024 * 1024
const LOCK_TRIES = 200
const LOCK_PAUSE_MS = 5
// Zero where a platform has no such flag (Windows).
const SAFE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export const privateLines: PrivateLines = { read, append }

function read(path: string, linesMax: number): readonly string[] {
  const text = textIn(path)
  return text === null ? [] : linesIn(text).slice(-linesMax)
}

function append(path: string, line: string, linesMax: number): void {
  const folder = nodePath.dirname(path)
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined)
      mkdirSync(folder, { recursive: true, mode: OWNER_ALONE_FOLDER })
    closeToOthers(folder)
    // Who makes the file shorter writes another in its place: a line that came in between would be lost.
    using _lock = lockBeside(path)
    appendLine(path, line)
    shorten(path, linesMax)
  } catch (cause) {
    throw linesFault('write', path, cause)
  }
}

function closeToOthers(folder: string): void {
  const found = lstatSync(folder)
  if (!found.isDirectory())
    throw new MemoryError('not_a_file', `${folder} is a symbolic link or a file; it must be a folder of its own`)
  if (process.platform !== 'win32' && (found.mode & OTHERS) !== 0) chmodSync(folder, OWNER_ALONE_FOLDER)
}

function lockBeside(path: string): Disposable {
  for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
    const lock = sqliteLock.acquire(`${path}.lock`)
    if (lock !== null) return lock
    sqliteLock.pause(LOCK_PAUSE_MS)
  }
  throw new MemoryError('io_failed', `cannot write ${path}: another process holds ${path}.lock`)
}

function appendLine(path: string, line: string): void {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | SAFE_FLAGS
  const descriptor = openSync(path, flags, OWNER_ALONE)
  try {
    requireOwn(path, descriptor)
    const bytes = new TextEncoder().encode(`${line}\n`)
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
  } finally {
    closeSync(descriptor)
  }
}

function shorten(path: string, linesMax: number): void {
  const lines = linesIn(textIn(path) ?? '')
  if (lines.length <= linesMax) return
  // Whoever has the lock is the only one; what lies there is of a process that was killed.
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, `${lines.slice(-linesMax).join('\n')}\n`, { flag: 'wx', mode: OWNER_ALONE })
  renameSync(temporary, path)
}

/** Null where there is none. */
function textIn(path: string): string | null {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | SAFE_FLAGS)
    try {
      requireOwn(path, descriptor)
      return readFileSync(descriptor, 'utf8')
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR') return null
    throw linesFault('read', path, cause)
  }
}

function requireOwn(path: string, descriptor: number): void {
  const found = fstatSync(descriptor)
  if (!found.isFile() || found.size > FILE_BYTES_MAX)
    throw new MemoryError('not_a_file', `${path} is no ordinary file of at most ${FILE_BYTES_MAX} bytes`)
  if (process.platform !== 'win32' && (found.mode & OTHERS) !== 0) fchmodSync(descriptor, OWNER_ALONE)
}

function linesIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}

function linesFault(operation: string, path: string, cause: unknown): MemoryError {
  if (errnoOf(cause) !== 'ELOOP') return fileFault(operation, path, cause)
  return new MemoryError('not_a_file', `${path} is a symbolic link, which is not followed; move it away`, { cause })
}
