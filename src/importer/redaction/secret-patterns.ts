/**
 * Secrets that are known by their own shape or by a word in front of them: prefixed tokens, JSON web tokens, keys, addresses,
 * commands. A few passes find the literal anchors; from each the text is read on once, so that time is linear in it.
 */
import { matchedAt } from '../../model/match-at.ts'
import { anchorExpressions } from './anchors.ts'
import { PEM_IN_BASE64, PUTTY_KEY, readEncodedPemKey, readPemKey, readPuttyKey, readSsh2Key } from './private-keys.ts'
import { isWordStart, nothingRead, type Reader, type Reading, type Secret } from './secret.ts'
import { readUserInfo } from './secret-addresses.ts'
import { commandReaders } from './secret-commands.ts'
import { settingReaders } from './secret-settings.ts'
import { readAwsKeyPair, readToken, tokenShapes } from './secret-tokens.ts'
import { isMachineMade } from './secret-value.ts'

interface Anchored {
  readonly readers: ReadonlyMap<string, Reader>
  readonly expressions: readonly RegExp[]
}

/** Made at the first use: settings load this module, and hardly any command looks for secrets. */
let anchored: Anchored | null = null

function madeAnchors(): Anchored {
  const shapes = tokenShapes()
  const readerOf = (shape: (typeof shapes)[number]): [string, Reader] => [
    shape.prefix,
    (text, at) => readToken(text, at, shape),
  ]
  const anywhere = new Map<string, Reader>([
    ...shapes.filter((shape) => shape.anywhere === true).map(readerOf),
    ...settingReaders(),
    ['-----BEGIN ', readPemKey],
    ['---- BEGIN SSH2 ', readSsh2Key],
    [PUTTY_KEY, readPuttyKey],
    [PEM_IN_BASE64, readEncodedPemKey],
    ['.atlasv1.', (text, at) => readAround(text, at, TERRAFORM)],
    ['Q~', (text, at) => readAround(text, at, AZURE_SECRET)],
    ['-us', (text, at) => readAround(text, at, MAILCHIMP)],
    [':AA', (text, at) => readAround(text, at, BOT)],
    ['://', (text, at) => readUserInfo(text, at, 3)],
    [':\\/\\/', (text, at) => readUserInfo(text, at, 5)],
  ])
  const atWordStart = new Map<string, Reader>([
    ...shapes.filter((shape) => shape.anywhere !== true).map(readerOf),
    ...commandReaders(),
    ['AKIA', readAwsKeyPair],
    ['ASIA', readAwsKeyPair],
    ['eyJ', readWebToken],
  ])
  const expressions = anchorExpressions({ anywhere: [...anywhere.keys()], atWordStart: [...atWordStart.keys()] })
  return { readers: new Map([...anywhere, ...atWordStart]), expressions }
}

/** In no order; they may overlap. */
export function shapedSecrets(text: string): readonly Secret[] {
  anchored ??= madeAnchors()
  const { readers, expressions } = anchored
  return [...expressions.flatMap((expression) => anchoredSecrets(text, expression, readers)), ...discordSecrets(text)]
}

function anchoredSecrets(text: string, expression: RegExp, readers: ReadonlyMap<string, Reader>): readonly Secret[] {
  const found: Secret[] = []
  const readTo = new Map<string, number>()
  for (const { 0: whole, 1: anchor = '', index } of text.matchAll(expression)) {
    const at = index + whole.length - anchor.length
    if (at < (readTo.get(anchor) ?? 0)) continue
    const reading = readers.get(anchor)?.(text, at)
    if (reading === undefined) continue
    readTo.set(anchor, reading.readTo)
    found.push(...reading.secrets)
  }
  return found
}

const WEB_TOKEN_PART = /[\w-]+/y

/** Three base64url parts, the first of which is JSON with an `alg`. */
function readWebToken(text: string, start: number): Reading {
  const header = matchedAt(WEB_TOKEN_PART, text, start)
  const payload = dotPart(text, start + header.length)
  const signature = payload.length > 8 ? dotPart(text, start + header.length + payload.length) : ''
  const end = start + header.length + payload.length + signature.length
  const isToken = signature.length > 16 && isTokenHeader(header)
  return { secrets: isToken ? [{ start, end, kind: 'jwt' }] : [], readTo: end }
}

/** `.` and the part behind it, or ''. */
function dotPart(text: string, at: number): string {
  return text[at] === '.' ? `.${matchedAt(WEB_TOKEN_PART, text, at + 1)}` : ''
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

/** A token whose anchor stands in its middle. */
interface MiddleShape {
  /** Ends where the anchor begins. */
  readonly head: RegExp
  readonly headUnitsMax: number
  /** Sticky, from the anchor on. */
  readonly body: RegExp
  /** Whether a word must start with the head; else any text may be in front of it. */
  readonly startsWord: boolean
}

const TERRAFORM: MiddleShape = {
  head: /[A-Za-z0-9]{14}$/,
  headUnitsMax: 14,
  body: /\.atlasv1\.[\w-]{60,}/y,
  startsWord: false,
}
const AZURE_SECRET: MiddleShape = {
  head: /[\w.~-]{3}\d$/,
  headUnitsMax: 4,
  body: /Q~[\w~.-]{31,34}(?![\w~-])/y,
  startsWord: false,
}
const MAILCHIMP: MiddleShape = {
  head: /[0-9a-f]{32}$/,
  headUnitsMax: 32,
  body: /-us\d{1,2}(?![\w-])/y,
  startsWord: true,
}
/** Telegram's: the bot's number and 35 characters. */
const BOT: MiddleShape = { head: /\d{8,10}$/, headUnitsMax: 11, body: /:AA[\w-]{33}(?![\w-])/y, startsWord: true }

function readAround(text: string, at: number, { head, headUnitsMax, body, startsWord }: MiddleShape): Reading {
  const units = head.exec(text.slice(Math.max(0, at - headUnitsMax), at))?.[0].length
  const rest = units === undefined ? '' : matchedAt(body, text, at)
  if (units === undefined || rest === '') return nothingRead(at + 1)
  const start = at - units
  if (startsWord && !isWordStart(text, start) && !isBotOfAddress(text, start)) return nothingRead(at + 1)
  const end = at + rest.length
  return { secrets: [{ start, end, kind: 'cloud-token' }], readTo: end }
}

/** `https://api.telegram.org/bot123…` */
function isBotOfAddress(text: string, start: number): boolean {
  return text.slice(Math.max(0, start - 4), start) === '/bot'
}

/** Of bots of Discord: their number in base64, a time and a signature. Nothing of it is literal, so it takes its own pass. */
const DISCORD_BOT = /[MNO][\w-]{23,27}\.[\w-]{6}\.([\w-]{27,40})(?![\w-])/g

function discordSecrets(text: string): readonly Secret[] {
  return [...text.matchAll(DISCORD_BOT)]
    .filter(({ 1: signature = '', index }) => isMachineMade(signature) && isWordStart(text, index))
    .map(({ 0: { length }, index }) => ({ start: index, end: index + length, kind: 'cloud-token' }))
}
