import { beforeEach, describe, expect, test } from 'bun:test'
import { RememberingMachine } from '../fakes/remembering.ts'
import { SEED_NODES, SEED_RELATIONS, type SeedColumn } from '../fakes/seed-schema.ts'

let machine: RememberingMachine

beforeEach(async () => {
  machine = new RememberingMachine()
  await machine.begin('s')
})

const KINDS = {
  episodic: { label: 'EpisodicMemory', least: { session: 's', content: 'x' } },
  semantic: { label: 'SemanticMemory', least: { concept: 'c', content: 'x' } },
  procedural: { label: 'ProceduralMemory', least: { procedure_name: 'p' } },
  prospective: { label: 'ProspectiveMemory', least: { session: 's', intention: 'x' } },
  working: { label: 'WorkingMemory', least: { session: 's', content: 'x' } },
} as const
type Kind = keyof typeof KINDS

/** Every property that somebody may give. The version of a concept is counted. */
const GIVEN = (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
  (SEED_NODES[KINDS[kind].label] ?? [])
    .filter(({ name }) => name !== 'version' && name !== 'memory_id')
    .map((column) => [kind, column.name, column] as const),
)

function goodValues({ name, type, values, range }: SeedColumn): readonly unknown[] {
  if (values !== undefined) return values
  if (range !== undefined) return range
  switch (type) {
    case 'STRING':
      return ['plain', 'zwei\nZeilen', '日本語', '𝔘𝔫𝔦']
    case 'TIMESTAMP':
      return ['2026-01-02T03:04:05.678Z']
    case 'INT64':
      return name === 'priority' ? [-5, 0, 7] : [0, 1, 86_400]
    case 'STRING[]':
      return [[], ['one'], ['two', 'three']]
    case 'DOUBLE':
    case 'BOOL':
      return []
  }
}

function badValues({ name, type, values, range }: SeedColumn): readonly unknown[] {
  const wrong = { STRING: 7, TIMESTAMP: 'soon', DOUBLE: 'x', INT64: 1.5, BOOL: 'yes', 'STRING[]': 'one' }[type]
  const found: unknown[] = [wrong]
  if (values !== undefined) found.push('other', '')
  if (range !== undefined) found.push(range[0] - 0.01, range[1] + 0.01)
  if (type === 'INT64' && name !== 'priority') found.push(-1)
  if (type === 'STRING' && values === undefined) found.push('\ud800', 'x'.repeat(256 * 1024 + 1))
  if (type === 'TIMESTAMP') found.push('2026-02-30', '2026-01-01T25:00:00Z', '')
  return found
}

describe('remember', () => {
  test.each(GIVEN)('%s takes what the seed allows as %s', async (kind, name, column) => {
    for (const value of goodValues(column)) {
      const memory = await machine.remember(kind, { ...KINDS[kind].least, [name]: value })
      expect(memory[name]).toEqual(value)
    }
  })

  test.each(GIVEN)('%s refuses anything else as %s, and names it', async (kind, name, column) => {
    for (const value of badValues(column)) {
      const input = { kind, ...KINDS[kind].least, [name]: value }
      await expect(machine.run('memory_remember', input)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(new RegExp(`^${name}: `)),
      })
    }
  })

  test('refuses what belongs to another kind', async () => {
    for (const kind of Object.keys(KINDS) as Kind[])
      for (const [other, name, column] of GIVEN) {
        const isOwn = (SEED_NODES[KINDS[kind].label] ?? []).some((own) => own.name === name)
        if (isOwn || other === kind) continue
        const input = { kind, ...KINDS[kind].least, [name]: goodValues(column)[0] }
        await expect(machine.run('memory_remember', input)).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringContaining(name),
        })
      }
  })

  test.each([
    ['episodic', { content: 'x' }, 'session'],
    ['working', { content: 'x' }, 'session'],
    ['prospective', { intention: 'x', scope: 'session' }, 'session'],
    ['episodic', { session: 's' }, 'content'],
    ['episodic', { session: 's', content: '  ' }, 'content'],
    ['semantic', { content: 'x' }, 'concept'],
    ['semantic', { concept: 'c' }, 'content'],
    ['semantic', { concept: 'c', content: 'x', contribution: 'created' }, 'contribution'],
    ['semantic', { concept: 'c', content: 'x', delta: 'd' }, 'delta'],
    ['episodic', { session: 's', content: 'x', delta: 'd' }, 'delta'],
    ['semantic', { concept: 'c', content: 'x', session: 's', contribution: 'invented' }, 'contribution'],
    ['procedural', {}, 'procedure_name'],
    ['prospective', {}, 'intention'],
    ['semantic', { concept: 'c', content: 'x', version: 3 }, 'version'],
    ['semantic', { concept: 'c', content: 'x', memory_id: 'a\nb' }, 'memory_id'],
    ['semantic', { concept: 'c', content: 'x', memory_id: '' }, 'memory_id'],
    ['procedural', { procedure_name: 'p', memory_id: 'procedures/p.json' }, 'memory_id'],
    ['thought', { content: 'x' }, 'kind'],
  ])('%s %j is refused for its %s', async (kind, fields, field) => {
    await expect(machine.run('memory_remember', { kind, ...fields })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(field),
    })
  })

  test.each(Object.entries(KINDS))('%s refuses an id that is taken', async (kind, { least }) => {
    await machine.remember(kind, { ...least, memory_id: 'm' })
    await expect(machine.remember(kind, { ...least, memory_id: 'm' })).rejects.toMatchObject({ code: 'name_taken' })
  })

  test('null stands for nothing said', async () => {
    const fields = { session: 's', content: 'x', importance_score: null, timestamp: null, event_type: null }
    expect(await machine.remember('episodic', fields)).toMatchObject({
      timestamp: '2026-01-02T03:04:05.000Z',
      importance_score: null,
      event_type: null,
    })
  })
})

