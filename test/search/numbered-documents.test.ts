import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NumberedDocuments, type NumberedHit } from '../../src/search/numbered-documents.ts'
import { NumberedVectors } from '../../src/search/numbered-vectors.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
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
