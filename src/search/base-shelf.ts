/**
 * The generations of the packed base on the disk: each a file of its own, never changed, the highest whole one counts.
 * Derived state: what cannot be read is passed over, what cannot be written is kept in memory.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Digest, Files, Ids, Lock, ReadFile } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { Base } from './base.ts'
import { FileDamage } from './checked-file.ts'

const FILE_NAME = /^base-(\d{8})\.knw$/
const TEMPORARY = /^\.knowhow-[a-z0-9]+\.tmp$/
const GENERATION_MAX = 99_999_999

export interface ShelfPorts {
  readonly files: Files
  readonly lock: Lock
  readonly digest: Digest
  readonly clock: Clock
  readonly ids: Ids
}

export interface OpenedBase {
  readonly base: Base
  /** 0 for one that lives in memory only. */
  readonly generation: number
}

export interface FileSystemFacts {
  /** How far its clock is ahead of ours: it may be another machine's. */
  readonly skewMs: number
  /** Its device when it is seen to stamp a folder in which a file is made; null when it is not. */
  readonly stampingDevice: number | null
}

export class BaseShelf {
  readonly #ports: ShelfPorts
  readonly #layout: Layout
  readonly #folder: string
  /** No generation up to this one is looked at again: each either was opened or is damaged for good. */
  #known = 0

  constructor(ports: ShelfPorts, layout: Layout) {
    this.#ports = ports
    this.#layout = layout
    this.#folder = inWorkspace(layout, layout.index)
  }

  /** The highest generation that can be read, of those that were not looked at before; and whether a higher one cannot. */
  openNewer(): { readonly opened: OpenedBase | null; readonly isDamaged: boolean } {
    let isDamaged = false
    // Listed again when nothing could be opened: a writer may have put another in the place of all that was listed.
    for (;;) {
      const unknown = this.#generations().filter((generation) => generation > this.#known)
      if (unknown.length === 0) return { opened: null, isDamaged }
      this.#known = Math.max(...unknown)
      for (const generation of unknown) {
        const base = this.#open(generation)
        if (base instanceof Base) return { opened: { base, generation }, isDamaged }
        if (base === 'damaged') isDamaged = true
      }
    }
  }

  /** Numbers of the files that lie there, highest first. */
  #generations(): readonly number[] {
    if (this.#isLinked()) return []
    const numbers = this.#names().flatMap((name) => {
      const digits = FILE_NAME.exec(name)?.[1]
      return digits === undefined ? [] : [Number(digits)]
    })
    return numbers.sort((a, b) => b - a)
  }

  #names(): readonly string[] {
    try {
      return this.#ports.files.names(this.#folder) ?? []
    } catch (error) {
      if (error instanceof MemoryError) return []
      throw error
    }
  }

  /** A link could lead out of the workspace. */
  #isLinked(): boolean {
    return pathsTo(this.#layout).some((path) => this.#ports.files.stat(path)?.kind === 'link')
  }

  #open(generation: number): Base | 'damaged' | 'missing' {
    let file: ReadFile | null = null
    try {
      file = this.#ports.files.openRead(this.#pathOf(generation))
      return file === null ? 'missing' : new Base(file, this.#ports.digest)
    } catch (error) {
      file?.[Symbol.dispose]()
      if (error instanceof FileDamage || error instanceof MemoryError) return 'damaged'
      throw error
    }
  }

  /**
   * Takes the lock of derived files, and removes what killed runs left half-done. Null where nothing can be written, and
   * while somebody else writes; a missing workspace is not made.
   */
  lock(): Disposable | null {
    try {
      if (!this.#hasFolder()) return null
      const held = this.#ports.lock.acquire(`${this.#folder}/lock`)
      if (held !== null)
        for (const name of this.#names()) if (TEMPORARY.test(name)) this.#discard(`${this.#folder}/${name}`)
      return held
    } catch (error) {
      if (error instanceof MemoryError) return null
      throw error
    }
  }

  /** Makes the folder, unless that would make the workspace. */
  #hasFolder(): boolean {
    const { files } = this.#ports
    // Asked by its names: the root itself may be a link.
    if (files.names(this.#layout.root) === null || this.#isLinked()) return false
    for (const path of pathsTo(this.#layout)) files.makeFolder(path)
    return true
  }

  /** Tries the file system out. Null where nothing can be written. Only for the holder of the lock. */
  fileSystem(): FileSystemFacts | null {
    const { files, ids, clock } = this.#ports
    const path = `${this.#folder}/.knowhow-${ids.next()}.tmp`
    try {
      const before = files.stat(this.#folder)
      files.create(path, new Uint8Array(), { sync: false })
      const found = files.stat(path)
      if (found === null) return null
      const hasStamped = files.stat(this.#folder)?.mtimeMs !== before?.mtimeMs
      return { skewMs: found.mtimeMs - clock.now(), stampingDevice: hasStamped ? found.device : null }
    } catch (error) {
      if (error instanceof MemoryError) return null
      throw error
    } finally {
      this.#discard(path)
    }
  }

  /**
   * Writes the next generation and opens it. Superseded generations are removed; a reader that has one open keeps it.
   * Null when it could not be written. Only for the holder of the lock.
   */
  publish(parts: readonly Uint8Array<ArrayBuffer>[]): OpenedBase | null {
    const generations = this.#generations()
    const generation = Math.max(this.#known, ...generations) + 1
    if (generation > GENERATION_MAX || !this.#write(parts, this.#pathOf(generation))) return null
    this.#known = generation
    for (const old of generations) this.#discard(this.#pathOf(old))
    const base = this.#open(generation)
    return base instanceof Base ? { base, generation } : null
  }

  #write(parts: readonly Uint8Array<ArrayBuffer>[], path: string): boolean {
    const { files, ids } = this.#ports
    const temporary = `${this.#folder}/.knowhow-${ids.next()}.tmp`
    try {
      {
        // Not synced: after a power cut its checksums tell whether all of it is there.
        using file = files.openAppend(temporary)
        for (const part of parts) file.append(part)
      }
      files.rename(temporary, path)
      return true
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      this.#discard(temporary)
      return false
    }
  }

  openInMemory(parts: readonly Uint8Array<ArrayBuffer>[]): OpenedBase {
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      bytes.set(part, at)
      at += part.length
    }
    return { base: new Base(fileInMemory(bytes), this.#ports.digest), generation: 0 }
  }

  #discard(path: string): void {
    try {
      this.#ports.files.remove(path)
    } catch (error) {
      // Open elsewhere on a platform that then keeps the name: the next generation's writer removes it.
      if (!(error instanceof MemoryError)) throw error
    }
  }

  #pathOf(generation: number): string {
    return `${this.#folder}/base-${String(generation).padStart(8, '0')}.knw`
  }
}

/** The folder of derived state and those above it, outermost first. */
function pathsTo({ root, index }: Layout): readonly string[] {
  const parts = index.split('/')
  return parts.map((_, at) => `${root}/${parts.slice(0, at + 1).join('/')}`)
}

export function fileInMemory(bytes: Uint8Array<ArrayBuffer>): ReadFile {
  return {
    bytes: bytes.length,
    read: (position, length) => bytes.slice(position, position + length),
    [Symbol.dispose]: () => {},
  }
}
