/**
 * The vectors that embedders have made, on the disk: packs of one view and one embedder, each a file that never changes.
 * Derived state: a pack that cannot be read was never made, one that cannot be written stays in memory.
 */
import type { ViewName } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { EmbedderKey, ReadFile } from '../ports.ts'
import { refuseLinks } from '../workspace/confinement.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { BaseShelf, fileInMemory, type ShelfPorts } from './base-shelf.ts'
import { FileDamage } from './checked-file.ts'
import { type PackRow, packBytes, VectorPack } from './vector-pack.ts'

/** The embedder, the view, the pack's number, and an id: a number can come again after all files were removed. */
const FILE_NAME = /^vectors-([0-9a-f]{16})-(when_to_use|when_to_use_content)-(\d{8,15})-[0-9a-z]+\.knw$/

export interface PackFile {
  readonly name: string
  /** Whether it was made by the embedder that the shelf is for. */
  readonly isOwn: boolean
  /** From 1; a pack has a higher one than all that lay beside it when it was made. */
  readonly number: number
}

export interface ShelvedPack {
  /** Null for one that lives in memory only. */
  readonly name: string | null
  readonly pack: VectorPack
}

export class VectorShelf {
  readonly #ports: ShelfPorts
  readonly #layout: Layout
  readonly #folder: string
  readonly #base: BaseShelf
  /** Of the embedder: 16 hex digits. */
  readonly #key: string

  constructor(ports: ShelfPorts, layout: Layout, key: EmbedderKey) {
    this.#ports = ports
    this.#layout = layout
    this.#folder = inWorkspace(layout, layout.index)
    this.#base = new BaseShelf(ports, layout)
    const { backend, model, dimensions } = key
    const text = JSON.stringify([backend, model, dimensions])
    this.#key = ports.digest.sha256(new TextEncoder().encode(text)).slice(0, 16)
  }

  /** A view's packs by every embedder, lowest number first. */
  files(view: ViewName): readonly PackFile[] {
    return this.#names()
      .flatMap((name) => {
        const [, key, found, digits] = FILE_NAME.exec(name) ?? []
        return found === view ? [{ name, isOwn: key === this.#key, number: Number(digits) }] : []
      })
      .sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1))
  }

  #names(): readonly string[] {
    try {
      // A link could lead out of the workspace.
      refuseLinks(this.#ports.files, this.#layout, this.#layout.index)
      return this.#ports.files.names(this.#folder) ?? []
    } catch (error) {
      if (error instanceof MemoryError) return []
      throw error
    }
  }

  /** `damaged` is for good; null: gone, or not to be opened at this moment. */
  open(name: string): VectorPack | 'damaged' | null {
    let file: ReadFile | null = null
    try {
      file = this.#ports.files.openRead(`${this.#folder}/${name}`)
      return file === null ? null : new VectorPack(file, this.#ports.digest)
    } catch (error) {
      file?.[Symbol.dispose]()
      if (error instanceof FileDamage) return 'damaged'
      if (error instanceof MemoryError) return null
      throw error
    }
  }

  /**
   * Puts a pack on the shelf, and takes off those of the view that it replaces: a reader that has one open keeps it.
   * @param rows not empty, all vectors of one width
   */
  publish(view: ViewName, rows: readonly PackRow[], isReplaced: ((file: PackFile) => boolean) | null): ShelvedPack {
    const bytes = packBytes(rows, this.#ports.digest)
    const name = this.#write(view, bytes, isReplaced)
    const pack = name === null ? null : this.open(name)
    if (pack instanceof VectorPack) return { name, pack }
    return { name: null, pack: new VectorPack(fileInMemory(bytes), this.#ports.digest) }
  }

  /** @returns the file's name; null when it could not be written */
  #write(view: ViewName, bytes: Uint8Array, isReplaced: ((file: PackFile) => boolean) | null): string | null {
    const { files, ids } = this.#ports
    using held = this.#base.lock()
    if (held === null) return null
    const present = this.files(view)
    const number = Math.max(0, ...present.map((file) => file.number)) + 1
    const id = ids.next()
    const name = `vectors-${this.#key}-${view}-${String(number).padStart(8, '0')}-${id}.knw`
    const temporary = `${this.#folder}/.knowhow-${id}.tmp`
    try {
      // What replaces others is synced before they go. Of any other its checksums tell whether all of it is there.
      files.create(temporary, bytes, { sync: isReplaced !== null })
      files.rename(temporary, `${this.#folder}/${name}`)
      if (isReplaced !== null) files.syncFolder(this.#folder)
    } catch (error) {
      this.#discard(temporary)
      if (error instanceof MemoryError) return null
      throw error
    }
    if (isReplaced !== null)
      for (const file of present) if (isReplaced(file)) this.#discard(`${this.#folder}/${file.name}`)
    return name
  }

  /** Takes packs off the shelf without another in their place. */
  remove(view: ViewName, isRemoved: (file: PackFile) => boolean): void {
    using held = this.#base.lock()
    if (held === null) return
    for (const file of this.files(view)) if (isRemoved(file)) this.#discard(`${this.#folder}/${file.name}`)
  }

  #discard(path: string): void {
    try {
      this.#ports.files.remove(path)
    } catch (error) {
      // Open elsewhere on a platform that then keeps the name: whoever replaces packs next removes it.
      if (!(error instanceof MemoryError)) throw error
    }
  }
}
