/** Takes a key out of text that others wrote, whole or cut off. */

const MASK = '[key]'
// Placeholders of local servers such as "x" are no secrets, and would garble every sentence.
const KEY_UNITS_MIN = 4
// Long enough to be more than a provider's common start, such as "sk-proj-".
const PREFIX_UNITS = 12

const AUTHORIZATION = /\b(bearer|basic)\s+[\w.~+/=*-]{6,}/gi
// What providers echo half-masked, as in "Incorrect API key provided: sk-ab****yz".
const KEY_SHAPED = /\b(?:sk|rk|pk|key|gsk|xai|hf|nvapi)[-_][\w*.-]{6,}/g
const URL_CREDENTIALS = /(\/\/)[^/\s@]{1,300}@/g
const URL_QUERY = /(https?:\/\/[^\s?)"']{1,300})\?[^\s)"']*/g

export type Scrub = (text: string) => string

/** @returns a function whose result holds neither the key, whole or cut off, nor an Authorization value */
export function keyScrubber(key: string | undefined): Scrub {
  return (text) => {
    let clean = withoutKey(text, key)
    for (const form of formsOf(key)) clean = withoutPrefixes(clean, form)
    return clean
      .replace(URL_QUERY, '$1')
      .replace(AUTHORIZATION, `$1 ${MASK}`)
      .replace(KEY_SHAPED, MASK)
      .replace(URL_CREDENTIALS, `$1${MASK}@`)
  }
}

/** Only the whole key; JSON stays JSON. */
export function withoutKey(text: string, key: string | undefined): string {
  return formsOf(key).reduce((clean, form) => clean.replaceAll(form, MASK), text)
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
