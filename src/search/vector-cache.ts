/**
 * What one embedder made of which texts: where each vector lies, and why a text has none. All that embeds shares it, so
 * that a text is embedded once, and refused once. Knows nothing of views, documents and what a text is for.
 */
import type { MemoryError } from '../model/memory-error.ts'
import { FileDamage } from './checked-file.ts'
import { KEY_BYTES, keyWords, NOT_FOUND } from './key-table.ts'
import { type PackEntry, packRowsIn } from './pack-format.ts'
import { keyAt, keyHex } from './text-key.ts'
import type { RowStretch, VectorPack } from './vector-pack.ts'
import type { PackFile, ShelvedPack, VectorShelf } from './vector-shelf.ts'

/** Packs past which the smaller half of them becomes one: each is an open file. */
export const PACKS_MAX = 32
/** Of one pack, which is made in memory in one piece. */
const PACK_BYTES_MAX = 2 ** 30

/** In the stead of a place: the text was refused. */
export const REFUSED = -2
/** The same, but the embedder is asked again. */
const DOUBTED = -3

/** A pack whose entries have the places from `start` on: the entries of all packs are numbered through. */
interface PlacedPack extends ShelvedPack {
  readonly start: number
}

/** Where a text's vector is. */
export interface VectorPlace {
  readonly pack: VectorPack
  readonly row: number
}

export class VectorCache implements Disposable {
  readonly #shelf: VectorShelf
  readonly #packBytesMax: number
  /** In the order of their numbers. */
  #packs: readonly PlacedPack[] = []
  /** Files that are open, or damaged for good. */
  readonly #known = new Set<string>()
  /** Open packs whose files another process has replaced. */
  #replaced: readonly PlacedPack[] = []
  #isAnothers = false
  #width: number | null = null
  /** Keys of texts whose refusal does not count while the embedder is asked again. */
  readonly #doubted = new Set<string>()
  #revision = 0
  #standing = 0
  #numbering = 0
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

  /** Changes whenever the place of any text may have by something else than packs that came in behind the others. */
  get standing(): number {
    return this.#standing
  }

