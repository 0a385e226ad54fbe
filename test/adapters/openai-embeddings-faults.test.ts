/** One test per fault of an embedding server, with the number of requests it costs. */
import { afterEach, describe, expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { errorOf, KEY } from './chat-model.ts'
import { embedderAt, inputOf, inputsOf, lengths, numbersOf, refusing, serverOf, vectorsBy } from './embedding-server.ts'
import { type Answer, failure, json, raw, ScriptedServer } from './scripted-server.ts'

const open: ScriptedServer[] = []
afterEach(() => {
  for (const server of open.splice(0)) server[Symbol.dispose]()
})

function serve(...answers: readonly Answer[]): ScriptedServer {
  const server = new ScriptedServer(answers)
  open.push(server)
  return server
}

function serveAll(answer: Answer): ScriptedServer {
  const server = serverOf(answer)
  open.push(server)
  return server
}

const never: Answer = () => new Promise(() => {})

describe('a passing fault', () => {
  test.each([408, 409, 429, 500, 502, 503, 504, 529])('HTTP %p is tried again and then forgotten', async (status) => {
    const server = serve(failure(status), lengths)
    const { embedder, waits } = embedderAt(server.baseUrl)
    expect(await embedder.embed(['text'])).toMatchObject([{ parts: 1 }])
    expect(server.requests).toHaveLength(2)
    expect(waits).toEqual([500])
  })

  test('waits as long as Retry-After says', async () => {
    const server = serve(failure(429, 'slow down', { 'retry-after': '7' }), lengths)
    const { embedder, waits } = embedderAt(server.baseUrl)
    await embedder.embed(['text'])
    expect(waits).toEqual([7_000])
  })

  test('that does not pass is embedder_unavailable, resumable, after the retries', async () => {
    const server = serveAll(failure(503, 'overloaded'))
    const { embedder, waits } = embedderAt(server.baseUrl)
    const error = await errorOf(embedder.embed(['a', 'b']))
    expect(error).toMatchObject({
      code: 'embedder_unavailable',
      resumable: true,
      details: { status: 503, attempts: 3 },
    })
    expect(error.message).toMatch(
      /vectors from test-embedder at http.*3 attempts \(HTTP 503: overloaded.*\); .*can be reached$/,
    )
    expect(server.requests).toHaveLength(3)
    expect(waits).toEqual([500, 1_000])
  })

  test.each([
    ['too many requests', failure(429, 'slow down'), /HTTP 429: slow down.*; it is asked too often: wait a while$/],
    ['a chat answer', json({ choices: [] }), /HTTP 200: it sent no vectors.*; check EMBEDDING_BASE_URL and/],
    [
      'an error under status 200',
      json({ error: { message: 'upstream broke' } }),
      /\(upstream broke\); check that the server runs/,
    ],
    [
      'an empty account',
      failure(429, 'You exceeded your current quota, please check your plan and billing details.'),
      /; check the plan and billing of EMBEDDING_API_KEY$/,
    ],
  ])('tells what to do about %s', async (_, reply, words) => {
    const server = serveAll(reply)
    expect((await errorOf(embedderAt(server.baseUrl).embedder.embed(['a']))).message).toMatch(words)
  })

  test('of the gateway under status 200 is no refusal of a text, though a plain word is embedded', async () => {
    const broken = json({ error: { message: 'Provider returned error' } })
    const server = serveAll((request) => (inputOf(request).includes('text') ? lengths : broken)(request))
    const error = await errorOf(embedderAt(server.baseUrl).embedder.embed(['a', 'b']))
    expect(error).toMatchObject({ code: 'embedder_unavailable', message: expect.stringContaining('Provider returned') })
  })

  test('in a later batch ends the whole call', async () => {
    const server = serve(lengths, failure(503), failure(503), failure(503))
    const error = await errorOf(embedderAt(server.baseUrl, { batchSize: 1 }).embedder.embed(['a', 'b', 'c']))
    expect(error.code).toBe('embedder_unavailable')
    expect(server.requests).toHaveLength(4)
  })

  test('a time-out is one', async () => {
    const server = serve(never, lengths)
    const { embedder, waits } = embedderAt(server.baseUrl, { timeoutMs: 2_000 })
    expect(await embedder.embed(['text'])).toMatchObject([{ parts: 1 }])
    expect(waits).toHaveLength(1)
  })

  test('a server that nobody started is one', async () => {
    const server = serve()
    const { baseUrl } = server
    server[Symbol.dispose]()
    const { embedder, waits } = embedderAt(baseUrl)
    expect(await errorOf(embedder.embed(['text']))).toMatchObject({ code: 'embedder_unavailable' })
    expect(waits).toEqual([500, 1_000])
  })

  test('a connection closed in the middle is one', async () => {
    let connections = 0
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket) {
          connections += 1
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"data"')
        },
      },
    })
    const error = await errorOf(embedderAt(`http://127.0.0.1:${listener.port}/v1`).embedder.embed(['text']))
    listener.stop(true)
    expect(error.code).toBe('embedder_unavailable')
    expect(connections).toBe(3)
    // Bun's own advice is for whoever wrote the program.
    expect(error.message).toContain('closed unexpectedly); check that the server runs')
  })

  test.each([
    ['no data', json({ object: 'list' })],
    ['null', json(null)],
    ['an empty vector', json({ data: [{ index: 0, embedding: [] }] })],
    ['a vector of words', json({ data: [{ index: 0, embedding: ['1', '2'] }] })],
    ['no vector', json({ data: [{ index: 0 }] })],
    ['no base64', json({ data: [{ index: 0, embedding: 'not base64!' }] })],
    ['half a number in base64', json({ data: [{ index: 0, embedding: btoa('abcde') }] })],
    ['too few vectors', json({ data: [] })],
    ['a wrong number', json({ data: [{ index: 1, embedding: [1, 2] }] })],
    ['broken JSON', raw('{"data": [', 200, 'application/json')],
    ['an empty body', raw('', 200)],
    ['a web page', raw('<!doctype html><html><title>Welcome</title></html>')],
    ['an error with status 200', json({ error: { message: 'upstream broke', code: 500 } })],
  ] as const)('an answer with %s is one', async (_, wrong) => {
    const server = serveAll(wrong)
    const { embedder, waits } = embedderAt(server.baseUrl)
    expect(await errorOf(embedder.embed(['a']))).toMatchObject({ code: 'embedder_unavailable', resumable: true })
    // Three times the text, twice a plain word.
    expect(inputsOf(server)).toEqual([['a'], ['a'], ['a'], ['text'], ['text']])
    expect(waits).toHaveLength(3)
    const again = serve(wrong, lengths)
    expect(await embedderAt(again.baseUrl).embedder.embed(['a'])).toMatchObject([{ parts: 1 }])
  })

  test('an answer beyond the cap is one', async () => {
    const server = serveAll(vectorsBy(() => Array.from({ length: 1_000 }, () => 0.5)))
    const error = await errorOf(embedderAt(server.baseUrl, { answerBytesMax: 1_000 }).embedder.embed(['a']))
    expect(error.message).toContain('longer than 1000 bytes')
    expect(server.requests).toHaveLength(3)
  })
})

