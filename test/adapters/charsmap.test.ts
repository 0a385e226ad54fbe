/** Expected texts are what the native library makes of the same charsmap. */
import { describe, expect, test } from 'bun:test'
import { charsmapNormalizer } from '../../src/adapters/charsmap.ts'
import { charsmap } from '../fakes/charsmap.ts'

const MAP = charsmap({
  ﬁ: 'fi',
  '\t': ' ',
  '\u200b': '',
  'e\u0301': 'é',
  ab: 'never',
  '\r\n': '\n',
  '☃': 'snowman',
})

describe('a text is normalized', () => {
  test.each([
    ['', ''],
    ['plain', 'plain'],
    ['a\tﬁ\u200bn', 'a fin'],
    // Of a cluster by its whole, where that is short; else by its characters.
    ['e\u0301x', 'éx'],
    ['o\u0301', 'o\u0301'],
    ['e\u0301\u0301\u0301', 'e\u0301\u0301\u0301'],
    // Not across clusters, of which a line end is one.
    ['ab', 'ab'],
    ['a\r\nb', 'a\nb'],
    ['☃☃', 'snowmansnowman'],
    ['\u0000\t', '\u0000 '],
  ])('%j as %j', (text, normalized) => {
    expect(charsmapNormalizer(MAP)?.(text)).toBe(normalized)
  })
})

test.each([
  ['nothing', ''],
  ['no length', 'AAA='],
  ['no trie', 'AAAAAA=='],
  ['half a trie', MAP.slice(0, 400)],
])('%s is no charsmap', (_, base64) => {
  expect(charsmapNormalizer(base64)).toBeNull()
})
