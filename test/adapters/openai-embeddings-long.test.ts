/** Texts that a model cannot take whole, and servers that say so in their own words. */
import { afterEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { embedderAt, inputOf, inputsOf, lengths, numbersOf, refusing, serverOf, vectorsBy } from './embedding-server.ts'
import { type Answer, failure, json, raw, type ScriptedServer } from './scripted-server.ts'

const open: ScriptedServer[] = []
afterEach(() => {
  for (const server of open.splice(0)) server[Symbol.dispose]()
})

function serve(answer: Answer): ScriptedServer {
  const server = serverOf(answer)
  open.push(server)
  return server
}

describe('a text over the limit of the model', () => {
  const tooLong = failure(400, "This model's maximum context length is 512 tokens")
  const upTo = (units: number): Answer => refusing((text) => text.length > units, tooLong)

  test('is the mean of its parts, weighted by their length', async () => {
    const good = vectorsBy((text) => (text.startsWith('a') ? [2, 0] : [0, 7]))
    const server = serve((request) =>
      inputOf(request).some((text) => text.length > 24) ? tooLong(request) : good(request),
    )
    const text = `${'a'.repeat(23)}\n${'b'.repeat(16)}`
    const [outcome] = await embedderAt(server.baseUrl).embedder.embed([text])
    // 24 of 40 units point one way, 16 the other: (0.6, 0.4), scaled to length 1.
    expect(numbersOf(outcome)).toEqual([Math.fround(3 / Math.sqrt(13)), Math.fround(2 / Math.sqrt(13))])
    expect(outcome).toMatchObject({ parts: 2 })
    expect(inputsOf(server)).toEqual([[text], ['text'], [`${'a'.repeat(23)}\n`, 'b'.repeat(16)]])
  })

  test('whose part is too long as well has each part weigh by its own length', async () => {
    const good = vectorsBy((text) => ['a', 'b', 'c', 't'].map((letter) => (text.startsWith(letter) ? 1 : 0)))
    const server = serve((request) =>
      inputOf(request).some((text) => text.length > 24) ? tooLong(request) : good(request),
    )
    const text = `${'a'.repeat(23)}\n${'b'.repeat(11)}\n${'c'.repeat(20)}`
    const [outcome] = await embedderAt(server.baseUrl).embedder.embed([text])
    expect(outcome).toMatchObject({ parts: 3 })
    for (const [column, units] of [24, 12, 20].entries())
      expect(numbersOf(outcome)[column]).toBeCloseTo(units / Math.sqrt(24 ** 2 + 12 ** 2 + 20 ** 2), 6)
  })

  test.each([{ code: 'string_above_max_length', message: 'Invalid string' }, { message: 'too many tokens' }])(
    'is divided also when a gateway says so under status 200: %j',
    async (error) => {
      const server = serve(refusing((text) => text.length > 24, json({ error })))
      const [outcome] = await embedderAt(server.baseUrl).embedder.embed(['words of some length '.repeat(2)])
      expect(outcome).toMatchObject({ parts: 2 })
    },
  )

  test('leaves the others of its batch whole', async () => {
    const server = serve(upTo(100))
    const outcomes = await embedderAt(server.baseUrl).embedder.embed(['one', 'long '.repeat(70), 'two'])
    expect(outcomes).toMatchObject([{ parts: 1 }, { parts: 4 }, { parts: 1 }])
  })

  test('stands alone in later requests, and its vector stays the same', async () => {
    const server = serve(upTo(100))
    const { embedder } = embedderAt(server.baseUrl)
    const long = 'words and words '.repeat(12)
    const [first] = await embedder.embed([long])
    const before = server.requests.length
    const outcomes = await embedder.embed(['one', long, 'two'])
    expect(outcomes[1]).toEqual(first)
    expect(
      inputsOf(server)
        .slice(before)
        .map((input) => input.length),
    ).toEqual([1, 1, 2, 1])
  })

  const wordings: readonly (readonly [name: string, answer: Answer])[] = [
    ['OpenAI', failure(400, "Invalid 'input[0]': maximum input length is 8192 tokens.")],
    ['OpenAI, a whole request', failure(400, 'Requested 453357 tokens, max 300000 tokens per request')],
    ['llama.cpp', failure(500, 'input (596 tokens) is too large to process. increase the physical batch size')],
    ['llama.cpp, older', failure(500, 'input is too large to process. increase the physical batch size')],
    ['Ollama', failure(400, 'the input length exceeds the context length')],
    ['TEI', json({ error: '`inputs` must have less than 512 tokens. Given: 600', error_type: 'Validation' }, 413)],
    ['Mistral', json({ object: 'error', message: 'Too many tokens in batch. Max is 16384 got 17555' }, 400)],
    ['Mistral, one text', json({ message: 'Input id 0 has 9000 tokens, exceeding max 8192 tokens.' }, 400)],
    ['Jina', json({ detail: 'Single text cannot exceed 8194 tokens. 9000 tokens given.' }, 400)],
    ['DashScope', failure(400, 'Range of input length should be [1, 2048]')],
    ['Cohere', json({ message: 'too many tokens' }, 400)],
    ['a gateway', failure(400, 'Token limit exceeded')],
    ['OpenAI, by characters', failure(400, 'string too long. Expected a string with maximum length 8000')],
    ['FastAPI', json({ detail: [{ msg: 'input must be at most 100 characters', type: 'value_error' }] }, 422)],
    ['a proxy', raw('<html><title>413 Request Entity Too Large</title></html>', 413)],
  ]
  test.each(wordings)('is known by the words of %s', async (_, refusal) => {
    const server = serve(refusing((text) => text.length > 30, refusal))
    const { embedder, waits } = embedderAt(server.baseUrl)
    expect(await embedder.embed(['words of some length '.repeat(2)])).toMatchObject([{ parts: 2 }])
    expect(waits).toEqual([])
  })

  test.each(['Rate limit reached: exceeding max 10000 tokens per minute', 'You cannot exceed 5000 tokens/min'])(
    'is not meant by %p',
    async (message) => {
      let isFirst = true
      const server = serve((request) => {
        const answer = isFirst ? failure(429, message) : lengths
        isFirst = false
        return answer(request)
      })
      expect(await embedderAt(server.baseUrl).embedder.embed(['some words'])).toMatchObject([{ parts: 1 }])
      expect(server.requests).toHaveLength(2)
    },
  )

  test('with a part that is refused is refused', async () => {
    const strict = refusing((text) => text.includes('poison'), failure(400, 'bad text'))
    const server = serve((request) =>
      inputOf(request).some((text) => text.length > 40) ? tooLong(request) : strict(request),
    )
    const texts = ['fine words and poison in it, '.repeat(3), 'ok']
    const [outcome, other] = await embedderAt(server.baseUrl).embedder.embed(texts)
    expect(outcome).toEqual({ refused: expect.stringContaining('HTTP 400: bad text') })
    expect(other).toHaveProperty('vector')
  })

  test('that stays too long however short it gets is refused, in a bounded number of requests', async () => {
    const server = serve(refusing((text) => text !== 'text', tooLong))
    const outcomes = await embedderAt(server.baseUrl).embedder.embed(['x'.repeat(1_000)])
    expect(outcomes).toEqual([{ refused: expect.stringContaining('maximum context length') }])
    expect(server.requests.length).toBeLessThan(200)
  })

  test('loses nothing, whatever the limit: the parts taken make up the text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '\n', '. ', '\u{1f600}', '。'), maxLength: 300 }), {
          maxLength: 6,
        }),
        fc.integer({ min: 16, max: 200 }),
        fc.integer({ min: 1, max: 8 }),
        async (texts, unitsMax, batchSize) => {
          const taken: string[] = []
          using server = serverOf((request) => {
            const input = inputOf(request)
            if (input.some((text) => text.length > unitsMax)) return tooLong(request)
            taken.push(...input.filter((text) => text !== 'text'))
            return lengths(request)
          })
          const outcomes = await embedderAt(server.baseUrl, { batchSize }).embedder.embed(texts)
          const squeezed = (parts: readonly string[]): string => parts.join('').replace(/\s/g, '')
          expect(outcomes.map((outcome) => 'vector' in outcome)).toEqual(texts.map((text) => /\S/.test(text)))
          expect(squeezed(taken)).toBe(squeezed(texts))
          const parts = outcomes.reduce((sum, outcome) => sum + ('parts' in outcome ? outcome.parts : 0), 0)
          expect(parts).toBe(taken.length)
        },
      ),
      { numRuns: 60 },
    )
  })
})
