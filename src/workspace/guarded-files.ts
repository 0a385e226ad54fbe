/** Files of which each change is asked for first. */
import { MemoryError } from '../model/memory-error.ts'
import type { Files } from '../ports.ts'

/** The same files, for who may only look: whatever would change one throws `read_only`. */
export function readOnlyFiles(files: Files): Files {
  return guardedFiles(files, () => {
    throw new MemoryError('read_only', 'the workspace is only looked at')
  })
}

/** @param requireAllowed throws before a change that is not to be made */
export function guardedFiles(files: Files, requireAllowed: () => void): Files {
  const guarded =
    <A extends readonly unknown[], T>(change: (...args: A) => T) =>
    (...args: A): T => {
      requireAllowed()
      return change(...args)
    }
  return {
    stat: (path) => files.stat(path),
    mayWrite: (path) => files.mayWrite(path),
    list: (path) => files.list(path),
    changed: (folder, names, signatures) => files.changed(folder, names, signatures),
    names: (path) => files.names(path),
    read: (path, options) => files.read(path, options),
    openRead: (path) => files.openRead(path),
    create: guarded((path, data, options) => files.create(path, data, options)),
    openAppend: guarded((path) => {
      const file = files.openAppend(path)
      return {
        get bytes() {
          return file.bytes
        },
        append: guarded((data) => file.append(data)),
        sync: () => file.sync(),
        truncate: guarded((bytes) => file.truncate(bytes)),
        [Symbol.dispose]: () => file[Symbol.dispose](),
      }
    }),
    rename: guarded((from, to) => files.rename(from, to)),
    link: guarded((from, to) => files.link(from, to)),
    remove: guarded((path) => files.remove(path)),
    makeFolder: guarded((path) => files.makeFolder(path)),
    removeFolder: guarded((path) => files.removeFolder(path)),
    syncFolder: (path) => files.syncFolder(path),
  }
}
