/**
 * The packed base of both views: one immutable file of sections, read by position. Says what is where; reads and writes
 * nothing. Little-endian; described in docs/formats.md.
 *
 * Documents are numbered from 0, terms from 0. A base that follows another keeps its numbers: a document whose file is
 * no more stays as a gap until the gaps are many. Sections are checked block by block: damage is found wherever it is
 * read, and answered by building anew from the truth.
 */
import type { ViewName } from '../model/experience.ts'

export const BASE_FORMAT_VERSION = 2
export const MAGIC = 'KNOWHOWB'
/** Each section begins at a multiple of so many bytes, for its numbers are read in place. */
export const ALIGNMENT = 8
/** So many bytes of a section, the last of it fewer, have one CRC-32. */
export const BLOCK_BYTES = 4096

export const SECTION_NAMES = [
  /** UTF-8: all names of the folder in the order in which it listed them, joined by `/`. */
  'listing',
  /** Int32 by name of `listing`: its document, -1 for none. */
  'listed',
  /** Int32 by document: the place of its name in `listing`, -1 for a gap. */
  'places',
  /** Open-addressing table of place + 1 by hash of the name that stands there; of documents' names alone. */
  'name_table',
  /** Float64 × 4 by name of `listing`: bytes, mtime ms, ctime ms, inode; NaN where these prove nothing. */
  'signatures',
  /** 32 bytes by document: SHA-256 of the file. */
  'versions',
  /** KEY_BYTES by document: the key of its text in the view, see text-key.ts; zeros for a gap and for what is no experience. */
  'text_keys_when_to_use',
  'text_keys_when_to_use_content',
  /** Byte by document, see FLAG. */
  'flags',
  /** JSON: why each invalid file is no experience, by document. */
  'faults',
  /** UTF-8 of all terms, joined. */
  'terms',
  /** Uint32 × ENTRY_WORDS by term, see ENTRY. */
  'entries',
  /** Open-addressing table of term + 1 by hash of the term. */
  'term_table',
  /** Uint32 by document: words of its text in the view. */
  'lengths_when_to_use',
  'lengths_when_to_use_content',
  /** Delta-coded lists of the view, see posting-codec.ts. */
  'postings_when_to_use',
  'postings_when_to_use_content',
  /** Uint32 by block of all sections before it, in their order: its CRC-32. */
  'sums',
] as const

export type SectionName = (typeof SECTION_NAMES)[number]

/**
 * A file that is no experience is in the manifest, so that it is not read again; it is in no view. `gone` marks a gap:
 * it is invalid too and has no length, but old postings may name it.
 */
export const FLAG = { invalid: 1, gone: 4 } as const

export const SIGNATURE_VALUES = 4
export const VERSION_BYTES = 32

/** Words of a term's entry: first the term's, then those of each view's list at VIEW_WORD[view]. */
export const ENTRY = { hash: 0, start: 1, bytes: 2 } as const
/** `last` is the highest document of the list: what continues the list begins there. */
export const LIST = { count: 0, start: 1, bytes: 2, last: 3 } as const
export const VIEW_WORD: Readonly<Record<ViewName, number>> = { when_to_use: 3, when_to_use_content: 7 }
export const ENTRY_WORDS = 11

export interface Section {
  readonly offset: number
  readonly bytes: number
  /** Place of its first block's CRC-32 in `sums`. */
  readonly block: number
}

export type FolderSignature = readonly [mtimeMs: number, ctimeMs: number, inode: number]

export interface Footer {
  readonly format: number
  readonly analyzer: number
  /** When the files were looked at, epoch milliseconds. */
  readonly taken_ms: number
  /** Of the folder then: mtime ms, ctime ms, inode; null where they do not prove that its listing is the same. */
  readonly folder: FolderSignature | null
  /** Gaps included. */
  readonly documents: number
  readonly gaps: number
  readonly terms: number
  /** CRC-32 of `sums`. */
  readonly sums_crc: number
  readonly views: Readonly<Record<ViewName, { readonly documents: number; readonly length_total: number }>>
  readonly sections: Readonly<Record<SectionName, Section>>
}
