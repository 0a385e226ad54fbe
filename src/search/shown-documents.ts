/** What both views show, by slot: the documents of a base, then files beside it. */
import {
  EXPERIENCE_FILE_BYTES_MAX,
  type Experience,
  readExperience,
  VIEW_NAMES,
  type ViewName,
  viewText,
} from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Digest, Files } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import type { Base } from './base.ts'
import { KEY_BYTES } from './key-table.ts'
import type { IndexedTexts } from './owed-texts.ts'
import { keyAt } from './text-key.ts'

export interface IndexedVersion {
  readonly path: string
  readonly version: string
}

/** A valid file beside the base. */
export interface IndexedFile extends IndexedVersion {
  readonly texts: Experience
  /** As `textKeysOf` made them. */
  readonly textKeys: Uint8Array
}

export class ShownDocuments implements IndexedTexts {
  readonly base: Base | null
  /** By document of the base: 1 when it is not shown. */
  readonly dead: Uint8Array
  readonly files: readonly IndexedFile[]
  readonly #ports: { readonly files: Files; readonly digest: Digest }
  readonly #layout: Layout
  readonly #textKeys = new Map<ViewName, Uint8Array>()
  #byPath: ReadonlyMap<string, Experience> | null = null

  constructor(
    ports: { readonly files: Files; readonly digest: Digest },
    layout: Layout,
    base: Base | null,
    dead: Uint8Array,
    files: readonly IndexedFile[],
  ) {
    this.#ports = ports
    this.#layout = layout
    this.base = base
    this.dead = dead
    this.files = files
  }

  get #slotCount(): number {
    return this.dead.length + this.files.length
  }

  isSameAs(base: Base | null, dead: Uint8Array, files: readonly IndexedFile[]): boolean {
    if (this.base !== base || this.files.length !== files.length || this.dead.length !== dead.length) return false
    if (this.files.some((file, at) => file.path !== files[at]?.path || file.version !== files[at]?.version))
      return false
    for (let document = 0; document < dead.length; document += 1)
      if (this.dead[document] !== dead[document]) return false
    return true
  }

  /** What is shown, sorted by path. */
  versions(): readonly IndexedVersion[] {
    // All of them are asked for, one by one from the file else.
    this.base?.loadVersions()
    const found: IndexedVersion[] = []
    for (let slot = 0; slot < this.#slotCount; slot += 1)
      if (this.#isShown(slot)) found.push({ path: this.pathOf(slot), version: this.versionOf(slot) })
    return found.sort(byPath)
  }

  pathOf(slot: number): string {
    const base = this.#baseAt(slot)
    return base === null ? (this.#fileAt(slot)?.path ?? '') : `${this.#layout.procedures}/${base.fileNameOf(slot)}`
  }

  versionOf(slot: number): string {
    return this.#baseAt(slot)?.versionOf(slot) ?? this.#fileAt(slot)?.version ?? ''
  }

  /** As it is shown; null for a document of the base, which keeps no texts. */
  experienceAt(path: string): Experience | null {
    this.#byPath ??= new Map(this.files.map((file) => [file.path, file.texts]))
    return this.#byPath.get(path) ?? null
  }

  #isShown(slot: number): boolean {
    const base = this.#baseAt(slot)
    return base === null || (this.dead[slot] === 0 && !base.isInvalid(slot))
  }

  textKeys(view: ViewName): Uint8Array {
    const keys = this.#textKeys.get(view) ?? this.#joinedKeys(view)
    this.#textKeys.set(view, keys)
    return keys
  }

  #joinedKeys(view: ViewName): Uint8Array {
    const { base, dead, files } = this
    const own = base?.textKeys(view) ?? new Uint8Array()
    // Of a base that all files are in as they are its section is read and used as it lies.
    if (files.length === 0 && !dead.includes(1)) return own
    const keys = new Uint8Array(this.#slotCount * KEY_BYTES)
    keys.set(own)
    for (let slot = dead.indexOf(1); slot !== -1; slot = dead.indexOf(1, slot + 1)) keyAt(keys, slot).fill(0)
    const at = VIEW_NAMES.indexOf(view)
    for (const [place, { textKeys }] of files.entries()) keyAt(keys, dead.length + place).set(keyAt(textKeys, at))
    return keys
  }

  textOf(view: ViewName, slot: number): string | null {
    const texts = this.#fileAt(slot)?.texts ?? this.#textsInFile(slot)
    return texts === null ? null : viewText(view, texts)
  }

  #baseAt(slot: number): Base | null {
    return slot < this.dead.length ? this.base : null
  }

  #fileAt(slot: number): IndexedFile | undefined {
    return this.files[slot - this.dead.length]
  }

  /** Of a document of the base, which keeps no texts; null when its file is no longer what the base holds. */
  #textsInFile(document: number): Experience | null {
    const { files, digest } = this.#ports
    try {
      const path = inWorkspace(this.#layout, this.pathOf(document))
      const bytes = files.read(path, { bytesMax: EXPERIENCE_FILE_BYTES_MAX })
      if (bytes === null || digest.sha256(bytes) !== this.versionOf(document)) return null
      return readExperience(bytes)
    } catch (error) {
      if (error instanceof MemoryError) return null
      throw error
    }
  }
}

export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1
}