/** Nodes for both ends of every relation. */
async function endsOf(): Promise<Readonly<Record<string, readonly [string, string]>>> {
  for (const id of ['1', '2']) {
    await machine.remember('episodic', { session: 's', memory_id: `e${id}`, content: id })
    await machine.remember('semantic', { memory_id: `s${id}`, concept: id, content: id })
    await machine.remember('procedural', { memory_id: `p${id}`, procedure_name: id })
    await machine.remember('prospective', { session: 's', memory_id: `i${id}`, intention: id })
    await machine.remember('working', { session: 's', memory_id: `w${id}`, content: id })
  }
  return {
    Session: ['s', 's'],
    EpisodicMemory: ['e1', 'e2'],
    SemanticMemory: ['s1', 's2'],
    ProceduralMemory: ['p1', 'p2'],
    ProspectiveMemory: ['i1', 'i2'],
    WorkingMemory: ['w1', 'w2'],
  }
}

describe.each(Object.entries(SEED_RELATIONS))('link %s', (relation, { from, to, columns }) => {
  test('takes what the seed allows, and tells it', async () => {
    const ends = await endsOf()
    const [a = '', b = ''] = [ends[from]?.[0], ends[to]?.[1]]
    for (const column of columns) {
      const values =
        column.type === 'BOOL' ? [true, false] : column.type === 'DOUBLE' ? [0, 0.5, 1] : goodValues(column)
      const needed = relation === 'USES_PROCEDURE' ? { success: true } : {}
      for (const value of values) {
        if (column.name === 'sequence_number' && (value === 0 || value === 1)) continue
        const answer = await machine.link(relation, a, b, { ...needed, [column.name]: value })
        expect(answer).toMatchObject({ relation, from: a, to: b, properties: { [column.name]: value } })
      }
    }
  })

  test('refuses anything else, names it, and changes nothing', async () => {
    const ends = await endsOf()
    const [a = '', b = ''] = [ends[from]?.[0], ends[to]?.[1]]
    const before = await machine.run<object>('memory_export', {})
    const needed = relation === 'USES_PROCEDURE' ? { success: true } : {}
    for (const column of columns)
      for (const value of badValues(column).filter((one) => !Array.isArray(one)))
        await expect(machine.link(relation, a, b, { ...needed, [column.name]: value })).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringMatching(new RegExp(`^${column.name}: `)),
        })
    await expect(machine.link(relation, a, b, { colour: 'red' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/^colour: /),
    })
    expect(await machine.run<object>('memory_export', {})).toEqual(before)
  })

  test('refuses ends that are not there, or of another type', async () => {
    const ends = await endsOf()
    const [a = '', b = ''] = [ends[from]?.[0], ends[to]?.[1]]
    await expect(machine.link(relation, 'none', b)).rejects.toMatchObject({ code: 'not_found' })
    await expect(machine.link(relation, a, 'none')).rejects.toMatchObject({ code: 'not_found' })
    if (from !== to) await expect(machine.link(relation, b, a)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('again updates it, but for the relations that are kept one by one', async () => {
    const ends = await endsOf()
    const [a = '', b = ''] = [ends[from]?.[0], ends[to]?.[1]]
    const needed = relation === 'USES_PROCEDURE' ? { success: true } : {}
    const count = async () =>
      (await machine.run<{ relations: Record<string, number> }>('memory_stats', {})).relations[relation] ?? 0
    await machine.link(relation, a, b, needed)
    const before = await count()
    await machine.link(relation, a, b, needed)
    const isKeptEach = ['USES_PROCEDURE', 'CONTRIBUTES_TO_SEMANTIC', 'TRIGGERS'].includes(relation)
    expect((await count()) - before).toBe(isKeptEach ? 1 : 0)
  })
})

test('a property that is not named again stays as it was', async () => {
  await endsOf()
  await machine.link('DERIVES_FROM', 's1', 'e1', { confidence: 0.4, extraction_method: 'inference' })
  expect(await machine.link('DERIVES_FROM', 's1', 'e1', { confidence: 0.9 })).toMatchObject({
    properties: { confidence: 0.9, extraction_method: 'inference' },
  })
})

describe('procedures that build on themselves', () => {
  const links = [
    ['a', 'a'],
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
  ] as const

  beforeEach(async () => {
    for (const memory_id of ['a', 'b', 'c'])
      await machine.remember('procedural', { memory_id, procedure_name: `fix the ${memory_id}` })
    for (const [from, to] of links) await machine.link('BUILDS_ON', from, to)
  })

  test('are valid, and come out of an export as they went in', async () => {
    expect(await machine.run<object>('memory_validate', {})).toMatchObject({ ok: true })
    await machine.run('memory_export', { file: '/graph.jsonl' })
    const other = new RememberingMachine()
    other.files.write('/graph.jsonl', machine.files.text('/graph.jsonl'))
    await other.run('memory_import', { file: '/graph.jsonl' })
    expect(await other.run<object>('memory_export', {})).toEqual(await machine.run<object>('memory_export', {}))
  })

  test('are each recalled once', async () => {
    const { hits } = await machine.run<{ hits: { memory: { memory_id: string } }[] }>('memory_recall', {
      query: 'fix the a',
    })
    expect(hits.map(({ memory }) => memory.memory_id).sort()).toEqual(['a', 'b', 'c'])
  })
})

test('an event does not recall itself', async () => {
  await endsOf()
  await expect(machine.link('RECALLS', 'e1', 'e1')).rejects.toMatchObject({
    code: 'invalid_argument',
    details: { field: 'to' },
  })
})

test.each(['episode', 7, null])(
  'a record whose type is %j is told with that, and what is allowed',
  async (memory_type) => {
    machine.files.write('/old.jsonl', `${JSON.stringify({ memory_type, content: 'x' })}\n`)
    expect(await machine.run<object>('memory_migrate', { file: '/old.jsonl' })).toMatchObject({
      failed: [
        {
          line: 1,
          error: `memory_type: must be one of session, episodic, semantic, procedural, prospective, working (given: ${JSON.stringify(memory_type)})`,
        },
      ],
    })
  },
)

test('what lies in one session cannot come to lie in another', async () => {
  await endsOf()
  await machine.begin('other')
  for (const [relation, id] of [
    ['CONTAINS_EPISODIC', 'e1'],
    ['CONTAINS_WORKING', 'w1'],
    ['CREATES_INTENTION', 'i1'],
  ] as const)
    await expect(machine.link(relation, 'other', id)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('belongs to session s'),
    })
})

