/** Files that a person names for import, wherever they lie. Reads only; links are followed. */
import { realpathSync } from 'node:fs'
import nodePath from 'node:path'
import { MemoryError } from '../model/memory-error.ts'
import type { OutsideFiles } from '../ports.ts'
import { errnoOf, fileFault } from './file-fault.ts'
import { readWhole } from './open-file.ts'

export const outsideFiles: OutsideFiles = {
  absolutePath: (path) => absolutePath(path),
  realPath,
  read(path, bytesMax) {
    refuseNul(path)
    try {
      return readWhole(path, true, bytesMax)
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR')
        throw new MemoryError('not_found', `there is no file ${path}; check the path`, { path, cause })
      throw fileFault('read', path, cause)
    }
  },
}

function realPath(path: string): string {
  const absolute = absolutePath(path)
  const end = absolute.lastIndexOf('/')
  try {
    return realpathSync.native(absolute).replaceAll(nodePath.sep, '/')
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT' && errnoOf(cause) !== 'ENOTDIR') throw fileFault('follow', absolute, cause)
    return end <= 0 ? absolute : `${realPath(absolute.slice(0, end)).replace(/\/$/, '')}${absolute.slice(end)}`
  }
}

/** With `/` between the parts, whatever the platform writes. A `\\` within a POSIX name stays. Throws `invalid_argument`. */
export function absolutePath(
  path: string,
  platform: Pick<typeof nodePath, 'resolve' | 'sep' | 'isAbsolute'> = nodePath,
): string {
  refuseNul(path)
  refuseStream(path)
  if (!platform.isAbsolute(path)) requireCurrentFolder()
  return platform.resolve(path).replaceAll(platform.sep, '/')
}

/** Of a deleted one Bun's `resolve` makes that of the program, which nobody has chosen. */
function requireCurrentFolder(): void {
  try {
    process.cwd()
  } catch (cause) {
    throw new MemoryError('not_found', 'the current folder is gone; go to another one, or give absolute paths', {
      cause,
    })
  }
}

function refuseStream(path: string): void {
  if (path !== '-') return
  throw new MemoryError(
    'invalid_argument',
    '- names no file: standard input is not read, and no file is written to standard output; name a file, or ./- for one that is called so',
  )
}

function refuseNul(path: string): void {
  if (!path.includes('\0')) return
  throw new MemoryError('invalid_argument', `the path ${JSON.stringify(path)} holds a NUL character; check the path`)
}
