/** The sections of a packed base that tell of its documents as files, and how long their texts are. */
import { VIEW_NAMES, type ViewName } from '../model/experience.ts'
import { invariant } from '../model/memory-error.ts'
import type { Base, ManifestColumns } from './base.ts'
import { FLAG, type FolderSignature, type Footer, SIGNATURE_VALUES, VERSION_BYTES } from './base-format.ts'
import type { SectionWriter } from './base-sections.ts'
import type { IndexColumns } from './index-builder.ts'
import { KEY_BYTES } from './key-table.ts'
import { enterHash, stringHash, tableSlots } from './string-hash.ts'
import { keyAt } from './text-key.ts'

const encoder = new TextEncoder()

/** bytes, mtime ms, ctime ms, inode */
export type Signature = readonly [number, number, number, number]

/** The folder as it was listed. */
export interface Listing {
  readonly names: readonly string[]
  /** By name: a document of the base before, or the number of those and a place among the new ones; -1 for neither. */
  readonly slots: Int32Array
  /** See the footer. */
  readonly folder: FolderSignature | null
}

/** A file that becomes a new document. */
export interface AddedFile {
  /** Null where it could have been written again, unnoticed, after it was read. */
  readonly signature: Signature | null
  /** SHA-256 in lower-case hex. */
  readonly version: string
  /** As `textKeysOf` made them; null for what is no experience. */
  readonly textKeys: Uint8Array | null
  /** Why it is no experience; null for a valid one. */
  readonly fault: string | null
}

/** Which documents of the base before go on, and under which numbers. */
export interface Survival {
  /** 1 by document that is no more. */
  readonly dead: Uint8Array
  /** By document its new number, -1 for the dead; null when all keep theirs and the dead stay as gaps. */
  readonly numbers: Int32Array | null
  /** How many numbers the documents before take up: the first new document's. */
  readonly kept: number
}

const NOTHING: ManifestColumns = {
  places: new Int32Array(),
  signatures: new Float64Array(),
  versions: new Uint8Array(),
  textKeys: { when_to_use: new Uint8Array(), when_to_use_content: new Uint8Array() },
  flags: new Uint8Array(),
}

/** What a base says of the folder. */
export interface FolderChange {
  readonly listing: Listing
  /** By document of the base before that stands: its signature, where it was looked at again; null as in `AddedFile`. */
  readonly lookedAt: ReadonlyMap<number, Signature | null>
  /** New documents, in the order of their texts. */
  readonly added: readonly AddedFile[]
}

export function addManifest(
  file: SectionWriter,
  before: Base | null,
  survival: Survival,
  { listing, lookedAt, added }: FolderChange,
): void {
  const old = before?.manifestColumns() ?? NOTHING
  const rows = new ManifestRows(old, survival, added.length)
  const faults: Record<string, string> = {}
  for (const [document, fault] of Object.entries(before?.faults ?? {})) {
    const number = rows.numberOf(Number(document))
    if (number !== -1) faults[number] = fault
  }
  for (const [position, row] of added.entries()) {
    rows.add(row)
    if (row.fault !== null) faults[survival.kept + position] = row.fault
  }
  rows.finish(file)
  file.add('faults', encoder.encode(JSON.stringify(faults)))
  const { listed, places, signatures } = listedColumns(old, survival, { listing, lookedAt, added })
  file.add('listing', encoder.encode(listing.names.join('/')))
  file.add('listed', listed)
  file.add('places', places)
  file.add('name_table', nameTable(listing.names, places))
  file.add('signatures', signatures)
}

function listedColumns(old: ManifestColumns, survival: Survival, { listing, lookedAt, added }: FolderChange) {
  const { slots } = listing
  const { dead, numbers, kept } = survival
  const listed = new Int32Array(slots.length).fill(-1)
  const places = new Int32Array(kept + added.length).fill(-1)
  const signatures = new Float64Array(slots.length * SIGNATURE_VALUES).fill(Number.NaN)
  for (let place = 0; place < slots.length; place += 1) {
    const slot = slots[place] ?? -1
    if (slot === -1 || dead[slot] === 1) continue
    const isNew = slot >= dead.length
    const document = isNew ? kept + slot - dead.length : (numbers?.[slot] ?? slot)
    listed[place] = document
    places[document] = place
    const found = isNew ? added[slot - dead.length]?.signature : lookedAt.get(slot)
    const known = (old.places[slot] ?? 0) * SIGNATURE_VALUES
    const signature = found === undefined ? old.signatures.subarray(known, known + SIGNATURE_VALUES) : found
    if (signature !== null) signatures.set(signature, place * SIGNATURE_VALUES)
  }
  return { listed, places, signatures }
}

function nameTable(names: readonly string[], places: Int32Array): Uint32Array<ArrayBuffer> {
  const table = new Uint32Array(tableSlots(places.length))
  for (const place of places) if (place !== -1) enterHash(table, stringHash(names[place] ?? ''), place)
  return table
}

