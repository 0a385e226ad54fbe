/** What every `Embedder` promises; run on the fake, on the adapter of a server and on a model in the process. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Embedder, Embedding } from '../../src/ports.ts'

export interface EmbedderHarness {
  readonly embedder: Embedder
  cleanUp(): void
}

/** Of one that asks somebody else. */
export interface AskingHarness extends EmbedderHarness {
  /** From now on nothing can be had. */
  breakDown(): void
  /** From now on any text with this word is refused, others are not. */
  refuse(word: string): void
}

export function embedderContract(name: string, open: () => EmbedderHarness): void {
  describe(`Embedder: ${name}`, () => {
    let harness: EmbedderHarness
    let embedder: Embedder
    beforeEach(() => {
      harness = open()
      embedder = harness.embedder
    })
    afterEach(() => harness.cleanUp())

    test('no texts have no outcomes', async () => {
      expect(await embedder.embed([])).toEqual([])
    })

    test('each text has one outcome, in order, whatever stands beside it', async () => {
      const texts = Array.from({ length: 10 }, (_, index) => `number ${index} of several texts`)
      const together = (await embedder.embed(texts)).map(vectorOf)
      expect(together).toHaveLength(texts.length)
      for (const [index, text] of texts.entries())
        expect(together[index]).toEqual(vectorOf((await embedder.embed([text]))[0]))
    })

    test('vectors have unit length and one width, the configured one if there is one', async () => {
      const outcomes = await embedder.embed(['one', 'two words', 'a text of several words', '日本語', '!?'])
      const vectors = [...outcomes, ...(await embedder.embed(['another call']))].map(vectorOf)
      for (const vector of vectors) {
        expect(Math.hypot(...vector)).toBeCloseTo(1, 6)
        expect(vector).toHaveLength(embedder.key.dimensions ?? vectors[0]?.length ?? 0)
      }
    })

    test('a text taken whole has one part', async () => {
      expect(await embedder.embed(['short'])).toMatchObject([{ parts: 1 }])
    })

    test('the same text has the same vector', async () => {
      const [first, second] = await embedder.embed(['again', 'again'])
      expect(vectorOf(first)).toEqual(vectorOf(second))
    })

    test('texts that share words are nearer than others', async () => {
      const outcomes = await embedder.embed(['rebuild the search index', 'rebuild a search index', 'water the flowers'])
      const [query = [], near = [], far = []] = outcomes.map((outcome) => [...vectorOf(outcome)])
      expect(cosine(query, near)).toBeGreaterThan(cosine(query, far))
    })

    test.each(['', ' ', '\n\t\u00a0'])('a blank text %p is refused, others beside it are not', async (blank) => {
      const [refused, taken] = await embedder.embed([blank, 'text'])
      expect(refused).toEqual({ refused: expect.stringMatching(/\S/) })
      expect(taken).toHaveProperty('vector')
    })

    test('a lone surrogate counts as U+FFFD', async () => {
      const [lone, replaced] = await embedder.embed(['half \ud83d', 'half \ufffd'])
      expect(vectorOf(lone)).toEqual(vectorOf(replaced))
    })

    test('an aborted signal is interrupted', async () => {
      const signal = AbortSignal.abort()
      await expect(embedder.embed(['text'], { signal })).rejects.toMatchObject({ code: 'interrupted' })
    })

    test('the arguments are left as they were', async () => {
      const texts = Object.freeze(['one', 'half \ud83d', ''])
      await embedder.embed(texts)
      expect(texts).toEqual(['one', 'half \ud83d', ''])
    })
  })
}

/** What one promises besides that asks somebody else. */
export function askingContract(name: string, open: () => AskingHarness): void {
  describe(`Embedder: ${name}, when others fail it`, () => {
    let harness: AskingHarness
    let embedder: Embedder
    beforeEach(() => {
      harness = open()
      embedder = harness.embedder
    })
    afterEach(() => harness.cleanUp())

    test('a text that is refused by itself says why; the others have their vectors', async () => {
      harness.refuse('poison')
      const texts = ['first', 'second', 'a poison text', 'fourth', 'fifth']
      const outcomes = await embedder.embed(texts)
      expect(outcomes.map((outcome) => 'refused' in outcome)).toEqual([false, false, true, false, false])
      expect(outcomes[2]).toEqual({ refused: expect.stringMatching(/\S/) })
    })

    test('a text refused when it is asked alone is no outage', async () => {
      harness.refuse('poison')
      expect(await embedder.embed(['poison'])).toEqual([{ refused: expect.any(String) }])
    })

    test('an outage is embedder_unavailable, resumable', async () => {
      harness.breakDown()
      const code = 'embedder_unavailable'
      await expect(embedder.embed(['text'])).rejects.toMatchObject({ code, resumable: true })
    })
  })
}

function vectorOf(outcome: Embedding | undefined): Float32Array {
  if (outcome !== undefined && 'vector' in outcome) return outcome.vector
  throw new Error(`no vector: ${JSON.stringify(outcome)}`)
}

function cosine(first: readonly number[], second: readonly number[]): number {
  return first.reduce((sum, value, index) => sum + value * (second[index] ?? 0), 0)
}
