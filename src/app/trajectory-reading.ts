/** A part of an original, as it is shown. */
import { decodeText } from '../importer/intake/decoding.ts'
import { type CodePointRange, excerptOf } from '../importer/intake/trajectory-excerpt.ts'
import { MaskedText } from '../importer/redaction/masked-text.ts'
import type { Redactor } from '../importer/redaction/redactor.ts'
import type { Tokenizer } from '../ports.ts'

export interface TrajectoryReading {
  readonly range: CodePointRange
  /** Masks what a model is shown; null shows it as it is. */
  readonly redactor: Redactor | null
  readonly openTokenizer: () => Promise<Tokenizer>
  readonly tokensMax: number
}

export async function trajectoryExcerpt(
  path: string,
  bytes: Uint8Array,
  { range, redactor, openTokenizer, tokensMax }: TrajectoryReading,
) {
  const { text } = decodeText(bytes)
  const tokenizer = await openTokenizer()
  const shown = redactor?.learn(text) ?? new MaskedText(text)
  const render = (start: number, end: number) => shown.slice(start, end)
  return { path, kind: 'trajectory' as const, ...excerptOf(text, range, render, tokenizer, tokensMax) }
}
