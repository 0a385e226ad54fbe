/** What keeps secrets from an embedding server: people write them into experiences and into questions. */
import { maskedAlone } from '../importer/redaction/redactor.ts'
import type { Embedder } from '../ports.ts'

/** Masks each text by itself, so that its vector depends on nothing but the text. */
export function maskedEmbedder(embedder: Embedder): Embedder {
  return { key: embedder.key, embed: (texts, options) => embedder.embed(texts.map(maskedAlone), options) }
}
