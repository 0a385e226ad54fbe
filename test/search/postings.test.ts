import { expect, test } from 'bun:test'
import { Postings } from '../../src/search/postings.ts'

const analysis = (text: string) => ({ terms: text.split(' '), length: text.split(' ').length })

test('ten thousand updates leave neither terms nor room behind', () => {
  const postings = new Postings()
  postings.add(1, analysis('kept'))
  for (let n = 0; n < 10_000; n += 1) {
    postings.add(2, analysis(`word${n} other${n} common common`))
    postings.remove(2)
  }
  expect(postings.termCount).toBe(1)
  expect([postings.documentCount, postings.lengthTotal]).toEqual([1, 1])
  expect(postings.lists.cells.length).toBeLessThanOrEqual(4096)
})

test('counts documents, not occurrences, in the document frequency', () => {
  const postings = new Postings()
  postings.add(1, analysis('red red red'))
  postings.add(2, analysis('red blue'))
  expect([
    postings.documentFrequency('red'),
    postings.documentFrequency('blue'),
    postings.documentFrequency('x'),
  ]).toEqual([2, 1, 0])
})
