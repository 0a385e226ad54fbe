/** What changed from one version of a concept to the next, in words: for who gives none of his own. */
import { shortened } from '../model/shortened.ts'
import type { SqlRow, SqlValue } from '../ports.ts'

const COMPARED = ['content', 'category', 'confidence_score'] as const
/** Of what stood there before; the new text is in the new version. UTF-16 units. */
const SHOWN_UNITS_MAX = 300

/** One line a field that differs; null when none does. */
export function changedFields(before: SqlRow, after: SqlRow): string | null {
  const lines = COMPARED.filter((name) => before[name] !== (after[name] ?? null)).map(
    (name) => `${name}: ${shown(before[name])} -> ${shown(after[name])}`,
  )
  return lines.length === 0 ? null : lines.join('\n')
}

function shown(value: SqlValue | undefined): string {
  return shortened(JSON.stringify(value ?? null), SHOWN_UNITS_MAX)
}
