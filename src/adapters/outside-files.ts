/** Files that a person names for import, wherever they lie. Reads only; links are followed. */
import nodePath from 'node:path'
import { MemoryError } from '../model/memory-error.ts'
import type { OutsideFiles } from '../ports.ts'
import { errnoOf, fileFault } from './file-fault.ts'
import { readWhole } from './open-file.ts'

export const outsideFiles: OutsideFiles = {
  absolutePath: (path) => absolutePath(path),
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

/** With `/` between the parts, whatever the platform writes. A `\\` within a POSIX name stays. Throws `invalid_argument`. */
export function absolutePath(path: string, platform: Pick<typeof nodePath, 'resolve' | 'sep'> = nodePath): string {
  refuseNul(path)
  return platform.resolve(path).replaceAll(platform.sep, '/')
}

function refuseNul(path: string): void {
  if (!path.includes('\0')) return
  throw new MemoryError('invalid_argument', `the path ${JSON.stringify(path)} holds a NUL character; check the path`)
}
