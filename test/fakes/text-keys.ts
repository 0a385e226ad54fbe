/** Keys of texts as a view hands them on. */
import { KEY_BYTES } from '../../src/search/key-table.ts'
import { textKey } from '../../src/search/text-key.ts'
import { digest } from './digest.ts'

/** One behind the other; zeros for a text that does not count. */
export function keysOfTexts(texts: readonly (string | null)[]): Uint8Array {
  const keys = new Uint8Array(texts.length * KEY_BYTES)
  for (const [at, text] of texts.entries()) if (text !== null) keys.set(textKey(digest, text), at * KEY_BYTES)
  return keys
}
