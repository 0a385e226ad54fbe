import { beforeEach, describe, expect, test } from 'bun:test'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { ChatReply } from '../../src/ports.ts'
import { idsOf, type Memory, RememberingMachine } from '../fakes/remembering.ts'
import { type ChatStep, callTool, callTools, say } from '../fakes/scripted-chat.ts'

interface Candidate {
  readonly memory_id: string
  readonly passed_over: string | null
}
interface Consolidated {
  readonly memory: Memory
  readonly derives_from: readonly string[]
  readonly references: readonly string[]
}
interface Answer {
  readonly candidates: readonly Candidate[]
  readonly status: 'complete' | 'incomplete'
  readonly extractor: 'llm' | 'offline'
  readonly consolidated: readonly Consolidated[]
  readonly skipped: readonly { readonly memory_id: string; readonly reason: string }[]
  readonly open: readonly string[]
  readonly usage: { readonly requests: number; readonly prompt_tokens: number; readonly completion_tokens: number }
  readonly error?: { readonly code: string; readonly message: string; readonly resumable: boolean }
}

const OLD = '2025-12-01T00:00:00Z'
const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'
let machine: RememberingMachine

beforeEach(async () => {
  machine = new RememberingMachine()
  await machine.begin('s')
  await machine.begin('t')
})

const event = (memory_id: string, content: string, more: Readonly<Record<string, unknown>> = {}) =>
  machine.remember('episodic', { session: 's', memory_id, content, timestamp: OLD, importance_score: 0.9, ...more })
const consolidate = (input: Readonly<Record<string, unknown>> = {}) => machine.run<Answer>('memory_consolidate', input)
const apply = (input: Readonly<Record<string, unknown>> = {}) => consolidate({ apply: true, ...input })
const ready = async (input = {}) => idsOf((await consolidate(input)).candidates as unknown as readonly Memory[])

async function records(part: 'node' | 'relation', name: string) {
  const answer = await machine.run<{ records: readonly Readonly<Record<string, unknown>>[] }>('memory_export', {})
  return answer.records.filter((record) => record[part] === name)
}
const derived = async () =>
  (await records('relation', 'DERIVES_FROM')).map(({ to, extraction_method }) => [to, extraction_method])

describe('an event is ready to become knowledge', () => {
  test('when it matters, is older than a day, and nothing derives from it: the most important first', async () => {
    await event('important', 'a')
    await event('most', 'b', { importance_score: 1 })
    await event('at-the-limit', 'c', { importance_score: 0.7 })
    await event('unrated', 'd', { importance_score: null })
    await event('new', 'e', { timestamp: '2026-01-01T03:04:05.000Z' })
    await event('just-old', 'f', { timestamp: '2026-01-01T03:04:04.999Z' })
    await event('known', 'g')
    await machine.remember('semantic', { memory_id: 'fact', concept: 'x', content: 'x' })
    await machine.link('DERIVES_FROM', 'fact', 'known')
    expect(await ready()).toEqual(['most', 'important', 'just-old'])
    expect(await ready({ min_importance: 0.6 })).toEqual(['most', 'important', 'just-old', 'at-the-limit'])
    expect(await ready({ older_than: '4w' })).toEqual(['most', 'important'])
    expect(await ready({ older_than: '0' })).toEqual(['most', 'important', 'just-old', 'new'])
  })

  test.each(['yesterday', '1', '-1d', '1.5d', '', '1y', '52143w', '999999999w'])(
    'of an age that is told, and not by %p',
    async (older_than) => {
      await expect(consolidate({ older_than })).rejects.toThrow(
        `older_than: must be a whole number and a unit, such as 90m, 12h, 1d or 2w (0 for none), up to 1,000 years (given: ${JSON.stringify(older_than)})`,
      )
    },
  )

  test.each([-0.1, 1.1])('of an importance from 0 to 1, and not of %p', async (min_importance) => {
    await expect(consolidate({ min_importance })).rejects.toThrow('min_importance: ')
  })

  test('and without --apply is only listed', async () => {
    await event('a', 'the build fails')
    const before = await records('node', 'SemanticMemory')
    await consolidate()
    expect(await records('node', 'SemanticMemory')).toEqual(before)
    expect(await ready()).toEqual(['a'])
  })

  test('in no workspace without a graph, and none is made', async () => {
    const empty = new RememberingMachine()
    expect(await empty.run<Answer>('memory_consolidate', {})).toEqual({ candidates: [] } as unknown as Answer)
    expect(await empty.run<Answer>('memory_consolidate', { apply: true })).toMatchObject({ status: 'complete' })
    expect(empty.files.stat('/home/dev/.knowhow')).toBeNull()
  })
})

