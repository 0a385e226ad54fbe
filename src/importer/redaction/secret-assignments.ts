/** Secrets that are known by what they are given to: `password = …`, `"api_key": "…"`, `Authorization: Bearer …`. */
import { execAt, matchedAt } from '../../model/match-at.ts'
import { unescaped } from './escaped-text.ts'
import type { Secret, SecretKind } from './secret.ts'
import { isPlaceholder, looksSecret, type SecretStrength } from './secret-value.ts'

// The end of a name that holds a secret, or a word of the Authorization header. Longest first.
const NAME_END =
  /pass(?:word|wd|phrase)|pwd|secret(?:[-_]?(?:access)?[-_]?key)?|token|api[-_]?key|access[-_]?key|account[-_]?key|private[-_]?key|signing[-_]?key|encryption[-_]?key|_auth|_pass(?![a-z])|sshpass|authorization|bearer/gi

const NUMBERED = /(?:_?\d{1,2}|_(?:base|value|prod|production|dev|test|staging))?(?![\w-])/iy
const NO_SECRET_NAME =
  /(?:page|next|continuation|cursor|sync|bos|eos|pad|unk|sep|cls|mask|stop|start|end|special|per|new|first|last)[-_]?token$/i
const NAME_UNITS_MAX = 60

// After the name: its closing quote and bracket, then a separator. `==` compares, `::` is a path.
const SEPARATOR = /(?:\\*["'`])?\]?[ \t]{0,8}(?:=>|:=|=(?!=)|:(?!:))[ \t]{0,8}/y
const FLAG_SEPARATOR = /[ \t]{1,4}(?![-=:|&])/y
const OPENING = /(?:\\*)["'`]/y
// A separator only where the next item follows: passwords hold commas and ampersands too, and letters beyond ASCII.
const BARE_VALUE =
  /(?:[^\s"'`\\,;&<>|]|[,;](?![\s"'`]|$|[\w.-]{1,40}[=:])|&(?!amp;|[\w.%-]{1,40}=)|\\(?![nrtu"'\\])|\\{1,8}u(?!00[0-7])[\da-fA-F]{4}){1,1024}/y
// A block of YAML: the value stands on the next lines, further in. Each line of it is one word, and all begin alike.
const BLOCK =
  /[>|][-+\d]{0,2}[ \t]{0,8}(?<end>\r?\n|\\+n)(?<indent>[ \t]{1,40})(?<value>[^\s"'\\]{1,1024}(?:\k<end>\k<indent>[^\s"'\\]{1,1024}(?=\k<end>|$)){0,40})/y
// In YAML and JSON a value may stand on the next line, alone.
const NEXT_LINE = /(?:\r?\n|\\+n)[ \t]{1,40}(?:- )?(?=[^\s"'\\]{1,1024}\\*["']?,?[ \t]{0,8}(?:\r?\n|\\+n|$)|\\*["'])/y
/** A colon with the blanks behind it. */
const BLANK_UNITS_MAX = 9
const BARE_UNITS_MAX = 1_023
const QUOTED_UNITS_MAX = 4_096

const VARIABLE = /^[A-Z][A-Z0-9_]*$/
const SHORT_UNITS_MIN = 6
// Letters and digits, up to the end of the word.
const SHORT_PASSWORD =
  /(?:\\*["'])?((?=[^\d\s"'\\]{0,6}\d)(?=[^A-Za-z\s"'\\]{0,6}[A-Za-z])[\w!@#%^*?.+-]{6,7})(?=[\s"'\\;&]|$)/y

// As a header, in JSON, in code, percent-encoded.
const LEAD = /(?:\\*["'`])?[ \t]{0,8}[:=]?[ \t]{0,8}(?:\\*["'`])?(?:bearer|basic|token|apikey)?(?:[ \t]{1,4}|%20)/iy
const CREDENTIALS = /[\w.~+/=-]+/y

export function assignedSecrets(text: string): readonly Secret[] {
  const found: Secret[] = []
  NAME_END.lastIndex = 0
  for (let match = NAME_END.exec(text); match !== null; match = NAME_END.exec(text)) {
    const word = match[0].toLowerCase()
    const end = match.index + word.length
    const isHeader = word === 'authorization' || word === 'bearer'
    const secret = isHeader ? credentials(text, end, word) : assigned(text, match.index, end, word)
    if (secret === null) continue
    found.push(secret)
    NAME_END.lastIndex = secret.end
  }
  return found
}

function assigned(text: string, wordStart: number, wordEnd: number, word: string): Secret | null {
  const suffix = execAt(NUMBERED, text, wordEnd)
  if (suffix === null) return null
  const nameEnd = wordEnd + suffix[0].length
  const isFlag = /(?:^|[\s"'`])--?[\w-]*$/.test(text.slice(Math.max(0, wordStart - NAME_UNITS_MAX), wordStart))
  let separator = matchedAt(SEPARATOR, text, nameEnd)
  if (separator === '' && isFlag) separator = matchedAt(FLAG_SEPARATOR, text, nameEnd)
  if (separator === '' && text[nameEnd] === '>' && isElement(text, wordStart)) separator = '>'
  if (separator === '') return null
  const name = nameBefore(text, wordStart) + word
  if (NO_SECRET_NAME.test(name)) return null
  const at = nameEnd + separator.length
  const isVariable = separator === '=' && VARIABLE.test(text.slice(wordEnd - name.length, nameEnd))
  const secret = assignedValue(text, at, name) ?? (isVariable ? shortPassword(text, at, name) : null)
  return secret === null ? null : withinSubstitution(text, wordStart + word.length - name.length, secret)
}

function assignedValue(text: string, at: number, name: string): Secret | null {
  const block = blockValue(text, at)
  if (block !== null) {
    const value = block.value.replace(/\s|\\+n/g, '')
    return secretOf(name, { start: block.start, written: block.value, value, isQuoted: true })
  }
  const isOpen = /:[ \t]{0,8}$/.test(text.slice(Math.max(0, at - BLANK_UNITS_MAX), at))
  const lineStart = isOpen ? at + matchedAt(NEXT_LINE, text, at).length : at
  const opening = matchedAt(OPENING, text, lineStart)
  const start = lineStart + opening.length
  const value = opening === '' ? bareValue(text, start) : quotedValue(text, start, opening)
  return secretOf(name, { start, written: value, value, isQuoted: opening !== '' })
}

/** `DB_PASSWORD=hunter2`: what a variable in capitals is given without a blank is no prose, so that less is asked of it. */
function shortPassword(text: string, at: number, name: string): Secret | null {
  const [whole, value] = execAt(SHORT_PASSWORD, text, at) ?? []
  if (whole === undefined || value === undefined || kindOf(name, value) !== 'password') return null
  if (!looksSecret(value, { strength: 'password', unitsMin: SHORT_UNITS_MIN })) return null
  const end = at + whole.length
  return { start: end - value.length, end, kind: 'password' }
}

interface AssignedValue {
  readonly start: number
  /** As it stands in the text. */
  readonly written: string
  /** What it means. */
  readonly value: string
  readonly isQuoted: boolean
}

function secretOf(name: string, { start, written, value: escaped, isQuoted }: AssignedValue): Secret | null {
  const value = unescaped(escaped)
  const kind = kindOf(name, value)
  if (kind === null) return null
  if (kind !== 'aws-secret-key' && !looksSecret(value, { strength: strengthOf(kind), isQuoted })) return null
  return { start, end: start + written.length, kind }
}

function strengthOf(kind: SecretKind): SecretStrength {
  return kind === 'password' ? 'password' : 'token'
}

function blockValue(text: string, at: number): { readonly start: number; readonly value: string } | null {
  if (text[at] !== '>' && text[at] !== '|') return null
  const match = execAt(BLOCK, text, at)
  const value = match?.groups?.value
  return match === null || value === undefined ? null : { start: at + match[0].length - value.length, value }
}

/**
 * In `s/password=old/password=new/` the values end at the delimiter of the substitution. Null when what is left is none.
 * A value may hold that character itself, so it counts only beside the `s` or at the very end.
 */
function withinSubstitution(text: string, nameStart: number, secret: Secret): Secret | null {
  const delimiter = text.charAt(nameStart - 1)
  if (!/[/|#,]/.test(delimiter)) return secret
  const value = text.slice(secret.start, secret.end)
  const length = value.indexOf(delimiter)
  const isFirst = /(?:^|[^\w])s$/.test(text.slice(Math.max(0, nameStart - 3), nameStart - 1))
  if (length === -1 || !(isFirst || /^.[gimpIeM]{0,6}\d{0,3}$/.test(value.slice(length)))) return secret
  const isSecret = looksSecret(value.slice(0, length), { strength: strengthOf(secret.kind) })
  return isSecret ? { ...secret, end: secret.start + length } : null
}

/** Without the brackets and the full stop of the sentence around it; '' when it is longer than any secret. */
function bareValue(text: string, start: number): string {
  const value = matchedAt(BARE_VALUE, text, start)
  if (value.length > BARE_UNITS_MAX) return ''
  const inner = /[([{]/.test(value) ? value : value.replace(/[)\]}].*$/, '')
  return inner.replace(/[.,:;]+$/, '')
}

/** Up to the closing quote, which is escaped as the opening one was; '' when the line ends before it. */
function quotedValue(text: string, start: number, opening: string): string {
  const window = text.slice(start, start + QUOTED_UNITS_MAX)
  const end = window.indexOf(opening)
  const value = end === -1 ? '' : window.slice(0, end)
  return value.includes('\n') ? '' : value
}

function kindOf(name: string, value: string): SecretKind | null {
  if (value === '') return null
  if (/secret[-_]?access[-_]?key$|aws.*secret.*key$/i.test(name) && /^[A-Za-z0-9/+]{40}$/.test(value))
    return 'aws-secret-key'
  // Azure's keys of storage are always as long.
  if (/account[-_]?key$/i.test(name) && /^[A-Za-z0-9/+]{40,100}={0,2}$/.test(value)) return 'cloud-token'
  return /(?:pass(?:word|wd|phrase)?|pwd)$/i.test(name) ? 'password' : 'secret'
}

function nameBefore(text: string, wordStart: number): string {
  return /[\w.-]*$/.exec(text.slice(Math.max(0, wordStart - NAME_UNITS_MAX), wordStart))?.[0] ?? ''
}

function isElement(text: string, wordStart: number): boolean {
  return /<[\w.:-]*$/.test(text.slice(Math.max(0, wordStart - NAME_UNITS_MAX), wordStart))
}

/** What follows `Authorization:` with or without a scheme, or `Bearer`. */
function credentials(text: string, wordEnd: number, word: string): Secret | null {
  const lead = matchedAt(LEAD, text, wordEnd)
  if (lead === '') return null
  const start = wordEnd + lead.length
  const value = matchedAt(CREDENTIALS, text, start)
  const scheme = word === 'bearer' ? word : (/[a-z]+(?=[^a-z]*$)/i.exec(lead)?.[0].toLowerCase() ?? '')
  return isCredential(value, scheme) ? { start, end: start + value.length, kind: 'authorization' } : null
}

// `user:pass` of the documentation.
const SAMPLE_LOGIN = /^user(?:name)?:pass(?:word)?$/i

function isCredential(value: string, scheme: string): boolean {
  if (scheme === 'basic' && SAMPLE_LOGIN.test(decoded(value))) return false
  if (looksSecret(value, { strength: 'token' })) return true
  if (isPlaceholder(value)) return false
  if (scheme === 'basic') return decoded(value).includes(':')
  return scheme !== '' && value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value)
}

/** '' when it is not base64. */
function decoded(value: string): string {
  try {
    return atob(value)
  } catch {
    return ''
  }
}
