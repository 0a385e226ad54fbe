/** What there is to know of a file without importing it: its tokens, what its producer did, the secrets in it. Stores nothing. */

import { decodeText } from '../importer/intake/decoding.ts'
import { readIntake } from '../importer/intake/intake.ts'
import { statsOf } from '../importer/offline/extraction-stats.ts'
import { findFixes } from '../importer/offline/fixes.ts'
import { readRuns } from '../importer/producers/recognition.ts'
import { Redactor } from '../importer/redaction/redactor.ts'
import { type Running, throwIfInterrupted } from '../importer/running.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Tokenizer } from '../ports.ts'

type Stoppable = Pick<Running, 'yieldToSignals' | 'signal'>

const UNCHANGED = 'nothing was changed'

export interface CountedFile {
  readonly path: string
  readonly tokens: number
  readonly bytes: number
}

/** Decoded as an import would decode them. Throws what `read` throws, `unsupported_format` and `interrupted`. */
export async function countFiles(
  files: readonly string[],
  tokenizer: Tokenizer,
  read: (file: string) => Uint8Array,
  run: Stoppable,
): Promise<CountedFile[]> {
  const counted: CountedFile[] = []
  for (const path of files) {
    await throwIfInterrupted(run, UNCHANGED)
    const bytes = read(path)
    const { text } = named(path, () => decodeText(bytes))
    counted.push({ path, tokens: tokenizer.count(text), bytes: bytes.length })
  }
  return counted
}

/** What an offline import would see. Throws `unsupported_format`, `malformed_input` and `interrupted`. */
export async function inspected(path: string, bytes: Uint8Array, tokenizer: Tokenizer, run: Stoppable) {
  const { text, format } = named(path, () => readIntake(path, bytes, 'fail'))
  await throwIfInterrupted(run, UNCHANGED)
  const reading = readRuns({ text, format })
  const findings = findFixes(reading.runs)
  await throwIfInterrupted(run, UNCHANGED)
  return { format, producer: reading.producer, ...statsOf(reading, findings), tokens: tokenizer.count(text) }
}

export interface FoundSecret {
  readonly kind: string
  /** From 1. */
  readonly line: number
  /** What a model would see in its place; equal for equal values. */
  readonly mask: string
}

/** In the order of the text, never with a value. Throws `unsupported_format`. */
export function scanned(path: string, bytes: Uint8Array): readonly FoundSecret[] {
  const { text } = named(path, () => decodeText(bytes))
  let line = 1
  let lineEnd = text.indexOf('\n')
  return new Redactor().learn(text).spans.map(({ kind, mask, start }) => {
    for (; lineEnd !== -1 && lineEnd < start; lineEnd = text.indexOf('\n', lineEnd + 1)) line += 1
    return { kind, line, mask }
  })
}

/** With the file in front of what is wrong with it. */
function named<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MemoryError) || error.message.startsWith(path)) throw error
    throw new MemoryError(error.code, `${path}: ${error.message}`, { ...error.details, cause: error })
  }
}
