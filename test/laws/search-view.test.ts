import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { analyzeDocument, analyzeQuery } from '../../src/search/analyzer.ts'
import { naturalLogarithm } from '../../src/search/logarithm.ts'
import { KeywordView } from '../../src/search/view.ts'

const word = fc.constantFrom('red', 'blue', 'green', 'foo_bar', 'constructor', '__proto__', '检索', 'the', 'running')
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))
const path = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), path, text }),
  fc.record({ kind: fc.constant('remove' as const), path }),
)
const query = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '))

function freshView(texts: ReadonlyMap<string, string>): KeywordView {
  const view = new KeywordView('when_to_use')
  for (const [name, content] of texts) view.set(name, content)
  return view
}

test('after any changes a view answers bit for bit like one built anew', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.array(query, { minLength: 1, maxLength: 4 }),
      (steps, queries) => {
        const view = new KeywordView('when_to_use')
        const texts = new Map<string, string>()
        for (const change of steps) {
          if (change.kind === 'set') {
            view.set(change.path, change.text)
            texts.set(change.path, change.text)
          } else {
            view.remove(change.path)
            texts.delete(change.path)
          }
        }
        const fresh = freshView(new Map([...texts].reverse()))
        expect(view.size).toBe(fresh.size)
        for (const asked of queries) {
          expect(view.rank(asked, 200)).toEqual(fresh.rank(asked, 200))
          const [weight, freshWeight] = [view.weigh(asked), fresh.weigh(asked)]
          expect(weight.upperBound).toBe(freshWeight.upperBound)
          for (const name of texts.keys()) expect(weight.coverageOf(name)).toBe(freshWeight.coverageOf(name))
        }
      },
    ),
  )
})

/** BM25 as the books have it, from scratch for every document. */
function naiveRanking(texts: ReadonlyMap<string, string>, asked: string) {
  const documents = [...texts].map(([name, content]) => ({ name, ...analyzeDocument(content) }))
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  return documents
    .map(({ name, terms, length }) => {
      let score = 0
      for (const term of analyzeQuery(asked)) {
        const tf = terms.filter((other) => other === term).length
        const df = documents.filter((other) => other.terms.includes(term)).length
        const idf = Math.log(1 + (documents.length - df + 0.5) / (df + 0.5))
        score += (idf * tf * 2.2) / (tf + 1.2 * (1 - 0.75 + (0.75 * length) / average) || 1)
      }
      return { path: name, score }
    })
    .filter(({ score }) => score > 0)
}

test('scores are those of a naive BM25, stay under their bound, and come in order', () => {
  fc.assert(
    fc.property(fc.dictionary(path, text, { minKeys: 1 }), query, (record, asked) => {
      const texts = new Map(Object.entries(record))
      const view = freshView(texts)
      const ranked = view.rank(asked, 200)
      const naive = new Map(naiveRanking(texts, asked).map((hit) => [hit.path, hit.score]))
      expect(ranked.length).toBe(naive.size)
      for (const { path: name, score } of ranked) {
        expect(score).toBeCloseTo(naive.get(name) ?? Number.NaN, 10)
        expect(score).toBeLessThan(view.weigh(asked).upperBound)
      }
      const sorted = [...ranked].sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
      expect(ranked).toEqual(sorted)
    }),
  )
})

test('every text finds itself with all the weight of its words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (content) => {
      const terms = new Set(analyzeDocument(content).terms)
      for (const term of analyzeQuery(content)) expect(terms.has(term)).toBe(true)
      if (terms.size > 0)
        expect(
          freshView(new Map([['a', content]]))
            .weigh(content)
            .coverageOf('a'),
        ).toBe(1)
    }),
  )
})

test('the logarithm grows with its argument and turns products into sums', () => {
  const number = fc.double({ min: 1, max: 1e9, noNaN: true })
  fc.assert(
    fc.property(number, number, (a, b) => {
      if (a < b) expect(naturalLogarithm(a)).toBeLessThanOrEqual(naturalLogarithm(b))
      const sum = naturalLogarithm(a) + naturalLogarithm(b)
      expect(Math.abs(naturalLogarithm(a * b) - sum)).toBeLessThanOrEqual(1e-13)
    }),
  )
})
