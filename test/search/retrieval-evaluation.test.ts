import { describe, expect, test } from 'bun:test'
import { dotProduct } from '../../src/model/unit-vector.ts'
import type { FusionChoice } from '../../src/search/fusion.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { evaluateHybrid, evaluateRanking, keywordRanking } from '../../src/search/retrieval-evaluation.ts'
import { meanQuality, rankingQuality } from '../../src/search/retrieval-metrics.ts'
import type { RetrievalSet } from '../../src/search/retrieval-set.ts'
import type { EmbeddingProgress } from '../../src/search/supply-progress.ts'
import { FakeEmbedder, wordVector } from '../fakes/fake-embedder.ts'
import { SearchedWorkspace } from '../fakes/searched-workspace.ts'

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

const WORDS = ['red', 'blue', 'apple', 'whale', 'wine', 'tree', 'green', 'river', 'stone', 'cloud', 'paper', 'glass']

/** More documents than a leg has candidates, in no order; the same at every call. */
function largeSet(): RetrievalSet {
  let state = 1
  const below = (count: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 16) % count
  }
  const phrase = (length: number) => Array.from({ length }, () => WORDS[below(WORDS.length)]).join(' ')
  const documents = new Map(Array.from({ length: 300 }, (_, at) => [`d${(at * 37) % 300}`, phrase(1 + below(6))]))
  const queries = Array.from({ length: 12 }, (_, at) => ({
    text: `${phrase(2)} ${at}`,
    grades: new Map([['d1', 1], ...Array.from({ length: 40 }, () => [`d${below(300)}`, below(3)] as const)]),
  }))
  return { documents, queries, unjudgedCount: 0, judgementCount: 12 * 41 }
}

function runWith(embedder: FakeEmbedder, choice: FusionChoice = { fusion: 'rrf', vectorWeight: 0.7 }) {
  const told: EmbeddingProgress[] = []
  const progress = (step: EmbeddingProgress) => told.push(step)
  const { signal } = new AbortController()
  const asked = { embedder, choice, kernel: plainKernel, batchSize: 64, pause: async () => {} }
  return { ...asked, progress, onWait: () => {}, signal, told }
}

const meanOver = ({ queries }: RetrievalSet, rank: (query: string) => readonly string[]) =>
  meanQuality(queries.map(({ text, grades }) => rankingQuality(rank(text), grades)))

describe('with an embedder', () => {
  test.each([
    { fusion: 'rrf', vectorWeight: 0.7 },
    { fusion: 'rrf', vectorWeight: 0.2 },
    { fusion: 'rrf', vectorWeight: 1 },
    { fusion: 'score', vectorWeight: 0.7 },
  ] as const)('the fused leg is what a search for a hundred results gives: %j', async (choice) => {
    const set = largeSet()
    const embedder = new FakeEmbedder()
    embedder.refusal = (text) => (text.startsWith('green') ? 'no green' : null)
    const workspace = new SearchedWorkspace()
    for (const [id, text] of set.documents) workspace.write(id, text)
    using search = workspace.open()
    search.useVectors({ embedder, kernel: plainKernel, batchSize: 64 })
    search.refresh()
    await search.supply()
    const searched = new Map<string, readonly string[]>()
    for (const { text } of set.queries) {
      const request = { query: text, limit: 100, ...choice }
      const { hits } = search.search(request, (await search.prepare(request)).vector)
      searched.set(
        text,
        hits.map(({ path }) => path.slice('procedures/'.length, -'.json'.length)),
      )
    }
    const { legs, refusedCount } = await evaluateHybrid(set, runWith(embedder, choice))
    expect(refusedCount).toBe(search.leftOut.length)
    expect(refusedCount).toBeGreaterThan(0)
    expect(legs.fused).toEqual(meanOver(set, (query) => searched.get(query) ?? []))
    expect(legs.fused).not.toEqual(legs.keyword)
  })

  test('the keyword leg is that without one, the vector leg every document by its cosine', async () => {
    const set = largeSet()
    const { legs } = await evaluateHybrid(set, runWith(new FakeEmbedder()))
    expect(legs.keyword).toEqual(await evaluateRanking(set, keywordRanking(set.documents), async () => {}))
    const byCosine = (query: string) =>
      [...set.documents]
        .map(([id, text]) => ({ id, cosine: dotProduct(wordVector(query), wordVector(text)) }))
        .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id)
    expect(legs.vector).toEqual(meanOver(set, byCosine))
  })

  test('each text is embedded once, in batches, with signs of life', async () => {
    const set = largeSet()
    const embedder = new FakeEmbedder()
    const run = runWith(embedder)
    await evaluateHybrid(set, run)
    const texts = new Set([...set.documents.values(), ...set.queries.map(({ text }) => text)])
    expect([...embedder.texts].sort()).toEqual([...texts].sort())
    expect(embedder.calls.every(({ texts: batch }) => batch.length <= 64)).toBe(true)
    expect(run.told.at(-1)).toEqual({ textsDone: texts.size, textsOwed: texts.size })
  })

  test('a long work tells of itself twenty times, however many batches it takes', async () => {
    const run = { ...runWith(new FakeEmbedder()), batchSize: 1 }
    await evaluateHybrid(largeSet(), run)
    expect(run.told).toHaveLength(20)
  })

  test('a refused document is in no leg, a refused query ranks by keywords alone', async () => {
    const set: RetrievalSet = {
      documents: new Map([
        ['a', 'red apple'],
        ['b', 'rotten apple'],
        ['c', 'blue whale'],
        ['d', ' '],
      ]),
      queries: [
        { text: 'blue sea', grades: new Map([['c', 1]]) },
        {
          text: 'apple tart',
          grades: new Map([
            ['a', 1],
            ['b', 1],
          ]),
        },
      ],
      unjudgedCount: 0,
      judgementCount: 3,
    }
    const embedder = new FakeEmbedder()
    embedder.refusal = (text) => (text === 'rotten apple' || text === 'apple tart' ? 'no fruit' : null)
    embedder.parts = (text) => (text === 'blue whale' ? 3 : 1)
    const { legs, ...texts } = await evaluateHybrid(set, runWith(embedder))
    expect(texts).toMatchObject({ refusedCount: 2, refusedQueryCount: 1, dividedCount: 1 })
    // The first query is answered by every leg; of the second's two documents one is left, for keywords alone.
    expect([legs.keyword, legs.vector, legs.fused].map((leg) => leg.recall_at_10)).toEqual([0.75, 0.5, 0.75])
  })

  test('an outage gives no result at all, and an interruption stops between two batches', async () => {
    const away = new FakeEmbedder()
    away.outage = (texts) => (texts.length < 64 ? 'the server is away' : null)
    await expect(evaluateHybrid(largeSet(), runWith(away))).rejects.toMatchObject({ code: 'embedder_unavailable' })
    const embedder = new FakeEmbedder()
    const pause = async () => {
      if (embedder.calls.length === 2) throw new Error('stop')
    }
    await expect(evaluateHybrid(largeSet(), { ...runWith(embedder), pause })).rejects.toThrow('stop')
    expect(embedder.calls).toHaveLength(2)
  })

  test('what the fusion adds is the mean of the differences, query by query', async () => {
    const { legs, fusedMinusKeyword } = await evaluateHybrid(largeSet(), runWith(new FakeEmbedder()))
    const { mean, low, high } = fusedMinusKeyword.ndcg_at_10
    expect(mean).toBeCloseTo(legs.fused.ndcg_at_10 - legs.keyword.ndcg_at_10, 12)
    expect(low).toBeLessThan(mean)
    expect(high).toBeGreaterThan(mean)
  })
})
