/**
 * Secrets that are known by their own shape: prefixed tokens, JSON web tokens, private keys, passwords in URLs.
 * One pass finds the literal anchors; from each the text is read on once, so that time is linear in it.
 */
import { isWordStart, matchAt, type Reading, type Secret } from './secret.ts'
import { readToken, tokenShapes } from './secret-tokens.ts'
import { isPlaceholder, looksSecret } from './secret-value.ts'

type Reader = (text: string, start: number) => Reading

interface Anchors {
  readonly readers: ReadonlyMap<string, Reader>
  /** Any anchor, as a regular expression's source. */
  readonly source: string
}

/** Made at the first use: settings load this module, and hardly any command looks for secrets. */
let anchors: Anchors | null = null

function madeAnchors(): Anchors {
  const readers = new Map<string, Reader>([
    ...tokenShapes().map((shape): [string, Reader] => [shape.prefix, (text, at) => readToken(text, at, shape)]),
    ['eyJ', readWebToken],
    ['-----BEGIN ', readPrivateKey],
    ['.atlasv1.', readTerraformToken],
    [':AA', readBotToken],
    ['://', (text, start) => readUrlPassword(text, start, 3)],
    [':\\/\\/', (text, start) => readUrlPassword(text, start, 5)],
  ])
  // The longest first: `sk-ant-` is not `sk-`.
  const longestFirst = [...readers.keys()].sort((a, b) => b.length - a.length)
  return { readers, source: longestFirst.map(escaped).join('|') }
}

/** In order of their anchors; they may overlap. */
export function shapedSecrets(text: string): readonly Secret[] {
  anchors ??= madeAnchors()
  const found: Secret[] = []
  const readTo = new Map<string, number>()
  for (const { 0: anchor, index } of text.matchAll(new RegExp(anchors.source, 'g'))) {
    if (index < (readTo.get(anchor) ?? 0)) continue
    const reading = anchors.readers.get(anchor)?.(text, index)
    if (reading === undefined) continue
    readTo.set(anchor, reading.readTo)
    if (reading.secret !== null) found.push(reading.secret)
  }
  return found
}

function escaped(literal: string): string {
  return literal.replace(/[\\./]/g, '\\$&')
}

const WEB_TOKEN_PART = /[\w-]+/y

/** Three base64url parts, the first of which is JSON with an `alg`. */
function readWebToken(text: string, start: number): Reading {
  if (!isWordStart(text, start)) return { secret: null, readTo: start + 3 }
  const header = matchAt(WEB_TOKEN_PART, text, start)
  const payload = dotPart(text, start + header.length)
  const signature = payload.length > 8 ? dotPart(text, start + header.length + payload.length) : ''
  const end = start + header.length + payload.length + signature.length
  const isToken = signature.length > 16 && isTokenHeader(header)
  return { secret: isToken ? { start, end, kind: 'jwt' } : null, readTo: end }
}

/** `.` and the part behind it, or ''. */
function dotPart(text: string, at: number): string {
  return text[at] === '.' ? `.${matchAt(WEB_TOKEN_PART, text, at + 1)}` : ''
}

function isTokenHeader(header: string): boolean {
  if (header.length > 4_096) return false
  try {
    const value: unknown = JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/')))
    return typeof value === 'object' && value !== null && 'alg' in value
  } catch {
    // Base64 of something else.
    return false
  }
}

const KEY_HEADER = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y
const KEY_FOOTER = /-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y
// Everything of a key block in files, in JSON and in code, up to the next `--`.
const KEY_BLOCK = /(?:[^-]|-(?!-))*/y
const KEY_BLOCK_UNITS_MAX = 64_000
// For a key that was cut off: lines of base64, with what stands between them in JSON and code.
const KEY_LINES = /(?:(?:[\s"',>|#*]|\\+[nrt"])*[A-Za-z0-9+/=]{16,})+/y

function readPrivateKey(text: string, start: number): Reading {
  const header = matchAt(KEY_HEADER, text, start)
  if (header === '') return { secret: null, readTo: start + 1 }
  const bodyStart = start + header.length
  const block = matchAt(KEY_BLOCK, text, bodyStart)
  const footer = matchAt(KEY_FOOTER, text, bodyStart + block.length)
  const isWhole = footer !== '' && block.length <= KEY_BLOCK_UNITS_MAX && /[A-Za-z0-9+/=]{16}/.test(block)
  const length = isWhole ? block.length + footer.length : matchAt(KEY_LINES, text, bodyStart).length
  const end = bodyStart + length
  return { secret: length > 0 ? { start, end, kind: 'private-key' } : null, readTo: end }
}

const TERRAFORM_ID = /[A-Za-z0-9]{14}$/
const TERRAFORM_BODY = /\.atlasv1\.[\w-]{60,}/y

/** What its anchor stands in the middle of. */
function readTerraformToken(text: string, at: number): Reading {
  const id = TERRAFORM_ID.exec(text.slice(Math.max(0, at - 14), at))
  const body = matchAt(TERRAFORM_BODY, text, at)
  const end = at + body.length
  if (id === null || body === '') return { secret: null, readTo: at + 1 }
  return { secret: { start: at - 14, end, kind: 'cloud-token' }, readTo: end }
}

const BOT_ID = /\d{8,10}$/
const BOT_BODY = /:AA[\w-]{33}(?![\w-])/y

/** Telegram's: the bot's number and 35 characters. */
function readBotToken(text: string, at: number): Reading {
  const id = BOT_ID.exec(text.slice(Math.max(0, at - 11), at))?.[0]
  const body = matchAt(BOT_BODY, text, at)
  const end = at + body.length
  if (id === undefined || body === '' || !isWordStart(text, at - id.length)) return { secret: null, readTo: at + 1 }
  return { secret: { start: at - id.length, end, kind: 'cloud-token' }, readTo: end }
}

// User and password as far as the last `@` before the host; a raw `/` cannot stand in either.
const USER_INFO = /([^\s:@/?#"'`<>\\|]{0,100}):([^\s/"'`<>\\|]{1,256})@(?=[\w[])/y

// Of databases, whose passwords are often made at random: a `/` in them is not always written as it should.
const DATABASE = /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?)$/
const DATABASE_USER_INFO = /([^\s:@/?#"'`<>\\|]{0,100}):((?!\d{1,5}[/?#])[^\s"'`<>\\|]{1,256})@(?=[\w[])/y
// A token that is a user by itself, as in an address of git.
const TOKEN_USER = /([\w-]{20,256})@(?=[\w[])/y

function readUrlPassword(text: string, at: number, slashes: number): Reading {
  const authority = at + slashes
  if (!/[A-Za-z0-9]/.test(text.charAt(at - 1))) return { secret: null, readTo: authority }
  const token = readTokenUser(text, authority)
  if (token !== null) return token
  const pattern = DATABASE.test(text.slice(Math.max(0, at - 12), at)) ? DATABASE_USER_INFO : USER_INFO
  pattern.lastIndex = authority
  const [whole, user, password] = pattern.exec(text) ?? []
  if (whole === undefined || user === undefined || password === undefined || isPlaceholder(password))
    return { secret: null, readTo: authority }
  const start = authority + user.length + 1
  return { secret: { start, end: start + password.length, kind: 'url-password' }, readTo: authority + whole.length }
}

function readTokenUser(text: string, start: number): Reading | null {
  TOKEN_USER.lastIndex = start
  const token = TOKEN_USER.exec(text)?.[1]
  if (token === undefined || !looksSecret(token, 'token', true)) return null
  const end = start + token.length
  return { secret: { start, end, kind: 'url-password' }, readTo: end }
}
