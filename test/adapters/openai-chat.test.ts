import { afterEach, describe, expect, test } from 'bun:test'
import { sleep } from '../../src/adapters/retry-delay.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { ChatMessage, ToolSchema } from '../../src/ports.ts'
import { errorOf, KEY, MESSAGES, modelAt } from './chat-model.ts'
import { type Answer, answer, failure, raw, ScriptedServer } from './scripted-server.ts'

const TOOLS: readonly ToolSchema[] = [
  { name: 'look', description: 'looks', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
]

const open: ScriptedServer[] = []
afterEach(() => {
  for (const server of open.splice(0)) server[Symbol.dispose]()
})

function serve(...answers: readonly Answer[]): ScriptedServer {
  const server = new ScriptedServer(answers)
  open.push(server)
  return server
}

describe('a request', () => {
  test('carries model, messages, tools and key, and nothing of the client', async () => {
    const server = serve(answer())
    const { model } = modelAt(server.baseUrl)
    const reply = await model.reply(MESSAGES, TOOLS)
    expect(reply).toEqual({ content: 'fine', toolCalls: [], finish: 'stop', promptTokens: 12, completionTokens: 3 })
    expect(server.requests).toHaveLength(1)
    const [request] = server.requests
    expect(request?.path).toBe('/v1/chat/completions')
    expect(request?.headers.get('authorization')).toBe(`Bearer ${KEY}`)
    expect([...(request?.headers.keys() ?? [])].filter((name) => name.startsWith('x-'))).toEqual([])
    expect(request?.body).toEqual({
      model: 'test-model',
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hello' },
      ],
      tools: [{ type: 'function', function: TOOLS[0] }],
    })
  })

  test('without tools has no list of tools', async () => {
    const server = serve(answer())
    await modelAt(server.baseUrl).model.reply(MESSAGES, [])
    expect(server.requests[0]?.body).not.toHaveProperty('tools')
  })

  test('repeats earlier calls and results in the form servers know', async () => {
    const server = serve(answer())
    const messages: ChatMessage[] = [
      ...MESSAGES,
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'look', arguments: '{"at":"x"}' }] },
      { role: 'tool', toolCallId: 'a', content: 'seen' },
      { role: 'assistant', content: 'done', toolCalls: [] },
    ]
    await modelAt(server.baseUrl).model.reply(messages, TOOLS)
    expect(server.requests[0]?.body.messages).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hello' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'seen' },
      { role: 'assistant', content: 'done' },
    ])
  })

  test('holds no lone surrogate, which would be invalid JSON for servers', async () => {
    const server = serve(answer())
    const messages: ChatMessage[] = [
      { role: 'user', content: 'half \ud83d, whole \u{1f600}' },
      { role: 'tool', toolCallId: 'a', content: '\udc00' },
    ]
    await modelAt(server.baseUrl).model.reply(messages, [])
    expect(server.requests[0]?.raw).not.toMatch(/\\ud[89a-f]/i)
    expect(server.requests[0]?.body.messages).toEqual([
      { role: 'user', content: 'half \ufffd, whole \u{1f600}' },
      { role: 'tool', tool_call_id: 'a', content: '\ufffd' },
    ])
  })

  test.each([undefined, '', '  '])('with the key %p has no Authorization header', async (apiKey) => {
    const server = serve(answer())
    await modelAt(server.baseUrl, { apiKey }).model.reply(MESSAGES, [])
    expect(server.requests[0]?.headers.has('authorization')).toBe(false)
  })

  test('ignores the OPENAI_* variables of the environment', async () => {
    const server = serve(answer())
    const set = {
      OPENAI_BASE_URL: 'http://127.0.0.1:9/never',
      OPENAI_API_KEY: 'from-the-environment',
      OPENAI_ADMIN_KEY: 'from-the-environment',
      OPENAI_ORG_ID: 'org-environment',
      OPENAI_PROJECT_ID: 'project-environment',
      OPENAI_LOG: 'debug',
      OPENAI_CUSTOM_HEADERS: 'x-custom: from-the-environment',
    }
    const before = { ...process.env }
    Object.assign(process.env, set)
    try {
      await modelAt(server.baseUrl, { apiKey: undefined }).model.reply(MESSAGES, [])
    } finally {
      for (const name of Object.keys(set)) {
        if (before[name] === undefined) delete process.env[name]
        else process.env[name] = before[name]
      }
    }
    const headers = JSON.stringify([...(server.requests[0]?.headers ?? [])])
    expect(headers).not.toContain('environment')
  })

  test('keeps the query of the address', async () => {
    const server = serve(answer())
    await modelAt(`${server.baseUrl}/?api-version=2`).model.reply(MESSAGES, [])
    expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions', query: '?api-version=2' })
  })

  test.each(['no address', 'ftp://host/v1', 'file:///etc/passwd'])('to %p is invalid_config', (baseUrl) => {
    expect(() => modelAt(baseUrl)).toThrow(expect.objectContaining({ code: 'invalid_config' }))
  })

  test('with a key that no header can carry is invalid_config, without showing it', () => {
    expect(() => modelAt('http://127.0.0.1/v1', { apiKey: `${KEY}\n${KEY}` })).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.not.stringContaining(KEY) }),
    )
  })
})

