import { expect, test } from 'bun:test'
import { WordIndex } from '../../src/graph/word-index.ts'

test('a text is related to those that it shares most words with, and not to those that it shares none with', () => {
  const index = new WordIndex()
  for (const text of ['retries of uploads wait a minute', 'uploads are retried twice', 'it rains']) index.add(text)
  const related = (text: string) => index.related(text).map(({ at }) => at)
  expect(related('are uploads retried twice')).toEqual([1, 0])
  expect(related('')).toEqual([])
})
