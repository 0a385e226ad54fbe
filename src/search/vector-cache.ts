/**
 * The vectors of one embedder by the texts they are of: which are there, and where each lies. All that embeds shares it,
 * so that a text is embedded once. Knows nothing of views, documents and what a text is for.
 */
import { FileDamage } from './checked-file.ts'
import { KeyTable } from './key-table.ts'
import type { PackRow, VectorPack } from './vector-pack.ts'
import type { PackFile, ShelvedPack, VectorShelf } from './vector-shelf.ts'

/** Packs past which the smaller half of them becomes one: each is an open file. */
export const PACKS_MAX = 32

/** Where a text's vector is: one object a text, until another vector takes its place. */
export interface Place {
  readonly pack: VectorPack
  readonly row: number
}

export class VectorCache implements Disposable {
  readonly #shelf: VectorShelf
  /** In the order of their numbers. */
  #packs: readonly ShelvedPack[] = []
  /** Files that are open, or damaged for good. */
  readonly #known = new Set<string>()
  /** Open packs whose files another process has replaced. */
  #replaced: readonly ShelvedPack[] = []
  #isAnothers = false
  #width: number | null = null
  /** Of the texts that have a vector of the width that counts. */
  #keys = new KeyTable()
  /** By number in `#keys`; null where the vector is damaged. The newest pack counts. */
  #places: (Place | null)[] = []
  #revision = 0

  constructor(shelf: VectorShelf) {
    this.#shelf = shelf
  }

  /** Changes whenever the place of any text may have. */
  get revision(): number {
    return this.#revision
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
    return this.#places[this.#keys.numberOf(key)] ?? null
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

  /** Takes in what was just made. @param rows all vectors of one width; another width than that of others never counts */
  add(rows: readonly PackRow[]): void {
    if (rows.length === 0) return
    this.#take(this.#shelf.publish(rows, null))
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
    this.#dropWhere((place) => rowOrNull(place) === null)
  }

  /**
   * Drops a vector that was found damaged, and what else is damaged in its pack: damage seldom comes alone, after a power
   * cut half a pack may be NULs, and each of its rows would cost a scan.
   */
  dropAround(damaged: Place): void {
    this.#dropWhere((place) => place === damaged || (place.pack === damaged.pack && rowOrNull(place) === null))
  }

  #dropWhere(isDropped: (place: Place) => boolean): void {
    for (const [number, place] of this.#places.entries())
      if (place !== null && isDropped(place)) this.#places[number] = null
    this.#revision += 1
  }

  /** Drops the vectors of all other texts than these, and those of other embedders, widths and formats. */
  compact(keys: Iterable<Uint8Array>): void {
    this.#shelf.removeEarlier()
    const kept = new Set<Place>()
    for (const key of keys) {
      const place = this.placeOf(key)
      if (place !== null) kept.add(place)
    }
    const files = this.#shelf.files()
    const isCompact = ({ name, pack }: ShelvedPack) => pack.rowCount === kept.size && name === files[0]?.name
    if (files.length === this.#packs.length && files.length <= 1 && this.#packs.every(isCompact)) return
    // A pack that this process has not taken in may hold what another has just made.
    this.#merge([...kept], new Set(this.#packs), ({ name, isOwn }) => !isOwn || this.#known.has(name))
    this.#isAnothers = this.#shelf.files()[0]?.isOwn === false
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
    this.#width ??= shelved.pack.width
    this.#enter(shelved.pack)
  }

  #enter(pack: VectorPack): void {
    if (pack.width !== this.#width) return
    if (this.#keys.count === 0) this.#keys = new KeyTable(pack.rowCount)
    for (let row = 0; row < pack.rowCount; row += 1) this.#places[this.#keys.add(pack.keyAt(row))] = { pack, row }
    this.#revision += 1
  }

  /** Makes one pack of the smaller half. Texts that nobody shows now may come back, and keep their vectors. */
  #mergeSmall(): void {
    const bySize = this.#packs.filter(({ pack }) => pack.width === this.#width)
    bySize.sort((a, b) => a.pack.rowCount - b.pack.rowCount)
    const merged = new Set(bySize.slice(0, Math.ceil(bySize.length / 2)))
    const packs = new Set([...merged].map(({ pack }) => pack))
    const names = new Set([...merged].map(({ name }) => name))
    const places = this.#places.filter((place) => place !== null && packs.has(place.pack))
    this.#merge(places, merged, ({ name }) => names.has(name))
  }

  /** Puts one pack with the vectors at `places` in the place of `replaced`. */
  #merge(
    places: readonly (Place | null)[],
    replaced: ReadonlySet<ShelvedPack>,
    isReplaced: (file: PackFile) => boolean,
  ): void {
    const rows = places.flatMap((place) => (place === null ? [] : (rowOrNull(place) ?? [])))
    const kept = this.#packs.filter((shelved) => !replaced.has(shelved))
    if (rows.length === 0) this.#shelf.remove(isReplaced)
    else kept.push(this.#shelf.publish(rows, isReplaced))
    for (const { name } of kept) if (name !== null) this.#known.add(name)
    this.#replacePacks(kept)
    close(replaced)
  }

  #replacePacks(packs: readonly ShelvedPack[]): void {
    this.#packs = packs
    if (packs.length === 0) this.#width = null
    this.#keys = new KeyTable()
    this.#places = []
    for (const { pack } of packs) this.#enter(pack)
    this.#revision += 1
  }

  [Symbol.dispose](): void {
    close(this.#packs)
    this.#known.clear()
    this.#replacePacks([])
  }
}

/** Null when it is damaged. */
function rowOrNull({ pack, row }: Place): PackRow | null {
  try {
    return pack.rowAt(row)
  } catch (error) {
    if (error instanceof FileDamage) return null
    throw error
  }
}

function close(packs: Iterable<ShelvedPack>): void {
  for (const { pack } of packs) pack[Symbol.dispose]()
}