test('a number behind which there is no other is refused, and nothing is written', async () => {
  await endsOf()
  const before = await machine.run<object>('memory_export', {})
  const last = { sequence_number: Number.MAX_SAFE_INTEGER }
  await expect(machine.link('CONTAINS_EPISODIC', 's', 'e1', last)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('sequence_number: must be a whole number from 1 to 4503599627370496'),
  })
  expect(await machine.run<object>('memory_export', {})).toEqual(before)
  await machine.link('CONTAINS_EPISODIC', 's', 'e1', { sequence_number: 2 ** 52 })
  await expect(machine.remember('episodic', { session: 's', content: 'over' })).rejects.toMatchObject({
    code: 'invalid_argument',
  })
  expect(await machine.run<object>('memory_validate', {})).toMatchObject({ ok: true })
})

test('a number stands once in a session', async () => {
  await endsOf()
  await expect(machine.link('CONTAINS_EPISODIC', 's', 'e1', { sequence_number: 2 })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('sequence_number: 2 is that of e2; the next free one is 3'),
  })
  expect(await machine.link('CONTAINS_EPISODIC', 's', 'e1', { sequence_number: 9 })).toMatchObject({
    properties: { sequence_number: 9 },
  })
})

test.each([
  [['confidence=0.5', 'extraction_method=inference'], { confidence: 0.5, extraction_method: 'inference' }],
  [['extraction_method=inference'], { confidence: null, extraction_method: 'inference' }],
])('properties may be given as %j', async (set, properties) => {
  await endsOf()
  expect(await machine.run('memory_link', { relation: 'derives_from', from: 's1', to: 'e1', set })).toMatchObject({
    relation: 'DERIVES_FROM',
    properties,
  })
})

test.each([[['confidence']], [['confidence=1', 'confidence=0']], [['confidence=high']], [['=1']]])(
  'properties given as %j are refused',
  async (set) => {
    await endsOf()
    const input = { relation: 'DERIVES_FROM', from: 's1', to: 'e1', set }
    await expect(machine.run('memory_link', input)).rejects.toMatchObject({ code: 'invalid_argument' })
  },
)
