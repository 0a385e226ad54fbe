/**
 * What embedders have made of texts, on the disk: packs of one embedder, each a file that never changes. Derived state:
 * a pack that cannot be read was never made, one that cannot be written stays in memory.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { EmbedderKey, ReadFile } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import { FileDamage } from './checked-file.ts'
import { DerivedFolder, fileInMemory, type ShelfPorts } from './derived-folder.ts'
import { type PackEntry, packBytes } from './pack-format.ts'
import { keyAt, keyHex } from './text-key.ts'
import { VectorPack } from './vector-pack.ts'

/** The embedder, the pack's number, and an id: a number can come again after all files were removed. */
const FILE_NAME = /^vectors-([0-9a-f]{16})-(\d{8,15})-[0-9a-z]+\.knw$/
/** Of packs that belonged to one view, which nobody reads any more. */
const EARLIER_NAME = /^vectors-[0-9a-f]{16}-when_to_use(?:_content)?-\d{8,15}-[0-9a-z]+\.knw$/

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
  readonly #folder: DerivedFolder
  /** Of the embedder: 16 hex digits. */
  readonly #key: string

  constructor(ports: ShelfPorts, layout: Layout, key: EmbedderKey) {
    this.#ports = ports
    this.#folder = new DerivedFolder(ports, layout)
    const { backend, model, dimensions } = key
    const text = JSON.stringify([backend, model, dimensions])
    this.#key = ports.digest.sha256(new TextEncoder().encode(text)).slice(0, 16)
  }

  /** See `DerivedFolder.fault`. */
  get fault(): MemoryError | null {
    return this.#folder.fault
  }

  /** Packs by every embedder, lowest number first. */
  files(): readonly PackFile[] {
    return this.#folder
      .names()
      .flatMap((name) => {
        const [, key, digits] = FILE_NAME.exec(name) ?? []
        return digits === undefined ? [] : [{ name, isOwn: key === this.#key, number: Number(digits) }]
      })
      .sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1))
  }

  /** `damaged` is for good; null: gone, or not to be opened at this moment. */
  open(name: string): VectorPack | 'damaged' | null {
    let file: ReadFile | null = null
    try {
      file = this.#folder.open(name)
      return file === null ? null : new VectorPack(file, this.#ports.digest)
    } catch (error) {
      file?.[Symbol.dispose]()
      if (error instanceof FileDamage) return 'damaged'
      if (error instanceof MemoryError) return null
      throw error
    }
  }

  /**
   * Puts a pack on the shelf.
   * @param entries  not empty, all vectors of one width
   * @param isSynced for one that is to replace others; of any other its checksums tell whether all of it is there
   */
  publish(entries: readonly PackEntry[], { isSynced }: { readonly isSynced: boolean }): ShelvedPack {
    const bytes = packBytes(entries, this.#ports.digest)
    const name = this.#write(bytes, isSynced)
    const pack = name === null ? null : this.open(name)
    if (pack instanceof VectorPack) return { name, pack }
    return { name: null, pack: new VectorPack(fileInMemory(bytes), this.#ports.digest) }
  }

  /** @returns the file's name; null when it could not be written */
  #write(bytes: Uint8Array, isSynced: boolean): string | null {
    using held = this.#folder.lock()
    if (held === null) return null
    const number = Math.max(0, ...this.files().map((file) => file.number)) + 1
    return this.#put(`vectors-${this.#key}-${String(number).padStart(8, '0')}`, bytes, isSynced)
  }

  /** For the holder of the folder's lock. @param beginning of the name, which ends with an id */
  #put(beginning: string, bytes: Uint8Array, isSynced: boolean): string | null {
    const { files, ids } = this.#ports
    const name = `${beginning}-${ids.next()}.knw`
    const write = (path: string) => files.create(path, bytes, { sync: isSynced })
    return this.#folder.put(name, write, { isSynced }) ? name : null
  }

  /** Takes packs off the shelf: a reader that has one open keeps it. */
  remove(isRemoved: (file: PackFile) => boolean): void {
    using held = this.#folder.lock()
    if (held === null) return
    for (const file of this.files()) if (isRemoved(file)) this.#folder.remove(file.name)
  }

  /**
   * Puts in the place of every pack that knows one of these texts, whatever embedder made it, one that knows them not.
   * @returns false where that could not be done
   */
  forget(keys: readonly Uint8Array[]): boolean {
    const forgotten = new Set(keys.map(keyHex))
    if (forgotten.size === 0 || this.files().length === 0) return true
    using held = this.#folder.lock()
    if (held === null) return false
    let isDone = true
    for (const { name } of this.files()) {
      const pack = this.open(name)
      if (!(pack instanceof VectorPack)) continue
      using opened = pack
      const left = entriesBeside(opened, forgotten)
      if (left === null) continue
      const beginning = name.slice(0, name.lastIndexOf('-'))
      if (left.length === 0 || this.#put(beginning, packBytes(left, this.#ports.digest), true) !== null)
        this.#folder.remove(name)
      else isDone = false
    }
    return isDone
  }

  /** Takes off the packs that earlier versions of the program made. */
  removeEarlier(): void {
    if (!this.#folder.names().some((name) => EARLIER_NAME.test(name))) return
    using held = this.#folder.lock()
    if (held === null) return
    for (const name of this.#folder.names()) if (EARLIER_NAME.test(name)) this.#folder.remove(name)
  }
}

/** What the pack says of other texts than these, but for what is damaged; null when it says nothing of these. */
function entriesBeside(pack: VectorPack, forgotten: ReadonlySet<string>): readonly PackEntry[] | null {
  const entries = Array.from({ length: pack.entryCount }, (_, entry) => entry)
  const left = entries.filter((entry) => !forgotten.has(keyHex(keyAt(pack.keys, entry))))
  if (left.length === entries.length) return null
  return left.flatMap((entry) => {
    try {
      return [pack.entryAt(entry)]
    } catch (error) {
      if (error instanceof FileDamage) return []
      throw error
    }
  })
}
