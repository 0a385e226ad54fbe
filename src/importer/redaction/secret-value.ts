/** Whether a text in the place of a secret can be one. Precision first: a word, a placeholder or code is none. */
import { unescaped } from './escaped-text.ts'

const PLACEHOLDER_WORDS =
  /^(?:change[-_ ]?(?:me|it|this)|your?[-_ ].*|my[-_ ]?(?:pass(?:word)?|secret|token|api[-_]?key|key)|example.*|dummy.*|fake.*|sample.*|placeholder.*|redacted|removed|masked|hidden|none|null|nil|undefined|true|false|empty|todo|tbd|foo(?:bar)?|password|passwd|pass|pwd|secret|token|user(?:name)?|insert[-_ ].*|replace[-_ ].*|enter[-_ ].*|put[-_ ].*|\.{2,}|…)$/i
// `${VAR}`, `$VAR`, `$(cmd)`, `{{ var }}`, `{var}`, `<token>` also of HTML, `%VAR%`, `%s`, `[secret:…]`, `@file`, `:role:`
const TEMPLATE = /^(?:\$[\w{(]|\{|<|%[\w(]|\[|@|#\{|&[a-z#]|:\w{1,20}:)/
const MASKED = /[*•…]{3,}|x{4,}|\.{3,}|\[secret:|\$\{|\{\{/i

/** A stand-in for a secret, such as `changeme`, `${VAR}`, `xxxx`, `your-key`. */
export function isPlaceholder(value: string): boolean {
  return TEMPLATE.test(value) || MASKED.test(value) || new Set(value).size <= 2 || PLACEHOLDER_WORDS.test(value)
}

const DOTTED_NAME = /^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$/
// Of Vault before 1.10; it looks like a name with a dot.
const VAULT_TOKEN = /^[sbr]\.(?=[A-Za-z]*\d)[A-Za-z0-9]{24}$/
const PATH = /^(?:[A-Za-z]:)?(?:\.{0,2}|~)[\\/]/
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}|$)/
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
// Two signs of equality at the end are the padding of base64.
const CODE = /[(){}[\]]|=>|==(?!$)|::|&&|\|\|/
const ESCAPED_LETTER = /\\+u[0-9a-f]{4}/gi

/** Human-chosen passwords are shorter and less random than what machines make. */
export type SecretStrength = 'password' | 'token'
const TOKEN_RUN_UNITS_MIN = 8

interface Looks {
  readonly strength: SecretStrength
  /** False of what may be code: it stands bare, in no string literal. True when not given. */
  readonly isQuoted?: boolean
  /** Of shorter ones most are words and numbers. 8 when not given. */
  readonly unitsMin?: number
}

export function looksSecret(written: string, { strength, isQuoted = true, unitsMin = 8 }: Looks): boolean {
  // The digits of an escape are not the value's own: `Schl\u00fcssel` is a word, and `\u003ctoken1\u003e` stands for one.
  const value = unescaped(written).replace(ESCAPED_LETTER, 'u')
  if (value.length < unitsMin || /\s/.test(value) || isPlaceholder(value)) return false
  if (isDottedName(value) || PATH.test(value) || ADDRESS.test(value) || TIME.test(value)) return false
  if (!isQuoted && CODE.test(value)) return false
  if (UUID.test(value)) return strength === 'token'
  if (strength === 'password') return /[A-Za-z]/.test(value) && /[^A-Za-z_.-]/.test(value) && !isCall(value)
  return value
    .split(/[-_.:]/)
    .some((run) => run.length >= TOKEN_RUN_UNITS_MIN && /\d/.test(run) && /[A-Za-z]/.test(run))
}

const UNITS_MADE_MIN = 16

/** Whether letters and digits alternate as no name has them: for values that no other word gives away. */
export function isMachineMade(value: string): boolean {
  const units = value.replace(/[^A-Za-z0-9]/g, '')
  if (units.length < UNITS_MADE_MIN) return false
  const runs = units.match(/[a-z]+|[A-Z]+|\d+/g) ?? []
  const numbers = runs.filter((run) => /\d/.test(run)).length
  return numbers < runs.length && numbers >= 2 && runs.length >= Math.max(6, units.length / 5)
}

/** `root:root`: what everybody knows who knows the user. A password that was chosen says something of its own. */
export function repeatsUser(user: string, password: string): boolean {
  return user === password && /^[A-Za-z_-]+$/.test(password)
}

function isDottedName(value: string): boolean {
  return DOTTED_NAME.test(value) && !isVaultToken(value) && !value.split('.').some(isMachineMade)
}

export function isVaultToken(value: string): boolean {
  return VAULT_TOKEN.test(value)
}

function isCall(value: string): boolean {
  return /\w\(.*\)$/.test(value)
}

/** Whether other occurrences of the value may be taken for the secret too: not so a plain word. */
export function isDistinctive(value: string): boolean {
  return value.length >= 20 || !/^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+|\d+)$/.test(value)
}
