/** How many tokens files have, decoded as an import would decode them. */

import { type Running, throwIfInterrupted } from '../importer/import-surroundings.ts'
import { decodeText } from '../importer/intake/decoding.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Tokenizer } from '../ports.ts'

export interface CountedFile {
  readonly path: string
  readonly tokens: number
  readonly bytes: number
}

/** Throws what `read` throws, `unsupported_format` and `interrupted`. */
export async function countFiles(
  files: readonly string[],
  tokenizer: Tokenizer,
  read: (file: string) => Uint8Array,
  run: Pick<Running, 'yieldToSignals' | 'signal'>,
): Promise<CountedFile[]> {
  const counted: CountedFile[] = []
  for (const path of files) {
    await throwIfInterrupted(run, 'nothing was changed')
    const bytes = read(path)
    counted.push({ path, tokens: tokenizer.count(decoded(path, bytes)), bytes: bytes.length })
  }
  return counted
}

function decoded(path: string, bytes: Uint8Array): string {
  try {
    return decodeText(bytes).text
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    throw new MemoryError(error.code, `${path}: ${error.message}`, { cause: error })
  }
}
