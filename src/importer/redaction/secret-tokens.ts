/** Tokens that begin with a prefix of their own: who issues them, and what may follow. */
import { isWordStart, matchAt, type Reading, type SecretKind } from './secret.ts'

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
const UPPER = /[A-Z0-9]+/y
const URL_SAFE = /[\w-]+/y
const HEX = /[0-9a-f]+/y
const DOTTED = /[\w.-]+/y
const NO_MAX = Number.POSITIVE_INFINITY

const shapesOf = (prefixes: readonly string[], rest: Omit<TokenShape, 'prefix'>): readonly TokenShape[] =>
  prefixes.map((prefix) => ({ prefix, ...rest }))

const PATH_SAFE = /[\w/-]+/y

/** Least units of what follows, and most where the issuer always gives as many. */
const CLOUD_TOKENS: readonly (readonly [prefix: string, body: RegExp, unitsMin: number, unitsMax?: number])[] = [
  ['dop_v1_', HEX, 64],
  ['doo_v1_', HEX, 64],
  ['dor_v1_', HEX, 64],
  ['dckr_pat_', URL_SAFE, 20],
  ['hvs.', URL_SAFE, 24],
  ['hvb.', URL_SAFE, 24],
  ['shpat_', HEX, 32],
  ['shpss_', HEX, 32],
  ['lin_api_', ALNUM, 32],
  ['glsa_', URL_SAFE, 32],
  ['sntrys_', DOTTED, 32],
  ['GOCSPX-', URL_SAFE, 28],
  ['ya29.', URL_SAFE, 20],
  ['SG.', DOTTED, 60],
  ['gsk_', ALNUM, 40],
  ['xai-', ALNUM, 60],
  ['pplx-', ALNUM, 40],
  ['AGE-SECRET-KEY-1', UPPER, 50],
  // Databricks, Alibaba, Tencent, Yandex
  ['dapi', HEX, 32, 32],
  ['LTAI', ALNUM, 16, 24],
  ['AKID', ALNUM, 32, 36],
  ['AQVN', URL_SAFE, 35, 38],
  // Twilio, Mailgun
  ['SK', HEX, 32, 32],
  ['key-', HEX, 32, 32],
  // Doppler
  ...['pt', 'st', 'ct', 'sa', 'scim', 'audit'].map((kind) => [`dp.${kind}.`, DOTTED, 40] as const),
  // Fly
  ['fo1_', URL_SAFE, 40],
  ['fm2_', /[\w+/=-]+/y, 80],
  // Replicate, Notion, Atlassian, PlanetScale, Figma, Postman, New Relic, Pulumi, Supabase, Tailscale
  ['r8_', ALNUM, 37, 40],
  ['ntn_', ALNUM, 40],
  ['ATATT3', /[\w=-]+/y, 60],
  ['pscale_tkn_', DOTTED, 32],
  ['pscale_pw_', DOTTED, 32],
  ['figd_', URL_SAFE, 38],
  ['PMAK-', URL_SAFE, 50],
  ['NRAK-', UPPER, 27, 27],
  ['pul-', HEX, 40, 40],
  ['sbp_', HEX, 40, 40],
  ['tskey-', URL_SAFE, 20],
  // Whoever knows the address of a web hook may write there.
  ['hooks.slack.com/services/', PATH_SAFE, 30],
  ['hooks.slack.com/workflows/', PATH_SAFE, 30],
  ['discord.com/api/webhooks/', PATH_SAFE, 60],
  ['discordapp.com/api/webhooks/', PATH_SAFE, 60],
]

/** Of every issuer; no two have one prefix. */
export const tokenShapes = (): readonly TokenShape[] => [
  ...shapesOf(['AKIA', 'ASIA'], { kind: 'aws-access-key-id', body: UPPER, unitsMin: 16, unitsMax: 16 }),
  // Classic GitHub tokens end in a checksum; it is not asked for, so that one that is miscopied stays hidden too.
  ...shapesOf(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], {
    kind: 'github-token',
    body: ALNUM,
    unitsMin: 36,
    unitsMax: 255,
    anywhere: true,
  }),
  { kind: 'github-token', prefix: 'github_pat_', body: /\w+/y, unitsMin: 22, unitsMax: 255, anywhere: true },
  ...shapesOf(['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glsoat-'], {
    kind: 'gitlab-token',
    body: URL_SAFE,
    unitsMin: 20,
    unitsMax: 300,
  }),
  { kind: 'google-api-key', prefix: 'AIza', body: URL_SAFE, unitsMin: 35, unitsMax: 35 },
  { kind: 'huggingface-token', prefix: 'hf_', body: ALNUM, unitsMin: 30, unitsMax: 60 },
  { kind: 'npm-token', prefix: 'npm_', body: ALNUM, unitsMin: 36, unitsMax: 36 },
  { kind: 'anthropic-key', prefix: 'sk-ant-', body: URL_SAFE, unitsMin: 20, unitsMax: NO_MAX, accepts: isMixed },
  { kind: 'openai-key', prefix: 'sk-', body: URL_SAFE, unitsMin: 20, unitsMax: 300, accepts: isOpenAiBody },
  { kind: 'pypi-token', prefix: 'pypi-AgEI', body: URL_SAFE, unitsMin: 30, unitsMax: NO_MAX, anywhere: true },
  ...shapesOf(['xoxa-', 'xoxb-', 'xoxe-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'], {
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
  ...CLOUD_TOKENS.map(
    ([prefix, body, unitsMin, unitsMax = NO_MAX]): TokenShape => ({
      kind: 'cloud-token',
      prefix,
      body,
      unitsMin,
      unitsMax,
      accepts: isMixed,
    }),
  ),
]

/** As documentation writes the part that is not shown. */
const PLACEHOLDER = /^x+$|x{12}/i

/** A token of `shape` whose prefix stands at `start`. */
export function readToken(text: string, start: number, shape: TokenShape): Reading {
  const bodyStart = start + shape.prefix.length
  if (shape.anywhere !== true && !isWordStart(text, start)) return { secret: null, readTo: bodyStart }
  const body = matchAt(shape.body, text, bodyStart)
  const end = bodyStart + body.length
  const isWhole = body.length >= shape.unitsMin && body.length <= shape.unitsMax
  const isSecret = isWhole && !PLACEHOLDER.test(body) && shape.accepts?.(body) !== false
  return { secret: isSecret ? { start, end, kind: shape.kind } : null, readTo: end }
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
