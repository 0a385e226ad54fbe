/**
 * The generations of the packed base on the disk: each a file of its own, never changed, the highest whole one counts.
 * Derived state: what cannot be read is passed over, what cannot be written is kept in memory.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { ReadFile } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import { Base } from './base.ts'
import { FileDamage } from './checked-file.ts'
import { DerivedFolder, type FileSystemFacts, fileInMemory, type ShelfPorts } from './derived-folder.ts'

const FILE_NAME = /^base-(\d{8})\.knw$/
const GENERATION_MAX = 99_999_999

export interface OpenedBase {
  readonly base: Base
  /** 0 for one that lives in memory only. */
  readonly generation: number
}

export class BaseShelf {
  readonly #ports: ShelfPorts
  readonly #folder: DerivedFolder
  /** No generation up to this one is looked at again: each either was opened or is damaged for good. */
  #known = 0

  constructor(ports: ShelfPorts, layout: Layout) {
    this.#ports = ports
    this.#folder = new DerivedFolder(ports, layout)
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
    const numbers = this.#folder.names().flatMap((name) => {
      const digits = FILE_NAME.exec(name)?.[1]
      return digits === undefined ? [] : [Number(digits)]
    })
    return numbers.sort((a, b) => b - a)
  }

  #open(generation: number): Base | 'damaged' | 'missing' {
    let file: ReadFile | null = null
    try {
      file = this.#folder.open(nameOf(generation))
      return file === null ? 'missing' : new Base(file, this.#ports.digest)
    } catch (error) {
      file?.[Symbol.dispose]()
      if (error instanceof FileDamage || error instanceof MemoryError) return 'damaged'
      throw error
    }
  }

  /** See `DerivedFolder.fault`. */
  get fault(): MemoryError | null {
    return this.#folder.fault
  }

  /** See `DerivedFolder.lock`. */
  lock(): Disposable | null {
    return this.#folder.lock()
  }

  /** See `DerivedFolder.fileSystem`. */
  fileSystem(): FileSystemFacts | null {
    return this.#folder.fileSystem()
  }

  /**
   * Writes the next generation and opens it. Superseded generations are removed; a reader that has one open keeps it.
   * Null when it could not be written. Only for the holder of the lock.
   */
  publish(parts: readonly Uint8Array<ArrayBuffer>[]): OpenedBase | null {
    const generations = this.#generations()
    const generation = Math.max(this.#known, ...generations) + 1
    if (generation > GENERATION_MAX) return null
    const write = (path: string) => {
      using file = this.#ports.files.openAppend(path)
      for (const part of parts) file.append(part)
    }
    // Not synced: after a power cut its checksums tell whether all of it is there.
    if (!this.#folder.put(nameOf(generation), write, { isSynced: false })) return null
    this.#known = generation
    for (const old of generations) this.#folder.remove(nameOf(old))
    const base = this.#open(generation)
    return base instanceof Base ? { base, generation } : null
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
}

function nameOf(generation: number): string {
  return `base-${String(generation).padStart(8, '0')}.knw`
}
