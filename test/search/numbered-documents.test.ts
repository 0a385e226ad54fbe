import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NumberedDocuments, type NumberedHit } from '../../src/search/numbered-documents.ts'
import { NumberedVectors } from '../../src/search/numbered-vectors.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { textKey } from '../../src/search/text-key.ts'
import { VectorCache } from '../../src/search/vector-cache.ts'
import { VectorShelf } from '../../src/search/vector-shelf.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FakeEmbedder, wordVector } from '../fakes/fake-embedder.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'
import { layout } from '../fakes/searched-workspace.ts'

/** Documents in memory, and the machine they are searched on. */
class Shelf {
  readonly texts = new Map<number, string>()
  readonly ports = {
    files: new MemoryFiles(),
    lock: new MemoryLock(),
    digest,
    clock: new FixedClock(),
    ids: new CountingIds(),
  }
  /** Of the texts that were read, the numbers. */
  reads: number[] = []
  #last = 0

  constructor() {
    this.ports.files.makeFolder('/w')
  }

  add(text: string): number {
    this.#last += 1
    this.texts.set(this.#last, text)
    return this.#last
  }

  get numbers(): Int32Array {
    return Int32Array.from(this.texts.keys())
  }

  open(): NumberedDocuments {
    return new NumberedDocuments(
      this.ports,
      { ...layout, index: 'metadata/index/memory' },
      {
        numbers: () => this.numbers,
        textsOf: (numbers) => {
          this.reads.push(...numbers)
          return numbers.map((number) => this.texts.get(number) ?? '')
        },
      },
    )
  }

  vectors(embedder = new FakeEmbedder(), kept: (number: number) => Float32Array | null = () => null): NumberedVectors {
    const options = { embedder, kernel: plainKernel, batchSize: 64 }
    return new NumberedVectors(this.ports, layout, options, (numbers) => numbers.map(kept))
  }
}

let shelf: Shelf

beforeEach(() => {
  shelf = new Shelf()
})

const ask = (documents: NumberedDocuments, query: string, shown = shelf.numbers, vector: Float32Array | null = null) =>
  documents.search({ query, vector, shown, limit: 10, fusion: 'score', vectorWeight: 0.7 })
const numbersOf = (hits: readonly NumberedHit[]) => hits.map(({ number }) => number)

describe('a numbered collection', () => {
  test('finds what was added since the last refresh, and no more what is gone', () => {
    const documents = shelf.open()
    const first = shelf.add('the index went stale')
    documents.refresh()
    expect(numbersOf(ask(documents, 'stale index'))).toEqual([first])
    const second = shelf.add('a stale index is rebuilt')
    shelf.texts.delete(first)
    documents.refresh()
    expect(numbersOf(ask(documents, 'stale index'))).toEqual([second])
  })

  test('puts many in a base, so that the next process reads no text', () => {
    for (let n = 0; n < 200; n += 1) shelf.add(`note ${n} about gateways`)
    shelf.open().refresh()
    shelf.reads = []
    const documents = shelf.open()
    documents.refresh()
    expect(shelf.reads).toEqual([])
    expect(numbersOf(ask(documents, 'note 117'))[0]).toBe(118)
  })

  test('is built anew when its base is damaged, or nothing can be written', () => {
    for (let n = 0; n < 200; n += 1) shelf.add(`note ${n}`)
    shelf.open().refresh()
    const folder = '/w/metadata/index/memory'
    for (const { name } of shelf.ports.files.list(folder) ?? [])
      if (name.startsWith('base-')) shelf.ports.files.write(`${folder}/${name}`, 'damaged')
    const documents = shelf.open()
    documents.refresh()
    expect(numbersOf(ask(documents, 'note 117'))[0]).toBe(118)
  })

  test('what is not shown counts for nothing, not even for how rare a word is', () => {
    const seen = [shelf.add('common rare'), shelf.add('common'), shelf.add('other words')]
    const documents = shelf.open()
    documents.refresh()
    const alone = ask(documents, 'common rare')
    for (let n = 0; n < 50; n += 1) shelf.add('rare')
    documents.refresh()
    expect(ask(documents, 'common rare', Int32Array.from(seen))).toEqual(alone)
  })
})

test('whatever came and went, the answer is that of a collection made of the shown documents alone', () => {
  const words = ['alpha', 'beta', 'gamma', 'delta', 'index', 'build']
  const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((list) => list.join(' '))
  const step = fc.record({ add: fc.array(text, { maxLength: 90 }), remove: fc.array(fc.nat(400), { maxLength: 30 }) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), fc.nat(3), text, (steps, modulus, query) => {
      shelf = new Shelf()
      const documents = shelf.open()
      for (const { add, remove } of steps) {
        for (const one of add) shelf.add(one)
        for (const number of remove) shelf.texts.delete(number)
        documents.refresh()
      }
      const shown = shelf.numbers.filter((number) => number % (modulus + 1) === 0)
      const hits = ask(documents, query, shown)
      const twin = new Shelf()
      const numbers = [...shown].map((number) => [twin.add(shelf.texts.get(number) ?? ''), number] as const)
      const inOriginal = new Map(numbers)
      const other = twin.open()
      other.refresh()
      const expected = ask(other, query, twin.numbers).map((hit) => ({
        ...hit,
        number: inOriginal.get(hit.number) ?? -1,
      }))
      expect(hits).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

/** What a process does that keeps the collection open, or another one beside it. */
type Step =
  | { readonly kind: 'add' | 'addElsewhere'; readonly texts: readonly string[] }
  | { readonly kind: 'remove'; readonly numbers: readonly number[] }
  | { readonly kind: 'embed' | 'embedElsewhere' | 'forget' | 'compact' }

describe('kept open it answers as one that is opened anew', () => {
  const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'index', 'build', 'the', 'stale']
  const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((list) => list.join(' '))
  const texts = fc.array(text, { minLength: 1, maxLength: 5 })
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('add', 'addElsewhere'), texts }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('remove'), numbers: fc.array(fc.nat(80), { maxLength: 12 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('embed', 'embedElsewhere', 'forget', 'compact') }) },
  )
  const QUERIES = ['stale index', 'alpha beta', 'the']

  /** With an embedder that takes no delta, beside a source that keeps no vector of a beta. */
  function opened() {
    const embedder = new FakeEmbedder()
    embedder.refusal = (one) => (one.includes('delta') ? 'no deltas' : null)
    const keptOf = (one: string) =>
      one === '' || one.includes('beta') || one.includes('delta') ? null : wordVector(one)
    const vectors = shelf.vectors(embedder, (number) => keptOf(shelf.texts.get(number) ?? ''))
    const documents = shelf.open()
    documents.useVectors(vectors)
    documents.refresh()
    return { documents, vectors }
  }

  type Opened = ReturnType<typeof opened>
  const textsOf = (numbers: readonly number[]) => numbers.map((number) => shelf.texts.get(number) ?? '')

  async function take(one: Step, kept: Opened): Promise<void> {
    switch (one.kind) {
      case 'add':
      case 'addElsewhere':
        for (const each of one.texts) shelf.add(each)
        if (one.kind === 'addElsewhere') opened()
        return
      case 'remove':
        for (const number of one.numbers) shelf.texts.delete(number)
        return
      case 'embed':
        kept.documents.refresh()
        await kept.vectors.embedOwed({ textsOf })
        return
      case 'embedElsewhere':
        await opened().vectors.embedOwed({ textsOf })
        return
      case 'forget': {
        const there = new Set(shelf.texts.values())
        const gone = WORDS.filter((word) => !there.has(word))
        new VectorShelf(shelf.ports, layout, new FakeEmbedder().key).forget(gone.map((each) => textKey(digest, each)))
        return
      }
      case 'compact': {
        const cache = new VectorCache(new VectorShelf(shelf.ports, layout, new FakeEmbedder().key))
        cache.takeIn()
        cache.compact([...shelf.texts.values()].map((each) => textKey(digest, each)))
        return
      }
    }
  }

  /** @param choice which of the documents are shown */
  function answers({ documents, vectors }: Opened, choice: number) {
    const shown = shelf.numbers.filter((number) => number % (choice + 1) === 0)
    return {
      hits: QUERIES.flatMap((query) => [ask(documents, query, shown, wordVector(query)), ask(documents, query, shown)]),
      vectors: vectors.vectorsOf([...shown]),
      without: [...vectors.withoutVector(shown, wordVector('').length)],
    }
  }

  test('whatever came, went, was embedded and forgotten, there or elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }),
        fc.nat(2),
        async (steps, choice) => {
          shelf = new Shelf()
          const kept = opened()
          for (const one of steps) {
            await take(one, kept)
            kept.documents.refresh()
            const answer = answers(kept, choice)
            expect(answer).toEqual(answers(opened(), choice))
          }
        },
      ),
      { numRuns: 60 },
    )
  }, 120_000)

  test('when more came at once than there were', () => {
    for (const one of WORDS) shelf.add(one)
    const kept = opened()
    answers(kept, 0)
    for (let n = 0; n < 1_500; n += 1) shelf.add(`stale ${n}`)
    kept.documents.refresh()
    expect(answers(kept, 0)).toEqual(answers(opened(), 0))
  })
})

