/** Tokens that have a shape of their own: who issues them, the prefix or middle they are found by, and what may stand around it. */
import { matchedAt } from '../../model/match-at.ts'
import { CLOUD_TOKENS, type CloudToken, SHORT_PREFIXED_TOKENS } from './cloud-tokens.ts'
import {
  type AnchoredReader,
  isWordStart,
  nothingRead,
  type PlacedReaders,
  type Reading,
  type Secret,
  type SecretKind,
} from './secret.ts'
import { isMachineMade } from './secret-value.ts'

export function tokenReaders(): PlacedReaders {
  const shapes = tokenShapes()
  const readerOf = (shape: TokenShape): AnchoredReader => [shape.prefix, (text, at) => readToken(text, at, shape)]
  return {
    anywhere: [
      ...shapes.filter((shape) => shape.anywhere === true).map(readerOf),
      ['.atlasv1.', (text, at) => readAround(text, at, TERRAFORM)],
      ['Q~', (text, at) => readAround(text, at, AZURE_SECRET)],
      ['-us', (text, at) => readAround(text, at, MAILCHIMP)],
      [':AA', (text, at) => readAround(text, at, BOT)],
    ],
    atWordStart: [
      ...shapes.filter((shape) => shape.anywhere !== true).map(readerOf),
      ['AKIA', readAwsKeyPair],
      ['ASIA', readAwsKeyPair],
      ['eyJ', readWebToken],
    ],
  }
}

interface TokenShape {
  readonly kind: SecretKind
  readonly prefix: string
  /** What may follow, as sticky expression of one unbroken run. */
  readonly body: RegExp
  readonly unitsMin: number
  readonly unitsMax: number
  /** Whether the prefix may also stand inside a word: it is like no other word. */
  readonly anywhere?: boolean
  readonly accepts?: (body: string) => boolean
}

const ALNUM = /[A-Za-z0-9]+/y
const URL_SAFE = /[\w-]+/y
const NO_MAX = Number.POSITIVE_INFINITY

const shapesOf = (prefixes: readonly string[], rest: Omit<TokenShape, 'prefix'>): readonly TokenShape[] =>
  prefixes.map((prefix) => ({ prefix, ...rest }))

/** Of every issuer; no two have one prefix. */
const tokenShapes = (): readonly TokenShape[] => [
  // Classic GitHub tokens end in a checksum; it is not asked for, so that one that is miscopied stays hidden too.
  ...shapesOf(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], {
    kind: 'github-token',
    body: ALNUM,
    unitsMin: 36,
    unitsMax: 255,
    anywhere: true,
  }),
  { kind: 'github-token', prefix: 'github_pat_', body: /\w+/y, unitsMin: 22, unitsMax: 255, anywhere: true },
  ...shapesOf(
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glsoat-', 'glft-', 'glimt-', 'glagent-', 'glffct-', 'gloas-'],
    {
      kind: 'gitlab-token',
      body: URL_SAFE,
      unitsMin: 20,
      unitsMax: 300,
    },
  ),
  { kind: 'google-api-key', prefix: 'AIza', body: URL_SAFE, unitsMin: 35, unitsMax: 35 },
  { kind: 'huggingface-token', prefix: 'hf_', body: ALNUM, unitsMin: 30, unitsMax: 60 },
  { kind: 'npm-token', prefix: 'npm_', body: ALNUM, unitsMin: 36, unitsMax: 36 },
  { kind: 'anthropic-key', prefix: 'sk-ant-', body: URL_SAFE, unitsMin: 20, unitsMax: NO_MAX, accepts: isMixed },
  { kind: 'openai-key', prefix: 'sk-', body: URL_SAFE, unitsMin: 20, unitsMax: 300, accepts: isOpenAiBody },
  { kind: 'pypi-token', prefix: 'pypi-AgEI', body: URL_SAFE, unitsMin: 30, unitsMax: NO_MAX, anywhere: true },
  ...shapesOf(['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'], {
    kind: 'slack-token',
    body: URL_SAFE,
    unitsMin: 10,
    unitsMax: NO_MAX,
    accepts: hasDigit,
  }),
  ...shapesOf(['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_', 'whsec_'], {
    kind: 'stripe-key',
    body: ALNUM,
    unitsMin: 16,
    unitsMax: 255,
  }),
  ...CLOUD_TOKENS.map((row) => cloudToken(row, isMixed)),
  ...SHORT_PREFIXED_TOKENS.map((row) => cloudToken(row, isMachineMade)),
]

