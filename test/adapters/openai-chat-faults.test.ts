/** One test per fault of a model server, with the number of requests it costs. */
import { afterEach, describe, expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { RETRY_AFTER_MS_MAX } from '../../src/adapters/retry-delay.ts'
import { errorOf, KEY, MESSAGES, modelAt } from './chat-model.ts'
import { type Answer, answer, failure, json, raw, ScriptedServer } from './scripted-server.ts'

const open: ScriptedServer[] = []
afterEach(() => {
  for (const server of open.splice(0)) server[Symbol.dispose]()
})

function serve(...answers: readonly Answer[]): ScriptedServer {
  const server = new ScriptedServer(answers)
  open.push(server)
  return server
}

describe('a passing fault', () => {
  test.each([408, 409, 429, 500, 502, 503, 504, 529])('HTTP %p is tried again and then forgotten', async (status) => {
    const server = serve(failure(status), answer())
    const { model, waits } = modelAt(server.baseUrl)
    expect((await model.reply(MESSAGES, [])).content).toBe('fine')
    expect(server.requests).toHaveLength(2)
    expect(waits).toEqual([500])
  })

  test('waits twice as long each time, less up to a quarter by chance, then gives up', async () => {
    const server = serve(...Array.from({ length: 5 }, () => failure(503, 'overloaded')))
    const { model, waits } = modelAt(server.baseUrl, { retries: 4, chance: () => 0.5 })
    const error = await errorOf(model.reply(MESSAGES, []))
    expect(error).toMatchObject({ code: 'llm_unavailable', resumable: true, details: { status: 503, attempts: 5 } })
    expect(error.message).toMatch(
      /test-model at http.*5 attempts \(HTTP 503: overloaded.*\); check that the server runs/,
    )
    expect(server.requests).toHaveLength(5)
    expect(waits).toEqual([438, 875, 1750, 3500])
  })

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:17 GMT' }, 12_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    [{ 'retry-after': '86400' }, RETRY_AFTER_MS_MAX],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 500],
    [{ 'retry-after': 'soon' }, 500],
  ])('with %p waits %p ms', async (headers, ms) => {
    const server = serve(failure(429, 'slow down', headers), answer())
    const { model, waits } = modelAt(server.baseUrl)
    await model.reply(MESSAGES, [])
    expect(waits).toEqual([ms])
  })

  test('a time-out before the first byte is one', async () => {
    const server = serve(() => new Promise(() => {}), answer())
    const { model, waits } = modelAt(server.baseUrl, { timeoutMs: 2_000 })
    expect((await model.reply(MESSAGES, [])).content).toBe('fine')
    expect(server.requests).toHaveLength(2)
    expect(waits).toHaveLength(1)
  })

  test('an answer that stops half-way is one, bounded by the same time-out', async () => {
    const stalled = () =>
      new Response(new ReadableStream({ start: (control) => control.enqueue(new TextEncoder().encode('{"choices":')) }))
    const server = serve(stalled, stalled)
    const error = await errorOf(modelAt(server.baseUrl, { timeoutMs: 1_000, retries: 1 }).model.reply(MESSAGES, []))
    expect(error).toMatchObject({ code: 'llm_unavailable', details: { status: null, attempts: 2 } })
    expect(error.message).toContain('no answer within 1 s')
    expect(server.requests).toHaveLength(2)
  })

  test('a server that nobody started is one', async () => {
    const server = serve()
    const { baseUrl } = server
    server[Symbol.dispose]()
    const { model, waits } = modelAt(baseUrl)
    expect(await errorOf(model.reply(MESSAGES, []))).toMatchObject({ code: 'llm_unavailable' })
    expect(waits).toEqual([500, 1000])
  })

  test('a connection closed in the middle is one', async () => {
    let connections = 0
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket) {
          connections += 1
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"choi')
        },
      },
    })
    const { model } = modelAt(`http://127.0.0.1:${listener.port}/v1`)
    const error = await errorOf(model.reply(MESSAGES, []))
    listener.stop(true)
    expect(error.code).toBe('llm_unavailable')
    expect(connections).toBe(3)
  })

  test.each([
    ['no choices', json({ object: 'chat.completion' })],
    ['an empty list of choices', json({ choices: [] })],
    ['a choice without message', json({ choices: [{ finish_reason: 'stop' }] })],
    ['null', json(null)],
    ['broken JSON', raw('{"choices": [', 200, 'application/json')],
    ['an empty body', raw('', 200)],
    ['no content', () => new Response(null, { status: 204 })],
    ['a web page', raw('<!doctype html><html><title>Welcome</title></html>')],
    ['an error with status 200', json({ error: { message: 'upstream broke', code: 502 } })],
  ] as const)('an answer with %s is one', async (_, wrong) => {
    const server = serve(wrong, wrong, wrong)
    const { model, waits } = modelAt(server.baseUrl)
    expect(await errorOf(model.reply(MESSAGES, []))).toMatchObject({ code: 'llm_unavailable', resumable: true })
    expect(server.requests).toHaveLength(3)
    expect(waits).toHaveLength(2)
    const again = serve(wrong, answer())
    expect((await modelAt(again.baseUrl).model.reply(MESSAGES, [])).content).toBe('fine')
  })

  test('an error page is named by its title alone', async () => {
    const page = raw('<html><head><title>502 Bad Gateway</title></head><body>lots of text</body></html>', 502)
    const error = await errorOf(modelAt(serve(page).baseUrl, { retries: 0 }).model.reply(MESSAGES, []))
    expect(error.message).toContain('a web page "502 Bad Gateway"')
    expect(error.message).not.toContain('lots of text')
  })
})

