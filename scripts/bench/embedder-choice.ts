/** The embedder that the product is run with: how a command line and an environment say it. */

export interface EmbedderChoice {
  readonly options: readonly string[]
  /** Over that of every benchmark, which switches embedders off. */
  readonly environment: Readonly<Record<string, string>>
}

export const KEYWORDS_ALONE: EmbedderChoice = { options: [], environment: {} }

/** What somebody has who has set nothing. */
export const AS_INSTALLED: EmbedderChoice = { options: [], environment: { EMBEDDING_BACKEND: '' } }
