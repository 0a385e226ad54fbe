/** Reads what says where everything is in the file of a packed base, and refuses files of another kind or version. */
import * as v from 'valibot'
import type { Digest, ReadFile } from '../ports.ts'
import { ANALYZER_VERSION } from './analyzer-version.ts'
import { ALIGNMENT, BASE_FORMAT_VERSION, type Footer, MAGIC, TAIL_BYTES } from './base-format.ts'
import { FileDamage, readBytes } from './checked-file.ts'

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

const decoder = new TextDecoder()

/** Throws `FileDamage`. */
export function readFooter(file: ReadFile, digest: Digest): Footer {
  if (file.bytes < TAIL_BYTES) throw new FileDamage('the file is too short')
  const tail = readBytes(file, file.bytes - TAIL_BYTES, TAIL_BYTES)
  const numbers = new DataView(tail.buffer, tail.byteOffset)
  const length = numbers.getUint32(0, true)
  if (decoder.decode(tail.subarray(8)) !== MAGIC || length > file.bytes - TAIL_BYTES)
    throw new FileDamage('the file has no whole footer')
  const bytes = readBytes(file, file.bytes - TAIL_BYTES - length, length)
  if (digest.crc32(bytes) !== numbers.getUint32(4, true)) throw new FileDamage('the footer is damaged')
  const footer: Footer = parsed(bytes)
  for (const { offset, bytes: size } of Object.values(footer.sections)) {
    if (offset % ALIGNMENT !== 0 || offset + size > file.bytes) throw new FileDamage('a section lies outside the file')
  }
  return footer
}

function parsed(bytes: Uint8Array): Footer {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch (cause) {
    throw new FileDamage('the footer is no JSON', { cause })
  }
  const { success, output } = v.safeParse(footerSchema, value)
  if (!success) throw new FileDamage('the footer is of another version')
  return output
}