describe('a call that somebody waits for', () => {
  const urgent = { isUrgent: true }

  test.each([
    ['HTTP 503', {}, 2, [500]],
    ['HTTP 503, to be asked again in 2 s', { 'retry-after': '2' }, 2, [2_000]],
    ['HTTP 503, to be asked again in 7 s', { 'retry-after': '7' }, 1, []],
  ])('gives up after one quick repetition: %s', async (_, headers, requestCount, expected) => {
    const server = serveAll(failure(503, 'overloaded', headers))
    const { embedder, waits } = embedderAt(server.baseUrl, { retries: 5 })
    expect(await errorOf(embedder.embed(['a'], urgent))).toMatchObject({ code: 'embedder_unavailable' })
    expect(server.requests).toHaveLength(requestCount)
    expect(waits).toEqual(expected)
  })

  test('gives up as soon when nobody listens there', async () => {
    const server = serve()
    const { baseUrl } = server
    server[Symbol.dispose]()
    const { embedder, waits } = embedderAt(baseUrl, { retries: 5 })
    expect(await errorOf(embedder.embed(['a'], urgent))).toMatchObject({ details: { attempts: 2 } })
    expect(waits).toEqual([500])
  })

  test('has its vectors when the fault passes at once', async () => {
    const server = serve(failure(503), lengths)
    expect(await embedderAt(server.baseUrl).embedder.embed(['a'], urgent)).toMatchObject([{ parts: 1 }])
  })
})

