/** Values of parsed JSON, before anything is known of them. */

export type Fields = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** None where it is no object. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

/** None where it is no list. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Neither missing nor null. */
export function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined
}
