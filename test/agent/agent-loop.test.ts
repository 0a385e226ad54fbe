import { beforeEach, describe, expect, test } from 'bun:test'
import { type LoopSetup, runAgentLoop } from '../../src/agent/agent-loop.ts'
import type { AgentTool } from '../../src/agent/agent-tool.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { TOKEN_LIMITS } from '../../src/model/token-limits.ts'
import type { ChatMessage, ChatReply } from '../../src/ports.ts'
import { type ChatStep, callTool, callTools, ScriptedChat, say } from '../fakes/scripted-chat.ts'
import { wordTokenizer } from '../fakes/word-tokenizer.ts'

let called: unknown[]

beforeEach(() => {
  called = []
})

const parameters = { type: 'object' }
const tools: readonly AgentTool[] = [
  {
    name: 'note',
    description: 'Writes.',
    parameters,
    writes: true,
    call: async (args) => {
      called.push(args)
      return { status: 'committed' }
    },
  },
  {
    name: 'look',
    description: 'Reads.',
    parameters,
    writes: false,
    call: async (args) => {
      called.push(args)
      const { fail, long } = args as { fail?: string; long?: number }
      if (fail !== undefined) throw new MemoryError(fail as 'not_found', `told to fail with ${fail}`, { value: 7 })
      return { text: 'result '.repeat(long ?? 1) }
    },
  },
]

function loop(steps: readonly ChatStep[], changes: Partial<LoopSetup> = {}) {
  const chat = new ScriptedChat(steps)
  const setup: LoopSetup = {
    chat,
    tools,
    tokenizer: wordTokenizer,
    limits: { ...TOKEN_LIMITS, summary: 10, context: 2_000, reserve: 100 },
    bounds: { iterations_max: 6, summary_repairs_max: 2, identical_failures_max: 3 },
    opening: [{ role: 'user', content: 'the piece' }],
    words: { closing: 'what came of it', again: 'resume', smaller: 'read less' },
    mask: (text) => text.replaceAll('hunter2', '[secret:password:1]'),
    hasSecret: (text) => text.includes('hunter2'),
    beforeRequest: () => {},
    onWait: () => {},
    afterReply: () => {},
    timeLimit: () => ({ ms: 1_000, error: new MemoryError('llm_unavailable', 'the time is up') }),
    signal: new AbortController().signal,
    ...changes,
  }
  return { chat, done: runAgentLoop(setup) }
}

const results = (messages: readonly ChatMessage[] | undefined) =>
  (messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content))
const cutOff = (reply: ChatReply): ChatReply => ({ ...reply, finish: 'length' })
const filtered = (reply: ChatReply): ChatReply => ({ ...reply, finish: 'filtered' })
const words = (count: number) => 'word '.repeat(count).trim()

