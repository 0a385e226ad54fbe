/** The sections of a packed base that tell of its documents as files, and how long their texts are. */
import { VIEW_NAMES } from '../model/experience.ts'
import { invariant } from '../model/memory-error.ts'
import type { Base, ManifestColumns } from './base.ts'
import { FLAG, type Footer, SIGNATURE_VALUES, TEXT_KEYS_BYTES, VERSION_BYTES } from './base-format.ts'
import type { SectionWriter } from './base-sections.ts'
import type { IndexColumns } from './index-builder.ts'
import { ByteSink } from './posting-codec.ts'
import { asciiHash, enterHash, tableSlots } from './string-hash.ts'

const encoder = new TextEncoder()

/** bytes, mtime ms, ctime ms, inode */
export type Signature = readonly [number, number, number, number]

/** A file as it was looked at. */
export interface LookedAt {
  readonly signature: Signature
  /** Whether it could have been written again, unnoticed, after it was read. */
  readonly racy: boolean
}

/** A file that becomes a new document. */
export interface AddedFile extends LookedAt {
  /** Without `.json`. */
  readonly name: string
  /** SHA-256 in lower-case hex. */
  readonly version: string
  /** TEXT_KEYS_BYTES long; null for what is no experience. */
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
  names: new Uint8Array(),
  nameStarts: new Uint32Array(1),
  signatures: new Float64Array(),
  versions: new Uint8Array(),
  textKeys: new Uint8Array(),
  flags: new Uint8Array(),
}

export function addManifest(
  file: SectionWriter,
  before: Base | null,
  survival: Survival,
  lookedAt: ReadonlyMap<number, LookedAt>,
  added: readonly AddedFile[],
): void {
  const rows = new ManifestRows(before?.manifestColumns() ?? NOTHING, survival, added.length)
  for (const [document, found] of lookedAt) rows.lookedAgain(document, found)
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
  readonly #names: ByteSink
  readonly #nameStarts: Uint32Array<ArrayBuffer>
  readonly #signatures: Float64Array<ArrayBuffer>
  readonly #versions: Uint8Array<ArrayBuffer>
  readonly #textKeys: Uint8Array<ArrayBuffer>
  readonly #flags: Uint8Array<ArrayBuffer>
  #count: number

  constructor(before: ManifestColumns, survival: Survival, added: number) {
    const documents = survival.kept + added
    this.#survival = survival
    this.#count = survival.kept
    this.#names = new ByteSink(before.names.length + added * 32)
    this.#nameStarts = new Uint32Array(documents + 1)
    this.#signatures = new Float64Array(documents * SIGNATURE_VALUES)
    this.#versions = new Uint8Array(documents * VERSION_BYTES)
    this.#textKeys = new Uint8Array(documents * TEXT_KEYS_BYTES)
    this.#flags = new Uint8Array(documents)
    for (const [start, end, to] of keptRuns(survival)) this.#copy(before, start, end, to)
    this.#nameStarts[survival.kept] = this.#names.length
    if (survival.numbers === null)
      for (let document = 0; document < survival.dead.length; document += 1)
        if (survival.dead[document] !== 0) this.#flags[document] = FLAG.gone | FLAG.invalid
  }

  #copy(before: ManifestColumns, start: number, end: number, to: number): void {
    const firstName = before.nameStarts[start] ?? 0
    const shift = this.#names.length - firstName
    for (let document = start; document < end; document += 1)
      this.#nameStarts[to + document - start] = (before.nameStarts[document] ?? 0) + shift
    this.#names.append(before.names.subarray(firstName, before.nameStarts[end]))
    this.#signatures.set(
      before.signatures.subarray(start * SIGNATURE_VALUES, end * SIGNATURE_VALUES),
      to * SIGNATURE_VALUES,
    )
    this.#versions.set(before.versions.subarray(start * VERSION_BYTES, end * VERSION_BYTES), to * VERSION_BYTES)
    this.#textKeys.set(before.textKeys.subarray(start * TEXT_KEYS_BYTES, end * TEXT_KEYS_BYTES), to * TEXT_KEYS_BYTES)
    this.#flags.set(before.flags.subarray(start, end), to)
  }

  /** @returns -1 for a document that is no more */
  numberOf(document: number): number {
    const { dead, numbers } = this.#survival
    return dead[document] === 0 ? (numbers?.[document] ?? document) : -1
  }

  lookedAgain(document: number, { signature, racy }: LookedAt): void {
    const number = this.numberOf(document)
    if (number === -1) return
    this.#signatures.set(signature, number * SIGNATURE_VALUES)
    this.#flags[number] = ((this.#flags[number] ?? 0) & ~FLAG.racy) | (racy ? FLAG.racy : 0)
  }

  add({ name, signature, version, racy, textKeys, fault }: AddedFile): void {
    const document = this.#count
    this.#names.text(name)
    this.#count += 1
    this.#nameStarts[this.#count] = this.#names.length
    this.#signatures.set(signature, document * SIGNATURE_VALUES)
    for (let at = 0; at < VERSION_BYTES; at += 1)
      this.#versions[document * VERSION_BYTES + at] = Number.parseInt(version.slice(at * 2, at * 2 + 2), 16)
    if (textKeys !== null) this.#textKeys.set(textKeys, document * TEXT_KEYS_BYTES)
    this.#flags[document] = (fault === null ? 0 : FLAG.invalid) | (racy ? FLAG.racy : 0)
  }

  finish(file: SectionWriter): void {
    file.add('names', this.#names.written)
    file.add('name_starts', this.#nameStarts)
    file.add('name_table', this.#nameTable())
    file.add('signatures', this.#signatures)
    file.add('versions', this.#versions)
    file.add('text_keys', this.#textKeys)
    file.add('flags', this.#flags)
  }

  #nameTable(): Uint32Array<ArrayBuffer> {
    const names = this.#names.written
    const table = new Uint32Array(tableSlots(this.#count))
    for (let document = 0; document < this.#count; document += 1) {
      if (((this.#flags[document] ?? 0) & FLAG.gone) !== 0) continue
      const start = this.#nameStarts[document] ?? 0
      enterHash(table, asciiHash(names, start, this.#nameStarts[document + 1] ?? start), document)
    }
    return table
  }
}
