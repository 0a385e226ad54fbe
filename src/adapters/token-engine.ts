/** Which engine counts the tokens of a tokenizer. */
import { MemoryError } from '../model/memory-error.ts'
import { BUILTIN_TOKENIZER } from '../model/tokenizer-source.ts'
import type { OpenTokenizerOptions, Tokenizer } from '../ports.ts'

/** A module with one SIMD instruction: a function without arguments that gives a vector. */
const SIMD_PROBE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, 0x03, 0x02, 0x01],
  ...[0x00, 0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b],
)

/** Of the built-in one it is known without loading it. Null for one that cannot be had. */
export async function tokenEngineOf(
  source: string,
  options: OpenTokenizerOptions,
): Promise<Tokenizer['engine'] | null> {
  if (source === BUILTIN_TOKENIZER) return WebAssembly.validate(SIMD_PROBE) ? 'wasm' : 'js'
  try {
    const { openHuggingFaceTokenizer } = await import('./hugging-face-tokenizer.ts')
    return (await openHuggingFaceTokenizer(source, options)).engine
  } catch (error) {
    if (error instanceof MemoryError) return null
    throw error
  }
}
