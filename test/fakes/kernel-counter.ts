/** The kernel of the token counter under test. */
import { type ByteLevelBpe, byteLevelBpe } from '../../src/adapters/byte-level-bpe.ts'
import { characterClasses } from '../../src/adapters/character-classes.ts'
import { TokenMemory } from '../../src/adapters/token-memory.ts'
import { openWasmTokenCounter, type TokenCounterOptions, tokenKernel } from '../../src/adapters/wasm-token-counter.ts'

const NO_SIMD = 'this machine has no SIMD for WASM'

/** Throws for a tokenizer that the kernel does not count by. */
export function bpeOf(json: unknown): ByteLevelBpe {
  const bpe = byteLevelBpe(json)
  if ('unfit' in bpe) throw new Error(bpe.unfit)
  return bpe
}

/** Opened anew, so that nothing was worked out before. */
export function kernelCount(bpe: ByteLevelBpe, options: TokenCounterOptions = {}): (text: string) => number {
  const counter = openWasmTokenCounter(bpe, options)
  if (counter === null) throw new Error(NO_SIMD)
  return (text) => counter.count(text)
}

export function kernelMemory(bpe: ByteLevelBpe, inputBytes: number): TokenMemory {
  const module = tokenKernel()
  if (module === null) throw new Error(NO_SIMD)
  return new TokenMemory(module, bpe, characterClasses(), { inputBytes, without: [] })
}
