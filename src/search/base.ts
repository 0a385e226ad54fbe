/** A packed base, opened: finds documents by name and postings by term, reading no more of the file than it must. */
import type { ViewName } from '../model/experience.ts'
import type { Digest, ReadFile } from '../ports.ts'
import { readBaseFooter } from './base-footer.ts'
import {
  ENTRY,
  ENTRY_WORDS,
  FLAG,
  type Footer,
  LIST,
  type SectionName,
  SIGNATURE_VALUES,
  VERSION_BYTES,
  VIEW_WORD,
} from './base-format.ts'
import { CheckedFile, FileDamage, float64s, int32s, readBytes, uint32s } from './checked-file.ts'
import { KEY_BYTES } from './key-table.ts'
import { decodePostings, type PostingRun } from './posting-codec.ts'
import { stringHash } from './string-hash.ts'

const PROBE_SLOTS = 16

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Everything of the base that the next one takes over, by document but for `signatures`. Not to be changed. */
export interface ManifestColumns {
  readonly places: Int32Array
  /** By place. */
  readonly signatures: Float64Array
  readonly versions: Uint8Array
  readonly textKeys: Readonly<Record<ViewName, Uint8Array>>
  readonly flags: Uint8Array
}

/** Everything of the base that the next one takes over, by term: read for the caller, who may change it. */
export interface TermColumns {
  readonly texts: Uint8Array<ArrayBuffer>
  readonly entries: Uint32Array<ArrayBuffer>
  readonly table: Uint32Array<ArrayBuffer>
  readonly lists: Readonly<Record<ViewName, Uint8Array>>
}

export class Base implements Disposable {
  readonly footer: Footer
  /** By document: 1 when its number is a gap. */
  gapMarks(): Uint8Array {
    const { flags } = this
    return this.footer.gaps === 0
      ? new Uint8Array(flags.length)
      : flags.map((flag) => ((flag & FLAG.gone) === 0 ? 0 : 1))
  }

  /** The names in the folder when the base was made, joined by `/`, which no name can hold. */
  readonly listing: string
  /** By name of `listing` its document, -1 for none. */
  readonly listed: Int32Array
  /** Float64 × 4 by name of `listing`; NaN for what has to be looked at in any case. */
  readonly signatures: Float64Array
  readonly flags: Uint8Array
  /** Why each invalid file is no experience, by document. */
  readonly faults: Readonly<Record<string, string>>
  readonly #file: ReadFile
  readonly #checked: CheckedFile
  #listedNames: readonly string[] | null = null
  #places: Int32Array | null = null
  #nameTable: Uint32Array | null = null
  #versions: Uint8Array | null = null
  readonly #textKeys = new Map<ViewName, Uint8Array>()
  readonly #lengths = new Map<ViewName, Uint32Array>()