describe('waiting is told', () => {
  test('before a request is repeated', async () => {
    const server = serve(failure(503, 'overloaded'), lengths)
    const told: string[] = []
    await embedderAt(server.baseUrl).embedder.embed(['a'], { onWait: (sentence) => told.push(sentence) })
    expect(told).toEqual([
      expect.stringMatching(/^HTTP 503: overloaded.*; test-embedder at http.* is asked again in 1 s$/),
    ])
  })

  test('while there is no answer, until there is one', async () => {
    const told: string[] = []
    const { promise: isTold, resolve } = Promise.withResolvers<void>()
    const server = serve(async (request) => {
      await isTold
      return lengths(request)
    })
    const onWait = (sentence: string) => {
      told.push(sentence)
      if (told.length === 2) resolve()
    }
    const { embedder } = embedderAt(server.baseUrl, { waitNoticeMs: 5 })
    expect(await embedder.embed(['a'], { onWait })).toMatchObject([{ parts: 1 }])
    expect(told[0]).toMatch(/^no answer from test-embedder at http.* for 0 s$/)
    const count = told.length
    await embedder.embed([], { onWait })
    expect(told).toHaveLength(count)
  })
})

describe('a refusal of the caller', () => {
  test.each([
    [401, /EMBEDDING_API_KEY/],
    [403, /EMBEDDING_API_KEY/],
    [404, /EMBEDDING_MODEL_NAME and EMBEDDING_BASE_URL/],
    [402, /embeds text/],
    [405, /embeds text/],
  ])('HTTP %p is embedder_unavailable at once, for all texts', async (status, advice) => {
    const server = serveAll(failure(status, 'will not do'))
    const error = await errorOf(embedderAt(server.baseUrl).embedder.embed(['a', 'b', 'c']))
    expect(error).toMatchObject({ code: 'embedder_unavailable', resumable: true, details: { status, attempts: 1 } })
    expect(error.message).toContain(`HTTP ${status}: will not do`)
    expect(error.message).toMatch(advice)
    expect(server.requests).toHaveLength(1)
  })

  test('without a key says to set one', async () => {
    const server = serve(failure(401))
    const error = await errorOf(embedderAt(server.baseUrl, { apiKey: undefined }).embedder.embed(['a']))
    expect(error.message).toContain('set EMBEDDING_API_KEY')
  })

  test('a redirect is not followed: the key goes nowhere else', async () => {
    const elsewhere = serve(lengths)
    const server = serve(() => Response.redirect(`${elsewhere.baseUrl}/embeddings`, 308))
    const error = await errorOf(embedderAt(server.baseUrl).embedder.embed(['a']))
    expect(error).toMatchObject({ code: 'embedder_unavailable', details: { status: 308 } })
    expect(error.message).toContain('EMBEDDING_BASE_URL')
    expect(elsewhere.requests).toHaveLength(0)
  })

  test.each([400, 413, 422])(
    'HTTP %p for a plain word too is embedder_unavailable: no text is to blame',
    async (status) => {
      const server = serveAll(failure(status, 'this model does not support dimensions'))
      const error = await errorOf(embedderAt(server.baseUrl, { dimensions: 8 }).embedder.embed(['a', 'b', 'c', 'd']))
      expect(error).toMatchObject({ code: 'embedder_unavailable', details: { status } })
      expect(error.message).toMatch(/does not support dimensions.*takes embedding\.dimensions/)
      expect(inputsOf(server)).toEqual([['a', 'b', 'c', 'd'], ['text']])
    },
  )

  test('of one call does not count as service in the next', async () => {
    const server = serve(lengths, failure(400, 'model gone'), failure(400, 'model gone'))
    const { embedder } = embedderAt(server.baseUrl)
    await embedder.embed(['a'])
    expect(await errorOf(embedder.embed(['a']))).toMatchObject({ code: 'embedder_unavailable' })
  })
})

