import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { PostingColumns } from '../../src/search/posting-columns.ts'
import { TermCounter } from '../../src/search/term-counter.ts'
import { Vocabulary } from '../../src/search/vocabulary.ts'

/** Where a document's terms begin among all that there are, and how many follow. */
type Terms = readonly [first: number, count: number]

const anyTerms = fc.tuple(
  fc.nat(5_000),
  fc.oneof(fc.constantFrom(0, 1), fc.nat(60), fc.integer({ min: 1_000, max: 5_000 })),
)

test('no posting is lost or moved, however many documents of whatever size were taken in', () => {
  fc.assert(
    fc.property(fc.array(anyTerms, { maxLength: 80, size: 'max' }), (documents) => expectNaive(documents)),
    { numRuns: 30 },
  )
})

test('a document that fills its chunk to the last cell is whole, and so is what follows', () => {
  // Two cells a term: 1024 fill the first chunk, 2048 the second.
  expectNaive([
    [0, 1_024],
    [0, 0],
    [9, 2_048],
    [0, 0],
    [5, 1],
  ])
})

test('documents are whole on either side of the largest chunks', () => {
  // 400 times 2000 cells: past all the chunks that grow, and two of 2^18 cells.
  expectNaive(Array.from({ length: 400 }, (_, document) => [document * 3, 1_000] as const))
})

test('documents are whole around one that is larger than any chunk', () => {
  expectNaive([
    [0, 3],
    [7, 140_000],
    [0, 3],
    [8, 2_000],
    [0, 140_000],
    [2, 9],
  ])
})

function expectNaive(documents: readonly Terms[]): void {
  const vocabulary = new Vocabulary()
  const counter = new TermCounter(vocabulary)
  const columns = new PostingColumns()
  const lengths: number[] = []
  const postings: { documents: number[]; frequencies: number[] }[] = []
  for (const [document, [first, count]] of documents.entries()) {
    const numbers = Array.from({ length: count }, (_, at) => first + at)
    const repeated = numbers.filter((number) => number % 3 === 0)
    counter.add([...numbers, ...repeated].join(' '))
    expect(counter.distinctCount).toBe(count)
    columns.add(counter)
    lengths.push(counter.length)
    for (const id of counter.ids.subarray(0, count)) {
      postings[id] ??= { documents: [], frequencies: [] }
      postings[id].documents.push(document)
      postings[id].frequencies.push(counter.frequencies[id] ?? 0)
    }
    counter.clear()
  }
  const ids = Array.from(vocabulary.terms, (_, id) => id)
  const starts = [0]
  for (const id of ids) starts.push((starts.at(-1) ?? 0) + (postings[id]?.documents.length ?? 0))
  expect(columns.finish(ids.length)).toEqual({
    lengths: Uint32Array.from(lengths),
    lengthTotal: lengths.reduce((sum, length) => sum + length, 0),
    starts: Uint32Array.from(starts),
    documents: Uint32Array.from(ids.flatMap((id) => postings[id]?.documents ?? [])),
    frequencies: Uint32Array.from(ids.flatMap((id) => postings[id]?.frequencies ?? [])),
  })
}
