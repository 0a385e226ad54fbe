import { beforeEach, describe, expect, test } from 'bun:test'
import { CountingIds } from '../fakes/counting-ids.ts'
import { FakeEmbedder } from '../fakes/fake-embedder.ts'
import { ROOT } from '../fakes/fake-machine.ts'
import { idsOf, RememberingMachine } from '../fakes/remembering.ts'

const EXPERIENCE = { description: 'd', 'when-to-use': 'w', content: 'one', sources: [] }

let machine: RememberingMachine

/** A graph with a node and a relation of every kind, and vectors. */
async function fill(): Promise<void> {
  machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  machine.embedder = new FakeEmbedder()
  machine.files.write(`${ROOT}/procedures/file.json`, JSON.stringify(EXPERIENCE))
  machine.files.write(`${ROOT}/procedures/gone.json`, JSON.stringify(EXPERIENCE))
  await machine.begin('s')
  await machine.remember('episodic', {
    session: 's',
    memory_id: 'e1',
    content: 'stale cache',
    importance_score: 0.1 + 0.2,
  })
  await machine.remember('episodic', { session: 's', memory_id: 'e2', content: 'stale cache again\u202e\u0085' })
  await machine.remember('semantic', { session: 's', memory_id: 'f1', concept: 'cache', content: 'a stale cache' })
  await machine.remember('semantic', {
    session: 's',
    memory_id: 'f2',
    concept: 'cache',
    content: 'a stale cache again',
  })
  await machine.remember('procedural', { memory_id: 'p', procedure_name: 'p', steps: ['"quoted"', ''] })
  await machine.remember('prospective', {
    session: 's',
    memory_id: 'own',
    intention: 'x',
    scope: 'session',
    trigger_condition: 'rain',
  })
  await machine.remember('prospective', { session: 's', memory_id: 'all', intention: 'x', scope: 'global' })
  await machine.remember('working', { session: 's', memory_id: 'w', content: 'a stale cache', priority: -3 })
  await machine.run('memory_trigger', { event: 'rain', session: 's' })
  await machine.run('memory_used', { procedure: 'file', session: 's', success: true })
  await machine.run('memory_used', { procedure: 'file', session: 's', success: true })
  await machine.run('memory_used', { procedure: 'gone', session: 's', success: false, notes: 'n' })
  await machine.link('DERIVES_FROM', 'f2', 'e1', { confidence: 0.5 })
  await machine.link('REFERENCES', 'p', 'f2')
  await machine.link('BUILDS_ON', 'p', 'procedures/file.json', { relationship_type: 'extends' })
  machine.files.remove(`${ROOT}/procedures/gone.json`)
}

/** Another machine with the same experience files. */
function elsewhere(): RememberingMachine {
  const other = new RememberingMachine(undefined, new CountingIds(5_000))
  other.files.write(`${ROOT}/procedures/file.json`, JSON.stringify(EXPERIENCE))
  return other
}

async function exportOf(one: RememberingMachine, name = '/graph.jsonl'): Promise<string> {
  one.files.remove(name)
  await one.run('memory_export', { file: name })
  return one.files.text(name)
}

function importInto(one: RememberingMachine, text: string) {
  one.files.write('/in.jsonl', text)
  return one.run<{ nodes: number; relations: number; unchanged: number }>('memory_import', { file: '/in.jsonl' })
}

beforeEach(async () => {
  machine = new RememberingMachine()
  await fill()
})

describe('an export', () => {
  test('is the same again, and sorted', async () => {
    const text = await exportOf(machine)
    expect(await exportOf(machine)).toBe(text)
    const lines = text.trimEnd().split('\n')
    expect(lines[0]).toBe('{"format":"knowhow-memory","version":1}')
    const ids = lines.flatMap((line) => {
      const { node, memory_id } = JSON.parse(line)
      return node === 'ProceduralMemory' ? [String(memory_id)] : []
    })
    expect(ids).toEqual(['p', 'procedures/file.json', 'procedures/gone.json'])
  })

  test('holds nodes and relations of all kinds, and vectors', async () => {
    const text = await exportOf(machine)
    const { memories, relations } = await machine.run<{
      memories: Record<string, number>
      relations: Record<string, number>
    }>('memory_stats', {})
    for (const count of [...Object.values(memories), ...Object.values(relations)]) expect(count).toBeGreaterThan(0)
    expect(text).toContain('"float32":"')
    // A terminal obeys no line of it.
    expect(text).toContain('\\u202e\\u0085')
  })

  test('does not replace a file that is there', async () => {
    await exportOf(machine)
    await expect(machine.run('memory_export', { file: '/graph.jsonl' })).rejects.toMatchObject({ code: 'name_taken' })
  })

  test('cannot go into the workspace', async () => {
    await expect(machine.run('memory_export', { file: `${ROOT}/graph.jsonl` })).rejects.toMatchObject({
      code: expect.stringMatching(/path_outside|invalid_argument/),
    })
  })
})