describe('a fault that comes back for one text alone', () => {
  const POISON = 'poison'
  const poisoned =
    (wrong: Answer): Answer =>
    (request) =>
      inputOf(request).includes(POISON) ? wrong(request) : lengths(request)

  test.each([
    ['HTTP 500', failure(500, 'crashed'), 'HTTP 500: crashed · some_error'],
    ['an answer without vectors', json({ data: [{ index: 0, embedding: [] }] }), 'HTTP 200: it sent no vectors'],
  ] as const)('such as %s refuses it, and the others have their vectors', async (_, wrong, refused) => {
    const server = serveAll(poisoned(wrong))
    const outcomes = await embedderAt(server.baseUrl).embedder.embed(['a', 'bb', POISON, 'dddd'])
    expect(outcomes[2]).toEqual({ refused })
    expect([0, 1, 3].map((at) => numbersOf(outcomes[at]).length)).toEqual([2, 2, 2])
    // Three times as ever; of each smaller batch two tries are enough, and the text alone has three again.
    expect(
      inputsOf(server)
        .filter((texts) => texts.includes(POISON))
        .map(({ length }) => length),
    ).toEqual([4, 4, 4, 2, 2, 1, 1, 1])
  })

  test('is an outage for a search that waits for it', async () => {
    const server = serveAll(poisoned(failure(500, 'crashed')))
    const error = await errorOf(embedderAt(server.baseUrl).embedder.embed(['a', POISON], { isUrgent: true }))
    expect(error).toMatchObject({ code: 'embedder_unavailable' })
    expect(server.requests).toHaveLength(2)
  })

  test('is an outage when a plain word fails as well', async () => {
    const server = serveAll(failure(500, 'crashed'))
    const error = await errorOf(embedderAt(server.baseUrl).embedder.embed(['a', 'b']))
    expect(error).toMatchObject({ code: 'embedder_unavailable', message: expect.stringContaining('HTTP 500: crashed') })
    expect(inputsOf(server).slice(3)).toEqual([['text'], ['text']])
  })

  test('tells of an outage with the number of all requests that nothing came of', async () => {
    const server = serveAll(failure(500, 'crashed'))
    const told: string[] = []
    const options = { onWait: (sentence: string) => told.push(sentence) }
    const error = await errorOf(embedderAt(server.baseUrl, { retries: 4 }).embedder.embed(['a', 'b'], options))
    // Five times the texts, twice the plain word: all but the first of each were told of.
    expect(told).toHaveLength(5)
    expect(error).toMatchObject({ message: expect.stringContaining(' after 7 attempts '), details: { attempts: 7 } })
    expect(server.requests).toHaveLength(7)
  })
})

describe('a refusal of a text', () => {
  test.each([400, 422])('HTTP %p refuses it alone, without retries', async (status) => {
    const server = serveAll(refusing((text) => text === 'bad', failure(status, 'not allowed')))
    const { embedder, waits } = embedderAt(server.baseUrl)
    expect(await embedder.embed(['good', 'bad'])).toMatchObject([
      { parts: 1 },
      { refused: expect.stringContaining(`HTTP ${status}: not allowed`) },
    ])
    expect(inputsOf(server)).toEqual([['good', 'bad'], ['text'], ['good'], ['bad']])
    expect(waits).toEqual([])
  })

  test.each([
    'failed to encode response: json: unsupported value: NaN',
    'Out of range float values are not JSON compliant: nan',
  ])('HTTP 500 %p is one: it would come back every time', async (message) => {
    const server = serveAll(refusing((text) => text === 'bad', failure(500, message)))
    const { embedder, waits } = embedderAt(server.baseUrl)
    expect(await embedder.embed(['good', 'bad'])).toMatchObject([
      { parts: 1 },
      { refused: expect.stringContaining(`HTTP 500: ${message}`) },
    ])
    expect(waits).toEqual([])
  })

  test('under status 200 is one', async () => {
    const server = serveAll(refusing((text) => text === 'bad', json({ error: { message: 'filtered', code: 400 } })))
    expect(await embedderAt(server.baseUrl).embedder.embed(['bad', 'good'])).toMatchObject([
      { refused: expect.stringContaining('HTTP 400: filtered') },
      { parts: 1 },
    ])
  })

  test('never shows the key', async () => {
    const server = serveAll(refusing((text) => text === 'bad', failure(400, `bad text of Bearer ${KEY}`)))
    const [outcome] = await embedderAt(server.baseUrl).embedder.embed(['bad'])
    expect(outcome).toHaveProperty('refused')
    expect(JSON.stringify(outcome)).not.toContain(KEY.slice(0, 14))
  })
})