describe('without a model', () => {
  test('events that say the same become one concept in the words of the latest, surer with each', async () => {
    await event('one', 'The cache folder is missing.')
    await event('two', 'the cache folder is missing', { session: 't', timestamp: '2025-12-02' })
    await event('other', 'The proxy answers 502.')
    const { consolidated, status, extractor, usage } = await apply()
    expect({ status, extractor, usage }).toEqual({
      status: 'complete',
      extractor: 'offline',
      usage: { requests: 0, prompt_tokens: 0, completion_tokens: 0 },
    })
    expect(
      consolidated.map(({ memory, derives_from }) => [memory.content, memory.confidence_score, derives_from]),
    ).toEqual([
      ['the cache folder is missing', 0.75, ['one', 'two']],
      ['The proxy answers 502.', 0.5, ['other']],
    ])
    expect(await derived()).toEqual([
      ['one', 'pattern_recognition'],
      ['two', 'pattern_recognition'],
      ['other', 'pattern_recognition'],
    ])
  })

  test('run again it writes nothing twice', async () => {
    await event('one', 'The cache folder is missing.')
    await apply()
    const before = await machine.run('memory_export', {})
    expect(await apply()).toMatchObject({ status: 'complete', candidates: [], consolidated: [] })
    expect(await machine.run<unknown>('memory_export', {})).toEqual(before)
  })

  test('two at once write nothing twice, and both come to their end', async () => {
    await event('one', 'The cache folder is missing.')
    await event('two', 'the cache folder is missing', { session: 't' })
    await event('other', 'The proxy answers 502.')
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
    const { embedder } = machine
    const embed = embedder.embed.bind(embedder)
    let others: Answer | null = null
    embedder.embed = async (texts, options) => {
      embedder.embed = embed
      others = await apply()
      return embed(texts, options)
    }
    expect(await apply()).toMatchObject({ status: 'complete', consolidated: [], open: [] })
    expect(others).toMatchObject({ status: 'complete', consolidated: [{}, {}] })
    expect((await derived()).map(([id]) => id)).toEqual(['one', 'two', 'other'])
  })

  test('a later event that says what is known makes the next version of it, surer than before', async () => {
    await event('one', 'The cache folder is missing.')
    await apply()
    await event('two', 'the cache folder is missing', { session: 't' })
    const { consolidated } = await apply()
    expect(consolidated).toMatchObject([
      {
        memory: { concept: 'The cache folder is missing', content: 'The cache folder is missing.', version: 2 },
        derives_from: ['two'],
      },
    ])
    expect(consolidated[0]?.memory.confidence_score).toBe(0.75)
  })

  test('two that begin with the same sentence get names of their own', async () => {
    await event('one', 'The gate is shut. Ring twice.')
    await event('two', 'The gate is shut. Climb over the wall.')
    const { consolidated } = await apply()
    expect(consolidated.map(({ memory }) => memory.concept)).toEqual(['The gate is shut', 'The gate is shut (2)'])
  })

  test('procedures that their sessions used refer to it, and the sessions contributed it', async () => {
    await machine.remember('procedural', { memory_id: 'mkdir', procedure_name: 'make-the-folder' })
    await machine.remember('procedural', { memory_id: 'unused', procedure_name: 'unused' })
    await machine.run('memory_used', { procedure: 'mkdir', session: 't', success: true })
    await event('one', 'The cache folder is missing.')
    await event('two', 'The cache folder is missing.', { session: 't' })
    const { consolidated } = await apply()
    expect(consolidated[0]?.references).toEqual(['mkdir'])
    expect(await records('relation', 'REFERENCES')).toMatchObject([
      { from: 'mkdir', reference_type: 'related_concept', context: 'used in session t' },
    ])
    const parts = await records('relation', 'CONTRIBUTES_TO_SEMANTIC')
    expect(parts.map(({ from, contribution_type }) => [from, contribution_type])).toEqual([
      ['s', 'created'],
      ['t', 'created'],
    ])
  })

  test('events of a session that is over become knowledge too, and stay as what it derives from', async () => {
    await event('one', 'The cache folder is missing.')
    await machine.run('session_end', { id: 's' })
    expect((await apply()).consolidated).toHaveLength(1)
    await machine.run('session_archive', { id: 's' })
    expect(idsOf((await machine.show('s')).episodic)).toEqual(['one'])
  })

  test('an event that holds a secret is passed over, and so is the record of an import', async () => {
    await event('secret', `Deploy with ${TOKEN}`)
    await event('import:run-1', 'Import run-1 of session/trajectories/a.log wrote procedures/a.json (created).')
    const { consolidated, skipped, status } = await apply()
    expect({ consolidated, status }).toEqual({ consolidated: [], status: 'complete' })
    expect(skipped).toEqual([
      { memory_id: 'secret', reason: 'it holds a secret' },
      { memory_id: 'import:run-1', reason: 'it tells of an import, whose experiences are kept' },
    ])
    expect((await records('node', 'SemanticMemory')).length).toBe(0)
  })
})

