/** Any `Files`, with somebody told before each call: who counts, takes a snapshot, or throws a fault in its place. */
import type { AppendFile, Files, ReadFile } from '../../src/ports.ts'

export interface FileCall {
  readonly name: keyof Files | keyof AppendFile
  readonly path: string
  /** Whether the disk is another afterwards, or may lose less. */
  readonly changes: boolean
}

type Watcher = (call: FileCall) => void

export function watchedFiles(files: Files, watcher: Watcher): Files {
  const told = (name: FileCall['name'], path: string, changes: boolean) => watcher({ name, path, changes })
  const looked =
    <K extends 'stat' | 'mayWrite' | 'list' | 'names' | 'read' | 'changed'>(name: K) =>
    (...args: Parameters<Files[K]>): ReturnType<Files[K]> => {
      told(name, args[0], false)
      return (files[name] as (...all: Parameters<Files[K]>) => ReturnType<Files[K]>)(...args)
    }
  const changed =
    <K extends 'create' | 'rename' | 'link' | 'remove' | 'makeFolder' | 'removeFolder' | 'syncFolder'>(name: K) =>
    (...args: Parameters<Files[K]>): ReturnType<Files[K]> => {
      told(name, args[0], true)
      return (files[name] as (...all: Parameters<Files[K]>) => ReturnType<Files[K]>)(...args)
    }
  return {
    stat: looked('stat'),
    mayWrite: looked('mayWrite'),
    list: looked('list'),
    names: looked('names'),
    read: looked('read'),
    changed: looked('changed'),
    openRead: (path) => {
      told('openRead', path, false)
      const opened = files.openRead(path)
      return opened === null ? null : watchedReading(opened, path, watcher)
    },
    openAppend: (path) => {
      told('openAppend', path, true)
      return watchedAppending(files.openAppend(path), path, watcher)
    },
    create: changed('create'),
    rename: changed('rename'),
    link: changed('link'),
    remove: changed('remove'),
    makeFolder: changed('makeFolder'),
    removeFolder: changed('removeFolder'),
    syncFolder: changed('syncFolder'),
  }
}

function watchedReading(file: ReadFile, path: string, watcher: Watcher): ReadFile {
  const told = () => watcher({ name: 'read', path, changes: false })
  return {
    bytes: file.bytes,
    read: (position, length) => {
      told()
      return file.read(position, length)
    },
    readInto: (position, target) => {
      told()
      file.readInto(position, target)
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }
}

function watchedAppending(file: AppendFile, path: string, watcher: Watcher): AppendFile {
  const told = (name: keyof AppendFile) => watcher({ name, path, changes: true })
  return {
    get bytes() {
      return file.bytes
    },
    append: (data) => {
      told('append')
      file.append(data)
    },
    sync: () => {
      told('sync')
      file.sync()
    },
    truncate: (bytes) => {
      told('truncate')
      file.truncate(bytes)
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }
}
