/**
 * The folder of derived files and its lock: made when it may be, never reached through a link, and silent about what
 * cannot be written. Knows names; knows nothing of what the files hold.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Digest, Files, Ids, Lock, ReadFile } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { isTemporary, temporaryName } from '../workspace/temporary-name.ts'

export interface ShelfPorts {
  readonly files: Files
  readonly lock: Lock
  readonly digest: Digest
  readonly clock: Clock
  readonly ids: Ids
}

export interface FileSystemFacts {
  /** How far its clock is ahead of ours: it may be another machine's. */
  readonly skewMs: number
  /** Its device when it is seen to stamp a folder in which a file is made; null when it is not. */
  readonly stampingDevice: number | null
}

const LOCK = 'lock'

export class DerivedFolder {
  readonly #ports: ShelfPorts
  readonly #layout: Layout
  readonly #path: string
  #fault: MemoryError | null = null

  constructor(ports: ShelfPorts, layout: Layout) {
    this.#ports = ports
    this.#layout = layout
    this.#path = inWorkspace(layout, layout.index)
  }

  /** Why something could not be written the last time; null when it could, or when somebody else was writing. */
  get fault(): MemoryError | null {
    return this.#fault
  }

  /** Of the files that lie there, in no order; none where they cannot be listed. */
  names(): readonly string[] {
    try {
      return this.#isLinked() ? [] : (this.#ports.files.names(this.#path) ?? [])
    } catch (error) {
      if (error instanceof MemoryError) return []
      throw error
    }
  }

  /** A link could lead out of the workspace. */
  #isLinked(): boolean {
    return pathsTo(this.#layout).some((path) => this.#ports.files.stat(path)?.kind === 'link')
  }

  /** Null when it is gone. Throws what `Files.openRead` throws. */
  open(name: string): ReadFile | null {
    return this.#ports.files.openRead(this.#pathOf(name))
  }

  /**
   * Takes the lock of derived files, and removes what killed runs left half-done. Null where nothing can be written, and
   * while somebody else writes; a missing workspace is not made.
   */
  lock(): Disposable | null {
    this.#fault = null
    try {
      if (!this.#isMade()) return null
      const held = this.#acquired()
      // What cannot be listed now is removed by whoever writes next.
      if (held !== null) for (const name of this.names()) if (isTemporary(name)) this.remove(name)
      return held
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      this.#fault = error
      return null
    }
  }

  /** What lies in the place of the lock and is none is derived like all else here, and is removed. */
  #acquired(): Disposable | null {
    const { files, lock } = this.#ports
    const path = this.#pathOf(LOCK)
    try {
      return lock.acquire(path)
    } catch (error) {
      if (!(error instanceof MemoryError) || files.stat(path)?.kind !== 'file' || !files.mayWrite(path)) throw error
      files.remove(path)
      return lock.acquire(path)
    }
  }

  /** Makes the folder, unless that would make the workspace. */
  #isMade(): boolean {
    const { files } = this.#ports
    // Asked by its names: the root itself may be a link.
    if (files.names(this.#layout.root) === null) return false
    if (this.#isLinked()) {
      const words = `${this.#path} or a folder above it is a symbolic link, which is never followed`
      this.#fault = new MemoryError('path_outside', words)
      return false
    }
    for (const path of pathsTo(this.#layout)) files.makeFolder(path)
    return true
  }

  /**
   * Gives a name to the file that `write` makes at the path it is given. Only for the holder of the lock.
   * @param isSynced whether the name is to outlast a power cut; syncing the bytes is up to `write`
   * @returns false when it could not be written
   */
  put(name: string, write: (path: string) => void, { isSynced }: { readonly isSynced: boolean }): boolean {
    const { files, ids } = this.#ports
    const temporary = temporaryName(ids)
    try {
      write(this.#pathOf(temporary))
      files.rename(this.#pathOf(temporary), this.#pathOf(name))
      if (isSynced) files.syncFolder(this.#path)
      return true
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      this.#fault = error
      this.remove(temporary)
      return false
    }
  }

  /** A small file in one piece, also without the lock: who holds it may remove it before it has its name. */
  putBytes(name: string, data: Uint8Array): boolean {
    try {
      if (!this.#isMade()) return false
    } catch (error) {
      if (error instanceof MemoryError) return false
      throw error
    }
    return this.put(name, (path) => this.#ports.files.create(path, data, { sync: false }), { isSynced: false })
  }

  /** One that stays is taken off by whoever tries next. */
  remove(name: string): void {
    try {
      this.#ports.files.remove(this.#pathOf(name))
    } catch (error) {
      // Open elsewhere on a platform that then keeps the name.
      if (!(error instanceof MemoryError)) throw error
    }
  }

  /** Tries the file system out. Null where nothing can be written. Only for the holder of the lock. */
  fileSystem(): FileSystemFacts | null {
    const { files, ids, clock } = this.#ports
    const name = temporaryName(ids)
    try {
      const before = files.stat(this.#path)
      files.create(this.#pathOf(name), new Uint8Array(), { sync: false })
      const found = files.stat(this.#pathOf(name))
      if (found === null) return null
      const hasStamped = files.stat(this.#path)?.mtimeMs !== before?.mtimeMs
      return { skewMs: found.mtimeMs - clock.now(), stampingDevice: hasStamped ? found.device : null }
    } catch (error) {
      if (error instanceof MemoryError) return null
      throw error
    } finally {
      this.remove(name)
    }
  }

  #pathOf(name: string): string {
    return `${this.#path}/${name}`
  }
}

/** The folder of derived state and those above it, outermost first. */
function pathsTo({ root, index }: Layout): readonly string[] {
  const parts = index.split('/')
  return parts.map((_, at) => `${root}/${parts.slice(0, at + 1).join('/')}`)
}

/** What could not be written is read from where it is. */
export function fileInMemory(bytes: Uint8Array<ArrayBuffer>): ReadFile {
  return {
    bytes: bytes.length,
    read: (position, length) => bytes.slice(position, position + length),
    readInto: (position, target) => target.set(bytes.subarray(position, position + target.length)),
    [Symbol.dispose]: () => {},
  }
}
