import { beforeEach, describe, expect, test } from 'bun:test'
import { FakeEmbedder } from '../fakes/fake-embedder.ts'
import { ROOT } from '../fakes/fake-machine.ts'
import { idsOf, RememberingMachine } from '../fakes/remembering.ts'

let machine: RememberingMachine

beforeEach(async () => {
  machine = new RememberingMachine()
  await machine.begin('s')
})

type Exported = Readonly<Record<string, unknown>>

async function exported(part: 'node' | 'relation', name: string): Promise<readonly Exported[]> {
  const { records } = await machine.run<{ records: readonly Exported[] }>('memory_export', {})
  return records.filter((record) => record[part] === name)
}

describe('events', () => {
  test('are numbered in the order in which they are remembered, by session', async () => {
    await machine.begin('t')
    for (const [session, memory_id] of [
      ['s', 'a'],
      ['t', 'b'],
      ['s', 'c'],
    ] as const)
      await machine.remember('episodic', { session, memory_id, content: memory_id, timestamp: '2020-01-01' })
    const numbers = async (id: string) =>
      (await machine.show(id)).episodic.map(({ memory_id, sequence_number }) => [memory_id, sequence_number])
    expect(await numbers('s')).toEqual([
      ['a', 1],
      ['c', 2],
    ])
    expect(await numbers('t')).toEqual([['b', 1]])
  })

  test('recall the three earlier ones that they are most like, and none they share no word with', async () => {
    const contents = ['red green blue', 'red green', 'red', 'red green blue white', 'something else']
    for (const [at, content] of contents.entries())
      await machine.remember('episodic', { session: 's', memory_id: `e${at}`, content })
    await machine.remember('episodic', { session: 's', memory_id: 'new', content: 'red green blue white' })
    const links = (await exported('relation', 'RECALLS')).filter(({ from }) => from === 'new')
    expect(links).toMatchObject([
      { to: 'e0', recall_reason: 'semantic_similarity' },
      { to: 'e1', recall_reason: 'semantic_similarity' },
      { to: 'e3', similarity_score: 1 },
    ])
    expect(links[0]?.similarity_score).toBeCloseTo(3 / Math.sqrt(12), 12)
    expect(links[1]?.similarity_score).toBeCloseTo(2 / Math.sqrt(8), 12)
  })

  test('recall by their vectors where there is an embedder', async () => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
    const vectors = new Map([
      ['north', [1, 0]],
      ['nearly north', [0.8, 0.6]],
      ['east', [0, 1]],
    ])
    const embedder = new FakeEmbedder()
    embedder.embed = async (texts) =>
      texts.map((text) => ({ vector: Float32Array.from(vectors.get(text) ?? [0, 1]), parts: 1 }))
    machine.embedder = embedder
    for (const content of ['north', 'east', 'nearly north'])
      await machine.remember('episodic', { session: 's', memory_id: content, content })
    const links = await exported('relation', 'RECALLS')
    expect(links.map(({ from, to }) => [from, to])).toEqual([
      ['nearly north', 'east'],
      ['nearly north', 'north'],
    ])
    expect(links.map(({ similarity_score }) => similarity_score)).toEqual([
      expect.closeTo(0.6, 6),
      expect.closeTo(0.8, 6),
    ])
    const [north] = await exported('node', 'EpisodicMemory')
    expect(north?.embedding).toMatchObject({ dimension: 2 })
  })
})

test.each([
  ['episodic', { session: 's', content: 'one' }, 'one'],
  ['working', { session: 's', content: 'one' }, 'one'],
  ['semantic', { concept: 'one', content: 'two' }, 'one\n\ntwo'],
  [
    'procedural',
    { procedure_name: 'one', description: 'two', preconditions: ['three', 'four'] },
    'one\n\ntwo\n\nthree\nfour',
  ],
  ['procedural', { procedure_name: 'one' }, 'one'],
  ['prospective', { intention: 'one', trigger_condition: 'two', completion_criteria: 'three' }, 'one\n\ntwo\n\nthree'],
])('%s %j is embedded as %j', async (kind, fields, text) => {
  machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  await machine.remember(kind, fields)
  expect(machine.embedder.texts).toEqual([text])
})