describe('a reply', () => {
  test('gives the tool calls as written, cut off or not', async () => {
    const calls = [
      { id: 'one', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } },
      { id: 'two', type: 'function', function: { name: 'look', arguments: '{"at":"y' } },
    ]
    const server = serve(answer({ content: null, tool_calls: calls }, 'tool_calls'))
    expect(await modelAt(server.baseUrl).model.reply(MESSAGES, TOOLS)).toMatchObject({
      content: '',
      finish: 'tool_calls',
      toolCalls: [
        { id: 'one', name: 'look', arguments: '{"at":"x"}' },
        { id: 'two', name: 'look', arguments: '{"at":"y' },
      ],
    })
  })

  test('without ids, or with ids used before, gets new ones that are the same every time', async () => {
    const calls = [
      { function: { name: 'look', arguments: '{}' } },
      { id: '', function: { name: 'look', arguments: '{}' } },
      { id: 'old', function: { name: 'look', arguments: { at: 'parsed' } } },
      { id: 'twice', function: { name: 'look' } },
      { id: 'twice', function: {} },
    ]
    const server = serve(answer({ tool_calls: calls }), answer({ tool_calls: calls }))
    const earlier: ChatMessage = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'old', name: 'look', arguments: '{}' }],
    }
    const { model } = modelAt(server.baseUrl)
    const first = await model.reply([...MESSAGES, earlier], TOOLS)
    expect(first.toolCalls).toEqual([
      { id: 'call-3-1', name: 'look', arguments: '{}' },
      { id: 'call-3-2', name: 'look', arguments: '{}' },
      { id: 'call-3-3', name: 'look', arguments: '{"at":"parsed"}' },
      { id: 'twice', name: 'look', arguments: '' },
      { id: 'call-3-5', name: '', arguments: '' },
    ])
    expect(await model.reply([...MESSAGES, earlier], TOOLS)).toEqual(first)
  })

  test('with an id as long as a book gets a new one', async () => {
    const server = serve(answer({ tool_calls: [{ id: 'i'.repeat(1_000_000), function: { name: 'look' } }] }))
    const { toolCalls } = await modelAt(server.baseUrl).model.reply(MESSAGES, TOOLS)
    expect(toolCalls[0]?.id).toBe(`call-${MESSAGES.length}-1`)
  })

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['tool_calls', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['MAX_TOKENS', 'length'],
    ['content_filter', 'filtered'],
    ['SAFETY', 'filtered'],
    ['refusal', 'filtered'],
    ['whatever', 'other'],
    [null, 'stop'],
  ])('that ends with %p finishes as %p', async (reason, finish) => {
    const server = serve(answer({}, reason))
    expect(await modelAt(server.baseUrl).model.reply(MESSAGES, [])).toMatchObject({ finish })
  })

  test.each([
    ['<think>hm\nhm</think>\n\nanswer', 'answer'],
    ['one <think>a</think>two<think>b</think> three', 'one two three'],
    ['template opened it\n</think>\nanswer', 'answer'],
    ['Template opened it.</think>The answer', 'The answer'],
    ['template opened it</think>**Answer**', '**Answer**'],
    ['the tag</think> was stripped', 'the tag</think> was stripped'],
    ['<think>never closed', ''],
    ['Done. <think>hm</think> answer', 'Done.  answer'],
    ['<think>Is there a </think> in the log? Yes.</think>answer', 'answer'],
    ['<think>plan </think> answer', 'answer'],
    ['<think>a </think> b. <think>c</think> d', 'b.  d'],
    ['<thinking>long</thinking>answer', 'answer'],
    ['strip `</think>` from replies', 'strip `</think>` from replies'],
    ['mentions <think> only', 'mentions <think> only'],
    ['<think>plan</think>The log had <think>x</think> in it.', 'The log had <think>x</think> in it.'],
    ['answer\n<think>\nnever closed', 'answer'],
    ['lines:\n<think> is a tag, and so is [THINK]', 'lines:\n<think> is a tag, and so is [THINK]'],
    ['[THINK]hm[/THINK]answer', 'answer'],
    ['◁think▷hm◁/think▷answer', 'answer'],
    ['<|begin_of_thought|>hm<|end_of_thought|>answer', 'answer'],
    ...[
      'The run strips <think> tags. Open failure: pytest fails. Then </think> handling was added.',
      '```\n<think>\n```\nwas in the log. Open: y',
      'The filter is re.sub(r"<think>(.*?)</think>", "", text). Open: none.',
      'A [THINK] b [/THINK] c',
      'the log held\n```\n<think>\nhm\n</think>\n```\nand it was stripped',
      'it wrote\n```\n</think>\n```\nby itself',
    ].map((text) => [text, text] as const),
    ['<thought>never closed', ''],
    ['  spaces kept  ', '  spaces kept  '],
  ])('of %p says %p', async (content, said) => {
    const server = serve(answer({ content }))
    expect((await modelAt(server.baseUrl).model.reply(MESSAGES, [])).content).toBe(said)
  })

  test('drops reasoning fields and reasoning parts', async () => {
    const content = [
      { type: 'thinking', thinking: 'secret thought' },
      { type: 'text', text: 'ans' },
      { type: 'text', text: 'wer' },
    ]
    const server = serve(answer({ content, reasoning_content: 'thought', reasoning: 'thought' }))
    const reply = await modelAt(server.baseUrl).model.reply(MESSAGES, [])
    expect(reply.content).toBe('answer')
    expect(JSON.stringify(reply)).not.toContain('thought')
  })

  test('is read whatever its content type says', async () => {
    const body = { choices: [{ message: { content: 'plain' }, finish_reason: 'stop' }] }
    const server = serve(raw(JSON.stringify(body), 200, 'text/plain'))
    expect(await modelAt(server.baseUrl).model.reply(MESSAGES, [])).toEqual({
      content: 'plain',
      toolCalls: [],
      finish: 'stop',
      promptTokens: null,
      completionTokens: null,
    })
  })

  const echoed = (key: string) =>
    answer({ content: `run npm ${key}`, tool_calls: [{ id: 'a', function: { name: 'look', arguments: key } }] })

  test.each([KEY, 'a'.repeat(16), 'token-abc123', `sk-${'x'.repeat(20)}`])(
    'never holds the key %p, even when the server puts it there',
    async (apiKey) => {
      const server = serve(echoed(apiKey))
      const reply = await modelAt(server.baseUrl, { apiKey }).model.reply(MESSAGES, [])
      expect(reply).toMatchObject({
        content: 'run npm [secret:api-key]',
        toolCalls: [{ arguments: '[secret:api-key]' }],
      })
    },
  )

  test.each(['test', 'ollama', 'content', 'lm-studio', 'configuration', 'sha256sum'])(
    'keeps every word of the model when the key %p is an ordinary one',
    async (apiKey) => {
      const server = serve(echoed(apiKey))
      const reply = await modelAt(server.baseUrl, { apiKey }).model.reply(MESSAGES, [])
      expect(reply).toMatchObject({ content: `run npm ${apiKey}`, toolCalls: [{ arguments: apiKey }] })
    },
  )
})