  /** Changes whenever a place may stand for another vector than it did. */
  get numbering(): number {
    return this.#numbering
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

  /** Why something could not be written the last time; null when it could, or when somebody else was writing. */
  get storageFault(): MemoryError | null {
    return this.#shelf.fault
  }

  get hasRefusals(): boolean {
    return this.#packs.some(({ pack }) => pack.refusals.length > 0)
  }

  /** Why the embedder does not take the text; null when it was not refused. @param key of the text, see text-key.ts */
  refusalOf(key: Uint8Array): string | null {
    if (!this.hasRefusals) return null
    const { pack, row } = this.placeAt(this.#entriesOf(key)[0] ?? NOT_FOUND) ?? {}
    const refused = pack?.refusals[(row ?? 0) - pack.rowCount]
    return refused === undefined || this.#doubted.has(keyHex(key)) ? null : refused
  }

  /**
   * Where the vectors of many texts are: numbers for `placeAt` that ascend from pack to pack and row to row; REFUSED for
   * a text that the embedder does not take, and another number below 0 for one that it was not asked for.
   * @param keys KEY_BYTES by text, zeros for none
   */
  placesOf(keys: Uint8Array): Int32Array {
    return this.#placesIn(this.#packs, keys)
  }

  /**
   * The same, where it is known of the first texts what it was.
   * @param before of these, as of the present `standing` and as many packs as there were then
   */
  placesAgain(keys: Uint8Array, before: { readonly places: Int32Array; readonly packCount: number }): Int32Array {
    const knownBytes = before.places.length * KEY_BYTES
    const places = new Int32Array(keys.length / KEY_BYTES)
    places.set(this.#placesIn(this.#packs.slice(before.packCount), keys.subarray(0, knownBytes)))
    for (let at = 0; at < before.places.length; at += 1)
      if (places[at] === NOT_FOUND) places[at] = before.places[at] ?? NOT_FOUND
    places.set(this.placesOf(keys.subarray(knownBytes)), before.places.length)
    return places
  }

  #placesIn(packs: readonly PlacedPack[], keys: Uint8Array): Int32Array {
    const places = this.#entriesIn(packs, keys)
    for (const { pack, start } of packs) {
      if (pack.refusals.length === 0) continue
      const [first, end] = [start + pack.rowCount, start + pack.entryCount]
      for (let at = 0; at < places.length; at += 1) {
        const place = places[at] ?? NOT_FOUND
        if (place >= first && place < end)
          places[at] = this.#doubted.has(keyHex(keyAt(pack.keys, place - start))) ? DOUBTED : REFUSED
      }
    }
    return places
  }

  /** Null for a number below 0. */
  placeAt(place: number): VectorPlace | null {
    const found = place < 0 ? undefined : this.#packs.findLast(({ start }) => start <= place)
    return found === undefined ? null : { pack: found.pack, row: place - found.start }
  }

  #entriesOf(keys: Uint8Array): Int32Array {
    return this.#entriesIn(this.#packs, keys)
  }

  /** Vectors and refusals. The newest pack that says something counts. */
  #entriesIn(packs: readonly PlacedPack[], keys: Uint8Array): Int32Array {
    const words = keyWords(keys)
    const places = new Int32Array(keys.length / KEY_BYTES).fill(NOT_FOUND)
    for (const { pack, start } of packs.toReversed()) {
      pack.findAll(words, places, start)
      if (pack.width === this.#width) continue
      // Vectors of another width do not count, what an older pack says of their texts does.
      for (let at = 0; at < places.length; at += 1) {
        const row = (places[at] ?? NOT_FOUND) - start
        if (row >= 0 && row < pack.rowCount) places[at] = NOT_FOUND
      }
    }
    return places
  }

  /** Until `trust` texts with these keys count as not refused, unless they are refused again. */
  doubt(keys: Iterable<Uint8Array>): void {
    for (const key of keys) this.#doubted.add(keyHex(key))
    this.#upset()
  }

  /** All refusals count again. */
  trust(): void {
    this.#doubted.clear()
    this.#upset()
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
    for (const { pack } of this.#packs) pack.dropDamaged()
    this.#upset()
  }

  /**
   * Drops rows that were found damaged, and what else is damaged in their pack: damage seldom comes alone, after a power
   * cut half a pack may be NULs, and each of its rows would cost a scan.
   */
  dropAround(pack: VectorPack, damaged: RowStretch): void {
    this.#lossCount += 1
    pack.drop(damaged)
    pack.dropDamaged()
    this.#upset()
  }

  /** Places that were given may be others now. */
  #upset(): void {
    this.#standing += 1
    this.#revision += 1
  }

  /**
   * Forgets all other texts than these, and drops what is another embedder's, or of another width or format.
   * @param columns keys as of `placesOf`, in any pieces
   */
  compact(columns: Iterable<Uint8Array>): void {
    this.#shelf.removeEarlier()
    const kept = new Set<number>()
    for (const keys of columns) for (const place of this.#entriesOf(keys)) if (place !== NOT_FOUND) kept.add(place)
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
    const { name, pack } = shelved
    const last = this.#packs.at(-1)
    const start = last === undefined ? 0 : last.start + last.pack.entryCount
    this.#packs = [...this.#packs, { name, pack, start }]
    if (name !== null) this.#known.add(name)
    if (pack.rowCount > 0) this.#width ??= pack.width
    this.#revision += 1
  }

  /** Makes one pack of the smaller half. Texts that nobody shows now may come back, and keep their vectors. */
  #mergeSmall(): void {
    const bySize = this.#packs.filter(({ pack }) => pack.width === this.#width || pack.rowCount === 0)
    bySize.sort((a, b) => a.pack.entryCount - b.pack.entryCount)
    const merged = new Set(bySize.slice(0, Math.ceil(bySize.length / 2)))
    const names = new Set([...merged].map(({ name }) => name))
    const places = [...merged].flatMap(({ pack, start }) => [
      ...this.#entriesOf(pack.keys).filter((place, entry) => place === start + entry),
    ])
    this.#merge(places, merged, ({ name }) => names.has(name))
  }

  /** Puts `merged` in the place of `replaced`: in one pack unless that would be too large. */
  #merge(merged: readonly number[], replaced: ReadonlySet<PlacedPack>, isReplaced: (file: PackFile) => boolean): void {
    const kept: ShelvedPack[] = this.#packs.filter((shelved) => !replaced.has(shelved))
    const rowsMax = this.#packRowsMax
    let isStored = true
    for (let start = 0; start < merged.length; start += rowsMax) {
      const part = merged.slice(start, start + rowsMax)
      const entries = part.flatMap((place) => packEntry(this.placeAt(place)) ?? [])
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
    const width = packs.every(({ pack }) => pack.rowCount === 0) ? null : this.#width
    this.#packs = []
    for (const shelved of packs) this.#take(shelved)
    this.#width = width
    this.#numbering += 1
    this.#upset()
  }

  [Symbol.dispose](): void {
    close(this.#packs)
    this.#known.clear()
    this.#replacePacks([])
  }
}

/** As another pack takes it; null when it is damaged. */
function packEntry(place: VectorPlace | null): PackEntry | null {
  try {
    return place === null ? null : place.pack.entryAt(place.row)
  } catch (error) {
    if (error instanceof FileDamage) return null
    throw error
  }
}

function close(packs: Iterable<ShelvedPack>): void {
  for (const { pack } of packs) pack[Symbol.dispose]()
}
