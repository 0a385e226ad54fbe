import { describe, expect, test } from 'bun:test'
import { IndexBuilder } from '../../src/search/index-builder.ts'
import { TermCounter } from '../../src/search/term-counter.ts'
import { Vocabulary } from '../../src/search/vocabulary.ts'

describe('the columns of an index', () => {
  test('give documents and frequencies by term, for both views', () => {
    const builder = new IndexBuilder()
    builder.add('red blue red', 'red')
    builder.add('', '')
    builder.add('blue', 'green')
    const { terms, documentCount, views } = builder.finish()
    expect([...terms]).toEqual(['red', 'blue', 'green'])
    expect(documentCount).toBe(3)
    expect(plain(views.when_to_use)).toEqual({
      lengths: [3, 0, 1],
      lengthTotal: 4,
      starts: [0, 1, 3, 3],
      documents: [0, 0, 2],
      frequencies: [2, 1, 1],
    })
    expect(plain(views.when_to_use_content)).toEqual({
      lengths: [4, 0, 2],
      lengthTotal: 6,
      starts: [0, 1, 3, 4],
      documents: [0, 0, 2, 2],
      frequencies: [3, 1, 1, 1],
    })
  })

  test('are whole when a document has more terms than a chunk has room, between small ones', () => {
    const builder = new IndexBuilder()
    builder.add('first', '')
    builder.add('', Array.from({ length: 140_000 }, (_, number) => `w${number}x`).join(' '))
    builder.add('last', 'first')
    const { terms, views } = builder.finish()
    const { starts, documents } = views.when_to_use_content
    const documentsWith = (term: string) => {
      const position = [...terms].indexOf(term)
      return [...documents.subarray(starts[position], starts[position + 1])]
    }
    expect([documentsWith('first'), documentsWith('w139999x'), documentsWith('last')]).toEqual([[0, 2], [1], [2]])
  })
})

test('a counter that has forgotten its tokens goes on counting right', () => {
  const vocabulary = new Vocabulary()
  const counter = new TermCounter(vocabulary)
  // More than the memo holds.
  for (let number = 0; number < 140_000; number += 1) {
    counter.add(`n${number}`)
    counter.clear()
  }
  counter.add('n1 n139999 n1')
  const found = [...counter.ids.subarray(0, counter.distinctCount)].map((id) => [
    vocabulary.terms.textAt(id),
    counter.frequencies[id],
  ])
  expect(found).toEqual([
    ['n1', 2],
    ['n139999', 1],
    ['139999', 1],
  ])
})

function plain(view: ReturnType<IndexBuilder['finish']>['views']['when_to_use']) {
  return {
    lengths: [...view.lengths],
    lengthTotal: view.lengthTotal,
    starts: [...view.starts],
    documents: [...view.documents],
    frequencies: [...view.frequencies],
  }
}
