/** Tokens that begin with a prefix of their own: who issues them, and what may follow. */
import { matchedAt } from '../../model/match-at.ts'
import { CLOUD_TOKENS, type CloudToken, SHORT_PREFIXED_TOKENS } from './cloud-tokens.ts'
import { isWordStart, nothingRead, type Reading, type SecretKind } from './secret.ts'
import { isMachineMade } from './secret-value.ts'

export interface TokenShape {
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
export const tokenShapes = (): readonly TokenShape[] => [
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
export function readAwsKeyPair(text: string, start: number): Reading {
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
export function readToken(text: string, start: number, shape: TokenShape): Reading {
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
