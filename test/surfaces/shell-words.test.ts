import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { shellWords, typedWord, wordsSoFar } from '../../src/surfaces/shell-words.ts'

describe('words of a line', () => {
  test.each([
    ['', []],
    ['  ', []],
    ['read  2 ', ['read', '2']],
    ['a\tb', ['a', 'b']],
    ['recall "two words" --limit 3', ['recall', 'two words', '--limit', '3']],
    [`say 'it is "so"' x`, ['say', 'it is "so"', 'x']],
    ['--content="a b"c', ['--content=a bc']],
    ['a\\ b \\"c', ['a b', '"c']],
    ['"\\n \\" \\\\"', ['\\n " \\']],
    [`'\\'`, ['\\']],
    ['""', ['']],
    ['$HOME *', ['$HOME', '*']],
  ])('%j are split as shells do, and nothing is expanded', (line, words) => {
    expect(shellWords(line)).toEqual(words)
  })

  test.each(['"', 'a "b', "x 'y z"])('%j is refused, as its quote is not closed', (line) => {
    expect(() => shellWords(line)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    expect(wordsSoFar(line).at(-1)?.openQuote).not.toBeNull()
  })

  test('any word is read back from how it is typed', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (words) => {
        const plain = words.map((word) => word.replace(/[\r\n]/g, '') || '-')
        expect(shellWords(plain.map(typedWord).join(' '))).toEqual(plain)
      }),
    )
  })
})
