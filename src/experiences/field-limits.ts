/** The exact-token ceilings of an experience's texts. */
import { type ExperienceTexts, TEXT_FIELDS, type TextField } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import { acceptedTokens, type TokenLimits } from '../model/token-limits.ts'
import type { Tokenizer } from '../ports.ts'

export interface LongField {
  readonly field: TextField
  readonly tokens: number
  readonly target: number
}

/** Target of each field, in tokens. */
export function fieldTargets(limits: TokenLimits): Readonly<Record<TextField, number>> {
  return { description: limits.description, 'when-to-use': limits.when_to_use, content: limits.content }
}

/** Without counting, which would take longer than all else of a write; most experiences are as short as that. */
function isSurelyWithin(text: string, tokensMax: number, { isByteLevel }: Tokenizer): boolean {
  return isByteLevel && text.length <= tokensMax && !/[^\0-\x7f]/.test(text)
}

/** Throws `field_too_long` with counts and targets; the slack over a target is never told. */
export function requireFieldsFit(texts: Partial<ExperienceTexts>, tokenizer: Tokenizer, limits: TokenLimits): void {
  const targets = fieldTargets(limits)
  const fields: LongField[] = []
  for (const field of TEXT_FIELDS) {
    const text = texts[field]
    if (text === undefined) continue
    const tokensMax = acceptedTokens(targets[field])
    if (isSurelyWithin(text, tokensMax, tokenizer)) continue
    const tokens = tokenizer.count(text)
    if (tokens > tokensMax) fields.push({ field, tokens, target: targets[field] })
  }
  if (fields.length === 0) return
  const counts = fields.map(({ field, tokens, target }) => `${field} has ${tokens} tokens, the target is ${target}`)
  throw new MemoryError('field_too_long', `${counts.join('; ')}; shorten and try again`, { fields })
}