  /** Reads what every search needs: the listing and its signatures. Throws `FileDamage`. */
  constructor(file: ReadFile, digest: Digest) {
    this.#file = file
    this.footer = readBaseFooter(file, digest)
    const { documents, sums_crc: sumsCrc, sections } = this.footer
    const sums = readBytes(file, sections.sums.offset, sections.sums.bytes)
    if (digest.crc32(sums) !== sumsCrc) throw new FileDamage('the sums are damaged')
    this.#checked = new CheckedFile(file, digest, uint32s(sums))
    this.listing = decoder.decode(this.#whole('listing'))
    this.listed = int32s(this.#whole('listed'))
    this.signatures = float64s(this.#whole('signatures'))
    this.flags = this.#whole('flags')
    this.faults = JSON.parse(decoder.decode(this.#whole('faults')))
    const isWhole = this.signatures.length === this.listed.length * SIGNATURE_VALUES && this.flags.length === documents
    if (!isWhole) throw new FileDamage('the sections do not fit each other')
  }

  /** Reads all of it. Throws `FileDamage`. */
  check(): void {
    for (const [name, section] of Object.entries(this.footer.sections))
      if (name !== 'sums') this.#checked.read(section, 0, section.bytes)
  }

  /** Of the whole file. */
  get bytes(): number {
    return this.#file.bytes
  }

  /** The names in the folder when the base was made. */
  listedNames(): readonly string[] {
    this.#listedNames ??= this.listed.length === 0 ? [] : this.listing.split('/')
    return this.#listedNames
  }

  /** Whether these are they, in the same order. */
  isListing(names: readonly string[]): boolean {
    if (names === this.#listedNames) return true
    if (this.listed.length !== names.length || this.listing !== names.join('/')) return false
    this.#listedNames = names
    return true
  }

  /** Gaps included: one more than the highest number. */
  get documentCount(): number {
    return this.footer.documents
  }

  /**
   * @param fileName with its `.json`
   * @param guess    tried first: files are mostly listed in the order in which they were
   * @returns the place in the listing of the document of this name, -1 for none
   */
  placeOf(fileName: string, guess = -1): number {
    const names = this.listedNames()
    if (names[guess] === fileName && this.listed[guess] !== -1) return guess
    this.#nameTable ??= uint32s(this.#whole('name_table'))
    const table = this.#nameTable
    const mask = table.length - 1
    for (let slot = stringHash(fileName) & mask, probed = 0; probed <= mask; slot = (slot + 1) & mask, probed += 1) {
      const place = (table[slot] ?? 0) - 1
      if (place === -1 || names[place] === fileName) return place
    }
    return -1
  }

  /** -1 for none. */
  documentOf(fileName: string): number {
    return this.listed[this.placeOf(fileName)] ?? -1
  }

  /** With its `.json`; '' for a gap. */
  fileNameOf(document: number): string {
    this.#places ??= int32s(this.#whole('places'))
    return this.listedNames()[this.#places[document] ?? -1] ?? ''
  }

  isInvalid(document: number): boolean {
    return ((this.flags[document] ?? 0) & FLAG.invalid) !== 0
  }

  /** Whether no file stood for this number any more when the base was made. */
  isGap(document: number): boolean {
    return ((this.flags[document] ?? 0) & FLAG.gone) !== 0
  }

  /** SHA-256 of the file as it was, lower-case hex. */
  versionOf(document: number): string {
    const versions = this.footer.sections.versions
    const stored =
      this.#versions?.subarray(document * VERSION_BYTES, (document + 1) * VERSION_BYTES) ??
      this.#checked.read(versions, document * VERSION_BYTES, VERSION_BYTES)
    let hex = ''
    for (const byte of stored) hex += HEX[byte]
    return hex
  }

  /** Of very many documents: `versionOf` reads nothing from here on. */
  loadVersions(): Uint8Array {
    this.#versions ??= this.#whole('versions')
    return this.#versions
  }

  /**
   * KEY_BYTES by document: the key of its text in a view, zeros for one that is in none. Only what is embedded needs them,
   * so they are read when they are asked for. Not to be changed.
   */
  textKeys(view: ViewName): Uint8Array {
    return kept(this.#textKeys, view, () => {
      const keys = this.#whole(`text_keys_${view}`)
      if (keys.length !== this.documentCount * KEY_BYTES) throw new FileDamage('the keys do not fit the documents')
      return keys
    })
  }

  /** Words by document; 0 for what is not in the view. */
  lengths(view: ViewName): Uint32Array {
    return kept(this.#lengths, view, () => uint32s(this.#whole(`lengths_${view}`)))
  }

  /**
   * Adds the term's postings in a view to `run`.
   * @param dead 1 by document that is no more, null when all live
   */
  addPostings(view: ViewName, term: string, dead: Uint8Array | null, run: PostingRun): void {
    const entry = this.#entryOf(term)
    if (entry === null) return
    const list = VIEW_WORD[view]
    const count = entry[list + LIST.count] ?? 0
    if (count === 0) return
    const { sections } = this.footer
    const start = entry[list + LIST.start] ?? 0
    const bytes = this.#checked.read(sections[`postings_${view}`], start, entry[list + LIST.bytes] ?? 0)
    decodePostings(bytes, count, dead, run)
  }

  manifestColumns(): ManifestColumns {
    const versions = this.loadVersions()
    this.#places ??= int32s(this.#whole('places'))
    const { signatures, flags } = this
    const textKeys = {
      when_to_use: this.textKeys('when_to_use'),
      when_to_use_content: this.textKeys('when_to_use_content'),
    }
    return { places: this.#places, signatures, versions, textKeys, flags }
  }

  /** Reads most of the file. */
  termColumns(): TermColumns {
    return {
      texts: this.#whole('terms'),
      entries: uint32s(this.#whole('entries')),
      table: uint32s(this.#whole('term_table')),
      lists: {
        when_to_use: this.#whole('postings_when_to_use'),
        when_to_use_content: this.#whole('postings_when_to_use_content'),
      },
    }
  }

  /** Reads a stretch of the table, one entry and its term; the tables of a large base stay on the disk. */
  #entryOf(term: string): Uint32Array | null {
    const table = this.footer.sections.term_table
    const slots = table.bytes / 4
    const wanted = encoder.encode(term)
    const hash = stringHash(term)
    for (let slot = hash & (slots - 1), probed = 0; probed < slots; ) {
      const length = Math.min(PROBE_SLOTS, slots - slot)
      for (const found of uint32s(this.#checked.read(table, slot * 4, length * 4))) {
        if (found === 0) return null
        const entry = this.#entry(found - 1)
        if (entry[ENTRY.hash] === hash && this.#hasText(entry, wanted)) return entry
      }
      probed += length
      slot = (slot + length) & (slots - 1)
    }
    return null
  }

  #entry(index: number): Uint32Array {
    const words = ENTRY_WORDS * 4
    return uint32s(this.#checked.read(this.footer.sections.entries, index * words, words))
  }

  #hasText(entry: Uint32Array, wanted: Uint8Array): boolean {
    if (entry[ENTRY.bytes] !== wanted.length) return false
    const text = this.#checked.read(this.footer.sections.terms, entry[ENTRY.start] ?? 0, wanted.length)
    return text.every((byte, at) => byte === wanted[at])
  }

  #whole(name: SectionName): Uint8Array<ArrayBuffer> {
    const section = this.footer.sections[name]
    return this.#checked.read(section, 0, section.bytes)
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}

function kept<T>(all: Map<ViewName, T>, view: ViewName, read: () => T): T {
  const found = all.get(view) ?? read()
  all.set(view, found)
  return found
}
