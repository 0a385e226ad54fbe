/** Files for who may only look. */
import { MemoryError } from '../model/memory-error.ts'
import type { Files } from '../ports.ts'

/** The same files; whatever would change one throws `read_only`. */
export function readOnlyFiles(files: Files): Files {
  const refuse = (): never => {
    throw new MemoryError('read_only', 'the workspace is only looked at')
  }
  return {
    stat: (path) => files.stat(path),
    list: (path) => files.list(path),
    changed: (folder, names, signatures) => files.changed(folder, names, signatures),
    names: (path) => files.names(path),
    read: (path, options) => files.read(path, options),
    openRead: (path) => files.openRead(path),
    create: refuse,
    openAppend: refuse,
    rename: refuse,
    link: refuse,
    remove: refuse,
    makeFolder: refuse,
    removeFolder: refuse,
    syncFolder: refuse,
  }
}
