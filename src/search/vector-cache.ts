/**
 * What one embedder made of which texts: where each vector lies, and why a text has none. All that embeds shares it, so
 * that a text is embedded once, and refused once. Knows nothing of views, documents and what a text is for.
 */
import { FileDamage } from './checked-file.ts'
import { KeyTable } from './key-table.ts'
import { keyHex } from './text-key.ts'
import { type PackEntry, packRowsIn, type RefusedText, type VectorPack } from './vector-pack.ts'
import type { PackFile, ShelvedPack, VectorShelf } from './vector-shelf.ts'

/** Packs past which the smaller half of them becomes one: each is an open file. */
export const PACKS_MAX = 32
/** Of one pack, which is made in memory in one piece. */
const PACK_BYTES_MAX = 2 ** 30

/** Where a text's vector is: one object a text, until another vector takes its place. */
export interface Place {
  readonly pack: VectorPack
  readonly row: number
}

interface Refusal extends RefusedText {
  readonly pack: VectorPack
}

type Entry = Place | Refusal

export class VectorCache implements Disposable {
  readonly #shelf: VectorShelf
  readonly #packBytesMax: number
  /** In the order of their numbers. */
  #packs: readonly ShelvedPack[] = []
  /** Files that are open, or damaged for good. */
  readonly #known = new Set<string>()
  /** Open packs whose files another process has replaced. */
  #replaced: readonly ShelvedPack[] = []
  #isAnothers = false
  #width: number | null = null
  /** Of the texts that have a vector of the width that counts, or were refused. */
  #keys = new KeyTable()
  /** By number in `#keys`; null where the vector is damaged. The newest pack counts. */
  #entries: (Entry | null)[] = []
  #hasRefusals = false
  /** Keys of texts whose refusal does not count while the embedder is asked again. */
  readonly #doubted = new Set<string>()
  #revision = 0
  #lossCount = 0

  /** @param packBytesMax past which what is merged goes into several packs */
  constructor(shelf: VectorShelf, packBytesMax = PACK_BYTES_MAX) {
    this.#shelf = shelf
    this.#packBytesMax = packBytesMax
  }

  /** Changes whenever the place of any text may have. */
  get revision(): number {
    return this.#revision
  }

  /** How often a vector that was to be read proved to be damaged. */
  get lossCount(): number {
    return this.#lossCount
  }

  /** Whether the vectors here are another embedder's, and this one's are not all made yet. */
  get isAnothers(): boolean {
    return this.#isAnothers
  }

  /** Numbers in each vector that counts: those of the oldest pack, until `useWidth`. Null while there is none. */
  get width(): number | null {
    return this.#width
  }

  /** Packs that are open. */
  get packCount(): number {
    return this.#packs.length
  }

  /** Of these packs. */
  get bytes(): number {
    return this.#packs.reduce((sum, { pack }) => sum + pack.bytes, 0)
  }

  /** Whether every vector is on the disk. */
  get isStored(): boolean {
    return this.#packs.every(({ name }) => name !== null)
  }

  /** Null when the text has no vector. @param key SHA-256 of the text in UTF-8 */
  placeOf(key: Uint8Array): Place | null {
    const entry = this.#entryOf(key)
    return entry !== null && 'row' in entry ? entry : null
  }

  get hasRefusals(): boolean {
    return this.#hasRefusals
  }

  /** Why the embedder does not take the text; null when it was not refused. @param key as `placeOf` */
  refusalOf(key: Uint8Array): string | null {
    const entry = this.#hasRefusals ? this.#entryOf(key) : null
    return entry === null || 'row' in entry || this.#doubted.has(keyHex(key)) ? null : entry.refused
  }

