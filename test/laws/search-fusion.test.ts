import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BestCandidates, byScoreThenPath, type Candidate } from '../../src/search/best-candidates.ts'
import { fuseByRank, fuseByScore, fusedMax } from '../../src/search/fusion.ts'

const candidates = fc.uniqueArray(
  fc.record({
    path: fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b', 'Z', '-', 'é') }),
    score: fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8),
  }),
  { selector: ({ path }) => path, maxLength: 30 },
)
const ranking = candidates.map((all) => [...all].sort(byScoreThenPath))

/** The formula of the contract, looked up afresh for every path. */
function naiveHits(vector: readonly Candidate[], keyword: readonly Candidate[], scoreOf: typeof naiveRrf) {
  const paths = [...new Set([...vector, ...keyword].map(({ path }) => path))]
  return paths
    .map((path) => {
      const v = vector.findIndex((candidate) => candidate.path === path)
      const k = keyword.findIndex((candidate) => candidate.path === path)
      return {
        path,
        score: scoreOf(vector[v], v + 1, keyword[k], k + 1),
        vector: v === -1 ? null : { rank: v + 1, score: vector[v]?.score ?? 0 },
        keyword: k === -1 ? null : { rank: k + 1, score: keyword[k]?.score ?? 0 },
      }
    })
    .sort((a, b) => rounded(b.score) - rounded(a.score) || (a.path < b.path ? -1 : 1))
}

const rounded = (score: number) => Math.round(score * 1e12)

const naiveRrf = (v: Candidate | undefined, vRank: number, k: Candidate | undefined, kRank: number) =>
  (v ? 0.7 / (60 + vRank) : 0) + (k ? (1 - 0.7) / (60 + kRank) : 0)

test('fusion by ranks equals the formula looked up path by path', () => {
  fc.assert(
    fc.property(ranking, ranking, (vector, keyword) => {
      expect([...fuseByRank({ vector, keyword }, 0.7)]).toEqual(naiveHits(vector, keyword, naiveRrf))
    }),
  )
})

test('fusion by scores equals the formula looked up path by path', () => {
  fc.assert(
    fc.property(ranking, ranking, fc.integer({ min: 1, max: 9 }), (vector, keyword, upper) => {
      const naive = naiveHits(vector, keyword, (v, _vRank, k) => (k ? k.score / upper : 0) + (v ? 0.75 * v.score : 0))
      const spokenFor = naive.filter((hit) => hit.keyword !== null || hit.score > 0)
      expect([...fuseByScore({ vector, keyword }, upper)]).toEqual(spokenFor)
    }),
  )
})

test('the best of any candidates are the beginning of all of them sorted', () => {
  fc.assert(
    fc.property(candidates, fc.integer({ min: 1, max: 12 }), (all, limit) => {
      const best = new BestCandidates<Candidate>(limit)
      for (const candidate of all) if (candidate.score >= best.scoreMin) best.add(candidate)
      expect(best.sorted()).toEqual([...all].sort(byScoreThenPath).slice(0, limit))
    }),
  )
})

test('what both rankings put first with all that a query can get has the most that a fusion gives', () => {
  const first = { vector: [{ path: 'a', score: 1 }], keyword: [{ path: 'a', score: 3 }] }
  expect(fuseByRank(first, 0.7)[0]?.score).toBeCloseTo(fusedMax('rrf'), 12)
  expect(fuseByScore(first, 3)[0]?.score).toBeCloseTo(fusedMax('score'), 12)
})
