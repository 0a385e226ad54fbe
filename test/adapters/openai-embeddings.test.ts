import { afterEach, describe, expect, test } from 'bun:test'
import { errorOf, KEY } from './chat-model.ts'
import { embedderAt, inputOf, inputsOf, lengths, numbersOf, refusing, serverOf, vectorsBy } from './embedding-server.ts'
import { type Answer, failure, json, raw, type ScriptedServer, type SeenRequest } from './scripted-server.ts'

const open: ScriptedServer[] = []
afterEach(() => {
  for (const server of open.splice(0)) server[Symbol.dispose]()
})

function serve(answer: Answer): ScriptedServer {
  const server = serverOf(answer)
  open.push(server)
  return server
}

function base64Of(...values: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(values.length * 4))
  for (const [index, value] of values.entries()) view.setFloat32(index * 4, value, true)
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)))
}

describe('a request', () => {
  test('carries model, texts and key, and nothing else', async () => {
    const server = serve(lengths)
    await embedderAt(server.baseUrl).embedder.embed(['one', 'two'])
    expect(server.requests).toHaveLength(1)
    const [request] = server.requests
    expect(request?.path).toBe('/v1/embeddings')
    expect(request?.headers.get('authorization')).toBe(`Bearer ${KEY}`)
    expect([...(request?.headers.keys() ?? [])].filter((name) => name.startsWith('x-'))).toEqual([])
    expect(request?.body).toEqual({ model: 'test-embedder', input: ['one', 'two'] })
  })

  test('carries the dimensions that are configured', async () => {
    const server = serve(lengths)
    await embedderAt(server.baseUrl, { dimensions: 2 }).embedder.embed(['one'])
    expect(server.requests[0]?.body).toEqual({ model: 'test-embedder', input: ['one'], dimensions: 2 })
  })

  test('keeps the query of the address', async () => {
    const server = serve(lengths)
    await embedderAt(`${server.baseUrl}/?api-version=2`).embedder.embed(['one'])
    expect(server.requests[0]).toMatchObject({ path: '/v1/embeddings', query: '?api-version=2' })
  })

  test.each([undefined, '', '  '])('with the key %p has no Authorization header', async (apiKey) => {
    const server = serve(lengths)
    await embedderAt(server.baseUrl, { apiKey }).embedder.embed(['one'])
    expect(server.requests[0]?.headers.has('authorization')).toBe(false)
  })

  test('holds no lone surrogate, which would be invalid JSON for servers', async () => {
    const server = serve(lengths)
    await embedderAt(server.baseUrl).embedder.embed(['half \ud83d, whole \u{1f600}'])
    expect(server.requests[0]?.raw).not.toMatch(/\\ud[89a-f]/i)
    expect(inputsOf(server)).toEqual([['half \ufffd, whole \u{1f600}']])
  })

  test('is not sent for blank texts', async () => {
    const server = serve(lengths)
    const { embedder } = embedderAt(server.baseUrl)
    expect(await embedder.embed(['', ' \n'])).toEqual([
      { refused: 'it holds no text' },
      { refused: 'it holds no text' },
    ])
    expect(await embedder.embed(['', 'text'])).toMatchObject([{ refused: 'it holds no text' }, { parts: 1 }])
    expect(inputsOf(server)).toEqual([['text']])
  })

  test('ignores the OPENAI_* variables of the environment', async () => {
    const server = serve(lengths)
    const set = {
      OPENAI_BASE_URL: 'http://127.0.0.1:9/never',
      OPENAI_API_KEY: 'from-the-environment',
      OPENAI_ORG_ID: 'org-environment',
      OPENAI_PROJECT_ID: 'project-environment',
      OPENAI_CUSTOM_HEADERS: 'x-custom: from-the-environment',
    }
    const before = { ...process.env }
    Object.assign(process.env, set)
    try {
      await embedderAt(server.baseUrl, { apiKey: undefined }).embedder.embed(['one'])
    } finally {
      for (const name of Object.keys(set)) {
        if (before[name] === undefined) delete process.env[name]
        else process.env[name] = before[name]
      }
    }
    expect(JSON.stringify([...(server.requests[0]?.headers ?? [])])).not.toContain('environment')
  })

  test.each(['no address', 'ftp://host/v1'])('to %p is invalid_config, naming EMBEDDING_BASE_URL', (baseUrl) => {
    expect(() => embedderAt(baseUrl)).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining('EMBEDDING_BASE_URL') }),
    )
  })

  test('with a key that no header can carry is invalid_config, without showing it', () => {
    expect(() => embedderAt('http://127.0.0.1/v1', { apiKey: `${KEY}\n${KEY}` })).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.not.stringContaining(KEY) }),
    )
  })
})

