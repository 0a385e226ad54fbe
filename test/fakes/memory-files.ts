/**
 * A POSIX-like tree in memory behind the port `Files`: folders, files with several names, symbolic links. Everything is
 * visible at once, as to every process of one machine; `crash` shows what a power cut leaves of it.
 */
import { fileFault, tooLarge } from '../../src/adapters/file-fault.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { AppendFile, ChangedFile, FileStat, Files, FolderEntry, ReadFile } from '../../src/ports.ts'
import {
  copyOfTree,
  noteUnsynced,
  PendingChanges,
  randomFrom,
  treeAfterPowerCut,
  versionOf,
} from './memory-power-cut.ts'
import { type FileNode, type FolderNode, type Node, newFile, newFolder, newLink, resolve } from './memory-tree.ts'

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])

export interface MemoryFilesOptions {
  /** Milliseconds; called once per change. The default counts up by one. */
  readonly tick?: () => number
}

export class MemoryFiles implements Files {
  readonly #options: MemoryFilesOptions
  #pending = new PendingChanges()
  #root: FolderNode = newFolder(0)
  #ticks = 0

  constructor(options: MemoryFilesOptions = {}) {
    this.#options = options
  }

  // --- for tests -------------------------------------------------------------------------------------------------

  /**
   * What the machine holds after a power cut at this moment: a tree of its own, all of it on the disk. This one goes on
   * as if nothing had happened, so a sweep may ask at every step of one run, with many seeds. Costs one small object a
   * path; bytes are shared.
   * @param options.seed undefined: everything unsynced is lost. Any integer: what was not synced is there or not, whole,
   * cut off or full of NULs, the same for the same seed and history.
   */
  crash(options: { readonly seed?: number | undefined } = {}): MemoryFiles {
    const random = options.seed === undefined ? null : randomFrom(options.seed)
    const left = new MemoryFiles(this.#options)
    left.#ticks = this.#ticks
    left.#root = treeAfterPowerCut(this.#root, this.#pending, random)
    return left
  }

  /** What the next process finds when this one is killed at this moment; what a power cut would lose, it would lose then. */
  killed(): MemoryFiles {
    const left = new MemoryFiles(this.#options)
    left.#ticks = this.#ticks
    const { root, pending } = copyOfTree(this.#root, this.#pending)
    left.#root = root
    left.#pending = pending
    return left
  }

  /** Writes or replaces a file in place, making its folders. Long on the disk, as the work of another program. */
  write(path: string, content: string | Uint8Array): void {
    const data = typeof content === 'string' ? new TextEncoder().encode(content) : content.slice()
    this.#makeFoldersOf(path)
    const { parent, name, node } = this.#place('write', path, true)
    const file = node ?? newFile(this.#tick())
    if (file.kind !== 'file') throw this.#fault('write', path, 'EISDIR')
    if (node === null) this.#enter(parent, name, file)
    this.#change(file, data)
    this.#sync(file)
    this.#pending.settle(parent, name)
    this.#settleWay(path)
  }

  /** The file's UTF-8 text, links followed; throws when there is none. */
  text(path: string): string {
    const { node } = this.#place('read', path, true)
    if (node?.kind !== 'file') throw new Error(`no file ${path} in ${JSON.stringify(this.tree(), null, 2)}`)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(node.data)
  }

  /** Every path, sorted: folders end with `/`, links read `path -> target`. */
  tree(): readonly string[] {
    const paths: string[] = []
    const visit = (folder: FolderNode, at: string): void => {
      for (const [name, node] of folder.entries) {
        const path = `${at}/${name}`
        if (node.kind === 'folder') paths.push(`${path}/`)
        else paths.push(node.kind === 'link' ? `${path} -> ${node.target}` : path)
        if (node.kind === 'folder') visit(node, path)
      }
    }
    visit(this.#root, '')
    return paths.sort()
  }

  /** A symbolic link at `path`, making its folders; the target need not exist. Long on the disk. */
  linkTo(path: string, target: string): void {
    this.#makeFoldersOf(path)
    const { parent, name, node } = this.#place('link', path, false)
    if (node !== null) throw this.#fault('link', path, 'EEXIST')
    this.#enter(parent, name, newLink(this.#tick(), target))
    this.#settleWay(path)
  }

  // --- the port --------------------------------------------------------------------------------------------------

  stat(path: string): FileStat | null {
    const node = this.#find('look at', path, false)
    if (node === null) return null
    const bytes = node.kind === 'file' ? node.data.length : node.kind === 'link' ? node.target.length : 4096
    return { kind: node.kind, bytes, mtimeMs: node.mtimeMs, ctimeMs: node.ctimeMs, inode: node.inode, device: 1 }
  }

  changed(folder: string, names: readonly string[], signatures: Float64Array): readonly ChangedFile[] {
    return names.flatMap((name, place): readonly ChangedFile[] => {
      const found = this.stat(`${folder}/${name}`)
      const own = [found?.bytes, found?.mtimeMs, found?.ctimeMs, found?.inode]
      if (found?.kind !== 'file') return [{ place, stat: null }]
      return own.every((value, n) => value === signatures[place * 4 + n]) ? [] : [{ place, stat: found }]
    })
  }

  mayWrite(_path: string): boolean {
    return true
  }

  list(path: string): readonly FolderEntry[] | null {
    const node = this.#find('list', path, true)
    if (node?.kind !== 'folder') return null
    return [...node.entries]
      .map(([name, entry]) => ({ name, kind: entry.kind }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  names(path: string): readonly string[] | null {
    return this.list(path)?.map(({ name }) => name) ?? null
  }

  openRead(path: string): ReadFile | null {
    const node = this.#find('open', path, false)
    if (node === null) return null
    if (node.kind !== 'file') throw this.#fault('open', path, node.kind === 'link' ? 'ELOOP' : 'EISDIR')
    const { data } = node
    const part = (position: number, length: number): Uint8Array => {
      if (position + length > data.length) throw new MemoryError('io_failed', `${path} ends before`, { path })
      return data.subarray(position, position + length)
    }
    return {
      bytes: data.length,
      read: (position, length) => new Uint8Array(part(position, length)),
      readInto: (position, target) => target.set(part(position, target.length)),
      [Symbol.dispose]: () => {},
    }
  }

  read(path: string, options?: { readonly bytesMax?: number }): Uint8Array | null {
    const node = this.#find('read', path, false)
    if (node === null) return null
    if (node.kind !== 'file') throw this.#fault('read', path, node.kind === 'link' ? 'ELOOP' : 'EISDIR')
    const bytesMax = options?.bytesMax ?? Number.POSITIVE_INFINITY
    if (node.data.length > bytesMax) throw tooLarge(path, node.data.length, bytesMax)
    return node.data.slice()
  }

  create(path: string, data: Uint8Array, options?: { readonly sync?: boolean }): void {
    const { parent, name, node } = this.#place('create', path, false)
    if (node !== null) throw this.#fault('create', path, 'EEXIST')
    const file = newFile(this.#tick())
    this.#change(file, data.slice())
    if (options?.sync !== false) this.#sync(file)
    this.#enter(parent, name, file)
  }

  openAppend(path: string): AppendFile {
    const { parent, name, node } = this.#place('open', path, false)
    if (node?.kind === 'link') throw this.#fault('open', path, 'ELOOP')
    if (node?.kind === 'folder') throw this.#fault('open', path, 'EISDIR')
    const file = node ?? newFile(this.#tick())
    if (node === null) this.#enter(parent, name, file)
    let isOpen = true
    const requireOpen = (): void => {
      if (!isOpen) throw new MemoryError('io_failed', `${path} is closed; open it again`, { path })
    }
    return {
      get bytes() {
        return file.data.length
      },
      append: (data) => {
        requireOpen()
        const joined = new Uint8Array(file.data.length + data.length)
        joined.set(file.data)
        joined.set(data, file.data.length)
        this.#change(file, joined)
      },
      sync: () => {
        requireOpen()
        this.#sync(file)
      },
      truncate: (bytes) => {
        requireOpen()
        const shortened = new Uint8Array(bytes)
        shortened.set(file.data.subarray(0, bytes))
        this.#change(file, shortened)
      },
      [Symbol.dispose]: () => {
        isOpen = false
      },
    }
  }

  rename(from: string, to: string): void {
    const operation = `rename ${from} to`
    const source = this.#place(operation, from, false)
    const target = this.#place(operation, to, false)
    if (source.node === null) throw this.#fault(operation, to, 'ENOENT')
    if (source.node === target.node) return
    if (target.node?.kind === 'folder') {
      if (source.node.kind !== 'folder') throw this.#fault(operation, to, 'EISDIR')
      if (target.node.entries.size > 0) throw this.#fault(operation, to, 'ENOTEMPTY')
    } else if (target.node !== null && source.node.kind === 'folder') throw this.#fault(operation, to, 'ENOTDIR')
    source.parent.entries.delete(source.name)
    target.parent.entries.set(target.name, source.node)
    source.parent.mtimeMs = this.#tick()
    source.node.ctimeMs = this.#tick()
    target.parent.mtimeMs = source.node.ctimeMs
    this.#pending.add(
      { folder: source.parent, name: source.name, node: null },
      { folder: target.parent, name: target.name, node: source.node },
    )
  }

  link(from: string, to: string): boolean {
    const operation = `link ${from} to`
    const source = this.#place(operation, from, false)
    const target = this.#place(operation, to, false)
    if (source.node === null) throw this.#fault(operation, to, 'ENOENT')
    if (source.node.kind === 'folder') throw this.#fault(operation, to, 'EPERM')
    if (target.node !== null) return false
    this.#enter(target.parent, target.name, source.node)
    return true
  }

  remove(path: string): void {
    const node = this.#find('remove', path, false)
    if (node === null) return
    if (node.kind === 'folder') throw this.#fault('remove', path, 'EISDIR')
    const { parent, name } = this.#place('remove', path, false)
    parent.entries.delete(name)
    parent.mtimeMs = this.#tick()
    node.ctimeMs = parent.mtimeMs
    this.#pending.add({ folder: parent, name, node: null })
  }

  makeFolder(path: string): void {
    if (this.#find('make the folder', path, true)?.kind === 'folder') return
    const { parent, name, node } = this.#place('make the folder', path, false)
    if (node !== null) throw this.#fault('make the folder', path, 'ENOTDIR')
    this.#enter(parent, name, newFolder(this.#tick()))
  }

  removeFolder(path: string): void {
    const { parent, name, node } = this.#place('remove the folder', path, false)
    if (node === null) return
    if (node.kind !== 'folder') throw this.#fault('remove the folder', path, 'ENOTDIR')
    if (node.entries.size > 0) throw this.#fault('remove the folder', path, 'ENOTEMPTY')
    parent.entries.delete(name)
    parent.mtimeMs = this.#tick()
    this.#pending.add({ folder: parent, name, node: null })
  }

  syncFolder(path: string): void {
    const node = this.#find('sync the folder', path, true)
    if (node === null) throw this.#fault('sync the folder', path, 'ENOENT')
    if (node.kind === 'folder') this.#pending.settle(node)
  }

  #makeFoldersOf(path: string): void {
    for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) this.makeFolder(path.slice(0, at))
  }

  #place(operation: string, path: string, followLast: boolean) {
    try {
      return resolve(this.#root, path, followLast)
    } catch (cause) {
      throw fileFault(operation, path, cause)
    }
  }

  #find(operation: string, path: string, followLast: boolean): Node | null {
    try {
      return resolve(this.#root, path, followLast).node
    } catch (cause) {
      if (isMissing(cause)) return null
      throw fileFault(operation, path, cause)
    }
  }

  #enter(parent: FolderNode, name: string, node: Node): void {
    parent.entries.set(name, node)
    node.ctimeMs = this.#tick()
    parent.mtimeMs = node.ctimeMs
    this.#pending.add({ folder: parent, name, node })
  }

  #change(file: FileNode, data: Uint8Array): void {
    file.data = data
    file.mtimeMs = this.#tick()
    file.ctimeMs = file.mtimeMs
    noteUnsynced(file)
  }

  #sync(file: FileNode): void {
    file.versions = [versionOf(file)]
  }

  /** Puts `path` and every folder on the way to it on the disk. */
  #settleWay(path: string): void {
    for (let end = path.indexOf('/', 1); end !== -1; end = path.indexOf('/', end + 1))
      this.#settle(path.slice(0, end), true)
    this.#settle(path, false)
  }

  #settle(path: string, followLast: boolean): void {
    const { parent, name } = this.#place('sync', path, followLast)
    this.#pending.settle(parent, name)
  }

  #tick(): number {
    this.#ticks += 1
    return this.#options.tick?.() ?? this.#ticks
  }

  #fault(operation: string, path: string, errno: string): MemoryError {
    return fileFault(operation, path, Object.assign(new Error(errno), { code: errno }))
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && MISSING.has(error.code)
}
