/** Names that every platform can hold. Pure; whether a file exists is not asked here. */
import { MemoryError } from './memory-error.ts'

export const FILE_NAME_BYTES_MAX = 200

// https://learn.microsoft.com/windows/win32/fileio/naming-a-file: reserved with and without an extension.
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const FORBIDDEN_CHARACTER = /[\u0000-\u001f\u007f<>:"/\\|?*]/
// HFS+ passes over these when it compares names; the list is that of git's core.protectHFS.
const PASSED_OVER = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** @returns why `name` cannot be one file name everywhere, or null when it can. */
export function fileNameFault(name: string): string | null {
  if (name === '') return 'it is empty'
  if (name === '.' || name === '..') return 'it names a folder'
  const character = FORBIDDEN_CHARACTER.exec(name)?.[0]
  if (character !== undefined) return `it contains ${JSON.stringify(character)}`
  if (/[. ]$/.test(name)) return 'it ends with a dot or a space'
  if (name.startsWith(' ')) return 'it starts with a space'
  if (DEVICE_NAME.test(name)) return 'Windows reserves it for a device'
  const compared = name.replace(PASSED_OVER, '')
  // `git~1` is the short name that Windows gives to `.git`.
  if (/^(?:\.git|git~\d)/i.test(compared)) return 'git would take it for a file of its own'
  if (/^\.knowhow-/i.test(compared)) return 'knowhow uses such names for its temporary files'
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(name))
    return 'it is not valid Unicode'
  if (bytesOf(name) > FILE_NAME_BYTES_MAX) return `it is longer than ${FILE_NAME_BYTES_MAX} bytes`
  return null
}

/** The name at the end of a path. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Throws `invalid_name` unless every platform can hold `name`. */
export function requirePortableName(name: string): void {
  const fault = fileNameFault(name)
  if (fault !== null)
    throw new MemoryError(
      'invalid_name',
      `${JSON.stringify(name)} cannot be a file name: ${fault}; choose one with --filename`,
    )
}

/**
 * Equal for two names that a case-insensitive or normalising file system would take for one. By way of capitals, which
 * alone make ſ and s, ς and σ, ß and ss the same; what is folded too much only costs a number behind a name.
 */
export function foldedName(name: string): string {
  return name.replace(PASSED_OVER, '').normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKC')
}

/**
 * `run.jsonl`, 2 → `run-2.jsonl`: the number goes before the last extension. A name that becomes too long for a file
 * loses characters of its stem.
 */
export function numberedName(name: string, number: number): string {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)]
  const suffix = `-${number}${extension}`
  const characters = Array.from(stem)
  while (characters.length > 1 && bytesOf(characters.join('') + suffix) > FILE_NAME_BYTES_MAX) characters.pop()
  return characters.join('') + suffix
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
