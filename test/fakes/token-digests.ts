/** The texts of test/adapters/token-digests.json and how their counts are summed up. Shared by test and generator. */
import { createHash } from 'node:crypto'
import { NASTY_KINDS, type NastyKind, nastyTexts } from './nasty-texts.ts'

/** Of each kind, at most. */
const TEXTS = 1_500
const DIGEST_DIGITS = 16

export interface TokenDigest {
  readonly texts: number
  /** Of all of them together. */
  readonly tokens: number
  /** Of the counts in the order of the texts. */
  readonly digest: string
}

/** @param added tokens of the tokenizer, as its file has them */
export function digestTexts(kind: NastyKind, added: readonly string[]): readonly string[] {
  return nastyTexts(kind, TEXTS, added)
}

/** @param count of one tokenizer */
export function tokenDigests(
  count: (text: string) => number,
  added: readonly string[],
): Readonly<Record<NastyKind, TokenDigest>> {
  const entries = NASTY_KINDS.map((kind) => [kind, digestOf(digestTexts(kind, added).map((text) => count(text)))])
  return Object.fromEntries(entries) as Record<NastyKind, TokenDigest>
}

function digestOf(counts: readonly number[]): TokenDigest {
  const digest = createHash('sha256').update(counts.join()).digest('hex').slice(0, DIGEST_DIGITS)
  return { texts: counts.length, tokens: counts.reduce((sum, tokens) => sum + tokens, 0), digest }
}