describe('the width of vectors', () => {
  test('that differs of two texts, neither of which is known to be right, is embedder_unavailable, naming both', async () => {
    const server = serveAll(vectorsBy((text) => (text === 'a' ? [1, 2, 3] : [1, 2, 3, 4])))
    const error = await errorOf(embedderAt(server.baseUrl, { batchSize: 1 }).embedder.embed(['a', 'b']))
    expect(error).toMatchObject({ code: 'embedder_unavailable', details: { expected: 3, found: 4 } })
    expect(error.message).toMatch(/vectors of 4 numbers.*gave 3 before/)
  })

  test('of one text that differs from the others’ refuses that text alone', async () => {
    const server = serveAll(vectorsBy((text) => (text === 'odd' ? [1, 2, 3] : [1, 2, 3, 4])))
    const outcomes = await embedderAt(server.baseUrl).embedder.embed(['odd', 'a', 'b'])
    expect(outcomes.map((outcome) => ('refused' in outcome ? outcome.refused : outcome.vector.length))).toEqual([
      'HTTP 200: it sent a vector of 3 numbers, of other texts 4',
      4,
      4,
    ])
  })

  test.each([
    ['alone', ['odd'], {}],
    ['alone, for a search', ['odd'], { isUrgent: true }],
    ['beside none of the right width', ['odd', 'odd too'], {}],
    ['beside others', ['odd', 'a', 'b'], {}],
  ] as const)(
    'of one text that differs from an earlier call’s refuses that text each time: %s',
    async (_, texts, options) => {
      const server = serveAll(vectorsBy((text) => (text.startsWith('odd') ? [1, 2, 3] : [1, 2, 3, 4])))
      const { embedder } = embedderAt(server.baseUrl)
      await embedder.embed(['text'])
      for (let run = 0; run < 2; run += 1) {
        const outcomes = await embedder.embed(texts, options)
        expect(outcomes.map((outcome) => ('refused' in outcome ? outcome.refused : outcome.vector.length))).toEqual(
          texts.map((text) =>
            text.startsWith('odd') ? 'HTTP 200: it sent a vector of 3 numbers, of other texts 4' : 4,
          ),
        )
      }
    },
  )

  test('of one text that differs from the configured one refuses it alone as it does beside others', async () => {
    const server = serveAll(vectorsBy((text) => (text === 'odd' ? [1, 2, 3] : [1, 2, 3, 4])))
    const { embedder } = embedderAt(server.baseUrl, { dimensions: 4 })
    const refusal = { refused: 'HTTP 200: it sent a vector of 3 numbers, of other texts 4' }
    expect(await embedder.embed(['odd', 'a'])).toMatchObject([refusal, { parts: 1 }])
    expect(await embedderAt(server.baseUrl, { dimensions: 4 }).embedder.embed(['odd'])).toEqual([refusal])
  })

  test('that changes between two calls, for a plain word too, is embedder_unavailable', async () => {
    const wider = json({ data: [{ embedding: [1, 2, 3] }] })
    const server = serve(json({ data: [{ embedding: [1, 2] }] }), wider, wider)
    const { embedder } = embedderAt(server.baseUrl)
    await embedder.embed(['a'])
    expect(await errorOf(embedder.embed(['a']))).toMatchObject({
      code: 'embedder_unavailable',
      message: expect.stringMatching(/vectors of 3 numbers, and gave 2 before/),
    })
    expect(inputsOf(server)).toEqual([['a'], ['a'], ['text']])
  })

  test('that is not the configured one is embedder_unavailable, naming both numbers', async () => {
    const server = serveAll(lengths)
    const error = await errorOf(embedderAt(server.baseUrl, { dimensions: 512 }).embedder.embed(['a']))
    expect(error).toMatchObject({ code: 'embedder_unavailable', details: { expected: 512, found: 2 } })
    expect(error.message).toMatch(/vectors of 2 numbers, embedding\.dimensions says 512/)
    expect(inputsOf(server)).toEqual([['a'], ['text']])
  })
})