describe('an embedder that cannot be had', () => {
  test('costs a memory its vector, and a notice tells', async () => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
    machine.embedder.outage = () => 'the server is away'
    const told: string[] = []
    await machine.run('memory_remember', { kind: 'episodic', session: 's', content: 'x' }, (notice) =>
      told.push(notice),
    )
    expect(told).toEqual(['remembered without a vector until knowhow reindex: the server is away'])
    expect(idsOf((await machine.show('s')).episodic)).toHaveLength(1)
  })
})

describe('a concept', () => {
  const remember = (content: string, more = {}) =>
    machine.remember('semantic', { concept: 'retries', content, ...more })

  interface History {
    readonly versions: readonly {
      readonly memory: Exported
      readonly contributions: readonly Exported[]
      readonly derived_from: readonly string[]
    }[]
  }
  const history = () => machine.run<History>('memory_history', { concept: 'retries' })

  test('gets a new version each time, and the old ones stay', async () => {
    expect(await remember('two', { category: 'patterns' })).toMatchObject({ version: 1, category: 'patterns' })
    machine.clock.advance(1000)
    expect(await remember('three')).toMatchObject({
      version: 2,
      category: 'patterns',
      last_updated: '2026-01-02T03:04:06.000Z',
    })
    const { versions } = await history()
    expect(versions.map(({ memory }) => [memory.version, memory.content])).toEqual([
      [1, 'two'],
      [2, 'three'],
    ])
  })

  test('tells who contributed what to which version', async () => {
    await machine.begin('t')
    await remember('two', { session: 's', confidence_score: 0.5 })
    await remember('three', { session: 't', confidence_score: 0.5 })
    await remember('four', { session: 's', contribution: 'refined', delta: 'counted again' })
    const contributions = (await history()).versions.flatMap(({ contributions }) => contributions)
    expect(contributions).toEqual([
      { session_id: 's', contribution_type: 'created', timestamp: expect.any(String), delta: null },
      {
        session_id: 't',
        contribution_type: 'updated',
        timestamp: expect.any(String),
        delta: 'content: "two" -> "three"',
      },
      { session_id: 's', contribution_type: 'refined', timestamp: expect.any(String), delta: 'counted again' },
    ])
  })

  test('tells what each version derives from', async () => {
    await machine.remember('episodic', { session: 's', memory_id: 'e', content: 'x' })
    await remember('two', { memory_id: 'v1' })
    await machine.link('DERIVES_FROM', 'v1', 'e', { confidence: 0.5 })
    expect((await history()).versions).toMatchObject([{ derived_from: ['e'] }])
  })

  test('is another for another spelling', async () => {
    await remember('two')
    expect(await machine.remember('semantic', { concept: 'Retries', content: 'x' })).toMatchObject({ version: 1 })
  })
})