describe('a refusal', () => {
  test.each([
    [401, /LLM_API_KEY/],
    [403, /LLM_API_KEY/],
    [404, /LLM_MODEL_NAME and LLM_BASE_URL/],
    [400, /tools/],
    [422, /tools/],
  ])('HTTP %p is llm_unavailable at once', async (status, advice) => {
    const server = serve(failure(status, 'will not do'))
    const error = await errorOf(modelAt(server.baseUrl).model.reply(MESSAGES, []))
    expect(error).toMatchObject({ code: 'llm_unavailable', details: { status, attempts: 1 } })
    expect(error.message).toContain(`HTTP ${status}: will not do`)
    expect(error.message).toMatch(advice)
    expect(server.requests).toHaveLength(1)
  })

  test('of a request without key says to set one', async () => {
    const server = serve(failure(401))
    const error = await errorOf(modelAt(server.baseUrl, { apiKey: undefined }).model.reply(MESSAGES, []))
    expect(error.message).toContain('set LLM_API_KEY')
  })

  test('a redirect is not followed: the key goes nowhere else', async () => {
    const elsewhere = serve(answer())
    const server = serve(() => Response.redirect(`${elsewhere.baseUrl}/chat/completions`, 308))
    expect(await errorOf(modelAt(server.baseUrl).model.reply(MESSAGES, []))).toMatchObject({
      code: 'llm_unavailable',
      details: { status: 308 },
    })
    expect(elsewhere.requests).toHaveLength(0)
  })
})

