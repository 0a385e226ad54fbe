/**
 * `cutting-process FILE`: cuts a text into segments and prints how much memory came to what held it and the counter. A
 * process of its own, for nothing else may be in it.
 */
import { readFileSync } from 'node:fs'
import type { Tokenizer } from '../../src/ports.ts'
import { segmentsOf } from './cut-text.ts'
import { ownTokenizer } from './token-engines.ts'

const WARM_UP_UNITS = 1_000_000

export interface CuttingMemory {
  /** The most that was resident in the meantime, less what was before. */
  readonly addedBytes: number
  /** Of the longest segment, two for each code unit. */
  readonly segmentBytes: number
  readonly textBytes: number
}

const [file = ''] = process.argv.slice(2)
const text = readFileSync(file, 'utf8')
const tokenizer = ownTokenizer()
// What is made once by the first segments is no part of the question.
segmentsOf(text.slice(0, WARM_UP_UNITS), tokenizer)
Bun.gc(true)
const before = process.memoryUsage.rss()
let most = before
const watched: Tokenizer = {
  ...tokenizer,
  count(part) {
    const tokens = tokenizer.count(part)
    most = Math.max(most, process.memoryUsage.rss())
    return tokens
  },
}
const longest = Math.max(...segmentsOf(text, watched).map(({ start, end }) => end - start))
const memory: CuttingMemory = {
  addedBytes: most - before,
  segmentBytes: 2 * longest,
  textBytes: 2 * text.length,
}
console.log(JSON.stringify(memory))
