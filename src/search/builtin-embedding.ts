/** The embedder that the program brings with it, as whoever runs texts through it needs it. */
import type { EmbedderKey, ReadRange } from '../ports.ts'
import { ANALYZER_VERSION } from './analyzer-version.ts'
import { TextVectors } from './text-vector.ts'
import { readWordFacts, readWordTable } from './word-table.ts'

export interface BuiltinEmbedding {
  readonly key: EmbedderKey
  /** Reads the words. */
  readonly makeReady: () => Promise<TextVectors>
}

/** Reads no more than what tells the key. */
export async function builtinEmbedding(read: ReadRange): Promise<BuiltinEmbedding> {
  const facts = await readWordFacts(read)
  const { digest, width } = facts
  // Another analyzer finds other terms in a text, and so another vector.
  const model = `sha256:${digest} analyzer ${ANALYZER_VERSION}`
  return {
    key: { backend: 'builtin', model, dimensions: width },
    makeReady: async () => new TextVectors(await readWordTable(read, facts), facts),
  }
}
