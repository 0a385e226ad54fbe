/** File names of experiences: words of the command and of its error, made the same way everywhere. */
import { EXPERIENCE_NAME_BYTES_MAX } from '../../model/experience.ts'
import { unwrapped } from '../producers/shell-command.ts'

const COMMAND_WORDS_MAX = 5
const ERROR_WORDS_MAX = 9
/** Aimed at: a name that a person still reads in a list. */
const NAME_BYTES_TARGET = 72
const FILLERS = new Set(
  'a an the of to in on at for from with and or is was be been it its this that by as n no'.split(' '),
)

/** Numbers say little in a name, but for those of three digits: they may be a status. */
const MEASURE = /^(?:\d{1,2}|\d{4,}|\d+[a-z]+\d+)$/

/** @returns such as `fix-cargo-test-error-e0308-mismatched-types`, without `.json` */
export function experienceSlug(command: string, headline: string): string {
  const commandWords = wordsOf(commandText(command)).slice(0, COMMAND_WORDS_MAX)
  const errorWords = wordsOf(errorText(headline)).filter((word) => !FILLERS.has(word) && !commandWords.includes(word))
  let name = 'fix'
  for (const word of [...commandWords, ...errorWords.slice(0, ERROR_WORDS_MAX)]) {
    if (name.endsWith(`-${word}`)) continue
    if (name.length + 1 + word.length > NAME_BYTES_TARGET) break
    name = `${name}-${word}`
  }
  return name === 'fix' ? `fix-${textHash(`${command}\u0000${headline}`)}` : name
}

/** `name` with a short hash of what it stands for, within the limit of names. */
export function distinctSlug(name: string, identity: string): string {
  const hash = textHash(identity)
  return `${name.slice(0, EXPERIENCE_NAME_BYTES_MAX - hash.length - 1).replace(/-+$/, '')}-${hash}`
}

/** Program, subcommands and last names of paths; no flags, no arguments in quotes. */
function commandText(command: string): string {
  const first = command.split('\n')[0] ?? ''
  return unwrapped(first.slice(0, 300))
    .replace(/"[^"]*"|'[^']*'|\{.*/g, ' ')
    .split(/\s+/)
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replace(/^.*\/(?=.)/, '').replace(/(?<=\w\w)\.[a-z]{1,4}$/, ''))
    .join(' ')
}

/** Without modules in front of an error's name and without remarks in brackets, unless they name an error. */
function errorText(headline: string): string {
  return headline.replace(/\b(?:[a-z_]\w*\.)+(?=[A-Z])/g, '').replace(/\(([A-Z]\w+)\)|\([^)]*\)/g, ' $1 ')
}

function wordsOf(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ')
  return (plain.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => word.length <= 24 && !MEASURE.test(word))
}

/** FNV-1a, 32 bits, over UTF-16 code units: short, stable, no security wanted. */
function textHash(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(36)
}