describe('what was exported', () => {
  test('is the same graph elsewhere, bit for bit', async () => {
    const text = await exportOf(machine)
    const other = elsewhere()
    await importInto(other, text)
    expect(await exportOf(other)).toBe(text)
    expect(await other.run<object>('memory_validate', {})).toMatchObject({ ok: true })
  })

  test('lies in its session there, and is due, hidden and current as here', async () => {
    const other = elsewhere()
    await importInto(other, await exportOf(machine))
    expect(await other.show('s')).toEqual(await machine.show('s'))
    expect(idsOf((await other.show('s')).procedural)).toEqual(['procedures/file.json', 'procedures/file.json'])
  })

  test('is taken in once, however often it is imported', async () => {
    const text = await exportOf(machine)
    const other = elsewhere()
    const { nodes, relations, unchanged } = await importInto(other, text)
    expect(await importInto(other, text)).toEqual({ nodes: 0, relations: 0, unchanged: nodes + relations + unchanged })
    expect(await exportOf(other)).toBe(text)
    expect(await importInto(machine, text)).toMatchObject({ nodes: 0, relations: 0 })
  })

  test('takes its place beside what is there', async () => {
    const other = elsewhere()
    await other.begin('mine')
    await other.remember('episodic', { session: 'mine', memory_id: 'own event', content: 'x' })
    await importInto(other, await exportOf(machine))
    expect(idsOf((await other.show('mine')).episodic)).toEqual(['own event'])
  })
})

describe('an import', () => {
  const HEADING = '{"format":"knowhow-memory","version":1}'
  const END = '{"end":"knowhow-memory"}'
  const session = '{"node":"Session","session_id":"new","start_time":"2026-01-01T00:00:00.000Z","status":"active"}'

  test.each([
    ['', 'invalid_argument', 'no export'],
    ['{"memory_type":"episodic"}', 'invalid_argument', 'migrate'],
    ['{"format":"knowhow-memory","version":2}', 'format_too_new', 'version 2'],
    [`${HEADING}\n${session}\n{`, 'invalid_argument', 'line 3'],
    [`${HEADING}\n${session}\n{"node":"Dream","memory_id":"x"}`, 'invalid_argument', 'line 3: node'],
    [`${HEADING}\n${session}\n{"node":"Session","start_time":"2026-01-01"}`, 'invalid_argument', 'line 3: session_id'],
    [
      `${HEADING}\n${session}\n{"node":"EpisodicMemory","memory_id":"x","timestamp":"2026-01-01","content":"x","importance_score":7}`,
      'invalid_argument',
      'line 3: importance_score',
    ],
    [
      `${HEADING}\n${session}\n{"node":"EpisodicMemory","memory_id":"x","timestamp":"2026-01-01","content":"x","embedding":{"model":"m","dimension":2,"float32":"AAAA"}}`,
      'invalid_argument',
      'line 3: embedding',
    ],
    [`${HEADING}\n${session}\n{"relation":"RECALLS","from":"e1","to":"none"}`, 'not_found', 'line 3: to'],
    [`${HEADING}\n${session}\n{"relation":"LOVES","from":"e1","to":"e2"}`, 'invalid_argument', 'line 3: relation'],
    [
      `${HEADING}\n${session}\n{"relation":"RECALLS","from":"e1","to":"e2","similarity_score":9}`,
      'invalid_argument',
      'line 3: similarity_score',
    ],
    [`${HEADING}\n${session}\n{"what":"ever"}`, 'invalid_argument', 'line 3'],
    [
      `${HEADING}\n${session}\n{"node":"EpisodicMemory","memory_id":"e1","timestamp":"2026-01-01","content":"other"}`,
      'name_taken',
      'line 3',
    ],
    [
      `${HEADING}\n${session}\n{"relation":"CONTAINS_EPISODIC","from":"new","to":"e1","sequence_number":1}`,
      'name_taken',
      'belongs to session s',
    ],
    [
      `${HEADING}\n${session}\n{"node":"SemanticMemory","memory_id":"x","concept":"cache","content":"x","last_updated":"2026-01-01","version":1}`,
      'name_taken',
      'f1',
    ],
    [
      `${HEADING}\n${session}\n{"node":"EpisodicMemory","memory_id":"x","timestamp":"2026-01-01","content":"x"}\n{"relation":"CONTAINS_EPISODIC","from":"s","to":"x","sequence_number":1}`,
      'name_taken',
      'number 1',
    ],
    [
      `${HEADING}\n${session}\n{"relation":"DERIVES_FROM","from":"f2","to":"e1","confidence":0.9}`,
      'name_taken',
      'line 3',
    ],
  ])('of %j is refused as a whole', async (text, code, words) => {
    const before = await exportOf(machine)
    const whole = text.startsWith(HEADING) ? `${text}\n${END}` : text
    await expect(importInto(machine, whole)).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
    expect(await exportOf(machine)).toBe(before)
  })

  test('of what is cut off between two lines is refused as a whole', async () => {
    const lines = (await exportOf(machine)).trimEnd().split('\n')
    const other = elsewhere()
    for (const count of [1, 2, lines.length - 1])
      await expect(importInto(other, lines.slice(0, count).join('\n'))).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('a part of it may be missing'),
      })
    expect(await importInto(other, lines.join('\n'))).toMatchObject({ nodes: 11, relations: 17 })
  })

  test('takes over how often a procedure was used where nobody has used it', async () => {
    const other = elsewhere()
    await other.begin('first')
    await importInto(other, await exportOf(machine))
    await other.begin('more')
    expect(await other.run('memory_used', { procedure: 'file', session: 'more', success: false })).toMatchObject({
      memory: { usage_count: 3, success_rate: 2 / 3 },
    })
  })
})