describe('a conversation that does not fit is context_too_small, at once', () => {
  const wordings: readonly (readonly [name: string, status: number, body: unknown])[] = [
    ['OpenAI, by code', 400, { error: { message: 'Too much.', code: 'context_length_exceeded' } }],
    [
      'OpenAI, by words',
      400,
      { error: { message: "This model's maximum context length is 8192 tokens. However, your messages …" } },
    ],
    ['OpenAI, newer', 400, { error: { message: 'Your input exceeds the context window of this model.' } }],
    [
      'OpenAI, beyond a minute',
      429,
      {
        error: {
          message: 'Request too large for gpt on tokens per min (TPM): Limit 30000, Requested 90000.',
          code: 'rate_limit_exceeded',
        },
      },
    ],
    [
      'vLLM, flat',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        type: 'BadRequestError',
        code: 400,
      },
    ],
    [
      'vLLM, prompt',
      400,
      { error: { message: 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.' } },
    ],
    [
      'SGLang',
      400,
      { error: { message: "The input (9000 tokens) is longer than the model's context length (8192 tokens)." } },
    ],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
        },
      },
    ],
    [
      'llama.cpp, with counts',
      500,
      { error: { message: 'request (9 tokens) exceeds the available context size (8)' } },
    ],
    ['Ollama', 400, { error: 'the input length exceeds the context length' }],
    ['Ollama, newer', 400, { error: { message: 'prompt too long; exceeded max context length by 12 tokens' } }],
    ['LM Studio', 400, { error: 'Trying to keep the first 9 tokens when context the overflows.' }],
    ['DashScope', 400, { error: { message: 'Range of input length should be [1, 30720]', code: 'invalid_parameter' } }],
    [
      'Azure',
      400,
      { error: { message: 'Please reduce the length of the messages.', code: 'context_length_exceeded', status: 400 } },
    ],
    [
      'Anthropic-compatible',
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 > 200000' } },
    ],
    [
      'Anthropic-compatible, limit',
      400,
      { error: { message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000' } },
    ],
    [
      'Gemini, in a list',
      400,
      [
        {
          error: { message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' },
        },
      ],
    ],
    ['Moonshot', 400, { error: { message: 'Your request exceeded model token limit: 131072' } }],
    ['Cohere', 400, { message: 'too many tokens: the prompt and the messages together have 9000' }],
    ['MiniMax', 400, { error: { message: 'invalid params, context window exceeds limit' } }],
    ['FastAPI', 422, { detail: [{ msg: 'Input validation error: `inputs` must have less than 4096 tokens.' }] }],
    ['a proxy', 413, '<html><title>413 Request Entity Too Large</title></html>'],
    ['a gateway under status 200', 200, { error: { message: 'maximum context length is 8192 tokens', code: 400 } }],
    ['a gateway that says it as a reply', 200, { choices: [{ message: { content: 'Prompt is too long' } }] }],
  ]
  test.each(wordings)('%s', async (_, status, body) => {
    const server = serve(typeof body === 'string' ? raw(body, status) : json(body, status))
    expect(await errorOf(modelAt(server.baseUrl).model.reply(MESSAGES, []))).toMatchObject({
      code: 'context_too_small',
      resumable: true,
    })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    [429, 'Rate limit reached for gpt on tokens per min (TPM): Limit 10000, Used 9000, Requested 2000.'],
    [429, 'Too many tokens, please wait before trying again.'],
    [500, 'context deadline exceeded'],
    [503, 'The model is overloaded. Too many requests.'],
  ])('but not HTTP %p %p', async (status, message) => {
    const server = serve(failure(status, message), answer())
    expect((await modelAt(server.baseUrl).model.reply(MESSAGES, [])).content).toBe('fine')
  })

  test('nor a reply that tells of such an error', async () => {
    const content = 'The run stopped because the prompt is too long for the model; the agent then compacted it.'
    const server = serve(answer({ content }))
    expect((await modelAt(server.baseUrl).model.reply(MESSAGES, [])).content).toBe(content)
  })
})

describe('under status 200, too, a server says', () => {
  const length = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"
  const rate = 'Rate limit reached: too many requests, please slow down'
  const empty = { message: { role: 'assistant', content: '' }, finish_reason: 'stop' }
  const shapes: readonly (readonly [name: string, body: (text: string, code: number) => unknown])[] = [
    ['flat, as vLLM', (message, code) => ({ object: 'error', message, type: 'BadRequestError', code })],
    ['flat, without a code', (message) => ({ object: 'error', message })],
    ['as a bare error', (error) => ({ error })],
    ['as an error beside true', (message) => ({ error: true, message })],
    ['in an error in an error', (message) => ({ error: { error: { message } } })],
    ['as detail', (detail) => ({ detail })],
    ['as detail of an object', (error) => ({ detail: { error } })],
    ['as detail in a list', (msg) => ({ detail: [{ msg }] })],
    ['as errors', (message) => ({ errors: [{ message }] })],
    ['as errors in words', (message) => ({ errors: [message] })],
    ['as code and msg', (msg, code) => ({ code: String(code), msg, success: false })],
    ['as error_code and error_msg', (error_msg) => ({ error_code: 336007, error_msg })],
    ['in base_resp', (status_msg) => ({ choices: null, base_resp: { status_code: 1039, status_msg } })],
    ['beside no choices', (message) => ({ choices: [], error: { message } })],
    ['beside an empty message', (message) => ({ choices: [empty], error: { message } })],
    ['beside a message of null', (error) => ({ choices: [{ message: { content: null } }], error })],
    ['in its choice', (message, code) => ({ choices: [{ ...empty, error: { message, code } }] })],
    [
      'in its choice, beside half a reply',
      (message) => ({
        choices: [{ message: { content: 'The agent' }, finish_reason: 'error', error: { message } }],
      }),
    ],
  ]

  test.each(shapes)('%s: that the conversation is too long', async (_, body) => {
    const server = serve(json(body(length, 400)))
    expect(await errorOf(modelAt(server.baseUrl).model.reply(MESSAGES, []))).toMatchObject({
      code: 'context_too_small',
      resumable: true,
    })
    expect(server.requests).toHaveLength(1)
  })

  test.each(shapes)('%s: that it is asked too often, which passes', async (_, body) => {
    const wrong = json(body(rate, 429))
    const server = serve(wrong, answer())
    expect((await modelAt(server.baseUrl).model.reply(MESSAGES, [])).content).toBe('fine')
    // It says the same each time, and is no gateway that replays an answer.
    const patient = serve(...Array.from({ length: 6 }, () => wrong))
    const error = await errorOf(modelAt(patient.baseUrl, { retries: 5 }).model.reply(MESSAGES, []))
    expect(error).toMatchObject({ code: 'llm_unavailable', details: { status: 429, attempts: 6 } })
    expect(error.message).toContain(rate)
  })

  test.each([
    ['finish_reason error', { choices: [{ message: { content: 'The agent' }, finish_reason: 'error' }] }],
    [
      'finish_reason error and a call',
      {
        choices: [
          {
            message: { content: null, tool_calls: [{ id: 'a', function: { name: 'look', arguments: '{}' } }] },
            finish_reason: 'error',
          },
        ],
      },
    ],
    ['an error in the choice', { choices: [{ message: { content: 'The agent' }, error: { message: 'upstream' } }] }],
  ])('that it broke off, by %s; what there is of the reply is left', async (_, body) => {
    const server = serve(json(body), answer())
    expect(await modelAt(server.baseUrl).model.reply(MESSAGES, [])).toMatchObject({ content: 'fine', toolCalls: [] })
  })

  test.each([
    ['no error', { error: null }],
    ['an empty error', { error: {} }],
    ['an error of no words', { error: '' }],
    ['no errors', { errors: [] }],
    ['that all is well', { code: 200, msg: 'success', base_resp: { status_code: 0, status_msg: '' } }],
  ])('%s: the reply counts, also an empty one', async (_, beside) => {
    const choices = [{ message: { content: 'fine' }, finish_reason: 'stop' }]
    const server = serve(json({ choices, ...beside }), json({ choices: [empty], ...beside }))
    const { model } = modelAt(server.baseUrl)
    expect((await model.reply(MESSAGES, [])).content).toBe('fine')
    expect((await model.reply(MESSAGES, [])).content).toBe('')
  })

  test('a refusal by its own status is no passing one', async () => {
    const server = serve(json({ object: 'error', message: 'unknown model', code: 404 }))
    expect(await errorOf(modelAt(server.baseUrl).model.reply(MESSAGES, []))).toMatchObject({
      code: 'llm_unavailable',
      details: { status: 404, attempts: 1 },
    })
  })

  test('half of an answer, of which no word gets into the error', async () => {
    const server = serve(raw('{"choices":[{"message":{"content":"the agent saw a quokka', 200, 'application/json'))
    const error = await errorOf(modelAt(server.baseUrl, { retries: 0 }).model.reply(MESSAGES, []))
    expect(error.message).not.toContain('quokka')
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
    ['in a title', raw(`<html><title>${KEY}</title></html>`, 502)],
    ['at a cut', failure(400, `${'x'.repeat(290)}${KEY}`)],
    ['in a header', failure(429, 'slow', { 'retry-after': '1', 'x-echo': KEY })],
    ['in a redirect', () => Response.redirect(`http://127.0.0.1/${KEY}`, 307)],
    ['in a complaint', failure(413, `prompt is too long ${KEY}`)],
  ]
  test('that is a short word is taken out of error sentences all the same', async () => {
    const wrong = failure(401, 'the key hunter2 is unknown')
    const error = await errorOf(modelAt(serve(wrong).baseUrl, { apiKey: 'hunter2' }).model.reply(MESSAGES, []))
    expect(error.message).toContain('the key [key] is unknown')
  })

  test('in an address is not shown', async () => {
    const address = serve(failure(401)).baseUrl.replace('//', '//user:hunter2@')
    const error = await errorOf(modelAt(address, { apiKey: undefined }).model.reply(MESSAGES, []))
    expect(error.message).toMatch(/test-model at http:\/\/127/)
    expect(error.message).not.toContain('hunter2')
  })

  test.each(cases)('echoed %s is in no byte of the error', async (_, wrong) => {
    const error = await errorOf(modelAt(serve(wrong).baseUrl, { retries: 0 }).model.reply(MESSAGES, []))
    const shown = [
      inspect(error, { depth: 9, showHidden: true }),
      error.stack,
      String(error.cause),
      JSON.stringify(error),
    ]
    for (const text of shown) {
      expect(text).not.toContain(KEY)
      expect(text).not.toContain(KEY.slice(0, 14))
      expect(text).not.toMatch(/authorization/i)
    }
    expect(error.cause).toBeInstanceOf(Error)
    expect(Object.getPrototypeOf(error.cause)).toBe(Error.prototype)
  })
})

test('an empty reply that says that the window is full is about the length of what was asked', async () => {
  const full = { choices: [{ message: { content: '' }, finish_reason: 'model_context_window_exceeded' }] }
  const server = serve(json(full))
  const error = await errorOf(modelAt(server.baseUrl).model.reply(MESSAGES, []))
  expect(error).toMatchObject({ code: 'context_too_small' })
})

test('a reply that is nothing but a complaint of its length is no answer', async () => {
  const server = serve(answer({ content: 'Error: maximum context length exceeded' }))
  const error = await errorOf(modelAt(server.baseUrl).model.reply(MESSAGES, []))
  expect(error).toMatchObject({ code: 'context_too_small' })
})

describe('a gateway that replays a bad answer', () => {
  const bad = () => json({ id: 'cached', choices: [] })
  const opening = (request: unknown) => (request as { messages: { content: string }[] }).messages[0]?.content

  test('gets the request in other bytes once it has said the same twice', async () => {
    const server = serve(bad(), bad(), answer())
    const { model } = modelAt(server.baseUrl, { retries: 5 })
    expect((await model.reply(MESSAGES, [])).content).toBe('fine')
    const [first, second, third] = server.requests.map(({ body }) => opening(body))
    expect(second).toBe(first as string)
    expect(third).toBe(`${first} `)
  })

  test('is given up after two variations, and named', async () => {
    const server = serve(...Array.from({ length: 10 }, bad))
    const { model } = modelAt(server.baseUrl, { retries: 9 })
    const error = await errorOf(model.reply(MESSAGES, []))
    expect(error).toMatchObject({ code: 'llm_unavailable', resumable: true, details: { attempts: 4 } })
    expect(error.message).toContain('a gateway that replays it')
    expect(new Set(server.requests.map(({ body }) => opening(body))).size).toBe(3)
  })

  test('is not suspected while its bad answers differ', async () => {
    const server = serve(...['a', 'b', 'c', 'd', 'e'].map((id) => json({ id, choices: [] })), answer())
    const { model } = modelAt(server.baseUrl, { retries: 9 })
    expect((await model.reply(MESSAGES, [])).content).toBe('fine')
    expect(new Set(server.requests.map(({ body }) => opening(body))).size).toBe(1)
  })
})
