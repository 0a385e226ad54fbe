/**
 * Vectors of texts that no model made: texts with the same words lie near each other, and the same text has the same
 * vector on every machine. A random projection, each word a few signed columns.
 */
import { unitVector } from '../../src/model/unit-vector.ts'
import { randomNumbers } from '../../test/fakes/random-vectors.ts'

const COLUMNS_PER_WORD = 16
// The most frequent words are the shortest, and say nothing of a subject.
const WORD_UNITS_MIN = 4

/** @returns unit length */
export function textVector(text: string, width: number): Float32Array<ArrayBuffer> {
  const sums = new Float64Array(width)
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu))
    if (word.length >= WORD_UNITS_MIN) addWord(sums, word)
  // A text without any such word needs a direction too.
  if (sums.every((sum) => sum === 0)) addWord(sums, text)
  return unitVector(sums, width)
}

function addWord(sums: Float64Array, word: string): void {
  const random = randomNumbers(Bun.hash.crc32(word))
  for (let count = 0; count < COLUMNS_PER_WORD; count += 1) {
    const column = Math.floor(random() * sums.length)
    sums[column] = (sums[column] ?? 0) + (random() < 0.5 ? 1 : -1)
  }
}
