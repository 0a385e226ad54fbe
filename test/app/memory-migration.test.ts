import { beforeEach, describe, expect, test } from 'bun:test'
import { randomFrom } from '../fakes/memory-power-cut.ts'
import { RememberingMachine } from '../fakes/remembering.ts'

interface Report {
  readonly records: number
  readonly created: Readonly<Record<string, number>>
  readonly present: number
  readonly links: { readonly created: number; readonly present: number }
  readonly failed: readonly { readonly line: number; readonly error: string }[]
}

type Exported = Readonly<Record<string, unknown>>

let machine: RememberingMachine

beforeEach(() => {
  machine = new RememberingMachine()
})

function migrate(...lines: readonly (string | object)[]): Promise<Report> {
  machine.files.write(
    '/old.jsonl',
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  return machine.run<Report>('memory_migrate', { file: '/old.jsonl' })
}

async function records(): Promise<readonly Exported[]> {
  return (await machine.run<{ records: readonly Exported[] }>('memory_export', {})).records
}

const find = async (part: Exported) =>
  (await records()).filter((record) => Object.entries(part).every(([name, value]) => record[name] === value))

const EVENT = { memory_type: 'episodic', session_id: 's', timestamp: '2025-01-01T00:00:00Z', content: 'x' }
const FACT = { memory_type: 'semantic', concept: 'c', content: 'x', last_updated: '2025-01-02' }

describe('phase 2, step by step', () => {
  test('1: sessions are made as they are described', async () => {
    await migrate({ memory_type: 'session', session_id: 's', start_time: '2025-01-01', user_id: 'ann', context: 'why' })
    expect(await find({ node: 'Session' })).toEqual([
      {
        node: 'Session',
        session_id: 's',
        start_time: '2025-01-01T00:00:00.000Z',
        user_id: 'ann',
        context: 'why',
        status: 'active',
      },
    ])
  })

  test('1: sessions that memories only name are made, over when their last memory was made', async () => {
    await migrate({ ...EVENT, timestamp: '2025-01-03' }, { ...EVENT, timestamp: '2025-01-01', content: 'y' })
    expect(await find({ node: 'Session' })).toMatchObject([
      {
        session_id: 's',
        start_time: '2025-01-01T00:00:00.000Z',
        end_time: '2025-01-03T00:00:00.000Z',
        status: 'completed',
      },
    ])
  })

  test('2: events are linked to their session and numbered by time', async () => {
    await migrate(
      { ...EVENT, memory_id: 'later', timestamp: '2025-01-02' },
      { ...EVENT, memory_id: 'sooner', timestamp: '2025-01-01' },
      { ...EVENT, memory_id: 'numbered', timestamp: '2025-01-03', sequence_number: 1 },
    )
    expect(
      (await find({ relation: 'CONTAINS_EPISODIC' })).map(({ to, sequence_number }) => [to, sequence_number]),
    ).toEqual([
      ['later', 3],
      ['numbered', 1],
      ['sooner', 2],
    ])
  })

  test('2: concepts are linked to the sessions that contributed to them', async () => {
    await migrate(
      { memory_type: 'session', session_id: 's', start_time: '2025-01-01' },
      { memory_type: 'session', session_id: 't', start_time: '2025-01-01' },
      { ...FACT, memory_id: 'v1', session_id: 's', session_ids: ['t'], contribution_type: 'refined', delta: 'd' },
      { ...FACT, memory_id: 'v2', last_updated: '2025-01-03' },
    )
    expect(await find({ relation: 'CONTRIBUTES_TO_SEMANTIC' })).toEqual(
      ['s', 't'].map((from) => ({
        relation: 'CONTRIBUTES_TO_SEMANTIC',
        from,
        to: 'v1',
        contribution_type: 'refined',
        timestamp: '2025-01-02T00:00:00.000Z',
        delta: 'd',
      })),
    )
    const versions = (await find({ node: 'SemanticMemory' })).map(({ memory_id, version }) => [memory_id, version])
    expect(versions).toEqual([
      ['v1', 1],
      ['v2', 2],
    ])
  })

  test('2: procedures are linked to the sessions that used them', async () => {
    await migrate(
      { memory_type: 'session', session_id: 's', start_time: '2025-01-01' },
      {
        memory_type: 'procedural',
        memory_id: 'counted',
        procedure_name: 'a',
        usage_count: 9,
        success_rate: 0.5,
        uses: [{ session_id: 's', success: true, timestamp: '2025-01-01T00:00:00Z', notes: 'n' }],
      },
      {
        memory_type: 'procedural',
        memory_id: 'uncounted',
        procedure_name: 'b',
        uses: [
          { session_id: 's', success: true },
          { session_id: 's', success: false, timestamp: '2025-02-01' },
        ],
      },
    )
    expect(await find({ node: 'ProceduralMemory' })).toMatchObject([
      { memory_id: 'counted', usage_count: 9, success_rate: 0.5 },
      { memory_id: 'uncounted', usage_count: 2, success_rate: 0.5, last_used: '2025-02-01T00:00:00.000Z' },
    ])
    expect(await find({ relation: 'USES_PROCEDURE' })).toHaveLength(3)
  })

  test('2: intentions are linked to their session', async () => {
    const plan = { memory_type: 'prospective', intention: 'x', session_id: 's' }
    await migrate(
      { memory_type: 'session', session_id: 's', start_time: '2025-01-01' },
      { ...plan, memory_id: 'own', scope: 'session' },
      { ...plan, memory_id: 'global', scope: 'global' },
      { memory_type: 'prospective', intention: 'x', memory_id: 'free' },
    )
    expect((await find({ relation: 'CREATES_INTENTION' })).map(({ to }) => to)).toEqual(['global', 'own'])
    expect(await find({ memory_id: 'free' })).toMatchObject([{ scope: 'global' }])
  })

  test('2: working memory is linked to its session, which goes on', async () => {
    await migrate({
      memory_type: 'working',
      memory_id: 'w',
      session_id: 's',
      content: 'x',
      created_at: '2026-01-02T03:00:00Z',
      working_type: 'constraint',
      activation_level: 0.5,
    })
    expect(await find({ node: 'WorkingMemory' })).toMatchObject([{ memory_type: 'constraint', ttl_seconds: 3600 }])
    expect(await find({ relation: 'CONTAINS_WORKING' })).toMatchObject([{ from: 's', activation_level: 0.5 }])
    expect(await find({ node: 'Session' })).toMatchObject([{ status: 'active' }])
  })

  test('3: what derives from, references and activates what is linked again, whatever the order of lines', async () => {
    await migrate(
      {
        memory_type: 'working',
        memory_id: 'w',
        session_id: 's',
        content: 'stale cache',
        created_at: '2026-01-02T03:00:00Z',
      },
      { memory_type: 'working', memory_id: 'dead', session_id: 's', content: 'stale cache', created_at: '2025-01-01' },
      {
        memory_type: 'procedural',
        memory_id: 'p',
        procedure_name: 'p',
        references: [{ memory_id: 'f', reference_type: 'example' }],
      },
      { memory_type: 'procedural', memory_id: 'q', procedure_name: 'q', builds_on: ['p'] },
      {
        ...FACT,
        memory_id: 'f',
        content: 'caches go stale',
        derives_from: ['e', { memory_id: 'e2', confidence: 0.5 }],
      },
      { ...EVENT, memory_id: 'e' },
      { ...EVENT, memory_id: 'e2', recalls: ['e'] },
    )
    const links = (await records()).filter(({ relation }) => typeof relation === 'string' && !/CONTAINS/.test(relation))
    expect(links).toEqual([
      { relation: 'DERIVES_FROM', from: 'f', to: 'e' },
      { relation: 'DERIVES_FROM', from: 'f', to: 'e2', confidence: 0.5 },
      { relation: 'REFERENCES', from: 'p', to: 'f', reference_type: 'example' },
      {
        relation: 'ACTIVATES',
        from: 'w',
        to: 'f',
        activation_strength: expect.any(Number),
        timestamp: '2026-01-02T03:00:00.000Z',
      },
      { relation: 'RECALLS', from: 'e2', to: 'e' },
      { relation: 'BUILDS_ON', from: 'q', to: 'p' },
    ])
  })
})

describe('what cannot be placed', () => {
  test.each([
    ['{', 'JSON object'],
    ['[]', 'JSON object'],
    ['{"a":1}{"b":2}', 'JSON object'],
    [{ content: 'x' }, 'memory_type'],
    [{ ...EVENT, memory_type: 'dream' }, 'memory_type'],
    [{ ...EVENT, session_id: undefined }, 'session_id'],
    [{ ...EVENT, session_id: 7 }, 'session_id'],
    [{ ...EVENT, timestamp: undefined }, 'timestamp'],
    [{ ...EVENT, timestamp: 'soon' }, 'timestamp'],
    [{ ...EVENT, importance_score: 1.1 }, 'importance_score'],
    [{ ...EVENT, event_type: 'party' }, 'event_type'],
    [{ ...EVENT, colour: 'red' }, 'colour'],
    [{ ...EVENT, memory_id: '' }, 'memory_id'],
    [{ ...EVENT, embedding: ['a'] }, 'embedding'],
    [{ ...EVENT, embedding: [1e300] }, 'embedding'],
    [{ ...EVENT, recalls: 'e' }, 'recalls'],
    [{ ...EVENT, sequence_number: 0 }, 'sequence_number'],
    [{ ...FACT, version: 0 }, 'version'],
    [{ ...FACT, last_updated: undefined }, 'last_updated'],
    [{ ...FACT, derives_from: [{}] }, 'derives_from'],
    [
      { memory_type: 'working', session_id: 's', content: 'x', created_at: '2025-01-01', activation_level: 2 },
      'activation_level',
    ],
    [{ memory_type: 'prospective', session_id: 'unknown', intention: 'x' }, 'session_id'],
    [{ memory_type: 'session', start_time: '2025-01-01' }, 'session_id'],
    [{ memory_type: 'session', session_id: 's', status: 'odd', start_time: '2025-01-01' }, 'status'],
  ])('%j is told by its line and field, and the others are placed', async (line, field) => {
    const report = await migrate({ ...EVENT, memory_id: 'good', session_id: 'good' }, line, {
      ...FACT,
      concept: 'good',
    })
    expect(report).toMatchObject({ records: 3, created: { episodic: 1, semantic: 1 } })
    expect(report.failed).toEqual([{ line: 2, error: expect.stringContaining(field) }])
  })

  test('is a line that is no UTF-8', async () => {
    const bytes = new Uint8Array([
      ...new TextEncoder().encode(`${JSON.stringify(EVENT)}\n{"memory_type":"`),
      0xff,
      0x22,
      0x7d,
    ])
    machine.files.write('/old.jsonl', bytes)
    const { failed } = await machine.run<Report>('memory_migrate', { file: '/old.jsonl' })
    expect(failed).toEqual([{ line: 2, error: 'it is not valid UTF-8' }])
  })

  test('is what would be counted behind the highest version that may be', async () => {
    const report = await migrate({ ...FACT, memory_id: 'last', version: 2 ** 52 }, { ...FACT, memory_id: 'behind' })
    expect(report).toMatchObject({
      created: { semantic: 1 },
      failed: [{ line: 2, error: expect.stringContaining('version') }],
    })
    expect(await machine.run<object>('memory_validate', {})).toMatchObject({ ok: true })
  })

  test('is a link to what is not there; the memory itself is placed', async () => {
    const report = await migrate({ ...FACT, memory_id: 'f', derives_from: ['none'] })
    expect(report).toMatchObject({
      created: { semantic: 1 },
      failed: [{ line: 1, error: expect.stringContaining('none') }],
    })
  })

  test('is a second record with an id, which says something else', async () => {
    const report = await migrate({ ...EVENT, memory_id: 'e' }, { ...EVENT, memory_id: 'e', content: 'y' })
    expect(report.failed).toEqual([{ line: 2, error: expect.stringContaining('line 1') }])
  })
})

describe('a record that contradicts the graph', () => {
  const ended = { memory_type: 'session', session_id: 'over', start_time: '2025-01-01', end_time: '2025-01-02' }
  const thought = {
    memory_type: 'working',
    memory_id: 'w',
    content: 'x',
    created_at: '2025-01-01',
    ttl_seconds: 2 ** 40,
  }
  const plan = { memory_type: 'prospective', memory_id: 'i', intention: 'x', scope: 'session' }

  test.each([
    [{ ...EVENT, memory_id: 'e' }, { content: 'y' }, 'its content is another'],
    [{ ...EVENT, memory_id: 'e' }, { session_id: 'other' }, 'lies in session "s"'],
    [{ ...FACT, memory_id: 'k' }, { content: 'y' }, 'its content is another'],
    [{ memory_type: 'procedural', memory_id: 'p', procedure_name: 'p' }, { procedure_name: 'q' }, 'procedure_name'],
    [
      { memory_type: 'session', session_id: 's', start_time: '2025-01-01' },
      { context: 'why' },
      'its context is another',
    ],
  ])('%j is told, with %j', async (record, change, words) => {
    await migrate(record)
    const before = await records()
    const { failed, present } = await migrate({ ...record, ...change })
    expect(failed).toEqual([{ line: 1, error: expect.stringContaining(words) }])
    expect(present).toBe(0)
    expect(await records()).toEqual(before)
  })

  test('is an intention that another session has for itself', async () => {
    const session = (session_id: string) => ({ memory_type: 'session', session_id, start_time: '2025-01-01' })
    await migrate(session('s'), session('t'), { ...plan, session_id: 's' })
    const { failed } = await migrate({ ...plan, session_id: 't' })
    expect(failed).toEqual([{ line: 1, error: expect.stringContaining('lies in session "s"') }])
  })

  test.each([thought, plan])('is %j of a session that has ended, in which nothing would remove it', async (record) => {
    const { failed } = await migrate(ended, { ...record, session_id: 'over' })
    expect(failed).toEqual([{ line: 2, error: expect.stringContaining('"over" is completed') }])
  })
})

test('a number that is null is counted, and takes none that another record has', async () => {
  const event = (memory_id: string, sequence_number: number | null) => ({ ...EVENT, memory_id, sequence_number })
  expect(await migrate(event('a', null), event('b', 1))).toMatchObject({ failed: [] })
  expect(await find({ relation: 'CONTAINS_EPISODIC', sequence_number: 1 })).toMatchObject([{ to: 'b' }])
})

test('a migration stops between two steps when it is interrupted, and goes on when it is run again', async () => {
  const lines = Array.from({ length: 1_200 }, (_, n) => ({ ...EVENT, memory_id: `e${n}` }))
  const bytes = new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n'))
  const controller = new AbortController()
  let steps = 0
  const yieldToSignals = async () => {
    steps += 1
    if (steps === 3) controller.abort()
  }
  {
    using workspace = machine.open()
    const memory = await workspace.memory()
    const stopped = memory.migrate(bytes, { yieldToSignals, signal: controller.signal })
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted', message: expect.stringContaining('again') })
  }
  expect(await find({ node: 'EpisodicMemory' })).toHaveLength(500)
  expect(await migrate(...lines)).toMatchObject({ failed: [] })
  expect(await find({ node: 'EpisodicMemory' })).toHaveLength(1_200)
})

test('an embedding of the other store is kept as float32, with its model', async () => {
  const embedding = Array.from({ length: 1536 }, (_, at) => Math.sin(at) / 40)
  await migrate({ ...EVENT, memory_id: 'e', embedding, embedding_model: 'old-model' })
  const [{ embedding: kept } = {}] = await find({ memory_id: 'e' })
  expect(kept).toMatchObject({ model: 'old-model', dimension: 1536 })
  const { float32 } = kept as { float32: string }
  const bytes = Uint8Array.from(atob(float32), (character) => character.charCodeAt(0))
  expect(new Float32Array(bytes.buffer)).toEqual(Float32Array.from(embedding))
})

test('records without an id are not doubled', async () => {
  const report = await migrate(EVENT, EVENT, { ...EVENT, content: 'y' })
  expect(report).toMatchObject({ created: { episodic: 2 }, present: 1 })
  expect(await migrate(EVENT, { ...EVENT, content: 'y' })).toMatchObject({ created: { episodic: 0 }, present: 2 })
})

test('what has changed since is left as it is by a second migration', async () => {
  const lines = [
    { memory_type: 'session', session_id: 's', start_time: '2025-01-01' },
    { memory_type: 'procedural', memory_id: 'p', procedure_name: 'p', usage_count: 1, success_rate: 1 },
  ]
  await migrate(...lines)
  await machine.run('memory_used', { procedure: 'p', session: 's', success: false })
  await machine.run('session_end', { id: 's' })
  const before = await records()
  expect(await migrate(...lines)).toMatchObject({ present: 2, failed: [] })
  expect(await records()).toEqual(before)
})

/** Records of all types, some broken, in no order. */
function legacyRecords(count: number): readonly string[] {
  const random = randomFrom(20261130)
  const pick = (n: number) => Math.floor(random() * n)
  const time = () => new Date(Date.UTC(2025, pick(12), 1 + pick(28), pick(24), pick(60))).toISOString()
  const words = () => Array.from({ length: 6 }, () => `word${pick(200)}`).join(' ')
  const record = (n: number): object | string => {
    const session_id = `session-${pick(60)}`
    switch (n % 10) {
      case 0:
        return {
          memory_type: 'semantic',
          memory_id: `s${n}`,
          concept: `concept ${pick(300)}`,
          content: words(),
          last_updated: time(),
          session_id,
          derives_from: [`e${n + 1}`],
        }
      case 1:
      case 2:
      case 3:
      case 4:
        return {
          memory_type: 'episodic',
          memory_id: `e${n}`,
          session_id,
          timestamp: time(),
          content: words(),
          importance_score: random(),
        }
      case 5:
        return { memory_type: 'working', memory_id: `w${n}`, session_id, content: words(), created_at: time() }
      case 6:
        return {
          memory_type: 'prospective',
          session_id,
          intention: words(),
          due_date: time(),
          scope: pick(2) === 0 ? 'session' : 'global',
        }
      case 7:
        return {
          memory_type: 'procedural',
          memory_id: `p${n}`,
          procedure_name: `p${n}`,
          steps: [words()],
          uses: [{ session_id, success: pick(2) === 0, timestamp: time() }],
          references: [`s${n - 7}`],
        }
      case 8:
        return { memory_type: 'episodic', session_id, timestamp: time(), content: words() }
      default:
        return pick(2) === 0
          ? '{"memory_type": "episodic", "content": "cut o'
          : { memory_type: 'episodic', session_id, timestamp: 'then', content: 'x' }
    }
  }
  return Array.from({ length: count }, (_, n) => record(n)).map((one) =>
    typeof one === 'string' ? one : JSON.stringify(one),
  )
}

const COUNT = 10_000

test(`${COUNT} records, broken ones among them, migrate alike however often they are`, async () => {
  const lines = legacyRecords(COUNT)
  const first = await migrate(...lines)
  const after = await records()
  expect(first.records).toBe(COUNT)
  expect(first.created).toEqual({
    session: 60,
    episodic: 5_000,
    semantic: 1_000,
    procedural: 1_000,
    prospective: 1_000,
    working: 1_000,
  })
  expect(first.failed.map(({ line }) => line)).toEqual(Array.from({ length: COUNT / 10 }, (_, n) => 10 * n + 10))
  expect(await machine.run<object>('memory_validate', {})).toMatchObject({ ok: true })
  const second = await migrate(...lines)
  expect(second.failed).toEqual(first.failed)
  const { session: _, ...memories } = first.created
  expect(second.present).toBe(first.present + Object.values(memories).reduce((sum, count) => sum + count, 0))
  expect(second.links).toEqual({ created: 0, present: first.links.created + first.links.present })
  expect(await records()).toEqual(after)
}, 60_000)