describe('a tool call is never acted on when', () => {
  test.each<[string, ChatReply, string]>([
    ['the reply was cut off by its length', cutOff(callTool('note', { a: 1 })), 'tool_arguments_truncated'],
    ['the reply was stopped by a filter', filtered(callTool('note', { a: 1 })), 'tool_arguments_truncated'],
    ['it is longer than any sane call', callTool('note', { a: 'x'.repeat(3_000_000) }), 'tool_arguments_truncated'],
    ['its JSON does not close', callTool('note', '{"a": "b'), 'tool_arguments_truncated'],
    ['its JSON is followed by prose', callTool('note', '{"a":1} and so on'), 'tool_arguments_truncated'],
    ['its JSON is deeper than any stack', callTool('note', '['.repeat(400)), 'invalid_argument'],
    ['its JSON is deep and whole', callTool('note', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`), 'invalid_argument'],
    ['there is no such tool', callTool('procedure_delete', {}), 'tool_unknown'],
    ['a write holds a secret', callTool('note', { a: ['x', { b: 'hunter2' }] }), 'secret_found'],
    ['a write holds a secret behind JSON escapes', callTool('note', '{"a":"\\u0068unter2"}'), 'secret_found'],
  ])('%s; the model is told %3$s', async (_, reply, code) => {
    const { chat, done } = loop([reply, say('done')])
    await done
    expect(called).toEqual([])
    expect(results(chat.requests[1]?.messages)).toMatchObject([{ status: 'failed', code }])
  })
})

describe('a tool that fails', () => {
  test.each(['not_found', 'version_conflict', 'unsupported_format', 'permission_denied'])(
    'with %s tells the model, with the facts, and the talk goes on',
    async (fail) => {
      const { chat, done } = loop([callTool('look', { fail }), say('done')])
      expect(await done).toBe('done')
      expect(results(chat.requests[1]?.messages)).toMatchObject([{ status: 'failed', code: fail, value: 7 }])
    },
  )

  test.each(['disk_full', 'io_failed', 'read_only', 'log_corrupt', 'tokenizer_unavailable'])(
    'with %s ends the talk',
    async (fail) => {
      await expect(loop([callTool('look', { fail })]).done).rejects.toMatchObject({ code: fail })
    },
  )

  test('three times in a row with the same words ends the talk', async () => {
    const failing = callTool('look', { fail: 'not_found' })
    await expect(loop([failing, failing, failing]).done).rejects.toMatchObject({ code: 'identical_failures' })
  })

  test('with other words or a success between does not', async () => {
    const failing = callTool('look', { fail: 'not_found' })
    const { done } = loop([failing, failing, callTool('look', {}), failing, failing, say('done')])
    expect(await done).toBe('done')
  })
})

describe('the closing message', () => {
  test('is asked for again, with the reason, when it is empty, too long or cut off', async () => {
    const { chat, done } = loop([say(' '), say(words(12)), say('good')])
    expect(await done).toBe('good')
    expect(chat.requests[1]?.messages.at(-1)?.content).toContain('empty')
    expect(chat.requests[2]?.messages.at(-1)?.content).toContain('12 tokens, the target is 10')
    const cut = loop([cutOff(say('half a')), say('whole')])
    expect(await cut.done).toBe('whole')
    expect(cut.chat.requests[1]?.messages.at(-1)?.content).toContain('cut off')
  })

  test('may be a tenth over its target', async () => {
    expect(await loop([say(words(11))]).done).toBe(words(11))
  })

  test('of megabytes is as good as cut off', async () => {
    const { chat, done } = loop([say('x'.repeat(3_000_000)), say('good')], {
      limits: { ...TOKEN_LIMITS, summary: 10 },
    })
    expect(await done).toBe('good')
    expect(chat.requests[1]?.messages.at(-1)?.content).toContain('cut off')
  })

  test('is given up after the last repair', async () => {
    const { chat, done } = loop([say(''), say(''), say('')])
    await expect(done).rejects.toMatchObject({ code: 'summary_rejected' })
    expect(chat.stepsLeft).toBe(0)
  })

  test('and everything that goes back to the model is masked', async () => {
    const { chat, done } = loop([
      { ...callTool('look', { q: 'hunter2' }), content: 'I saw hunter2' },
      say('the password is hunter2'),
    ])
    expect(await done).toBe('the password is [secret:password:1]')
    expect(JSON.stringify(chat.requests)).not.toContain('hunter2')
  })

  test('names and ids of calls too, by signs that servers take in a name', async () => {
    const asked = callTool('look_hunter2', {})
    const { chat, done } = loop([
      { ...asked, toolCalls: asked.toolCalls.map((call) => ({ ...call, id: 'call_hunter2' })) },
      say('done'),
    ])
    await done
    const messages = chat.requests[1]?.messages
    expect(JSON.stringify(messages)).not.toContain('hunter2')
    const call = { id: 'call__secret_password_1_', name: 'look__secret_password_1_' }
    expect(messages).toContainEqual(
      expect.objectContaining({ role: 'assistant', toolCalls: [{ ...asked.toolCalls[0], ...call }] }),
    )
    expect(messages).toContainEqual(expect.objectContaining({ role: 'tool', toolCallId: call.id }))
  })

  test('a secret in a name that is cut shows no part of itself', async () => {
    const { chat, done } = loop([callTool(`${'n'.repeat(58)}_hunter2`, {}), say('done')])
    await done
    expect(JSON.stringify(chat.requests)).not.toContain('hunt')
  })

  test('and in the error that ends a streak of failures', async () => {
    const { done } = loop([1, 2, 3].map(() => callTool('look_hunter2', {})))
    await expect(done).rejects.toThrow(/^(?!.*hunter2).*look__secret_password_1_/)
  })
})

test('a name as long as a book is cut before it goes back to the model', async () => {
  const { chat, done } = loop([callTool('n'.repeat(1_000_000), {}), say('done')])
  expect(await done).toBe('done')
  expect(JSON.stringify(chat.requests[1]?.messages).length).toBeLessThan(1_000)
  expect(results(chat.requests[1]?.messages)).toMatchObject([{ code: 'tool_unknown' }])
})

test('half a surrogate pair in the closing message is replaced', async () => {
  expect(await loop([say('\ud800 lone')]).done).toBe('\ufffd lone')
})

test('a model that never ends is stopped', async () => {
  const steps = Array.from({ length: 6 }, (_, n) => callTool('look', { n }))
  const { chat, done } = loop(steps)
  await expect(done).rejects.toMatchObject({ code: 'iterations_exhausted' })
  expect(chat.stepsLeft).toBe(0)
})

describe('the context', () => {
  test('that the opening does not fit is told before any call', async () => {
    const { chat, done } = loop([], { opening: [{ role: 'user', content: words(2_000) }] })
    await expect(done).rejects.toMatchObject({ code: 'context_too_small' })
    expect(chat.requests).toHaveLength(0)
  })

  test('is kept by giving up tool results, the oldest first', async () => {
    const { chat, done } = loop([
      callTool('look', { long: 700 }),
      callTool('look', { long: 701 }),
      callTool('look', { long: 702 }),
      say('done'),
    ])
    await done
    const [first, second, third] = results(chat.requests[3]?.messages)
    expect(first).toHaveProperty('note')
    expect(second.text.length).toBe(701 * 7)
    expect(third.text.length).toBe(702 * 7)
    expect(results(chat.requests[2]?.messages)[0]).toHaveProperty('text')
  })

  test('that even so is outgrown ends the segment', async () => {
    const long = Array.from({ length: 4 }, () => ({ ...callTool('look', {}), content: words(600) }))
    await expect(loop(long).done).rejects.toMatchObject({ code: 'context_exhausted' })
  })
})

test('no request is made once the caller says so', async () => {
  const stop = () => {
    throw new MemoryError('budget_reached', 'enough')
  }
  const { chat, done } = loop([say('x')], { beforeRequest: stop })
  await expect(done).rejects.toMatchObject({ code: 'budget_reached' })
  expect(chat.requests).toHaveLength(0)
})

test('every reply is reported before anything is done with it', async () => {
  const seen: number[] = []
  const { done } = loop([callTools(['look', {}], ['look', {}]), say('done')], {
    afterReply: () => seen.push(called.length),
  })
  await done
  expect(seen).toEqual([0, 2])
})

describe('a call that is written as text', () => {
  test('is not made, and not taken for a summary', async () => {
    const written = say('{"name":"note","arguments":{"a":1}}')
    const { chat, done } = loop([written, callTool('note', { a: 1 }), say('done')])
    expect(await done).toBe('done')
    expect(called).toEqual([{ a: 1 }])
    expect(chat.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('note as text'),
    })
  })

  test('ends the piece like any other message that cannot be used', async () => {
    const { done } = loop(Array.from({ length: 5 }, () => say('{"name":"note","arguments":{}}')))
    await expect(done).rejects.toMatchObject({ code: 'summary_rejected' })
  })
})

test.each([
  ['stopped by a filter', filtered(say('Half a')), 'stopped by a filter'],
  ['of dots', say('...'), 'was empty'],
  ['of what nobody sees', say('\u200b\u2060'), 'was empty'],
  ['null in words', say('null'), 'was empty'],
])('a closing message %s is asked for again', async (_, reply, words) => {
  const { chat, done } = loop([reply, say('done')])
  expect(await done).toBe('done')
  expect(chat.requests[1]?.messages.at(-1)?.content).toContain(words)
})

test('a failing call is the same in another order of its arguments', async () => {
  const step = (text: string) => callTool('look', text)
  const { done } = loop([
    step('{"fail":"not_found","a":{"b":1,"c":2}}'),
    step('{"a":{"c":2,"b":1},"fail":"not_found"}'),
    step('{ "a": {"b":1, "c":2}, "fail":"not_found" }'),
  ])
  await expect(done).rejects.toMatchObject({ code: 'identical_failures' })
})

test('a server that quotes a secret in its fault is quoted without it', async () => {
  const fault = new MemoryError('llm_unavailable', 'scripted refuses (HTTP 400: bad prompt: hunter2)', { status: 400 })
  const { done } = loop([fault])
  await expect(done).rejects.toMatchObject({
    code: 'llm_unavailable',
    message: 'scripted refuses (HTTP 400: bad prompt: [secret:password:1]); resume to go on where it stopped',
    details: { status: 400 },
    resumable: true,
  })
})
