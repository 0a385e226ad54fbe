import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { rowsOf, wrappedLines } from '../../../src/surfaces/repl/wrapped-text.ts'

const BOLD = '\u001b[1m'
const RESET = '\u001b[0m'

describe('wrapped text', () => {
  test.each([
    ['fits', 10, ['fits']],
    ['', 10, ['']],
    ['two\n\nlines', 10, ['two', '', 'lines']],
    ['one two three', 8, ['one two', 'three']],
    ['   one two three', 11, ['   one two', '   three']],
    ['1. one two three', 11, ['1. one two', '   three']],
    ['name    one two three four', 18, ['name    one two', '        three four']],
    ['a unbroken-word-of-many b', 10, ['a', 'unbroken-word-of-many', 'b']],
    ['中文中文中', 5, ['中文', '中文', '中']],
    ['1. unbroken-word-of-many', 10, ['1. unbroken-word-of-many']],
  ])('%j in %i columns', (text, columns, lines) => {
    expect(wrappedLines(text, columns)).toEqual(lines)
  })

  test('is painted in each line as it was in one', () => {
    expect(wrappedLines(`a ${BOLD}bold word${RESET} z`, 6)).toEqual([`a ${BOLD}bold${RESET}`, `${BOLD}word${RESET} z`])
  })

  test('loses nothing but spaces, and no line of short words is wider than the screen', () => {
    const words = fc.array(fc.stringMatching(/^[a-z中]{1,5}$/), { minLength: 1 })
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 60 }), (all, columns) => {
        const lines = wrappedLines(all.join(' '), columns)
        expect(lines.join('').replaceAll(' ', '')).toBe(all.join(''))
        for (const line of lines) expect(rowsOf(line, columns)).toBe(1)
      }),
    )
  })
})

test('rows are counted by what is seen of a line', () => {
  expect([rowsOf('', 5), rowsOf('12345', 5), rowsOf('123456', 5), rowsOf(`${BOLD}中文中${RESET}`, 5)]).toEqual([
    1, 1, 2, 2,
  ])
})