/** @returns what the footer says of each view */
export function addLengths(
  file: SectionWriter,
  before: Base | null,
  survival: Survival,
  added: readonly AddedFile[],
  columns: IndexColumns,
): Footer['views'] {
  const { dead, kept } = survival
  let documents = 0
  for (const { fault } of added) if (fault === null) documents += 1
  for (let document = 0; document < dead.length; document += 1)
    if (dead[document] === 0 && before?.isInvalid(document) === false) documents += 1
  const facts = { when_to_use: { documents, length_total: 0 }, when_to_use_content: { documents, length_total: 0 } }
  for (const view of VIEW_NAMES) {
    const { lengths: own } = columns.views[view]
    invariant(own.length === added.length, 'every new document has a length')
    const lengths = new Uint32Array(kept + own.length)
    const old = before?.lengths(view) ?? new Uint32Array()
    for (const [start, end, to] of keptRuns(survival)) lengths.set(old.subarray(start, end), to)
    if (survival.numbers === null)
      for (let document = 0; document < dead.length; document += 1) if (dead[document] !== 0) lengths[document] = 0
    lengths.set(own, kept)
    for (const length of lengths) facts[view].length_total += length
    file.add(`lengths_${view}`, lengths)
  }
  return facts
}

/** Documents before that stay together: from, to (exclusive), and where the first of them goes. */
function keptRuns({ dead, numbers }: Survival): readonly (readonly [number, number, number])[] {
  if (numbers === null) return [[0, dead.length, 0]]
  const runs: [number, number, number][] = []
  for (let document = 0; document < dead.length; ) {
    let end = document
    while (end < dead.length && dead[end] === 0) end += 1
    if (end > document) runs.push([document, end, numbers[document] ?? 0])
    document = end + 1
  }
  return runs
}

class ManifestRows {
  readonly #survival: Survival
  readonly #versions: Uint8Array<ArrayBuffer>
  readonly #textKeys: Readonly<Record<ViewName, Uint8Array<ArrayBuffer>>>
  readonly #flags: Uint8Array<ArrayBuffer>
  #count: number

  constructor(before: ManifestColumns, survival: Survival, added: number) {
    const documents = survival.kept + added
    this.#survival = survival
    this.#count = survival.kept
    this.#versions = new Uint8Array(documents * VERSION_BYTES)
    this.#textKeys = {
      when_to_use: new Uint8Array(documents * KEY_BYTES),
      when_to_use_content: new Uint8Array(documents * KEY_BYTES),
    }
    this.#flags = new Uint8Array(documents)
    for (const [start, end, to] of keptRuns(survival)) this.#copy(before, start, end, to)
    if (survival.numbers === null)
      for (let document = 0; document < survival.dead.length; document += 1)
        if (survival.dead[document] !== 0) this.#markGap(document)
  }

  #copy(before: ManifestColumns, start: number, end: number, to: number): void {
    this.#versions.set(before.versions.subarray(start * VERSION_BYTES, end * VERSION_BYTES), to * VERSION_BYTES)
    for (const view of VIEW_NAMES)
      this.#textKeys[view].set(before.textKeys[view].subarray(start * KEY_BYTES, end * KEY_BYTES), to * KEY_BYTES)
    this.#flags.set(before.flags.subarray(start, end), to)
  }

  #markGap(document: number): void {
    this.#flags[document] = FLAG.gone | FLAG.invalid
    for (const view of VIEW_NAMES) this.#textKeys[view].fill(0, document * KEY_BYTES, (document + 1) * KEY_BYTES)
  }

  /** @returns -1 for a document that is no more */
  numberOf(document: number): number {
    const { dead, numbers } = this.#survival
    return dead[document] === 0 ? (numbers?.[document] ?? document) : -1
  }

  add({ version, textKeys, fault }: AddedFile): void {
    const document = this.#count
    this.#count += 1
    for (let at = 0; at < VERSION_BYTES; at += 1)
      this.#versions[document * VERSION_BYTES + at] = (digitAt(version, at * 2) << 4) | digitAt(version, at * 2 + 1)
    if (textKeys !== null)
      for (const [at, view] of VIEW_NAMES.entries()) this.#textKeys[view].set(keyAt(textKeys, at), document * KEY_BYTES)
    this.#flags[document] = fault === null ? 0 : FLAG.invalid
  }

  finish(file: SectionWriter): void {
    file.add('versions', this.#versions)
    for (const view of VIEW_NAMES) file.add(`text_keys_${view}`, this.#textKeys[view])
    file.add('flags', this.#flags)
  }
}

/** Of a hex digit in lower case. */
function digitAt(hex: string, at: number): number {
  const unit = hex.charCodeAt(at)
  return (unit & 0xf) + (unit > 0x60 ? 9 : 0)
}
