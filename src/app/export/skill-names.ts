/** Names of skills, for experiences whose names may be longer than a skill's. */
import type { Digest } from '../../ports.ts'

export const SKILL_NAME_UNITS_MAX = 64
const MARK_DIGITS = 8

/**
 * The name of each experience's skill, by that of the experience: the same wherever it has room, else its beginning and a
 * mark made of the whole. Which others there are changes it only where two would be one.
 * @param names as `experienceNameFault` wants them, none twice
 */
export function skillNames(names: readonly string[], digest: Digest): ReadonlyMap<string, string> {
  const fitting = names.filter((name) => name.length <= SKILL_NAME_UNITS_MAX)
  const taken = new Set(fitting)
  const found = new Map(fitting.map((name) => [name, name]))
  for (const name of names.toSorted()) {
    if (found.has(name)) continue
    const short = freeName(name, digest.sha256(new TextEncoder().encode(name)), taken)
    taken.add(short)
    found.set(name, short)
  }
  return found
}

function freeName(name: string, mark: string, taken: ReadonlySet<string>): string {
  for (let digits = MARK_DIGITS; ; digits += MARK_DIGITS) {
    const short = `${beginningWords(name, SKILL_NAME_UNITS_MAX - 1 - digits)}-${mark.slice(0, digits)}`
    if (!taken.has(short) || digits + MARK_DIGITS > SKILL_NAME_UNITS_MAX / 2) return short
  }
}

/** Whole words, unless the first are longer than half of the room. */
function beginningWords(name: string, unitsMax: number): string {
  const end = name.lastIndexOf('-', unitsMax)
  return name.slice(0, end > unitsMax / 2 ? end : unitsMax).replace(/-$/, '')
}
