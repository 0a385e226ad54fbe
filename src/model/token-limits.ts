/** Every limit that is counted in tokens of the configured tokenizer. */

export interface TokenLimits {
  /** Most tokens of one segment. Strict. */
  readonly segment: number
  /** Target of the rolling summary; 10 % over is accepted. */
  readonly summary: number
  readonly description: number
  readonly when_to_use: number
  readonly content: number
  /** Most tokens of trajectory text in one answer of `read`. Strict. */
  readonly read: number
  /** What the model can take in all, and what is kept free of it for its answer. Strict. */
  readonly context: number
  readonly reserve: number
}

export const TOKEN_LIMITS: TokenLimits = {
  segment: 98_304,
  summary: 8_192,
  description: 128,
  when_to_use: 512,
  content: 2_048,
  read: 8_192,
  context: 262_144,
  reserve: 4_096,
}

/** The most that is accepted where a model aims at `target`: 10 % more, rounded down. */
export function acceptedTokens(target: number): number {
  return Math.floor((target * 11) / 10)
}
