import { beforeEach, describe, expect, test } from 'bun:test'
import { RememberingMachine } from '../fakes/remembering.ts'

interface Hit {
  readonly kind: string
  readonly score: number
  readonly reasons: readonly string[]
  readonly via: readonly { readonly relation: string; readonly from: string; readonly to: string }[]
  readonly memory: { readonly memory_id: string }
}
interface Answer {
  readonly query: string
  readonly mode: string
  readonly notice?: string
  readonly hits: readonly Hit[]
}

let machine: RememberingMachine

beforeEach(() => {
  machine = new RememberingMachine()
})

const recall = (query: string, input: Readonly<Record<string, unknown>> = {}) =>
  machine.run<Answer>('memory_recall', { query, ...input })
const idsIn = ({ hits }: Answer) => hits.map(({ memory }) => memory.memory_id)

describe('memory recall', () => {
  test('answers for a workspace without a graph as for an empty one, and makes nothing', async () => {
    expect(await recall('anything')).toEqual({ query: 'anything', mode: 'keyword', hits: [] })
    expect(machine.files.stat('/home/dev/.knowhow')).toBeNull()
  })

  test('ranks memories of all types in one answer, each with its reasons', async () => {
    const session = await machine.begin('s')
    await machine.remember('episodic', {
      session,
      memory_id: 'event',
      content: 'the gateway timed out',
      importance_score: 0.9,
    })
    await machine.remember('semantic', {
      memory_id: 'fact',
      concept: 'gateway',
      content: 'the gateway drops idle links',
      confidence_score: 0.8,
    })
    await machine.remember('procedural', { memory_id: 'how', procedure_name: 'restart-the-gateway' })
    await machine.remember('prospective', { memory_id: 'plan', intention: 'renew the gateway certificate' })
    await machine.remember('working', { session, memory_id: 'thought', content: 'gateway is slow' })
    const answer = await recall('gateway', { session })
    expect(answer.hits.map(({ kind }) => kind).sort()).toEqual([
      'episodic',
      'procedural',
      'prospective',
      'semantic',
      'working',
    ])
    for (const hit of answer.hits) {
      expect(hit.score).toBeGreaterThan(0)
      expect(hit.reasons[0]).toStartWith('words match')
    }
  })

  test("puts the session's own first, shows nothing of another's, and without a session nobody's own", async () => {
    for (const session of ['a', 'b']) {
      await machine.begin(session)
      await machine.remember('episodic', { session, memory_id: `event-${session}`, content: 'the index went stale' })
      await machine.remember('working', { session, memory_id: `thought-${session}`, content: 'stale index' })
      await machine.remember('prospective', {
        session,
        memory_id: `plan-${session}`,
        intention: 'rebuild the stale index',
        scope: 'session',
      })
    }
    await machine.remember('semantic', {
      memory_id: 'fact',
      concept: 'index',
      content: 'stale index stale index',
      confidence_score: 1,
    })
    const own = idsIn(await recall('stale index', { session: 'a' }))
    expect(own.slice(0, 3).sort()).toEqual(['event-a', 'plan-a', 'thought-a'])
    expect(own[3]).toBe('fact')
    expect(idsIn(await recall('stale index'))).toEqual(['fact'])
  })

  test("shows the session's own first, and what hardly fits in nobody's place", async () => {
    await machine.begin('a')
    await machine.remember('semantic', {
      memory_id: 'fact',
      concept: 'postgres vacuum schedule',
      content: 'weekly on sunday',
      confidence_score: 1,
    })
    const event = 'looked at the schedule of meetings, of rooms and of guests'
    await machine.remember('episodic', { session: 'a', memory_id: 'event', content: event })
    const asked = (limit: number) => recall('postgres vacuum schedule', { session: 'a', limit })
    expect(idsIn(await asked(2))).toEqual(['event', 'fact'])
    expect(idsIn(await asked(1))).toEqual(['fact'])
  })

  test("ranks the session's own by their scores, whichever of them fits best", async () => {
    await machine.begin('a')
    const events = [
      ['close', 'gateway timed out and restarted', 0],
      ['weighty', 'gateway timed out', 1],
      ['light', 'gateway restarted', 0.5],
    ] as const
    for (const [memory_id, content, importance_score] of events)
      await machine.remember('episodic', { session: 'a', memory_id, content, importance_score })
    const hits = (await recall('gateway timed out restarted', { session: 'a' })).hits
    const scores = hits.map(({ score }) => score)
    expect(scores).toHaveLength(events.length)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  test('puts nothing of a session before what fits far better', async () => {
    await machine.begin('a')
    await machine.remember('semantic', {
      memory_id: 'fact',
      concept: 'payment gateway retries',
      content: 'the payment gateway makes three retries',
    })
    for (const n of [1, 2, 3, 4, 5, 6])
      await machine.remember('episodic', {
        session: 'a',
        memory_id: `e${n}`,
        content: `the payment form was styled ${n}`,
      })
    const query = 'how many retries does the payment gateway make'
    expect(idsIn(await recall(query, { session: 'a', limit: 3 }))).toContain('fact')
  })

  test('follows relations from what the query finds: the current task leads to knowledge, procedures and events', async () => {
    const session = await machine.begin('s')
    await machine.remember('episodic', {
      session,
      memory_id: 'event',
      content: 'npm stopped at a peer dependency',
      importance_score: 0.9,
    })
    await machine.remember('semantic', {
      memory_id: 'fact',
      concept: 'chart library',
      content: 'version 4 wants another react',
    })
    await machine.remember('procedural', { memory_id: 'how', procedure_name: 'replace-a-library' })
    await machine.remember('working', { session, memory_id: 'task', content: 'upgrade the dashboard' })
    await machine.link('ACTIVATES', 'task', 'fact', { activation_strength: 0.9 })
    await machine.link('REFERENCES', 'how', 'fact')
    await machine.link('DERIVES_FROM', 'fact', 'event', { confidence: 0.8 })
    const { hits } = await recall('upgrade the dashboard', { session })
    expect(hits.map(({ memory }) => memory.memory_id)).toEqual(['task', 'event', 'fact', 'how'])
    const how = hits.find(({ memory }) => memory.memory_id === 'how')
    expect(how?.via).toEqual([
      { relation: 'ACTIVATES', from: 'task', to: 'fact' },
      { relation: 'REFERENCES', from: 'how', to: 'fact' },
    ])
    expect(how?.reasons[0]).toBe('linked by ACTIVATES, REFERENCES over 2 steps')
  })

  test("does not walk through another session's memory", async () => {
    await machine.begin('a')
    await machine.begin('b')
    await machine.remember('semantic', { memory_id: 'one', concept: 'alpha', content: 'alpha' })
    await machine.remember('semantic', { memory_id: 'two', concept: 'omega', content: 'omega' })
    await machine.remember('episodic', { session: 'b', memory_id: 'between', content: 'elsewhere' })
    await machine.link('DERIVES_FROM', 'one', 'between')
    await machine.link('DERIVES_FROM', 'two', 'between')
    expect(idsIn(await recall('alpha', { session: 'a' }))).toEqual(['one'])
    expect(idsIn(await recall('alpha', { session: 'b' }))).toContain('two')
  })

  test("links to another session's memory take nobody's place", async () => {
    await machine.begin('a')
    await machine.begin('b')
    await machine.remember('semantic', { memory_id: 'fact', concept: 'gateway', content: 'gateway' })
    await machine.remember('episodic', { session: 'a', memory_id: 'own', content: 'elsewhere' })
    await machine.link('DERIVES_FROM', 'fact', 'own', { confidence: 0.5 })
    for (let n = 0; n < 6; n += 1) {
      await machine.remember('episodic', { session: 'b', memory_id: `other-${n}`, content: 'elsewhere' })
      await machine.link('DERIVES_FROM', 'fact', `other-${n}`, { confidence: 1 })
    }
    expect(idsIn(await recall('gateway', { session: 'a' })).sort()).toEqual(['fact', 'own'])
  })

  test('weighs procedures whose rate of success nobody told as unknown', async () => {
    const used = { usage_count: 5, last_used: '2026-01-01' }
    const records = [
      { memory_type: 'procedural', memory_id: 'told', procedure_name: 'restart', success_rate: 0, ...used },
      { memory_type: 'procedural', memory_id: 'untold', procedure_name: 'restart', ...used },
    ]
    machine.files.write('/old.jsonl', records.map((record) => JSON.stringify(record)).join('\n'))
    await machine.run('memory_migrate', { file: '/old.jsonl' })
    const { hits } = await recall('restart')
    expect(hits.map(({ memory, reasons }) => [memory.memory_id, ...reasons.slice(1)])).toEqual([
      ['untold', 'used 5 times'],
      ['told', '0 % success', 'used 5 times'],
    ])
  })

  test('finds what is linked by its strongest way, also where that is the longer one', async () => {
    const session = await machine.begin('s')
    for (const memory_id of ['near', 'between', 'far'])
      await machine.remember('episodic', { session, memory_id, content: memory_id })
    await machine.link('RECALLS', 'near', 'far', { similarity_score: 0.1 })
    await machine.link('RECALLS', 'near', 'between', { similarity_score: 0.9 })
    await machine.link('RECALLS', 'between', 'far', { similarity_score: 0.9 })
    const { hits } = await recall('near', { session })
    expect(hits.find(({ memory }) => memory.memory_id === 'far')?.via).toHaveLength(2)
  })

  test('shows of a concept its current version alone', async () => {
    await machine.remember('semantic', { memory_id: 'v1', concept: 'retries', content: 'three retries' })
    await machine.remember('semantic', { memory_id: 'v2', concept: 'retries', content: 'five retries' })
    expect(idsIn(await recall('retries'))).toEqual(['v2'])
  })

  test('gives types that are asked for, also by way of others', async () => {
    const session = await machine.begin('s')
    await machine.remember('semantic', { memory_id: 'fact', concept: 'cache', content: 'the cache is cold at night' })
    await machine.remember('working', { session, memory_id: 'task', content: 'warm the cache' })
    await machine.remember('procedural', { memory_id: 'how', procedure_name: 'preload-pages' })
    await machine.link('REFERENCES', 'how', 'fact')
    expect(idsIn(await recall('cache', { session, types: 'procedural' }))).toEqual(['how'])
    await expect(recall('cache', { types: 'facts' })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { field: 'types' },
    })
  })

  test('forgets working memory when it is dead, and lets it fade before', async () => {
    const session = await machine.begin('s')
    await machine.remember('working', {
      session,
      memory_id: 'thought',
      content: 'check the mirror',
      ttl_seconds: 7_200,
    })
    const [before] = (await recall('mirror', { session })).hits
    machine.clock.advance(3_600_000)
    const [later] = (await recall('mirror', { session })).hits
    expect(before?.reasons).toContain('activation 1.00')
    expect(later?.reasons).toContain('activation 0.50')
    await machine.remember('semantic', { memory_id: 'fact', concept: 'packages', content: 'come from elsewhere' })
    await machine.link('ACTIVATES', 'thought', 'fact', { activation_strength: 1 })
    expect(idsIn(await recall('mirror', { session }))).toEqual(['thought', 'fact'])
    machine.clock.advance(3_600_000)
    expect((await recall('mirror', { session })).hits).toEqual([])
    expect(idsIn(await recall('packages', { session }))).toEqual(['fact'])
  })

  test('finds as many as are asked for, and links from more than are shown', async () => {
    for (let n = 0; n < 12; n += 1)
      await machine.remember('semantic', { memory_id: `f${n}`, concept: `gateway ${n}`, content: 'the gateway' })
    expect((await recall('gateway', { limit: 12 })).hits).toHaveLength(12)
    await machine.remember('procedural', { memory_id: 'how', procedure_name: 'restart' })
    await machine.link('REFERENCES', 'how', 'f8')
    expect(idsIn(await recall('gateway', { types: 'procedural', limit: 1 }))).toEqual(['how'])
  })

  test('writes nothing', async () => {
    const session = await machine.begin('s')
    await machine.remember('episodic', { session, memory_id: 'event', content: 'a build failed' })
    const exported = () => machine.run<object>('memory_export', {})
    const before = await exported()
    await recall('build', { session })
    expect(await exported()).toEqual(before)
  })

  test.each([[{ limit: 0 }], [{ limit: 201 }]])('refuses %j', async (input) => {
    await expect(recall('a', input)).rejects.toMatchObject({ code: 'invalid_argument', details: { field: 'limit' } })
  })

  test('refuses an empty query and a session there is not', async () => {
    await expect(recall('  ')).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(recall('a', { session: 'none' })).rejects.toMatchObject({ code: 'session_not_found' })
  })
})

test('a recall that waits for its query is not disturbed by who remembers meanwhile', async () => {
  machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  await machine.remember('semantic', { memory_id: 'fact', concept: 'cache', content: 'stale' })
  using workspace = machine.open()
  const memory = await workspace.memory()
  const run = { say: () => {}, signal: new AbortController().signal }
  const { embedder } = machine
  const embed = embedder.embed.bind(embedder)
  embedder.embed = async (texts, options) => {
    embedder.embed = embed
    await memory.remember({ kind: 'semantic', fields: { concept: 'index', content: 'fresh' } }, run)
    return embed(texts, options)
  }
  const { hits } = await memory.recall({ query: 'stale cache', session: null }, run)
  const fact = hits.find(({ memory: found }) => found.memory_id === 'fact')
  expect(fact?.reasons.join()).toContain('meaning is near')
})

describe('of memories without a vector', () => {
  const WITH_EMBEDDER = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }

  beforeEach(async () => {
    machine.environment = { EMBEDDING_BACKEND: 'none' }
    for (const n of [1, 2, 3])
      await machine.remember('semantic', { memory_id: `fact-${n}`, concept: `cache ${n}`, content: 'goes stale' })
    machine.environment = { ...WITH_EMBEDDER }
  })

  test('a recall makes as many as a search would, and writes none into the graph', async () => {
    machine.configure({ embedding: { batch_size: 2 } })
    const first = await recall('stale')
    expect(first.mode).toBe('hybrid')
    expect(first.notice).toBe(
      '1 memory has no vector yet and ranks by keywords alone; knowhow reindex supplies what is missing',
    )
    expect(machine.embedder.texts).toHaveLength(3)
    expect((await recall('stale')).notice).toBeUndefined()
    expect(machine.embedder.texts).toHaveLength(5)
    expect(await machine.run<object>('memory_stats', {})).toMatchObject({ embedded: 0 })
  })

  test('a recall says that it goes by keywords, and why, while none can be had', async () => {
    machine.embedder.outage = (texts) => (texts.length > 1 ? 'the server is away' : null)
    const { mode, notice, hits } = await recall('stale')
    expect(mode).toBe('keyword')
    expect(notice).toContain('3 memories have no vector yet and rank by keywords alone (the server is away)')
    expect(hits).toHaveLength(3)
    for (const { reasons } of hits) expect(reasons.join()).not.toContain('meaning')
  })
})

test('what is not near in meaning is not recalled for it, nor is it a reason', async () => {
  machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  await machine.remember('semantic', { memory_id: 'fact', concept: 'cache', content: 'goes stale' })
  expect((await recall('elephants')).hits).toEqual([])
  expect(idsIn(await recall('cache'))).toEqual(['fact'])
})

test('a procedure is found by its steps', async () => {
  const steps = ['stop the writers', 'defragment the shards']
  await machine.remember('procedural', { memory_id: 'how', procedure_name: 'nightly', steps })
  expect(idsIn(await recall('defragment'))).toEqual(['how'])
})
