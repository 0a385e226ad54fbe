import { describe, expect, test } from 'bun:test'
import { fuseByRank, fuseByScore } from '../../src/search/fusion.ts'

const vector = [
  { path: 'a', score: 0.9 },
  { path: 'b', score: 0.5 },
]
const keyword = [
  { path: 'b', score: 8 },
  { path: 'c', score: 4 },
]

describe('fusion by ranks', () => {
  test('adds w/(60+rank) of the vectors and (1-w)/(60+rank) of the keywords', () => {
    const hits = fuseByRank({ vector, keyword }, 0.7)
    expect(hits).toEqual([
      { path: 'b', score: 0.7 / 62 + (1 - 0.7) / 61, vector: { rank: 2, score: 0.5 }, keyword: { rank: 1, score: 8 } },
      { path: 'a', score: 0.7 / 61, vector: { rank: 1, score: 0.9 }, keyword: null },
      { path: 'c', score: (1 - 0.7) / 62, vector: null, keyword: { rank: 2, score: 4 } },
    ])
  })

  test('scores (1-w)/(60+rank) when there are no vectors', () => {
    expect(fuseByRank({ vector: [], keyword }, 0.7).map(({ score }) => score)).toEqual([(1 - 0.7) / 61, (1 - 0.7) / 62])
  })

  test('orders equal scores by path', () => {
    const hits = fuseByRank({ vector: [{ path: 'z', score: 1 }], keyword: [{ path: 'y', score: 1 }] }, 0.5)
    expect(hits.map(({ path }) => path)).toEqual(['y', 'z'])
  })
})

describe('fusion by scores', () => {
  test('adds keyword/upper and three quarters of the cosine', () => {
    const hits = fuseByScore({ vector, keyword }, 16)
    expect(hits.map(({ path, score }) => [path, score])).toEqual([
      ['b', 8 / 16 + 0.75 * 0.5],
      ['a', 0.75 * 0.9],
      ['c', 4 / 16],
    ])
  })

  test('ranks by vectors alone when the query has no terms', () => {
    expect(fuseByScore({ vector, keyword: [] }, 0).map(({ path }) => path)).toEqual(['a', 'b'])
  })
})

test('ranks that the formula gives one score tie, and the path decides', () => {
  // 0.7 / (60 + 108) and 0.3 / (60 + 12) are both 1 / 240.
  const at = (rank: number, path: string, others: string) =>
    Array.from({ length: rank }, (_, n) => ({ path: n === rank - 1 ? path : `${others}${n}`, score: -n }))
  const hits = fuseByRank({ vector: at(108, 'a', 'v'), keyword: at(12, 'b', 'k') }, 0.7)
  const [first, second] = ['a', 'b'].map((path) => hits.findIndex((hit) => hit.path === path))
  expect(hits[first ?? 0]?.score).toBeCloseTo(1 / 240, 15)
  expect(second).toBe((first ?? 0) + 1)
})