describe('an interruption', () => {
  test('before the request sends nothing', async () => {
    const server = serveAll(lengths)
    const { embedder } = embedderAt(server.baseUrl)
    const error = await errorOf(embedder.embed(['a'], { signal: AbortSignal.abort() }))
    expect(error.code).toBe('interrupted')
    expect(error.message).toBe('interrupted while waiting for the embedder; run the command again')
    expect(server.requests).toHaveLength(0)
  })

  test('while the server works ends the wait', async () => {
    const stop = new AbortController()
    const server = serve(() => {
      stop.abort()
      return new Promise(() => {})
    })
    const { embedder, waits } = embedderAt(server.baseUrl)
    expect(await errorOf(embedder.embed(['a'], { signal: stop.signal }))).toMatchObject({ code: 'interrupted' })
    expect(waits).toEqual([])
  })

  test('between two tries sends no more', async () => {
    const stop = new AbortController()
    const server = serve(failure(503), lengths)
    const { embedder } = embedderAt(server.baseUrl, { sleep: async () => stop.abort() })
    expect(await errorOf(embedder.embed(['a'], { signal: stop.signal }))).toMatchObject({ code: 'interrupted' })
    expect(server.requests).toHaveLength(1)
  })

  test('between two batches sends no more', async () => {
    const stop = new AbortController()
    const server = serveAll((request) => {
      stop.abort()
      return lengths(request)
    })
    const { embedder } = embedderAt(server.baseUrl, { batchSize: 1 })
    expect(await errorOf(embedder.embed(['a', 'b'], { signal: stop.signal }))).toMatchObject({ code: 'interrupted' })
    expect(server.requests).toHaveLength(1)
  })
})

describe('a time limit for the whole call', () => {
  test('ends a request that takes longer with embedder_unavailable', async () => {
    const server = serve(never)
    const error = await errorOf(embedderAt(server.baseUrl).embedder.embed(['a'], { timeLimitMs: 500 }))
    expect(error).toMatchObject({ code: 'embedder_unavailable', resumable: true })
    expect(error.message).toContain('took longer than 0.5 s')
    expect(server.requests).toHaveLength(1)
  })

  test('ends a pause between tries with the fault that made it pause', async () => {
    const server = serve(failure(429, 'slow down', { 'retry-after': '60' }), lengths)
    const pause = (_: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
    const { embedder } = embedderAt(server.baseUrl, { sleep: pause })
    const error = await errorOf(embedder.embed(['a'], { timeLimitMs: 500 }))
    expect(error).toMatchObject({ code: 'embedder_unavailable', resumable: true })
    expect(error.message).toContain('HTTP 429: slow down')
    expect(server.requests).toHaveLength(1)
  })

  test('that is not reached changes nothing, nor does a signal beside it', async () => {
    const server = serveAll(lengths)
    const options = { timeLimitMs: 2 ** 40, signal: new AbortController().signal }
    expect(await embedderAt(server.baseUrl).embedder.embed(['a'], options)).toMatchObject([{ parts: 1 }])
  })
})

describe('the key', () => {
  const echo: Answer = (request) =>
    Response.json(
      { error: { message: `bad ${request.headers.get('authorization')} and ${KEY} or ${KEY.slice(0, 20)}` } },
      { status: 401 },
    )
  const cases: readonly (readonly [name: string, answer: Answer])[] = [
    ['in an error message', echo],
    ['in plain text', () => new Response(`refused: ${KEY}`, { status: 500 })],
    ['in a refusal of every text', failure(400, `no ${KEY}`)],
    ['at a cut', failure(404, `${'x'.repeat(290)}${KEY}`)],
    ['under status 200', json({ error: { message: KEY } })],
    ['in a redirect', () => Response.redirect(`http://127.0.0.1/${KEY}`, 307)],
  ]
  test.each(cases)('echoed %s is in no byte of the error', async (_, wrong) => {
    const error = await errorOf(embedderAt(serveAll(wrong).baseUrl, { retries: 0 }).embedder.embed(['a', 'b']))
    const shown = [
      inspect(error, { depth: 9, showHidden: true }),
      error.stack,
      String(error.cause),
      JSON.stringify(error),
    ]
    for (const text of shown) {
      expect(text).not.toContain(KEY.slice(0, 14))
      expect(text).not.toMatch(/authorization/i)
    }
  })
})
