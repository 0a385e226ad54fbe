/** Values as the native engine gives them, made into what JSON can tell without loss. */
import type { CypherRow, CypherValue } from '../model/cypher-value.ts'

/** Whole numbers of 64 bits come as doubles: one beyond this is no longer the number that was computed. */
const HOLDS_INT64 = /INT64|SERIAL/

/** @param types by column. Throws an Error naming the column whose number is not exact any more. */
export function toldRow(row: Readonly<Record<string, unknown>>, types: ReadonlyMap<string, string>): CypherRow {
  const told = Object.entries(row).map(([column, value]): readonly [string, CypherValue] => {
    const type = types.get(column) ?? ''
    if (HOLDS_INT64.test(type) && holdsInexact(value))
      throw new Error(
        `${column} holds a whole number beyond 2^53, which the engine hands over rounded; ask for CAST(… AS INT128) or CAST(… AS STRING)`,
      )
    const plain = toldValue(value)
    return [column, type === 'DATE' && typeof plain === 'string' ? plain.replace(/T.*$/, '') : plain]
  })
  return Object.fromEntries(told)
}

function holdsInexact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  if (Array.isArray(value)) return value.some(holdsInexact)
  return value !== null && typeof value === 'object' && Object.values(value).some(holdsInexact)
}

function toldValue(value: unknown): CypherValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint': {
      const number = Number(value)
      return Number.isSafeInteger(number) ? number : String(value)
    }
    case 'object':
      return value === null ? null : toldObject(value)
    default:
      return null
  }
}

function toldObject(value: object): CypherValue {
  // Beyond what a date can hold there is no text for it.
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Uint8Array) return Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')
  if (Array.isArray(value)) return value.map(toldValue)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toldValue(inner)]))
}
