/**
 * JSON from somebody else's program, read so that nothing in it is lost or read two ways: no member given twice, none
 * that reaches into the parser's own objects, no depth that costs stack, no half of a surrogate pair.
 */
import { jsonFault } from './json-grammar.ts'
import { MemoryError } from './memory-error.ts'

/** Arguments of operations have three. */
const LEVELS_MAX = 32

/** A container that is open at the present place. */
interface Level {
  readonly path: string
  /** Names of members so far; null in a list. */
  readonly names: Set<string> | null
  /** Of the present member, or the place in the list. */
  step: string
  index: number
}

/** Throws `invalid_argument` naming the member by its path, such as `set.confidence`. */
export function strictJson(text: string): unknown {
  const fault = jsonFault(text)
  if (fault !== -1)
    throw new MemoryError('invalid_argument', `arguments: not valid JSON (character ${fault + 1} cannot stand there)`, {
      field: 'arguments',
    })
  requirePlain(text)
  return JSON.parse(text)
}

/** @param text valid JSON */
function requirePlain(text: string): void {
  const open: Level[] = []
  for (let at = 0; at < text.length; at += 1) {
    const level = open.at(-1)
    switch (text.charAt(at)) {
      case '{':
      case '[':
        if (open.length === LEVELS_MAX) throw refused(placeOf(level), `nested more than ${LEVELS_MAX} levels deep`)
        open.push({ path: placeOf(level), names: text[at] === '{' ? new Set() : null, step: '', index: 0 })
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        if (level !== undefined) level.index += 1
        break
      case '"': {
        const end = endOfString(text, at)
        const value = JSON.parse(text.slice(at, end + 1)) as string
        at = end
        if (isName(text, end + 1) && level !== undefined) takeName(level, value)
        requireWellFormed(placeOf(level), value)
        break
      }
      default:
    }
  }
}

/** @param at of the opening quote @returns that of the closing one */
function endOfString(text: string, at: number): number {
  let end = at + 1
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end
}

/** Whether what ended before `at` is the name of a member. */
function isName(text: string, at: number): boolean {
  let next = at
  while (text[next] === ' ' || text[next] === '\n' || text[next] === '\r' || text[next] === '\t') next += 1
  return text[next] === ':'
}

function takeName(level: Level, name: string): void {
  level.step = name
  if (level.names?.has(name) === true) throw refused(placeOf(level), 'it is given twice; give it once')
  // An own member of this name is none to a schema, which asks the object's prototype too.
  if (name === '__proto__') throw refused(placeOf(level), 'there is no such argument')
  level.names?.add(name)
}

function requireWellFormed(place: string, value: string): void {
  if (!value.isWellFormed())
    throw refused(place, 'holds half of a surrogate pair, which is no text; send whole characters')
}

function placeOf(level: Level | undefined): string {
  if (level === undefined) return ''
  const step = level.names === null ? String(level.index) : level.step
  return level.path === '' ? step : `${level.path}.${step}`
}

function refused(place: string, words: string): MemoryError {
  // A name may be as long as the whole, and hold anything.
  const field = place === '' ? 'arguments' : place.slice(0, 100).toWellFormed()
  return new MemoryError('invalid_argument', `${field}: ${words}`, { field })
}