describe('an answer', () => {
  const data = (...items: readonly unknown[]): Answer => json({ data: items })
  const [A, B, C] = [
    [3, 4],
    [-5, 12],
    [0, 1],
  ]
  const inOrder = [
    [Math.fround(0.6), Math.fround(0.8)],
    [Math.fround(-5 / 13), Math.fround(12 / 13)],
    [0, 1],
  ]
  const forms: readonly (readonly [name: string, answer: Answer])[] = [
    ['numbered, in order', data({ index: 0, embedding: A }, { index: 1, embedding: B }, { index: 2, embedding: C })],
    [
      'numbered, out of order',
      data({ index: 2, embedding: C }, { index: 0, embedding: A }, { index: 1, embedding: B }),
    ],
    ['without numbers', data({ embedding: A }, { embedding: B }, { embedding: C })],
    ['without the number 0', data({ index: 1, embedding: B }, { embedding: A }, { index: 2, embedding: C })],
    [
      'in base64',
      data(
        { index: 0, embedding: base64Of(3, 4) },
        { index: 1, embedding: base64Of(-5, 12) },
        { index: 2, embedding: base64Of(0, 1) },
      ),
    ],
    [
      'as plain text',
      raw(JSON.stringify({ data: [A, B, C].map((embedding, index) => ({ index, embedding })) }), 200, 'text/plain'),
    ],
  ]
  test.each(forms)('%s is read, its vectors brought to unit length', async (_, answer) => {
    const server = serve(answer)
    const outcomes = await embedderAt(server.baseUrl).embedder.embed(['a', 'b', 'c'])
    expect(outcomes.map(numbersOf)).toEqual(inOrder)
    expect(server.requests).toHaveLength(1)
  })

  test('of very large or very small numbers has unit length too', async () => {
    const server = serve(data({ index: 0, embedding: [3e200, 4e200] }, { index: 1, embedding: [3e-200, 4e-200] }))
    const outcomes = await embedderAt(server.baseUrl).embedder.embed(['a', 'b'])
    expect(outcomes.map(numbersOf)).toEqual([inOrder[0] ?? [], inOrder[0] ?? []])
  })

  test('whose numbers happen to hold the key is left as it is', async () => {
    const server = serve(vectorsBy(() => [0.51234, 1]))
    const [outcome] = await embedderAt(server.baseUrl, { apiKey: '1234' }).embedder.embed(['a'])
    expect(numbersOf(outcome)[0]).toBeCloseTo(0.51234 / Math.hypot(0.51234, 1), 6)
  })

  const directionless: readonly (readonly [name: string, embedding: string])[] = [
    ['zero', '[0,0]'],
    ['null for NaN', '[null,1]'],
    ['NaN as Python writes it', '[NaN, 1]'],
    ['-Infinity as Python writes it', '[1, -Infinity]'],
    ['a number beyond all numbers', '[1e999,1]'],
    ['NaN in base64', JSON.stringify(base64Of(Number.NaN, 1))],
  ]
  test.each(directionless)('with %s refuses that text alone', async (_, embedding) => {
    const server = serve(
      raw(`{"data":[{"index":0,"embedding":[3,4]},{"index":1,"embedding":${embedding}}]}`, 200, 'application/json'),
    )
    const [taken, refused] = await embedderAt(server.baseUrl).embedder.embed(['a', 'b'])
    expect(numbersOf(taken)).toEqual(inOrder[0] ?? [])
    expect(refused).toEqual({ refused: expect.stringContaining('no direction') })
    expect(server.requests).toHaveLength(1)
  })

  test('with no direction for any text is tried on a plain word, then blamed on the text', async () => {
    const server = serve(vectorsBy((text) => (text === 'odd' ? [0, 0] : [1, 0])))
    expect(await embedderAt(server.baseUrl).embedder.embed(['odd'])).toEqual([{ refused: expect.any(String) }])
    expect(inputsOf(server)).toEqual([['odd'], ['text']])
  })

  test('with no direction even for a plain word is embedder_unavailable', async () => {
    const server = serve(vectorsBy(() => [0, 0]))
    const error = await errorOf(embedderAt(server.baseUrl).embedder.embed(['a', 'b']))
    expect(error).toMatchObject({ code: 'embedder_unavailable', message: expect.stringContaining('zeros or NaN') })
    expect(server.requests).toHaveLength(2)
  })
})

