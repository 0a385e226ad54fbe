/**
 * What an errno of the operating system means to a person: one code, one sentence, one next step. The step is safe
 * whatever the file is, someone's own work included: nothing is to be removed that was not looked at.
 */
import { type ErrorCode, MemoryError } from '../model/memory-error.ts'

interface Meaning {
  readonly code: ErrorCode
  readonly what: string
  readonly next: string
}

/** Of one that is too long. */
const PATH_UNITS_SHOWN = 100

const DISK_FULL: Meaning = { code: 'disk_full', what: 'the disk is full', next: 'free space and run it again' }
const DENIED: Meaning = {
  code: 'permission_denied',
  what: 'permission denied',
  next: 'check the owner and mode of it and of its folder',
}
const NOT_A_FILE: Meaning = {
  code: 'not_a_file',
  what: 'it is not an ordinary file in an ordinary folder',
  next: 'move it away, or name a regular file',
}

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOSPC: DISK_FULL,
  EDQUOT: { ...DISK_FULL, what: 'the disk quota is used up' },
  EFBIG: { ...DISK_FULL, what: 'it would be larger than a file may be', next: 'use another disk or raise ulimit -f' },
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: { code: 'read_only', what: 'the file system is read-only', next: 'use a folder that can be written' },
  EISDIR: { ...NOT_A_FILE, what: 'it is a folder' },
  ENOTDIR: { ...NOT_A_FILE, what: 'a part of its path is not a folder', next: 'check the path' },
  ELOOP: { ...NOT_A_FILE, what: 'its symbolic links lead in a circle', next: 'check where each of them leads' },
  ENXIO: NOT_A_FILE,
  EEXIST: {
    code: 'io_failed',
    what: 'it exists already',
    next: 'run it again; if it stays, look at it and move it away',
  },
  ENOTEMPTY: { code: 'io_failed', what: 'a folder that is not empty is in its place', next: 'move that folder away' },
  ENOENT: { code: 'io_failed', what: 'it or its folder is missing', next: 'check the path and run it again' },
  EBUSY: { code: 'io_failed', what: 'another program holds it', next: 'end that program and run it again' },
  ENFILE: { code: 'io_failed', what: 'too many files are open', next: 'end other programs and run it again' },
  EMFILE: { code: 'io_failed', what: 'too many files are open', next: 'raise the limit (ulimit -n)' },
  ENAMETOOLONG: { code: 'invalid_name', what: 'the name is too long', next: 'choose a shorter one' },
}

const UNKNOWN: Meaning = {
  code: 'io_failed',
  what: 'input or output failed',
  next: 'check the disk and run it again',
}

/** The errno name of a failed system call, such as `ENOENT`; '' for anything else. */
export function errnoOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** @param operation a verb for the message: "cannot <operation> <path>: …" */
export function fileFault(operation: string, path: string, cause: unknown): MemoryError {
  if (cause instanceof MemoryError) return cause
  const errno = errnoOf(cause)
  const { code, what, next } = MEANINGS[errno] ?? UNKNOWN
  const sign = errno === '' ? '' : ` (${errno})`
  const shown = errno === 'ENAMETOOLONG' ? beginningOf(path) : path
  return new MemoryError(code, `cannot ${operation} ${shown}: ${what}${sign}; ${next}`, { path, errno, cause })
}

/** Of a path that is longer than anybody reads. */
function beginningOf(path: string): string {
  return path.length <= PATH_UNITS_SHOWN ? path : `${path.slice(0, PATH_UNITS_SHOWN).toWellFormed()}…`
}

export function tooLarge(path: string, bytes: number, bytesMax: number): MemoryError {
  return new MemoryError(
    'file_too_large',
    `${path} has ${bytes} bytes, more than the ${bytesMax} allowed; split it or raise max_file_bytes`,
    { path, bytes, bytesMax },
  )
}