describe('with a model', () => {
  beforeEach(() => {
    machine.environment.LLM_MODEL_NAME = 'test-model'
  })

  const keep = (derived_from: readonly string[], more: Readonly<Record<string, unknown>> = {}) =>
    ({
      concept: 'cache',
      content: 'The build needs a cache folder.',
      confidence_score: 0.6,
      derived_from,
      ...more,
    }) as const
  const script = (...steps: readonly ChatStep[]) => machine.script(...steps)
  const results = (messages: readonly { readonly role: string; readonly content?: string }[]) =>
    messages
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => JSON.parse(content ?? '') as Record<string, unknown>)

  test('it keeps what events teach, and passes over the rest', async () => {
    await event('one', 'The build fails: no cache folder.')
    await event('two', 'Lunch was good.')
    const chat = script(
      callTools(
        ['semantic_remember', keep(['e1'], { category: 'domain_knowledge' })],
        ['events_skip', { events: ['e2'], reason: 'private' }],
      ),
      say('Kept one.'),
    )
    const { consolidated, skipped, open, status, extractor, usage } = await apply()
    expect({ open, status, extractor, requests: usage.requests }).toEqual({
      open: [],
      status: 'complete',
      extractor: 'llm',
      requests: 2,
    })
    expect(consolidated).toMatchObject([
      { memory: { concept: 'cache', category: 'domain_knowledge', version: 1 }, derives_from: ['one'] },
    ])
    expect(skipped).toEqual([{ memory_id: 'two', reason: 'private' }])
    expect(await derived()).toEqual([['one', 'inference']])
    expect(chat.stepsLeft).toBe(0)
  })

  test('it is told the events as data, and what is known that is like them', async () => {
    await machine.remember('semantic', { concept: 'cache', content: 'The cache folder is made by hand.' })
    await machine.remember('semantic', { concept: 'weather', content: 'It rains.' })
    await event('one', 'The build fails: no cache folder.')
    const chat = script(callTool('semantic_remember', keep(['e1'])), say('Kept one.'))
    const { consolidated } = await apply()
    const told = chat.requests[0]?.messages.at(-1)?.content ?? ''
    expect(told).toContain('{"event":"e1","session":1,')
    expect(told).toContain('{"concept":"cache","content":"The cache folder is made by hand."')
    expect(told).not.toContain('weather')
    expect(consolidated[0]?.memory.version).toBe(2)
  })

  test('no secret is sent, and none is written', async () => {
    await event('one', `Deploy with ${TOKEN}`)
    const chat = script(
      callTool('semantic_remember', keep(['e1'], { content: `The token is ${TOKEN}.` })),
      callTool('events_skip', { events: ['e1'], reason: `it is ${TOKEN}` }),
      say('Nothing.'),
    )
    const { consolidated, skipped } = await apply()
    expect(consolidated).toEqual([])
    expect(JSON.stringify(chat.requests)).not.toContain(TOKEN)
    expect(JSON.stringify(skipped)).not.toContain(TOKEN)
    const told = results(chat.requests[2]?.messages ?? [])
    expect(told.map(({ code }) => code)).toEqual(['secret_found', undefined])
  })

  test.each<[string, Record<string, unknown>, string]>([
    [
      'of an event that it was not shown',
      keep(['elsewhere']),
      'derived_from: "elsewhere" is none of the events; open are e1',
    ],
    ['of no event', keep([]), 'derived_from: must name at least one'],
    ['with a confidence out of range', keep(['e1'], { confidence_score: 1.5 }), 'confidence_score: '],
    ['of a category there is not', keep(['e1'], { category: 'gossip' }), 'category: '],
    ['by a method there is not', keep(['e1'], { extraction_method: 'guess' }), 'extraction_method: '],
    ['without a content', keep(['e1'], { content: ' ' }), 'content: must not be empty'],
    ['that is too long', keep(['e1'], { content: 'word '.repeat(3_000) }), 'content has '],
  ])('knowledge %s is refused, and the model may mend it', async (_, bad, message) => {
    await event('one', 'The build fails: no cache folder.')
    const chat = script(
      callTool('semantic_remember', bad),
      callTool('semantic_remember', keep(['e1'])),
      say('Kept one.'),
    )
    expect(await apply()).toMatchObject({ status: 'complete', consolidated: [{ derives_from: ['one'] }] })
    expect(results(chat.requests[1]?.messages ?? [])[0]?.message).toContain(message)
  })

  test('an event is decided once', async () => {
    await event('one', 'The build fails: no cache folder.')
    const chat = script(
      callTools(['semantic_remember', keep(['e1'])], ['events_skip', { events: ['e1'], reason: 'no' }]),
      say('Kept one.'),
    )
    expect(await apply()).toMatchObject({ consolidated: [{}], skipped: [] })
    expect(results(chat.requests[1]?.messages ?? [])[1]?.message).toContain('"e1" is decided already; all are decided')
  })

  test('what it leaves undecided is asked about once more while it decides any, and is then told as open', async () => {
    for (const id of ['one', 'two', 'three']) await event(id, `Event ${id}`)
    const skip = callTool('events_skip', { events: ['e1'], reason: 'no' })
    script(skip, say('Done.'), skip, say('Done.'), say('Nothing more.'))
    expect(await apply()).toMatchObject({ status: 'incomplete', open: ['two'] })
  })

  test('many events are read a few at a time, those of a session together and in their order', async () => {
    for (let number = 0; number < 25; number++) {
      const session = number % 2 === 0 ? 's' : 't'
      await event(`e${number}`, `Event ${number}`, { session, timestamp: `2025-12-01T00:00:${String(59 - number)}Z` })
    }
    const shown: string[][] = []
    const skipAll = (messages: readonly { readonly content?: string | null }[]): ChatReply => {
      const told = [...(messages.at(-1)?.content ?? '').matchAll(/"event":"(e\d+)".*?"content":"Event (\d+)"/g)]
      shown.push(told.map(([, , number = '']) => number))
      return callTool('events_skip', { events: told.map(([, name = '']) => name), reason: 'no' })
    }
    script(skipAll, say('Done.'), skipAll, say('Done.'))
    expect(await apply()).toMatchObject({ status: 'complete', open: [] })
    expect(shown.map(({ length }) => length)).toEqual([20, 5])
    expect(shown[0]?.slice(0, 3)).toEqual(['24', '22', '20'])
    expect(new Set(shown.flat()).size).toBe(25)
  })

  test('an event longer than a talk is shown as far as it fits, and that is said', async () => {
    await event('long', 'word '.repeat(20_000))
    const chat = script(callTool('events_skip', { events: ['e1'], reason: 'too long' }), say('Done.'))
    expect(await apply()).toMatchObject({ status: 'complete' })
    const told = chat.requests[0]?.messages.at(-1)?.content ?? ''
    expect(told.length).toBeLessThan(60_000)
    expect(told).toMatch(/"left_out_tokens":\d+/)
  })

  test('when its requests are used up it stops, and what was decided stands', async () => {
    for (const id of ['one', 'two']) await event(id, `Event ${id}`)
    script(callTool('semantic_remember', keep(['e1'])), say('Never asked.'))
    expect(await apply({ max_requests: 1 })).toMatchObject({
      status: 'incomplete',
      consolidated: [{ derives_from: ['one'] }],
      open: ['two'],
      usage: { requests: 1 },
      error: { code: 'budget_reached', resumable: true },
    })
    script(callTool('events_skip', { events: ['e1'], reason: 'no' }), say('Done.'))
    expect(await apply()).toMatchObject({ status: 'complete', open: [] })
  })

  test('a server that is gone is told, nothing is lost, and it can be run again', async () => {
    await event('one', 'Event one')
    script(new MemoryError('llm_unavailable', 'no answer from the server'))
    expect(await apply()).toMatchObject({ status: 'incomplete', open: ['one'], error: { code: 'llm_unavailable' } })
    expect(await ready()).toEqual(['one'])
  })

  test('what was passed over is listed with the time, and read again when that is asked for', async () => {
    await event('one', 'Event one')
    script(callTool('events_skip', { events: ['e1'], reason: 'no' }), say('Done.'))
    await apply()
    expect((await consolidate()).candidates).toMatchObject([
      { memory_id: 'one', passed_over: '2026-01-02T03:04:05.000Z' },
    ])
    expect(await apply()).toMatchObject({ status: 'complete', usage: { requests: 0 } })
    script(callTool('semantic_remember', keep(['e1'])), say('Kept.'))
    expect(await apply({ again: true })).toMatchObject({ consolidated: [{ derives_from: ['one'] }] })
  })
})
