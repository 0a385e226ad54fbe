import { expect, test } from 'bun:test'
import { beginningOf, shortened } from '../../src/model/shortened.ts'

test.each([
  ['', 3, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  ['ab😀', 4, 'ab😀'],
  ['ab😀', 3, 'ab…'],
  ['ab😀c', 4, 'ab😀…'],
])('%j in %d units is %j', (text, unitsMax, expected) => {
  expect(shortened(text, unitsMax)).toBe(expected)
  expect(beginningOf(text, unitsMax)).toBe(expected.replace('…', ''))
})
