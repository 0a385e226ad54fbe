/** Files for the one writer of a workspace. */
import type { Files } from '../ports.ts'

/** The same files; before each change `requireHeld` is asked whether it still is the one. */
export function heldFiles(files: Files, requireHeld: () => void): Files {
  const held =
    <A extends readonly unknown[], T>(change: (...args: A) => T) =>
    (...args: A): T => {
      requireHeld()
      return change(...args)
    }
  return {
    stat: (path) => files.stat(path),
    list: (path) => files.list(path),
    changed: (folder, names, signatures) => files.changed(folder, names, signatures),
    names: (path) => files.names(path),
    read: (path, options) => files.read(path, options),
    openRead: (path) => files.openRead(path),
    create: held((path, data, options) => files.create(path, data, options)),
    openAppend: held((path) => {
      const file = files.openAppend(path)
      return {
        get bytes() {
          return file.bytes
        },
        append: held((data) => file.append(data)),
        sync: () => file.sync(),
        truncate: held((bytes) => file.truncate(bytes)),
        [Symbol.dispose]: () => file[Symbol.dispose](),
      }
    }),
    rename: held((from, to) => files.rename(from, to)),
    link: held((from, to) => files.link(from, to)),
    remove: held((path) => files.remove(path)),
    makeFolder: held((path) => files.makeFolder(path)),
    removeFolder: held((path) => files.removeFolder(path)),
    syncFolder: (path) => files.syncFolder(path),
  }
}
