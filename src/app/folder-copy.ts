/** A folder that is filled beside its place and then put there whole, or not at all. */
import { MemoryError } from '../model/memory-error.ts'
import type { Files, Ids } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { folderOf, type Processes, removeOutsideLeftovers } from '../workspace/publication.ts'
import type { DamagedLog } from '../workspace/request-log.ts'
import { isTemporary, ownedTemporaryName, ownerOfTemporary } from '../workspace/temporary-name.ts'

const CHUNK_BYTES = 8 * 2 ** 20
/** How often a folder is looked into for what came meanwhile. */
const LISTINGS_MAX = 4

export class FolderCopy implements Disposable {
  readonly #files: Files
  readonly #target: string
  /** Absolute, while it is filled. */
  readonly root: string
  /** Absolute, in the order of making: the root first. */
  readonly #made: string[] = []
  readonly #skipped: DamagedLog[] = []
  /** Bytes of each file, by its path. */
  readonly #copied = new Map<string, number>()

  /** Removes what killed processes left half-filled beside `target`. @param target absolute, free or an empty folder */
  constructor(ports: { readonly files: Files; readonly ids: Ids }, { pid, isRunning }: Processes, target: string) {
    this.#files = ports.files
    this.#target = target
    const parent = folderOf(target)
    removeOutsideLeftovers(ports.files, parent, isRunning, (path) => removeTree(ports.files, path))
    this.root = `${parent === '/' ? '' : parent}/${ownedTemporaryName(ports.ids, pid)}`
    this.#makeFolder(this.root)
  }

  get fileCount(): number {
    return this.#copied.size
  }

  get byteCount(): number {
    return [...this.#copied.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  skip(what: DamagedLog): void {
    this.#skipped.push(what)
  }

  /** What was no regular file, or no folder. */
  get skipped(): readonly DamagedLog[] {
    return this.#skipped
  }

  /** Under the same path. What is missing is left out; what is no regular file is noted. @param from the workspace that has it */
  copyFile(from: Layout, path: string): boolean {
    const kind = this.#files.stat(inWorkspace(from, path))?.kind ?? null
    if (kind === null) return false
    if (kind !== 'file') {
      this.skip({ path, error: kind === 'link' ? 'it is a symbolic link' : 'it is no regular file' })
      return false
    }
    using source = this.#files.openRead(inWorkspace(from, path))
    if (source === null) return false
    this.#makeFoldersOf(path)
    using copy = this.#files.openAppend(`${this.root}/${path}`)
    for (let at = 0; at < source.bytes; at += CHUNK_BYTES)
      copy.append(source.read(at, Math.min(CHUNK_BYTES, source.bytes - at)))
    copy.sync()
    this.#copied.set(path, source.bytes)
    return true
  }

  /** A file that something else writes, synced. @param write given its absolute path; returns whether there was anything to write */
  copyBy(path: string, write: (target: string) => boolean): void {
    this.#makeFoldersOf(path)
    const target = `${this.root}/${path}`
    if (write(target)) this.#copied.set(path, this.#files.stat(target)?.bytes ?? 0)
  }

  /**
   * With all that is in it, but what is not whole yet. What somebody renames meanwhile is there under the name that it
   * has in the end.
   * @param between called before each file
   * @param isWanted asked by name, of what lies directly in it
   * @returns how many files there are directly in it
   */
  async copyFolder(
    from: Layout,
    path: string,
    between: () => Promise<void>,
    isWanted: (name: string) => boolean = () => true,
  ): Promise<number> {
    const tried = new Set<string>()
    const copied = new Set<string>()
    for (let round = 1; round <= LISTINGS_MAX; round += 1) {
      const entries = this.#files.list(inWorkspace(from, path))
      if (entries === null) break
      this.#makeFoldersOf(`${path}/`)
      const names = new Set(entries.map(({ name }) => name))
      for (const name of copied) if (!names.has(name) && copied.delete(name)) this.#removeFile(`${path}/${name}`)
      const left = entries.filter(({ name }) => !tried.has(name) && !isUnfinished(name) && isWanted(name))
      if (left.length === 0) break
      for (const { name, kind } of left) {
        tried.add(name)
        await between()
        if (kind === 'folder') await this.copyFolder(from, `${path}/${name}`, between)
        else if (this.copyFile(from, `${path}/${name}`)) copied.add(name)
      }
    }
    return copied.size
  }

  #removeFile(path: string): void {
    this.#files.remove(`${this.root}/${path}`)
    this.#copied.delete(path)
  }

  /** Puts other bytes there, whatever there is. */
  replaceFile(path: string, data: Uint8Array): void {
    this.#makeFoldersOf(path)
    this.#files.remove(`${this.root}/${path}`)
    this.#files.create(`${this.root}/${path}`, data)
    this.#copied.set(path, data.length)
  }

  /** Puts the folder in its place. Throws `io_failed` when somebody has taken something out of it meanwhile. */
  publish(): void {
    for (const [path, bytes] of this.#copied)
      if (this.#files.stat(`${this.root}/${path}`)?.bytes !== bytes)
        throw new MemoryError(
          'io_failed',
          `${this.root}/${path} was removed or changed by somebody else while the copy was made; run it again`,
        )
    for (const folder of this.#made.toReversed()) this.#files.syncFolder(folder)
    this.#files.removeFolder(this.#target)
    this.#files.rename(this.root, this.#target)
    this.#made.length = 0
    try {
      this.#files.syncFolder(folderOf(this.#target))
    } catch (cause) {
      if (!(cause instanceof MemoryError)) throw cause
      throw new MemoryError(
        cause.code,
        `${cause.message}; the copy is at ${this.#target}, and whole, but may not outlast a power cut`,
        { cause },
      )
    }
  }

  #makeFoldersOf(path: string): void {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      this.#makeFolder(`${this.root}/${path.slice(0, at)}`)
  }

  #makeFolder(path: string): void {
    if (this.#made.includes(path)) return
    this.#files.makeFolder(path)
    this.#made.push(path)
  }

  /** Unless it was published, nothing of it stays. */
  [Symbol.dispose](): void {
    if (this.#made.length > 0) removeTree(this.#files, this.root)
  }
}

function isUnfinished(name: string): boolean {
  return isTemporary(name) || ownerOfTemporary(name) !== null
}

/** As far as that is possible: whoever comes next tries again. */
function removeTree(files: Files, path: string): void {
  try {
    for (const { name, kind } of files.list(path) ?? []) {
      if (kind === 'folder') removeTree(files, `${path}/${name}`)
      else files.remove(`${path}/${name}`)
    }
    files.removeFolder(path)
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
  }
}
