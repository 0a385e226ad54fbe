/** Makes a packed base: from the base before it without its dead documents, and from new documents. */
import type { Digest } from '../ports.ts'
import { ANALYZER_VERSION } from './analyzer-version.ts'
import type { Base } from './base.ts'
import { BASE_FORMAT_VERSION } from './base-format.ts'
import { addLengths, addManifest, type FolderChange, type Survival } from './base-manifest.ts'
import { SectionWriter } from './base-sections.ts'
import { addTerms } from './base-terms.ts'
import type { IndexColumns } from './index-builder.ts'

/** Past this share of gaps all lists are written anew; below it they are copied as they lie. */
const GAPS_SHARE = 1 / 8

export interface BaseChange extends FolderChange {
  /** Null to begin from nothing. */
  readonly before: Base | null
  /** By document of `before`: 1 when it is dropped. */
  readonly dead: Uint8Array
  /** Of the new documents. */
  readonly columns: IndexColumns
  readonly takenMs: number
}

/** @returns what the file holds, in order */
export function baseParts(change: BaseChange, digest: Digest): readonly Uint8Array<ArrayBuffer>[] {
  const { dead, added, columns, takenMs, listing } = change
  const survival = survivalOf(dead)
  // Of a base without a document left nothing is worth reading.
  const before = survival.kept === 0 ? null : change.before
  const file = new SectionWriter(digest)
  addManifest(file, before, survival, change)
  const views = addLengths(file, before, survival, added, columns)
  const terms = addTerms(file, before?.termColumns() ?? null, survival, columns)
  return file.finish({
    format: BASE_FORMAT_VERSION,
    analyzer: ANALYZER_VERSION,
    taken_ms: takenMs,
    folder: listing.folder,
    documents: survival.kept + added.length,
    gaps: survival.numbers === null ? countOf(dead) : 0,
    terms,
    views,
  })
}

function survivalOf(dead: Uint8Array): Survival {
  const gone = countOf(dead)
  if (gone <= dead.length * GAPS_SHARE) return { dead, numbers: null, kept: dead.length }
  const numbers = new Int32Array(dead.length)
  let kept = 0
  for (let document = 0; document < dead.length; document += 1) numbers[document] = dead[document] === 0 ? kept++ : -1
  return { dead, numbers, kept }
}

function countOf(marks: Uint8Array): number {
  let count = 0
  for (const mark of marks) count += mark
  return count
}
