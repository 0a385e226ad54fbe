/** Takes a key out of text that others wrote: whole or cut off in a server's sentences, whole in a model's words. */

import { MASKED_KEY } from '../model/api-key.ts'

const MASK = '[key]'
// Of a shorter one, such as the placeholder "x" of local servers, every sentence would be garbled.
const KEY_UNITS_MIN = 4
// Local servers take any key, so people set "test" or "ollama": words that a model writes for their own sake, and
// that end up in stored experiences.
const UNMISTAKABLE_UNITS_MIN = 16
const UNMISTAKABLE_MIXED_UNITS_MIN = 12
// Long enough to be more than a provider's common start, such as "sk-proj-".
const PREFIX_UNITS = 12

const AUTHORIZATION = /\b(bearer|basic)\s+[\w.~+/=*-]{6,}/gi
// What providers echo half-masked, as in "Incorrect API key provided: sk-ab****yz".
const KEY_SHAPED = /\b(?:sk|rk|pk|key|gsk|xai|hf|nvapi)[-_][\w*.-]{6,}/g
const URL_CREDENTIALS = /(\/\/)[^/\s@]{1,300}@/g
const URL_QUERY = /(https?:\/\/[^\s?)"']{1,300})\?[^\s)"']*/g

export type Scrub = (text: string) => string

/** For sentences of errors. @returns a function whose result holds no key, whole or cut off, and no Authorization value */
export function keyScrubber(key: string | undefined): Scrub {
  const disguises = disguisesOf(key)
  const forms = formsOf(key)
  return (text) => {
    let clean = withoutKey(text, key)
    for (const disguise of disguises) clean = clean.replace(disguise, MASK)
    for (const form of forms) clean = withoutPrefixes(clean, form)
    return withoutShortKey(clean, key)
      .replace(URL_QUERY, '$1')
      .replace(AUTHORIZATION, `$1 ${MASK}`)
      .replace(KEY_SHAPED, MASK)
      .replace(URL_CREDENTIALS, `$1${MASK}@`)
  }
}

/** What gateways put into a line that they break, and nobody sees. */
const BETWEEN = '[\\s\u200b-\u200d\u2060\ufeff]{0,2}'

/**
 * The whole key however it is written: in other case, broken by spaces, escaped as in JSON, URLs and HTML, in base64.
 * None for a short one, which would be found in ordinary words.
 */
function disguisesOf(key: string | undefined): readonly RegExp[] {
  if (key === undefined || key.length < PREFIX_UNITS) return []
  const escaped = key.split('').map(anyFormOf).join(BETWEEN)
  const base64 = Buffer.from(key).toString('base64').replace(/=+$/, '')
  return [new RegExp(escaped, 'giu'), new RegExp(literal(base64), 'gu')]
}

function anyFormOf(character: string): string {
  if (/[a-z0-9]/i.test(character)) return character
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  const inUrl = encodeURIComponent(character)
  const percent = inUrl === character ? `%${hex.padStart(2, '0')}` : inUrl
  const name = HTML_NAMES[character]
  const forms = [
    `\\\\?${literal(character)}`,
    literal(percent),
    `\\\\u${hex.padStart(4, '0')}`,
    `&#(?:${character.codePointAt(0)}|x${hex});`,
  ]
  return `(?:${[...forms, ...(name === undefined ? [] : [`&${name};`])].join('|')})`
}

const HTML_NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

function literal(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`)
}

/** For replies. Only the whole key, and only one that is no ordinary word; JSON stays JSON. */
export function withoutUnmistakableKey(text: string, key: string | undefined): string {
  return key !== undefined && isUnmistakable(key) ? withoutKey(text, key, MASKED_KEY) : text
}

function isUnmistakable(key: string): boolean {
  const isMixed = /[a-z]/i.test(key) && /\d/.test(key)
  return key.length >= (isMixed ? UNMISTAKABLE_MIXED_UNITS_MIN : UNMISTAKABLE_UNITS_MIN)
}

function withoutKey(text: string, key: string | undefined, mask = MASK): string {
  return formsOf(key).reduce((clean, form) => clean.replaceAll(form, mask), text)
}

/** Of less than four characters, and only where it stands as a key: behind "Bearer", or alone in quotes. */
function withoutShortKey(text: string, key: string | undefined): string {
  if (key === undefined || key.length >= KEY_UNITS_MIN) return text
  const form = key.replace(/\W/g, '\\$&')
  return text
    .replace(new RegExp(`\\b(bearer|basic)(\\s+)${form}(?!\\w)`, 'gi'), `$1$2${MASK}`)
    .replace(new RegExp(`(["'\`])${form}\\1`, 'g'), `$1${MASK}$1`)
}

/** As it is, as in a URL, and as some JSON writers escape it. */
function formsOf(key: string | undefined): readonly string[] {
  if (key === undefined || key.length < KEY_UNITS_MIN) return []
  return [...new Set([key, encodeURIComponent(key), key.replaceAll('/', '\\/')])]
}

/** Removes every stretch that agrees with the first twelve or more characters of the key. */
function withoutPrefixes(text: string, key: string): string {
  if (key.length <= PREFIX_UNITS) return text
  const prefix = key.slice(0, PREFIX_UNITS)
  let clean = ''
  let start = 0
  for (let found = text.indexOf(prefix); found !== -1; found = text.indexOf(prefix, start)) {
    let length = PREFIX_UNITS
    while (length < key.length && text[found + length] === key[length]) length += 1
    clean += text.slice(start, found) + MASK
    start = found + length
  }
  return clean + text.slice(start)
}
