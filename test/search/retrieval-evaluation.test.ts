import { expect, test } from 'bun:test'
import { evaluateRanking, keywordRanking } from '../../src/search/retrieval-evaluation.ts'

const documents = new Map([
  ['b', 'rebuild the search index'],
  ['empty', ''],
  ['a', 'rebuild the search index'],
  ['c', 'an index of papers about wings'],
])

test('the keyword ranking is that of the product: whole terms, inflections, ties by id', () => {
  const rank = keywordRanking(documents)
  expect(rank('rebuilding indexes')).toEqual(['a', 'b', 'c'])
  expect(rank('pap')).toEqual([])
  expect(rank('?!')).toEqual([])
})

test('a leg is measured by any ranking, as the mean of its queries', async () => {
  const set = {
    documents,
    queries: [
      { text: 'first', grades: new Map([['a', 1]]) },
      { text: 'second', grades: new Map([['a', 1]]) },
    ],
    unjudgedCount: 0,
    judgementCount: 2,
  }
  const rank = (query: string) => (query === 'first' ? ['a'] : ['b', 'a'])
  expect(await evaluateRanking(set, rank, async () => {})).toMatchObject({ recall_at_10: 1, mrr_at_10: 0.75 })
})