describe('its vectors', () => {
  test('are those the source keeps, and nobody is asked for them', async () => {
    const embedder = new FakeEmbedder()
    const number = shelf.add('login breaks')
    shelf.add('unrelated')
    const documents = shelf.open()
    documents.useVectors(shelf.vectors(embedder, (each) => wordVector(shelf.texts.get(each) ?? '')))
    documents.refresh()
    const [hit] = ask(documents, 'nothing of it', shelf.numbers, wordVector('login breaks'))
    expect(hit).toMatchObject({ number, vector: { rank: 1 } })
    expect(embedder.calls).toEqual([])
  })

  test('rank shown documents alone', async () => {
    const numbers = [shelf.add('login breaks'), shelf.add('login breaks'), shelf.add('login fails')]
    const documents = shelf.open()
    documents.useVectors(shelf.vectors(undefined, (each) => wordVector(shelf.texts.get(each) ?? '')))
    documents.refresh()
    const hits = ask(documents, 'zzz', Int32Array.from(numbers.slice(1)), wordVector('login breaks'))
    expect(numbersOf(hits)).toEqual(numbers.slice(1))
  })

  test('of texts are made once, whoever asks', async () => {
    const embedder = new FakeEmbedder()
    const vectors = shelf.vectors(embedder)
    const [first] = await vectors.embed(['login breaks'])
    expect(first).toEqual({ vector: wordVector('login breaks') })
    expect(await shelf.vectors(embedder).embed(['login breaks'])).toEqual([{ vector: wordVector('login breaks') }])
    expect(embedder.texts).toEqual(['login breaks'])
  })

  test('are missing with a reason when the embedder cannot be had, or refuses', async () => {
    const embedder = new FakeEmbedder()
    embedder.outage = () => 'the server is down'
    const vectors = shelf.vectors(embedder)
    expect(await vectors.embed(['a'])).toEqual([{ missing: 'the server is down' }])
    expect(await vectors.queryVector('a')).toEqual({ missing: 'the server is down' })
    embedder.outage = () => null
    embedder.refusal = () => 'too odd'
    expect(await vectors.embed(['a'])).toEqual([{ missing: 'too odd' }])
  })
})