describe('a time limit for all tries together', () => {
  const error = new MemoryError('llm_unavailable', 'the piece took too long')
  const LIMIT_MS = 12_345

  /** A model whose limit runs out when `whenUp` says so. */
  function limitedModel(server: ScriptedServer, whenUp: Promise<void>) {
    return modelAt(server.baseUrl, {
      limitTimer: (ms, signal) => {
        expect(ms).toBe(LIMIT_MS)
        return Promise.race([whenUp, sleep(2 ** 30, signal)])
      },
    }).model
  }

  test('ends the request that runs when it is up, and says so in its own words', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const server = serve(failure(503), () => {
      ask()
      return new Promise(() => {})
    })
    const reply = limitedModel(server, asked).reply(MESSAGES, [], { timeLimit: { ms: LIMIT_MS, error } })
    expect(await errorOf(reply)).toBe(error)
    expect(server.requests).toHaveLength(2)
  })

  test('that is not reached leaves the reply, and no timer', async () => {
    const server = serve(answer())
    const model = limitedModel(server, new Promise(() => {}))
    expect((await model.reply(MESSAGES, [], { timeLimit: { ms: LIMIT_MS, error } })).content).toBe('fine')
  })

  test('leaves an interruption its own reason', async () => {
    const stop = new AbortController()
    const server = serve(() => {
      stop.abort()
      return new Promise(() => {})
    })
    const model = limitedModel(server, new Promise(() => {}))
    const reply = model.reply(MESSAGES, [], { signal: stop.signal, timeLimit: { ms: LIMIT_MS, error } })
    expect(await errorOf(reply)).toMatchObject({ code: 'interrupted' })
  })
})

describe('an interruption', () => {
  test('before the request sends nothing', async () => {
    const server = serve(answer())
    const { model } = modelAt(server.baseUrl)
    expect(await errorOf(model.reply(MESSAGES, [], { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'interrupted',
    })
    expect(server.requests).toHaveLength(0)
  })

  test('while the server thinks ends the wait', async () => {
    const stop = new AbortController()
    const server = serve(() => {
      stop.abort()
      return new Promise(() => {})
    })
    const { model, waits } = modelAt(server.baseUrl)
    expect(await errorOf(model.reply(MESSAGES, [], { signal: stop.signal }))).toMatchObject({ code: 'interrupted' })
    expect(server.requests).toHaveLength(1)
    expect(waits).toEqual([])
  })

  test('between two tries sends no more', async () => {
    const stop = new AbortController()
    const server = serve(failure(503), answer())
    const { model } = modelAt(server.baseUrl, { sleep: async () => stop.abort() })
    expect(await errorOf(model.reply(MESSAGES, [], { signal: stop.signal }))).toMatchObject({ code: 'interrupted' })
    expect(server.requests).toHaveLength(1)
  })

  test('wakes the real pause at once', async () => {
    const stop = new AbortController()
    const pause = sleep(60_000, stop.signal)
    stop.abort()
    await pause
    await sleep(60_000, stop.signal)
  })
})
