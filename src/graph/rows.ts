/** Rows of tables, of nodes and of relations alike: their columns checked, inserted, assigned. */
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow, SqlValue } from '../ports.ts'
import type { Property } from './schema.ts'
import { storedValue, type ValueOrigin } from './values.ts'

/**
 * Checks all properties of what is new. Throws `invalid_argument` naming the field, also for one there is not.
 * @param owner label or relation
 */
export function checkedColumns(
  owner: string,
  properties: readonly Property[],
  given: Readonly<Record<string, unknown>>,
  origin: ValueOrigin = 'given',
): Record<string, SqlValue> {
  const stray = Object.keys(given).find((name) => properties.every((property) => property.name !== name))
  if (stray !== undefined)
    throw new MemoryError(
      'invalid_argument',
      `${stray}: ${owner} has no such property, only ${properties.map(({ name }) => name).join(', ')}`,
      { field: stray },
    )
  return Object.fromEntries(
    properties.map((property) => [property.name, storedValue(property, given[property.name], origin)]),
  )
}

export function insertRow(database: Database, table: string, columns: SqlRow): void {
  const names = Object.keys(columns)
  const [quoted, values] = [names.map((name) => `"${name}"`), names.map((name) => `$${name}`)]
  database.run(`INSERT INTO "${table}" (${quoted.join(', ')}) VALUES (${values.join(', ')})`, columns)
}

/** What follows SET, for parameters of the columns' names. */
export function assignmentsOf(columns: SqlRow): string {
  return Object.keys(columns)
    .map((name) => `"${name}" = $${name}`)
    .join(', ')
}
