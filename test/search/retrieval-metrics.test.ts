import { describe, expect, test } from 'bun:test'
import { meanQuality, rankingQuality } from '../../src/search/retrieval-metrics.ts'

const grades = (byDocument: Readonly<Record<string, number>>) => new Map(Object.entries(byDocument))

describe('the quality of a ranking', () => {
  test('is what a hand sum gives', () => {
    // Ranks 1 to 3 are discounted by log2 of 2, 3 and 4: 1, 1.584963 and 2.
    const quality = rankingQuality(['a', 'x', 'c'], grades({ a: 3, b: 2, c: 1, d: 0 }))
    // (1 + 1/2) / (1 + 1/1.584963 + 1/2)
    expect(quality.ndcg_at_10).toBeCloseTo(1.5 / 2.13093, 5)
    // (7 + 1/2) / (7 + 3/1.584963 + 1/2)
    expect(quality.graded_ndcg_at_10).toBeCloseTo(7.5 / 9.392789, 5)
    expect(quality.recall_at_10).toBeCloseTo(2 / 3, 12)
    expect(quality.mrr_at_10).toBe(1)
  })

  test('is 1 throughout for the best order, and 0 for a ranking without a relevant document', () => {
    const judged = grades({ a: 3, b: 1 })
    const all = (value: number) => ({
      ndcg_at_10: value,
      graded_ndcg_at_10: value,
      recall_at_10: value,
      recall_at_100: value,
      mrr_at_10: value,
    })
    expect(rankingQuality(['a', 'b', 'x'], judged)).toEqual(all(1))
    expect(rankingQuality(['x', 'y'], judged)).toEqual(all(0))
    expect(rankingQuality([], judged)).toEqual(all(0))
  })

  test('falls with the grade of what comes first by the graded measure alone', () => {
    const quality = rankingQuality(['low', 'high'], grades({ low: 1, high: 2 }))
    expect(quality.ndcg_at_10).toBe(1)
    // (1 + 3/1.584963) / (3 + 1/1.584963)
    expect(quality.graded_ndcg_at_10).toBeCloseTo(2.892789 / 3.63093, 5)
  })

  test('counts rank 10 and not rank 11 in the first ten, rank 100 and not rank 101 in the first hundred', () => {
    const others = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`)
    const at = (rank: number) => rankingQuality([...others(rank - 1), 'a'], grades({ a: 1 }))
    expect(at(10)).toMatchObject({ recall_at_10: 1, mrr_at_10: 0.1 })
    expect(at(10).ndcg_at_10).toBeCloseTo(1 / Math.log2(11), 12)
    expect(at(11)).toMatchObject({ ndcg_at_10: 0, recall_at_10: 0, recall_at_100: 1, mrr_at_10: 0 })
    expect(at(100)).toMatchObject({ recall_at_100: 1 })
    expect(at(101)).toMatchObject({ recall_at_100: 0 })
  })

  test('compares with the best ten when more are relevant', () => {
    const ids = Array.from({ length: 12 }, (_, at) => `d${at}`)
    const quality = rankingQuality(ids, new Map(ids.map((id) => [id, 1])))
    expect(quality).toMatchObject({ ndcg_at_10: 1, recall_at_100: 1 })
    expect(quality.recall_at_10).toBeCloseTo(10 / 12, 12)
  })

  test('stays a number up to the highest grade', () => {
    expect(rankingQuality(['a'], grades({ a: 100 })).graded_ndcg_at_10).toBe(1)
  })
})

test('the mean counts each query alike', () => {
  const best = rankingQuality(['a'], grades({ a: 1 }))
  const worst = rankingQuality(['x'], grades({ a: 1, b: 1 }))
  expect(meanQuality([best, worst, worst, worst])).toMatchObject({ ndcg_at_10: 0.25, recall_at_100: 0.25 })
})
