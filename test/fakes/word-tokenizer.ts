/**
 * A tokenizer that a test can count by hand: a word between white space costs one token for every eight UTF-16 units
 * begun. White space is free. Longer text never costs less. Quotation marks and commas begin a word where they follow one,
 * so that none reaches across a safe cut.
 */
import type { Tokenizer } from '../../src/ports.ts'

const UNITS_PER_TOKEN = 8

export const wordTokenizer: Tokenizer = {
  id: 'test:words',
  engine: 'js',
  isByteLevel: false,
  addsUp: true,
  count(text) {
    let tokens = 0
    for (const word of text.split(/\s+|(?<=[A-Za-z0-9])(?=[",])/)) tokens += Math.ceil(word.length / UNITS_PER_TOKEN)
    return tokens
  },
}