  #entryOf(key: Uint8Array): Entry | null {
    return this.#entries[this.#keys.numberOf(key)] ?? null
  }

  /** Until `trust` texts with these keys count as not refused, unless they are refused again. */
  doubt(keys: Iterable<Uint8Array>): void {
    for (const key of keys) this.#doubted.add(keyHex(key))
    this.#revision += 1
  }

  /** All refusals count again. */
  trust(): void {
    this.#doubted.clear()
    this.#revision += 1
  }

  /** Takes in the packs that other processes wrote. */
  takeIn(): void {
    const files = this.#shelf.files()
    this.#isAnothers = files[0]?.isOwn === false
    for (const { name, isOwn } of files) if (isOwn && !this.#known.has(name)) this.#open(name)
    const present = new Set(files.map(({ name }) => name))
    this.#replaced = this.#packs.filter(({ name }) => name !== null && !present.has(name))
  }

  /** Closes packs whose files another process has replaced. @param usedNow packs that something still reads vectors from */
  closeReplaced(usedNow: () => ReadonlySet<VectorPack>): void {
    if (this.#replaced.length === 0) return
    const used = usedNow()
    const dropped = new Set(this.#replaced.filter(({ pack }) => !used.has(pack)))
    this.#replaced = []
    if (dropped.size === 0) return
    this.#replacePacks(this.#packs.filter((shelved) => !dropped.has(shelved)))
    close(dropped)
  }

  /** Takes in what was just made. @param entries all vectors of one width; another width than others' never counts */
  add(entries: readonly PackEntry[]): void {
    if (entries.length === 0) return
    for (const entry of entries) if ('refused' in entry) this.#doubted.delete(keyHex(entry.key))
    this.#take(this.#shelf.publish(entries, { isSynced: false }))
    if (this.#packs.length > PACKS_MAX) this.#mergeSmall()
  }

  /** From here on only vectors of this width count: the embedder gives no others any more. @returns whether that is new */
  useWidth(width: number): boolean {
    if (width === this.#width) return false
    this.#width = width
    this.#replacePacks(this.#packs)
    return true
  }

  /** Reads every vector; damaged ones are no more. */
  dropDamaged(): void {
    this.#dropWhere((place) => packEntry(place) === null)
  }

  /**
   * Drops a vector that was found damaged, and what else is damaged in its pack: damage seldom comes alone, after a power
   * cut half a pack may be NULs, and each of its rows would cost a scan.
   */
  dropAround(damaged: Place): void {
    this.#lossCount += 1
    this.#dropWhere((place) => place === damaged || (place.pack === damaged.pack && packEntry(place) === null))
  }

  #dropWhere(isDropped: (place: Place) => boolean): void {
    for (const [number, entry] of this.#entries.entries())
      if (entry !== null && 'row' in entry && isDropped(entry)) this.#entries[number] = null
    this.#revision += 1
  }

  /** Forgets all other texts than these, and drops what is another embedder's, or of another width or format. */
  compact(keys: Iterable<Uint8Array>): void {
    this.#shelf.removeEarlier()
    const kept = new Set<Entry>()
    for (const key of keys) {
      const entry = this.#entryOf(key)
      if (entry !== null) kept.add(entry)
    }
    if (this.#isCompact(kept.size)) return
    // A pack that this process has not taken in may hold what another has just made.
    this.#merge([...kept], new Set(this.#packs), ({ name, isOwn }) => !isOwn || this.#known.has(name))
    this.#isAnothers = this.#shelf.files()[0]?.isOwn === false
  }

  /** Whether files and packs are the same, hold so many texts and nothing else, and are as few as can be. */
  #isCompact(textCount: number): boolean {
    const names = new Set(this.#packs.map(({ name }) => name))
    const files = this.#shelf.files()
    if (files.length !== names.size || files.some(({ name }) => !names.has(name))) return false
    if (this.#packs.reduce((sum, { pack }) => sum + pack.entryCount, 0) !== textCount) return false
    return this.#packs.length <= Math.ceil(textCount / this.#packRowsMax)
  }

  get #packRowsMax(): number {
    return packRowsIn(this.#packBytesMax, this.#width ?? 1)
  }

  #open(name: string): void {
    const pack = this.#shelf.open(name)
    if (pack === null) return
    this.#known.add(name)
    if (pack !== 'damaged') this.#take({ name, pack })
  }

  #take(shelved: ShelvedPack): void {
    this.#packs = [...this.#packs, shelved]
    if (shelved.name !== null) this.#known.add(shelved.name)
    if (shelved.pack.rowCount > 0) this.#width ??= shelved.pack.width
    this.#enter(shelved.pack)
  }

  #enter(pack: VectorPack): void {
    const { rowCount, refusals, width } = pack
    if (this.#keys.count === 0) this.#keys = new KeyTable(pack.entryCount)
    if (width === this.#width)
      for (let row = 0; row < rowCount; row += 1) this.#entries[this.#keys.add(pack.keyAt(row))] = { pack, row }
    for (const { key, refused } of refusals) this.#entries[this.#keys.add(key)] = { pack, key, refused }
    if (refusals.length > 0) this.#hasRefusals = true
    this.#revision += 1
  }

  /** Makes one pack of the smaller half. Texts that nobody shows now may come back, and keep their vectors. */
  #mergeSmall(): void {
    const bySize = this.#packs.filter(({ pack }) => pack.width === this.#width || pack.rowCount === 0)
    bySize.sort((a, b) => a.pack.entryCount - b.pack.entryCount)
    const merged = new Set(bySize.slice(0, Math.ceil(bySize.length / 2)))
    const packs = new Set([...merged].map(({ pack }) => pack))
    const names = new Set([...merged].map(({ name }) => name))
    const entries = this.#entries.filter((entry) => entry !== null && packs.has(entry.pack))
    this.#merge(entries, merged, ({ name }) => names.has(name))
  }

  /** Puts `merged` in the place of `replaced`: in one pack unless that would be too large. */
  #merge(
    merged: readonly (Entry | null)[],
    replaced: ReadonlySet<ShelvedPack>,
    isReplaced: (file: PackFile) => boolean,
  ): void {
    const kept = this.#packs.filter((shelved) => !replaced.has(shelved))
    const rowsMax = this.#packRowsMax
    let isStored = true
    for (let start = 0; start < merged.length; start += rowsMax) {
      const part = merged.slice(start, start + rowsMax)
      const entries = part.flatMap((entry) => (entry === null ? [] : (packEntry(entry) ?? [])))
      if (entries.length === 0) continue
      const shelved = this.#shelf.publish(entries, { isSynced: true })
      isStored &&= shelved.name !== null
      kept.push(shelved)
    }
    // Nothing is replaced by what would end with this process.
    if (isStored) this.#shelf.remove(isReplaced)
    for (const { name } of kept) if (name !== null) this.#known.add(name)
    this.#replacePacks(kept)
    close(replaced)
  }

  #replacePacks(packs: readonly ShelvedPack[]): void {
    this.#packs = packs
    if (packs.every(({ pack }) => pack.rowCount === 0)) this.#width = null
    this.#keys = new KeyTable()
    this.#entries = []
    this.#hasRefusals = false
    for (const { pack } of packs) this.#enter(pack)
    this.#revision += 1
  }

  [Symbol.dispose](): void {
    close(this.#packs)
    this.#known.clear()
    this.#replacePacks([])
  }
}

/** As another pack takes it; null when it is damaged. */
function packEntry(entry: Entry): PackEntry | null {
  if ('refused' in entry) return entry
  try {
    return entry.pack.rowAt(entry.row)
  } catch (error) {
    if (error instanceof FileDamage) return null
    throw error
  }
}

function close(packs: Iterable<ShelvedPack>): void {
  for (const { pack } of packs) pack[Symbol.dispose]()
}
