/** Values of properties: as they are given, as they are stored, and as they are answered. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import { shortened } from '../model/shortened.ts'
import { parseTimestamp, TIMESTAMP_FORM } from '../model/timestamp.ts'
import type { SqlValue } from '../ports.ts'
import { COUNT_MAX, type Property } from './schema.ts'

/** As answers hold it; times are ISO 8601 in UTC. */
export type PropertyValue = null | string | number | boolean | readonly string[]

/** More is no memory but a document; a memory is told whole in every answer. UTF-8 bytes. */
export const TEXT_BYTES_MAX = 256 * 1024
const LIST_ITEMS_MAX = 1_000
/** Of a value in a message. */
const SHOWN_UNITS_MAX = 80

/** `given` by somebody, or `kept` already: an experience file by hand may be longer than what may be remembered. */
export type ValueOrigin = 'given' | 'kept'

/**
 * Checks a value of a property. Throws `invalid_argument` naming field, value and what is allowed.
 * @returns the value as it is stored
 */
export function storedValue(property: Property, given: unknown, origin: ValueOrigin = 'given'): SqlValue {
  const { name, type, isRequired } = property
  if (given === undefined || given === null) {
    if (isRequired === true) throw fault(property, given, 'it is missing')
    return null
  }
  switch (type) {
    case 'string':
      return storedText(property, given, origin)
    case 'timestamp': {
      const ms = typeof given === 'string' ? parseTimestamp(given) : null
      if (ms === null) throw fault(property, given, `must be ${TIMESTAMP_FORM}`)
      return isoTime(ms)
    }
    case 'double':
    case 'int64':
      return storedNumber(property, given)
    case 'bool':
      if (typeof given !== 'boolean') throw fault(property, given, 'must be true or false')
      return given ? 1 : 0
    case 'strings': {
      const isList = Array.isArray(given) && given.every((item) => typeof item === 'string')
      if (!isList || (origin === 'given' && given.length > LIST_ITEMS_MAX))
        throw fault(property, given, `must be a list of at most ${LIST_ITEMS_MAX} texts`)
      for (const item of given as readonly string[]) storedText({ name, type: 'string' }, item, origin)
      return JSON.stringify(given)
    }
  }
}

function storedText(property: Property, given: unknown, origin: ValueOrigin): string {
  const { values, isRequired } = property
  if (values !== undefined && (typeof given !== 'string' || !values.includes(given)))
    throw fault(property, given, `must be one of ${values.join(', ')}`)
  if (typeof given !== 'string') throw fault(property, given, 'must be a text')
  if (isRequired === true && given.trim() === '') throw fault(property, given, 'must not be empty')
  if (!given.isWellFormed()) throw fault(property, given, 'must be valid Unicode; it holds half of a surrogate pair')
  const bytes = new TextEncoder().encode(given).length
  if (origin === 'given' && bytes > TEXT_BYTES_MAX)
    throw fault(property, given, `it has ${bytes} bytes; at most ${TEXT_BYTES_MAX} are allowed, so shorten it`)
  return given
}

function storedNumber(property: Property, given: unknown): number {
  const { type, range } = property
  const isNumber =
    typeof given === 'number' && (type === 'double' ? Number.isFinite(given) : Number.isSafeInteger(given))
  const kind = type === 'double' ? 'a number' : 'a whole number'
  if (!isNumber) throw fault(property, given, `must be ${kind}`)
  const [least, most] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  if (given < least || given > most) throw fault(property, given, `must be ${kind} ${rangeWords(least, most, given)}`)
  // SQLite would keep a sign that nobody gave.
  return given === 0 ? 0 : given
}

function rangeWords(least: number, most: number, given: number): string {
  return most === COUNT_MAX && given < least ? `from ${least} on` : `from ${least} to ${most}`
}

function fault({ name }: Property, given: unknown, rule: string): MemoryError {
  return new MemoryError(
    'invalid_argument',
    `${name}: ${rule}${given === undefined ? '' : ` (given: ${shownValue(given)})`}`,
    {
      field: name,
    },
  )
}

/** Throws `invalid_argument` behind the last that may be. */
export function numberAfter(name: string, last: number): number {
  if (last < COUNT_MAX) return last + 1
  throw new MemoryError('invalid_argument', `${name}: there is none after ${last}, the highest that may be`, {
    field: name,
  })
}

/** Short, for a message. */
export function shownValue(given: unknown): string {
  return shortened(JSON.stringify(given) ?? String(given), SHOWN_UNITS_MAX)
}

/** @param stored as a row holds it */
export function answeredValue({ type }: Property, stored: SqlValue | undefined): PropertyValue {
  if (stored === null || stored === undefined || stored instanceof Uint8Array) return null
  switch (type) {
    case 'bool':
      return stored === 1
    case 'strings':
      return JSON.parse(String(stored)) as readonly string[]
    default:
      return stored
  }
}
