/** Secrets that are known by the setting, header or address they stand in: cookies, logins of Docker, keys of Kubernetes. */
import { execAt, matchedAt } from '../../model/match-at.ts'
import {
  type AnchoredReader,
  nothingRead,
  type PlacedReaders,
  type Reading,
  type Secret,
  type SecretKind,
} from './secret.ts'
import { isMachineMade, isPlaceholder, looksSecret } from './secret-value.ts'

export function settingReaders(): PlacedReaders {
  const anywhere: readonly AnchoredReader[] = [
    ['ookie', readCookies],
    ['COOKIE', readCookies],
    ['"auth', (text, at) => readSetting(text, at, 'authorization', DOCKER_LOGIN, isBasic)],
    ['sig=', readSignature],
    ['client-key-data', (text, at) => readSetting(text, at, 'private-key', CLIENT_KEY, isNoPlaceholder)],
  ]
  const atWordStart: readonly AnchoredReader[] = [
    ['tls.key', (text, at) => readSetting(text, at, 'private-key', TLS_KEY, isMachineMade)],
    ['base64:', readBase64Key],
  ]
  return { anywhere, atWordStart }
}

const DOCKER_LOGIN = /"auth\\{0,8}"\s{0,4}:\s{0,4}\\{0,8}"([A-Za-z0-9+/=]{8,2000})/y
const CLIENT_KEY = /client-key-data\\{0,8}["']?:\s{0,4}\\{0,8}["']?([A-Za-z0-9+/]{40,20000}={0,2})/y
const TLS_KEY = /tls\.key\\{0,8}["']?\s{0,4}[:=]\s{0,4}\\{0,8}["']?([A-Za-z0-9+][A-Za-z0-9+/]{39,20000}={0,2})/y
// Of 16, 32 or 64 bytes.
const BASE64_KEY = /base64:([A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)(?![\w+/=])/y
const SIGNATURE = /sig=([\w%+/-]{40,100}(?:%3D|=){0,2})/y

const isNoPlaceholder = (value: string) => !isPlaceholder(value)

/** @param pattern sticky; its one group is the secret, at the end */
function readSetting(
  text: string,
  at: number,
  kind: SecretKind,
  pattern: RegExp,
  accepts: (value: string) => boolean,
): Reading {
  const [whole, value] = execAt(pattern, text, at) ?? []
  if (whole === undefined || value === undefined) return nothingRead(at + 1)
  const end = at + whole.length
  return { secrets: accepts(value) ? [{ start: end - value.length, end, kind }] : [], readTo: end }
}

/** What signs an address of Azure. */
function readSignature(text: string, at: number): Reading {
  if (!/[?&;]/.test(text.charAt(at - 1))) return nothingRead(at + 1)
  return readSetting(text, at, 'cloud-token', SIGNATURE, (value) => looksSecret(value, { strength: 'token' }))
}

// A setting, the default of one, or a line by itself as the command prints it that makes one.
const KEY_LEAD = /(?<!public[\W_]?)key["'\\]{0,9}\]?\s{0,4}(?:=>|[:=,])\s{0,4}["'\\]{0,9}$|(?:^|\n|\\n)[ \t]{0,8}$/i
const KEY_LEAD_UNITS = 48

/** Laravel's. */
function readBase64Key(text: string, at: number): Reading {
  if (!KEY_LEAD.test(text.slice(Math.max(0, at - KEY_LEAD_UNITS), at))) return nothingRead(at + 1)
  return readSetting(text, at, 'secret', BASE64_KEY, isMachineMade)
}

/** What Docker keeps of a login: user and password in base64. */
function isBasic(value: string): boolean {
  try {
    return /^[^:\s]+:\S+$/.test(atob(value))
  } catch {
    return false
  }
}

// Behind the word: the separator of a header, or the blank of an option that a cookie follows.
const COOKIE_LEAD = /(?:ookie|COOKIE)(?:["']?\s{0,4}[:=]|[ ](?=["'\\]{0,9}[\w.-]{1,60}=))/y
const COOKIE_NAME = /(?:^|\W|\\[nrt])[Cc]$|(?:^|\W|\\[nrt])$/
const COOKIE_LINE = /(?:[^\n\\]|\\(?!n)){1,4000}/y
const COOKIE = /(?:^|[\s;"'])([\w.-]{1,60})=([\w.~+/%-]{8,2000})/g
const SESSION = /sess|sid\b|auth|token|jwt/i
const LONG_UNITS_MIN = 16

/** Of `Cookie:`, `Set-Cookie:` and `--cookie`. */
function readCookies(text: string, at: number): Reading {
  const lead = matchedAt(COOKIE_LEAD, text, at)
  if (lead === '' || !COOKIE_NAME.test(text.slice(Math.max(0, at - 3), at))) return nothingRead(at + 1)
  const start = at + lead.length
  const line = matchedAt(COOKIE_LINE, text, start)
  return { secrets: sessionCookies(text, start), readTo: start + line.length }
}

/** In the line that goes on at `start`: values that are long, or whose name says what they open. */
export function sessionCookies(text: string, start: number): readonly Secret[] {
  const line = matchedAt(COOKIE_LINE, text, start)
  return [...line.matchAll(COOKIE)].flatMap((match): Secret[] => {
    const [whole, name = '', value = ''] = match
    const end = start + match.index + whole.length
    const isSession = value.length >= LONG_UNITS_MIN || SESSION.test(name)
    return isSession && looksSecret(value, { strength: 'token' })
      ? [{ start: end - value.length, end, kind: 'authorization' }]
      : []
  })
}
