/** What a found secret is, and how text is read around one. */
import { ESCAPE } from './anchors.ts'
import type { Span } from './known-values.ts'

export type SecretKind =
  | 'anthropic-key'
  | 'authorization'
  | 'aws-access-key-id'
  | 'aws-secret-key'
  | 'cloud-token'
  | 'github-token'
  | 'gitlab-token'
  | 'google-api-key'
  | 'huggingface-token'
  | 'jwt'
  | 'npm-token'
  | 'openai-key'
  | 'password'
  | 'private-key'
  | 'pypi-token'
  | 'secret'
  | 'slack-token'
  | 'stripe-key'
  | 'url-password'

export interface Secret extends Span {
  readonly kind: SecretKind
}

export interface Reading {
  /** In order. */
  readonly secrets: readonly Secret[]
  /** Up to here the text is known; what starts before it with the same anchor need not be read again. */
  readonly readTo: number
}

/** Reads on from an anchor that stands at `at`. */
export type Reader = (text: string, at: number) => Reading

export type AnchoredReader = readonly [anchor: string, reader: Reader]

/** By where an anchor may stand, see `Anchors`. */
export interface PlacedReaders {
  readonly anywhere: readonly AnchoredReader[]
  readonly atWordStart: readonly AnchoredReader[]
}

export function nothingRead(readTo: number): Reading {
  return { secrets: [], readTo }
}

const ESCAPE_END = new RegExp(`(?:${ESCAPE})$`)
/** At least those of the longest escape. */
const ESCAPE_UNITS_MAX = 16

/** Whether a word can start at `index`: after no word character, or after an escape (`\n`, `\u001b`) or a colour code. */
export function isWordStart(text: string, index: number): boolean {
  if (index === 0 || !/[\w-]/.test(text.charAt(index - 1))) return true
  return ESCAPE_END.test(text.slice(Math.max(0, index - ESCAPE_UNITS_MAX), index))
}
