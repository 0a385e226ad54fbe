/** A folder that is filled beside its place and then put there whole, or not at all. */
import { MemoryError } from '../model/memory-error.ts'
import type { Files, Ids } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { folderOf, type Processes, removeOutsideLeftovers } from '../workspace/publication.ts'
import type { DamagedLog } from '../workspace/request-log.ts'
import { isTemporary, ownedTemporaryName, ownerOfTemporary } from '../workspace/temporary-name.ts'

const CHUNK_BYTES = 8 * 2 ** 20

export class FolderCopy implements Disposable {
  readonly #files: Files
  readonly #target: string
  /** Absolute, while it is filled. */
  readonly root: string
  /** Absolute, in the order of making: the root first. */
  readonly #made: string[] = []
  readonly #skipped: DamagedLog[] = []
  #fileCount = 0
  #byteCount = 0

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
    return this.#fileCount
  }

  get byteCount(): number {
    return this.#byteCount
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
    this.#fileCount += 1
    this.#byteCount += source.bytes
    return true
  }

  /**
   * With all that is in it, but what is not whole yet.
   * @param between called before each file
   * @param isWanted asked by name, of what lies directly in it
   * @returns how many files there were directly in it
   */
  async copyFolder(
    from: Layout,
    path: string,
    between: () => Promise<void>,
    isWanted: (name: string) => boolean = () => true,
  ): Promise<number> {
    const entries = this.#files.list(inWorkspace(from, path))
    if (entries === null) return 0
    this.#makeFoldersOf(`${path}/`)
    let count = 0
    for (const { name, kind } of entries) {
      if (isTemporary(name) || ownerOfTemporary(name) !== null || !isWanted(name)) continue
      await between()
      if (kind === 'folder') await this.copyFolder(from, `${path}/${name}`, between)
      else if (this.copyFile(from, `${path}/${name}`)) count += 1
    }
    return count
  }

  /** Puts other bytes there, whatever there is. */
  replaceFile(path: string, data: Uint8Array): void {
    const there = this.#files.stat(`${this.root}/${path}`)
    if (there === null) this.#fileCount += 1
    this.#byteCount += data.length - (there?.bytes ?? 0)
    this.#makeFoldersOf(path)
    this.#files.remove(`${this.root}/${path}`)
    this.#files.create(`${this.root}/${path}`, data)
  }

  /** Puts the folder in its place. */
  publish(): void {
    for (const folder of this.#made.toReversed()) this.#files.syncFolder(folder)
    this.#files.removeFolder(this.#target)
    this.#files.rename(this.root, this.#target)
    this.#made.length = 0
    this.#files.syncFolder(folderOf(this.#target))
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