describe('batches', () => {
  const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `text ${index}`)

  test('hold 64 texts when nothing else is configured', async () => {
    const server = serve(lengths)
    expect(await embedderAt(server.baseUrl).embedder.embed(texts(130))).toHaveLength(130)
    expect(inputsOf(server).map((input) => input.length)).toEqual([64, 64, 2])
    expect(inputsOf(server).flat()).toEqual(texts(130))
  })

  test.each([
    [3, [3, 3, 1]],
    [1, [1, 1, 1, 1, 1, 1, 1]],
    [0, [1, 1, 1, 1, 1, 1, 1]],
  ])('of size %p hold %p of seven texts', async (batchSize, counts) => {
    const server = serve(lengths)
    await embedderAt(server.baseUrl, { batchSize }).embedder.embed(texts(7))
    expect(inputsOf(server).map((input) => input.length)).toEqual(counts)
  })

  test('hold at most 512 texts, so that the answer stays under its cap', async () => {
    const server = serve(lengths)
    await embedderAt(server.baseUrl, { batchSize: 10_000 }).embedder.embed(texts(600))
    expect(inputsOf(server).map((input) => input.length)).toEqual([512, 88])
  })

  test('hold at most 100,000 characters, or one text', async () => {
    const server = serve(lengths)
    const long = [60_000, 40_000, 1, 150_000, 10].map((length) => 'x'.repeat(length))
    await embedderAt(server.baseUrl).embedder.embed(long)
    expect(inputsOf(server).map((input) => input.map((text) => text.length))).toEqual([
      [60_000, 40_000],
      [1],
      [150_000],
      [10],
    ])
  })

  test('that are refused are halved down to the refused text', async () => {
    const server = serve(refusing((text) => text === 'text 5', failure(422, 'bad text')))
    const outcomes = await embedderAt(server.baseUrl).embedder.embed(texts(8))
    expect(outcomes.flatMap((outcome, index) => ('refused' in outcome ? [index] : []))).toEqual([5])
    expect(outcomes[5]).toEqual({ refused: expect.stringContaining('HTTP 422: bad text') })
    expect(inputsOf(server).map((input) => input.length)).toEqual([8, 1, 4, 4, 2, 1, 1, 2])
  })

  test('that were refused for their size alone stay smaller', async () => {
    const server = serve((request) =>
      inputOf(request).length > 10 ? failure(400, 'batch size is invalid')(request) : lengths(request),
    )
    const { embedder } = embedderAt(server.baseUrl)
    const outcomes = await embedder.embed(texts(128))
    expect(outcomes.every((outcome) => 'vector' in outcome)).toBe(true)
    const counts = inputsOf(server).map((input) => input.length)
    expect(counts.slice(0, 6)).toEqual([64, 1, 32, 16, 8, 8])
    expect(counts.slice(-8)).toEqual(Array.from({ length: 8 }, () => 8))
    const before = server.requests.length
    await embedder.embed(texts(16))
    expect(server.requests.length - before).toBe(2)
  })

  test.each([
    ['takes only the first text', (request: SeenRequest) => inputOf(request).slice(0, 1)],
    ['numbers all texts 0', (request: SeenRequest) => inputOf(request)],
  ])('to a server that %s end as one text a request', async (_, taken) => {
    const server = serve((request) =>
      Response.json({ data: taken(request).map((text) => ({ index: 0, embedding: [text.length, 1] })) }),
    )
    const outcomes = await embedderAt(server.baseUrl).embedder.embed(['a', 'bbb'])
    expect(outcomes.map(numbersOf).map(([x = 0, y = 0]) => Math.round(x / y))).toEqual([1, 3])
    expect(inputsOf(server)).toEqual([['a', 'bbb'], ['text'], ['a'], ['bbb']])
  })

  test('with two vectors for one text are embedder_unavailable after the retries', async () => {
    const server = serve(json({ data: [{ embedding: [1, 0] }, { embedding: [0, 1] }] }))
    const error = await errorOf(embedderAt(server.baseUrl).embedder.embed(['a']))
    expect(error).toMatchObject({
      code: 'embedder_unavailable',
      message: expect.stringContaining('2 vectors for 1 text'),
    })
    expect(server.requests).toHaveLength(5)
  })
})
