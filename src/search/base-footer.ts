/**
 * Reads what says where everything is in the file of a packed base, and refuses files of another kind or version. Plain
 * comparisons: this is done before every search, and making a schema of so many members takes longer than reading them.
 */

import { VIEW_NAMES } from '../model/experience.ts'
import { isRecord } from '../model/json-values.ts'
import type { Digest, ReadFile } from '../ports.ts'
import { ANALYZER_VERSION } from './analyzer-version.ts'
import { ALIGNMENT, BASE_FORMAT_VERSION, type Footer, MAGIC, SECTION_NAMES } from './base-format.ts'
import { FileDamage } from './checked-file.ts'
import { readFooter } from './file-footer.ts'

const COUNTS = ['documents', 'gaps', 'terms', 'sums_crc']
const SECTION_COUNTS = ['offset', 'bytes', 'block']
const VIEW_COUNTS = ['documents', 'length_total']

/** Throws `FileDamage`. */
export function readBaseFooter(file: ReadFile, digest: Digest): Footer {
  const { footer } = readFooter(file, digest, { magic: MAGIC, isFooter })
  for (const { offset, bytes } of Object.values(footer.sections))
    if (offset % ALIGNMENT !== 0 || offset + bytes > file.bytes) throw new FileDamage('a section lies outside the file')
  return footer
}

function isFooter(value: unknown): value is Footer {
  if (!hasCounts(value, COUNTS)) return false
  const { format, analyzer, taken_ms: takenMs, folder, views, sections } = value
  return (
    format === BASE_FORMAT_VERSION &&
    analyzer === ANALYZER_VERSION &&
    typeof takenMs === 'number' &&
    (folder === null || isThreeNumbers(folder)) &&
    isRecord(views) &&
    VIEW_NAMES.every((view) => hasCounts(views[view], VIEW_COUNTS)) &&
    isRecord(sections) &&
    SECTION_NAMES.every((name) => hasCounts(sections[name], SECTION_COUNTS))
  )
}

function isThreeNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.length === 3 && value.every(Number.isFinite)
}

function hasCounts(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return isRecord(value) && names.every((name) => Number.isSafeInteger(value[name]) && Number(value[name]) >= 0)
}
