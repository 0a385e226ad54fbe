/** Reads what says where everything is in the file of a packed base, and refuses files of another kind or version. */
import * as v from 'valibot'
import type { Digest, ReadFile } from '../ports.ts'
import { ANALYZER_VERSION } from './analyzer-version.ts'
import { ALIGNMENT, BASE_FORMAT_VERSION, type Footer, MAGIC } from './base-format.ts'
import { FileDamage } from './checked-file.ts'
import { readFooter } from './file-footer.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const section = v.object({ offset: count, bytes: count, block: count })
const viewFacts = v.object({ documents: count, length_total: count })
const footerSchema = v.object({
  format: v.literal(BASE_FORMAT_VERSION),
  analyzer: v.literal(ANALYZER_VERSION),
  taken_ms: v.number(),
  documents: count,
  gaps: count,
  terms: count,
  sums_crc: count,
  views: v.object({ when_to_use: viewFacts, when_to_use_content: viewFacts }),
  sections: v.object({
    names: section,
    name_starts: section,
    name_table: section,
    listing: section,
    listed: section,
    signatures: section,
    versions: section,
    text_keys: section,
    flags: section,
    faults: section,
    terms: section,
    entries: section,
    term_table: section,
    lengths_when_to_use: section,
    lengths_when_to_use_content: section,
    postings_when_to_use: section,
    postings_when_to_use_content: section,
    sums: section,
  }),
})

/** Throws `FileDamage`. */
export function readBaseFooter(file: ReadFile, digest: Digest): Footer {
  const { footer } = readFooter(file, digest, { magic: MAGIC, schema: footerSchema })
  for (const { offset, bytes } of Object.values(footer.sections))
    if (offset % ALIGNMENT !== 0 || offset + bytes > file.bytes) throw new FileDamage('a section lies outside the file')
  return footer
}
