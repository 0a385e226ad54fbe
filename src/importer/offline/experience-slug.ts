/** File names of experiences: a code if the error has one, the command, and a whole phrase of the error. */
import { EXPERIENCE_NAME_BYTES_MAX } from '../../model/experience.ts'
import { unwrapped } from '../producers/shell-command.ts'
import { BARE_ASSERTION, type ErrorSignature } from './error-signature.ts'

/** Leaves room for a number where names are the same. */
const NAME_BYTES_MAX = EXPERIENCE_NAME_BYTES_MAX - 10
const COMMAND_WORDS_MAX = 2
const ERROR_WORDS_MAX = 4
/** A phrase that is longer than all words wanted is kept whole up to here: half of it would say something else. */
const PHRASE_WORDS_MAX = 6
const FILLERS = new Set(
  'a an the of to in on at for from with and or is was were be been are it its this that these those by as you your we have has had do does did but so if there been being most likely due most all'.split(
    ' ',
  ),
)

/** @returns such as `fix-e0308-cargo-test-mismatched-types`, without `.json`; two fixes may well have the same */
export function experienceSlug(command: string, { headlines, lines }: ErrorSignature): string {
  const [first = '', second = ''] = headlines
  const code = wordsOf(
    codeOf(first) || (lines.map((line) => /\bcode (E[A-Z]{3,})$/.exec(line)?.[1]).find(Boolean) ?? ''),
  )
  const commandWords = wordsOf(commandText(command))
  const used = new Set([...code, ...commandWords])
  const isBare = BARE_ASSERTION.test(first)
  const errorWords = phrasedWords(isBare ? second.replace(/^in (?:.*::)?/, '') : first, used)
  if (isBare) errorWords.unshift('assertion')
  // A code says more than half a phrase.
  const isLong = code.length > 0 && errorWords.length > ERROR_WORDS_MAX
  const words = isLong
    ? ['fix', ...code, ...commandWords.slice(0, COMMAND_WORDS_MAX + 1)]
    : ['fix', ...code, ...shortCommand(command), ...errorWords]
  return words.length === 1 ? 'fix-failing-command' : joined(words)
}

/** Without the last ones of many long words. */
function joined(words: readonly string[]): string {
  let name = ''
  for (const word of words) {
    if (name.length + word.length >= NAME_BYTES_MAX) break
    name = name === '' ? word : `${name}-${word}`
  }
  return name
}

/** A path's last name counts as one word. */
function shortCommand(command: string): readonly string[] {
  const parts = commandText(command)
    .split(/\s+/)
    .filter((part) => wordsOf(part).length > 0)
  return parts.slice(0, COMMAND_WORDS_MAX).flatMap((part) => wordsOf(part).slice(0, COMMAND_WORDS_MAX + 1))
}

const CODE =
  /\b(?:E\d{3,5}|(?:TS|CS|MSB|LNK|NU|NETSDK)\d{3,5}|[A-Z]{1,4}\d{3,4}|E(?!RROR|XCEPTION|XPECTED|XIT)[A-Z]{4,}|ERR_[A-Z_]+)\b|\b(?:HTTP|status)(?: code)?:? \d{3}\b/

function codeOf(headline: string): string {
  const kind = /^Error from server \((\w+)\)/.exec(headline)?.[1]
  return kind ?? (CODE.exec(headline)?.[0] ?? '').replace(/^status(?: code)?:?/, 'HTTP')
}

/** Program, subcommands and last names of paths; no flags, no arguments in quotes, no `run` of a script runner. */
function commandText(command: string): string {
  const first = command.split('\n')[0] ?? ''
  return unwrapped(first.slice(0, 300))
    .replace(/"[^"]*"|'[^']*'|\{.*|https?:\S+/g, ' ')
    .replace(/^(npm|pnpm|yarn|bun) run /, '$1 ')
    .split(/\s+/)
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replace(/^.*\/(?=.)/, '').replace(/(?<=\w\w)\.[a-z]{1,4}$/, ''))
    .join(' ')
}

/** The words of whole phrases of what an error says at its end, where programs put the root of it. */
function phrasedWords(headline: string, used: ReadonlySet<string>): string[] {
  const words: string[] = []
  for (const phrase of phrasesOf(headline)) {
    const fresh = wordsOf(phrase).filter((word) => !FILLERS.has(word) && !used.has(word) && !words.includes(word))
    if (words.length > 0 && words.length + fresh.length > ERROR_WORDS_MAX) break
    words.push(...(fresh.length > PHRASE_WORDS_MAX ? fresh.slice(0, ERROR_WORDS_MAX) : fresh))
  }
  return words
}

const CLAUSE =
  /[,;.()“”…|=<>](?:\s|$)|\s[(]|[()]|\s(?:because|due to|from|in|on|at|for|while|when|since|as|with|by|that|which|after|before|into|via|using|without|during|near)\s/

function phrasesOf(headline: string): readonly string[] {
  const plain = headline
    .replace(CODE, ' ')
    .replace(/^npm (?:ERR!|error)|^\S*make(?:\[\d+\])?: \*\*\* \[.*/, ' ')
    .replace(/(?<=\w\w)\.(?:[cm]?[jt]sx?|py|sh|rs|go|java|rb|json|ya?ml|toml|lock|md|txt)\b/g, '')
    .replace(/\bcan't\b/g, 'cannot')
    .replace(/n't\b/g, ' not')
    .replace(/\b(?:[a-z_]\w*\.)+(?=[A-Z])/g, '')
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}:(?=\d)/g, 'port ')
    .replace(/"([^"]*)"|(?<!\w)'([^']*)'|`([^`]*)`/g, (_, a = '', b = '', c = '') => shortName(`${a}${b}${c}`))
  const parts = plain.split(/:\s+/).filter((part) => /[\p{L}]/u.test(part))
  const last = parts.at(-1) ?? ''
  const before = parts.at(-2) ?? ''
  // `TypeError: x`, `"/wheels": not found`: a short end alone says too little.
  const isShort = wordsOf(last).length < 3 && wordsOf(before).length < 4
  const text = isShort && before !== '' ? `${before} ${last}` : last
  return text
    .replace(/^\s*(?:error|fatal)\b(?=.*\s\S)/i, '')
    .split(CLAUSE)
    .filter((phrase) => phrase.trim() !== '')
}

/** A quoted name, the last part of a path; nothing for a quoted value. */
function shortName(quoted: string): string {
  return /^[\w./@-]{1,40}$/.test(quoted) && /[A-Za-z]/.test(quoted) ? ` ${quoted.replace(/^.*\/(?=.)/, '')} ` : ' '
}

function wordsOf(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ')
  const words = plain.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return words.filter((word, index) => word.length <= 24 && (!/^\d+$/.test(word) || isName(words[index - 1])))
}

/** Numbers say little, but for a port or a status. */
function isName(before: string | undefined): boolean {
  return before === 'port' || before === 'http'
}
