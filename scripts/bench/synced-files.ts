/** The files of the disk, and how often one or a folder was forced onto it. */
import { diskFiles } from '../../src/adapters/disk-files.ts'
import type { AppendFile, Files } from '../../src/ports.ts'

export interface SyncedFiles {
  readonly files: Files
  /** Calls so far. */
  readonly syncCount: number
}

export function syncedFiles(): SyncedFiles {
  let syncCount = 0
  const note = () => {
    syncCount += 1
  }
  const files: Files = {
    ...diskFiles,
    create: (path, data, options) => {
      if (options?.sync !== false) note()
      diskFiles.create(path, data, options)
    },
    openAppend: (path) => notedAppend(diskFiles.openAppend(path), note),
    syncFolder: (path) => {
      note()
      diskFiles.syncFolder(path)
    },
  }
  return {
    files,
    get syncCount() {
      return syncCount
    },
  }
}

function notedAppend(file: AppendFile, note: () => void): AppendFile {
  return {
    get bytes() {
      return file.bytes
    },
    append: (data) => file.append(data),
    sync: () => {
      note()
      file.sync()
    },
    truncate: (bytes) => file.truncate(bytes),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }
}
