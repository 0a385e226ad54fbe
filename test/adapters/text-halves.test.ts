import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { halvesOf } from '../../src/adapters/text-halves.ts'

test.each([
  ['a line end before all', 'one two. three\nfour five', 'one two. three\n', 'four five'],
  ['the line end nearest to the middle', 'aaaa\nbbbb\ncccc\ndddd', 'aaaa\nbbbb\n', 'cccc\ndddd'],
  ['a sentence before a word', 'one two three. four five', 'one two three. ', 'four five'],
  ['a Chinese sentence', '今天天气很好。我们去公园', '今天天气很好。', '我们去公园'],
  ['a word', 'aaaa bbbb cccc', 'aaaa ', 'bbbb cccc'],
  ['the middle of what has no boundary', 'aaaaaaaa', 'aaaa', 'aaaa'],
  ['a whole character', 'aaa\u{1f600}bbb', 'aaa\u{1f600}', 'bbb'],
])('cuts at %s', (_, text, first, second) => {
  expect(halvesOf(text)).toEqual([first, second])
})

test('a boundary near an end is not taken', () => {
  expect(halvesOf(`a\n${'b'.repeat(20)}`)).toEqual([`a\n${'b'.repeat(9)}`, 'b'.repeat(11)])
})

test('nothing is lost, no part is empty, no character is split', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 4 }), (text) => {
      const [first, second] = halvesOf(text)
      expect(first + second).toBe(text)
      expect(Math.min(first.length, second.length)).toBeGreaterThan(0)
      expect(first.isWellFormed() && second.isWellFormed()).toBe(text.isWellFormed())
    }),
  )
})
