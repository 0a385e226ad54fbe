/** The port `Files` on the operating system's own calls. Knows errnos and platforms; knows no layout. */
import {
  accessSync,
  closeSync,
  constants,
  type Dirent,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { MemoryError } from '../model/memory-error.ts'
import type { ChangedFile, FileKind, FileStat, Files, FolderEntry } from '../ports.ts'
import { DiskAppendFile } from './append-file.ts'
import { errnoOf, fileFault } from './file-fault.ts'
import { READ_BYTES_MAX, readWhole } from './open-file.ts'
import { DiskReadFile } from './read-file.ts'

const onWindows = process.platform === 'win32'

// A scanner or an indexer holds a new file open for moments; libuv and npm wait alike.
const RENAME_RETRY_MS = 2_000
const RENAME_RETRY_DELAY_MS = 20
const RENAME_RETRIED: ReadonlySet<string> = new Set(['EPERM', 'EBUSY', 'EACCES'])

const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR'])
const NO_HARD_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'])
const NO_FOLDER_SYNC: ReadonlySet<string> = new Set(
  onWindows ? ['EPERM', 'EISDIR', 'EACCES', 'EBADF', 'EINVAL'] : ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'],
)

export const diskFiles: Files = {
  stat,
  changed,
  mayWrite,
  list,
  names: (path) => attempt('list', path, () => readdirSync(path)),
  read: (path, options) => attempt('read', path, () => readWhole(path, false, options?.bytesMax ?? READ_BYTES_MAX)),
  openRead: (path) => attempt('open', path, () => new DiskReadFile(path)),
  create,
  openAppend: (path) => new DiskAppendFile(path),
  rename,
  link,
  remove,
  makeFolder,
  removeFolder: (path) => void attempt('remove the folder', path, () => rmdirSync(path)),
  syncFolder,
}

function stat(path: string): FileStat | null {
  return attempt('look at', path, () => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found === undefined ? null : fileStatOf(found)
  })
}

function fileStatOf(found: Stats): FileStat {
  return {
    kind: kindOf(found),
    bytes: found.size,
    mtimeMs: found.mtimeMs,
    ctimeMs: found.ctimeMs,
    inode: found.ino,
    device: found.dev,
  }
}

function changed(folder: string, names: readonly string[], signatures: Float64Array): readonly ChangedFile[] {
  const changes: ChangedFile[] = []
  for (let at = 0, value = 0; at < names.length; at += 1, value += 4) {
    const found = regularFile(`${folder}/${names[at]}`)
    const isSame =
      found !== null &&
      found.size === signatures[value] &&
      found.mtimeMs === signatures[value + 1] &&
      found.ctimeMs === signatures[value + 2] &&
      found.ino === signatures[value + 3]
    if (!isSame) changes.push({ place: at, stat: found === null ? null : fileStatOf(found) })
  }
  return changes
}

function regularFile(path: string): Stats | null {
  try {
    // Without options, whose reading is a tenth of the whole; hardly ever a file is missing.
    const found = lstatSync(path)
    return found.isFile() ? found : null
  } catch {
    // Whoever needs the file asks for it alone, and is told why it cannot be had.
    return null
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function list(path: string): readonly FolderEntry[] | null {
  const entries = attempt('list', path, () => readdirSync(path, { withFileTypes: true }))
  if (entries === null) return null
  return entries.map((entry) => ({ name: entry.name, kind: entryKind(path, entry) })).sort(byName)
}

function create(path: string, data: Uint8Array, options?: { readonly sync?: boolean }): void {
  let descriptor: number
  try {
    descriptor = openSync(path, 'wx', 0o666)
  } catch (cause) {
    throw fileFault('create', path, cause)
  }
  try {
    try {
      for (let written = 0; written < data.length; )
        written += writeSync(descriptor, data, written, data.length - written)
      if (options?.sync !== false) fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    discard(path)
    throw fileFault('write', path, cause)
  }
}

function discard(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // The fault that spoilt the file is the one to report; the next writer cleans leftovers.
  }
}

function rename(from: string, to: string): void {
  const deadline = performance.now() + RENAME_RETRY_MS
  for (;;) {
    try {
      renameSync(from, to)
      return
    } catch (cause) {
      const isBusy = onWindows && RENAME_RETRIED.has(errnoOf(cause)) && performance.now() < deadline
      if (!isBusy) throw fileFault(`rename ${from} to`, to, cause)
      pause(RENAME_RETRY_DELAY_MS)
    }
  }
}

/**
 * Where the file system has no hard links, `from` is renamed instead when `to` is free: then `from` is gone, and
 * two writers could both find `to` free. The workspace lock keeps the second one out.
 */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return false
    if (!NO_HARD_LINKS.has(errnoOf(cause))) throw fileFault(`link ${from} to`, to, cause)
  }
  if (stat(to) !== null) return false
  rename(from, to)
  return true
}

function remove(path: string): void {
  // Asked beforehand: Deno's `unlinkSync` removes an empty folder, macOS says EPERM of one and Linux EISDIR.
  if (stat(path)?.kind === 'folder')
    throw new MemoryError('not_a_file', `cannot remove ${path}: it is a folder; name a file`, { path })
  attempt('remove', path, () => unlinkSync(path))
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (cause) {
    if (errnoOf(cause) !== 'EEXIST') throw fileFault('make the folder', path, cause)
    // A link to a folder serves as one; confinement looks at its real path.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
    throw new MemoryError('not_a_file', `${path} exists and is not a folder; move it away`, { path, cause })
  }
}

function syncFolder(path: string): void {
  let descriptor: number | null = null
  try {
    descriptor = openSync(path, constants.O_RDONLY)
    fsyncSync(descriptor)
  } catch (cause) {
    if (!NO_FOLDER_SYNC.has(errnoOf(cause))) throw fileFault('sync the folder', path, cause)
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

/** null when something on the path is missing; any other fault as a MemoryError. */
function attempt<T>(operation: string, path: string, call: () => T): T | null {
  try {
    return call()
  } catch (cause) {
    if (MISSING.has(errnoOf(cause))) return null
    throw fileFault(operation, path, cause)
  }
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileKind {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

function entryKind(folder: string, entry: Dirent): FileKind {
  const kind = kindOf(entry)
  // Some file systems give no kind in a listing.
  return kind === 'other' ? (stat(`${folder}/${entry.name}`)?.kind ?? kind) : kind
}

function byName(a: FolderEntry, b: FolderEntry): number {
  return a.name < b.name ? -1 : 1
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