describe('procedures', () => {
  const PATH = `${ROOT}/procedures/clear-cache.json`
  const CONTENT = 'Do this:\n\n1. stop it\n2. remove the cache\n\nCheck: the build passes'
  const write = (content = CONTENT, description = 'Clear the cache') =>
    machine.files.write(PATH, JSON.stringify({ description, 'when-to-use': 'when stale', content, sources: [] }))
  const used = (procedure: string, success: boolean) => machine.run('memory_used', { procedure, session: 's', success })

  test('are the experience files, with their steps, conditions and checks', async () => {
    write()
    expect(await used('procedures/clear-cache.json', true)).toEqual({
      kind: 'procedural',
      memory: {
        memory_id: 'procedures/clear-cache.json',
        procedure_name: 'clear-cache',
        description: 'Clear the cache',
        steps: ['stop it', 'remove the cache'],
        preconditions: ['when stale'],
        postconditions: ['Check: the build passes'],
        success_rate: 1,
        usage_count: 1,
        last_used: '2026-01-02T03:04:05.000Z',
      },
    })
  })

  test('have their sentences as steps where there is no list', async () => {
    write('Stop it. Then remove the cache!')
    expect(await used('clear-cache', true)).toMatchObject({
      memory: { steps: ['Stop it.', 'Then remove the cache!'], postconditions: [] },
    })
  })

  test('are not rated before they are used, and then by every use', async () => {
    write()
    await machine.remember('procedural', { memory_id: 'p', procedure_name: 'p' })
    expect(await exported('node', 'ProceduralMemory')).toEqual([
      expect.objectContaining({ memory_id: 'p', usage_count: 0 }),
      expect.not.objectContaining({ success_rate: expect.anything() }),
    ])
    const rates: unknown[] = []
    for (const success of [true, false, true, true]) {
      machine.clock.advance(1000)
      rates.push(((await used('p', success)) as { memory: Exported }).memory.success_rate)
    }
    expect(rates).toEqual([1, 1 / 2, 2 / 3, 3 / 4])
    expect(await exported('node', 'ProceduralMemory')).toMatchObject([
      { memory_id: 'p', usage_count: 4, last_used: '2026-01-02T03:04:09.000Z' },
      { memory_id: 'procedures/clear-cache.json', usage_count: 0 },
    ])
    expect(await exported('relation', 'USES_PROCEDURE')).toHaveLength(4)
  })

  test('go on counting uses that were counted elsewhere', async () => {
    await machine.remember('procedural', {
      memory_id: 'p',
      procedure_name: 'p',
      usage_count: 3,
      success_rate: 1,
      last_used: '2030-01-01',
    })
    await used('p', false)
    expect(await used('p', false)).toMatchObject({
      memory: { usage_count: 5, success_rate: 3 / 5, last_used: '2030-01-01T00:00:00.000Z' },
    })
  })

  test('follow their file, and keep what was counted', async () => {
    write()
    await used('clear-cache', true)
    write('Another way.', 'Clear it all')
    expect(await used('clear-cache', false)).toMatchObject({
      memory: { description: 'Clear it all', steps: ['Another way.'], usage_count: 2, success_rate: 0.5 },
    })
  })

  test('are hidden while their file is gone, and come back with what was counted', async () => {
    write()
    await used('clear-cache', true)
    machine.files.remove(PATH)
    expect((await machine.show('s')).procedural).toEqual([])
    await expect(used('clear-cache', true)).rejects.toMatchObject({ code: 'not_found' })
    write()
    expect(idsOf((await machine.show('s')).procedural)).toEqual(['procedures/clear-cache.json'])
    expect(await used('clear-cache', true)).toMatchObject({ memory: { usage_count: 2 } })
  })

  test('without a file have an id of their own and stay', async () => {
    const { memory_id } = await machine.remember('procedural', { procedure_name: 'by hand', steps: ['one'] })
    expect(memory_id).toMatch(/^id\d+$/)
    expect(await used('by hand', true)).toMatchObject({ memory: { memory_id, usage_count: 1 } })
  })

  test('of one name are told apart by their ids', async () => {
    for (const memory_id of ['p', 'q']) await machine.remember('procedural', { memory_id, procedure_name: 'same' })
    await expect(used('same', true)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('several'),
    })
    expect(await used('q', true)).toMatchObject({ memory: { memory_id: 'q' } })
  })

  test.each([[{}], [{ success: true, failure: true }], [{ success: false, failure: false }]])(
    'are not used with the outcome %j',
    async (outcome) => {
      await machine.remember('procedural', { memory_id: 'p', procedure_name: 'p' })
      const input = { procedure: 'p', session: 's', ...outcome }
      await expect(machine.run('memory_used', input)).rejects.toMatchObject({ code: 'invalid_argument' })
    },
  )

  test('are used with a failure as with no success', async () => {
    await machine.remember('procedural', { memory_id: 'p', procedure_name: 'p' })
    const input = { procedure: 'p', session: 's', failure: true, notes: 'it hung' }
    expect(await machine.run('memory_used', input)).toMatchObject({ memory: { success_rate: 0 } })
    expect((await machine.show('s')).procedural).toMatchObject([{ success: false, notes: 'it hung' }])
  })

  test('are whole whatever a hand has written into a file', async () => {
    const long = 'a long sentence. '.repeat(30_000)
    machine.files.write(PATH, JSON.stringify({ description: long, 'when-to-use': 'w', content: long, sources: [] }))
    await used('clear-cache', true)
    expect(await machine.run<object>('memory_validate', {})).toMatchObject({ ok: true })
    await machine.run('memory_export', { file: '/graph.jsonl' })
    expect(await machine.run<object>('memory_import', { file: '/graph.jsonl' })).toMatchObject({
      nodes: 0,
      relations: 0,
    })
  })
})
