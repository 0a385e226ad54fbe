/** Files that a person names for import, wherever they lie. Reads only; links are followed. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { MemoryError } from '../model/memory-error.ts'
import type { OutsideFiles } from '../ports.ts'
import { errnoOf, fileFault } from './file-fault.ts'
import { readWhole } from './open-file.ts'

export const outsideFiles: OutsideFiles = {
  absolutePath: (path) => resolve(path),
  read(path, bytesMax) {
    try {
      return readWhole(path, true, bytesMax)
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR')
        throw new MemoryError('not_found', `there is no file ${path}; check the path`, { path, cause })
      throw fileFault('read', path, cause)
    }
  },
  exists: (path) => existsSync(path),
}