/** As documentation writes the part that is not shown. */
const PLACEHOLDER = /^x+$|x{12}/i

const AWS_KEY_ID = /[A-Z0-9]{16}(?![A-Z0-9])/y
// The file that the console gives: id and secret in two columns.
const NEXT_COLUMN = /["']?[ \t]?[,;\t][ \t]?["']?/y
const AWS_SECRET = /[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/y

/** The id, and the secret where it stands in the column beside it. */
function readAwsKeyPair(text: string, start: number): Reading {
  const bodyStart = start + 'AKIA'.length
  const body = matchedAt(AWS_KEY_ID, text, bodyStart)
  const end = bodyStart + body.length
  if (body === '' || PLACEHOLDER.test(body)) return nothingRead(bodyStart)
  const id = { start, end, kind: 'aws-access-key-id' } as const
  const column = matchedAt(NEXT_COLUMN, text, end)
  const secretStart = end + column.length
  const secret = column === '' ? '' : matchedAt(AWS_SECRET, text, secretStart)
  if (secret === '') return { secrets: [id], readTo: end }
  const secretEnd = secretStart + secret.length
  return { secrets: [id, { start: secretStart, end: secretEnd, kind: 'aws-secret-key' }], readTo: secretEnd }
}

function cloudToken(
  [prefix, body, unitsMin, unitsMax = NO_MAX]: CloudToken,
  accepts: (body: string) => boolean,
): TokenShape {
  return { kind: 'cloud-token', prefix, body, unitsMin, unitsMax, accepts }
}

/** A shorter prefix is the end of other words: `disk-`, `api-key-`. A longer one may follow `_` and `-`, as in names of files. */
const PREFIX_UNITS_CLEAR = 5

/** A token of `shape` whose prefix stands at `start`. */
function readToken(text: string, start: number, shape: TokenShape): Reading {
  const bodyStart = start + shape.prefix.length
  if (shape.prefix.length < PREFIX_UNITS_CLEAR && shape.anywhere !== true && !isWordStart(text, start))
    return nothingRead(bodyStart)
  const body = matchedAt(shape.body, text, bodyStart)
  const end = bodyStart + body.length
  const isWhole = body.length >= shape.unitsMin && body.length <= shape.unitsMax
  const isSecret = isWhole && !PLACEHOLDER.test(body) && shape.accepts?.(body) !== false
  return { secrets: isSecret ? [{ start, end, kind: shape.kind }] : [], readTo: end }
}

function hasDigit(body: string): boolean {
  return /\d/.test(body)
}

function isMixed(body: string): boolean {
  return /\d/.test(body) && /[A-Za-z]/.test(body)
}

/** `sk-` also starts class names (`sk-toggleable__label-arrow`): a part of the body must look made by a machine. */
function isOpenAiBody(body: string): boolean {
  if (/^(?:proj|svcacct|admin|None|service|or-v1)-/.test(body) && isMixed(body)) return true
  if (body.replace(/\D/g, '').length >= 4) return true
  return body.split(/[-_]/).some((run) => run.length >= 20)
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

export function discordSecrets(text: string): readonly Secret[] {
  return [...text.matchAll(DISCORD_BOT)]
    .filter(({ 1: signature = '', index }) => isMachineMade(signature) && isWordStart(text, index))
    .map(({ 0: { length }, index }) => ({ start: index, end: index + length, kind: 'cloud-token' }))
}
