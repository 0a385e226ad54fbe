import { beforeEach, describe, expect, test } from 'bun:test'
import type { SessionGraph } from '../../src/graph/session-graph.ts'
import { RememberingMachine } from '../fakes/remembering.ts'

let machine: RememberingMachine

beforeEach(async () => {
  machine = new RememberingMachine()
  await machine.begin('s')
})

const drawn = (session = 's') => machine.run<SessionGraph>('memory_graph', { session, format: 'json' })
const links = ({ edges }: SessionGraph) => edges.map(({ relation, from, to }) => `${from} ${relation} ${to}`)
const ids = ({ nodes }: SessionGraph) => nodes.map(({ session_id, memory_id }) => session_id ?? memory_id)

/** A memory of each kind in the session, linked by each of the eleven relations. */
async function rememberAll(): Promise<void> {
  const session = 's'
  await machine.remember('episodic', { session, memory_id: 'z-first', content: 'the cache is stale' })
  await machine.remember('episodic', { session, memory_id: 'a-second', content: 'nothing like it' })
  await machine.remember('semantic', { session, memory_id: 'fact', concept: 'cache', content: 'goes stale' })
  await machine.remember('procedural', { memory_id: 'how', procedure_name: 'clear', steps: ['clear it'] })
  await machine.remember('procedural', { memory_id: 'how-2', procedure_name: 'warm' })
  await machine.remember('prospective', { session, memory_id: 'plan', intention: 'ask again' })
  await machine.remember('working', { session, memory_id: 'thought', content: 'something else' })
  await machine.run('memory_used', { procedure: 'how', session, success: true })
  await machine.run('memory_used', { procedure: 'how-2', session, success: false })
  await machine.link('DERIVES_FROM', 'fact', 'z-first', { confidence: 0.5 })
  await machine.link('REFERENCES', 'how', 'fact')
  await machine.link('TRIGGERS', 'plan', 'thought', { condition_met: true })
  await machine.link('ACTIVATES', 'thought', 'fact', { activation_strength: 0.25 })
  await machine.link('RECALLS', 'a-second', 'z-first')
  await machine.link('BUILDS_ON', 'how-2', 'how')
}

describe('the graph of a session', () => {
  test('holds all that the session leads to, and all eleven relations among it', async () => {
    await rememberAll()
    const graph = await drawn()
    expect(ids(graph)).toEqual(['s', 'z-first', 'a-second', 'fact', 'how', 'how-2', 'plan', 'thought'])
    expect(links(graph)).toEqual([
      's CONTAINS_EPISODIC z-first',
      's CONTAINS_EPISODIC a-second',
      's CONTAINS_WORKING thought',
      's CONTRIBUTES_TO_SEMANTIC fact',
      's USES_PROCEDURE how',
      's USES_PROCEDURE how-2',
      's CREATES_INTENTION plan',
      'fact DERIVES_FROM z-first',
      'how REFERENCES fact',
      'plan TRIGGERS thought',
      'thought ACTIVATES fact',
      'a-second RECALLS z-first',
      'how-2 BUILDS_ON how',
    ])
  })

  test("tells nodes and relations by the seed's property names, and no vector", async () => {
    await rememberAll()
    const { session_id, nodes, edges } = await drawn()
    expect(session_id).toBe('s')
    expect(nodes[1]).toEqual({
      node: 'EpisodicMemory',
      memory_id: 'z-first',
      timestamp: expect.any(String),
      content: 'the cache is stale',
      event_type: null,
      emotional_valence: null,
      importance_score: null,
    })
    expect(nodes[4]).toMatchObject({ node: 'ProceduralMemory', steps: ['clear it'], usage_count: 1 })
    expect(edges[0]).toEqual({ relation: 'CONTAINS_EPISODIC', from: 's', to: 'z-first', sequence_number: 1 })
    expect(edges[7]).toMatchObject({ relation: 'DERIVES_FROM', confidence: 0.5 })
  })

  test('is the same, byte for byte, each time it is asked for, and when it was taken in elsewhere', async () => {
    await rememberAll()
    const first = JSON.stringify(await drawn())
    expect(JSON.stringify(await drawn())).toBe(first)
    await machine.run('memory_export', { file: '/graph.jsonl' })
    const elsewhere = new RememberingMachine()
    elsewhere.files.write('/graph.jsonl', machine.files.text('/graph.jsonl'))
    await elsewhere.run('memory_import', { file: '/graph.jsonl' })
    expect(JSON.stringify(await elsewhere.run('memory_graph', { session: 's', format: 'json' }))).toBe(first)
  })

  test('keeps each use of a procedure, and the procedure once', async () => {
    await machine.remember('procedural', { memory_id: 'how', procedure_name: 'clear' })
    for (const success of [true, false]) await machine.run('memory_used', { procedure: 'how', session: 's', success })
    const graph = await drawn()
    expect(ids(graph)).toEqual(['s', 'how'])
    expect(new Set(graph.edges.map(({ success }) => success))).toEqual(new Set([true, false]))
  })

  test('tells activation as it is now, and nothing of working memory that is over', async () => {
    const working = { session: 's', content: 'x' }
    await machine.remember('working', { ...working, memory_id: 'short', ttl_seconds: 60 })
    await machine.remember('working', { ...working, memory_id: 'long', ttl_seconds: 86_400 })
    machine.clock.advance(3_600_000)
    const graph = await drawn()
    expect(ids(graph)).toEqual(['s', 'long'])
    expect(graph.edges).toMatchObject([{ relation: 'CONTAINS_WORKING', activation_level: 0.5 }])
  })

  test('holds nothing that only another session leads to, whatever links it with what is shown', async () => {
    await rememberAll()
    const session = 'other'
    await machine.begin(session)
    await machine.remember('episodic', { session, memory_id: 'event-2', content: 'stale too' })
    await machine.remember('working', { session, memory_id: 'thought-2', content: 'stale too' })
    await machine.link('CONTRIBUTES_TO_SEMANTIC', session, 'fact', { contribution_type: 'validated', delta: 'secret' })
    await machine.run('memory_used', { procedure: 'how', session, success: false, notes: 'secret' })
    await machine.link('DERIVES_FROM', 'fact', 'event-2')
    await machine.link('ACTIVATES', 'thought-2', 'fact')
    await machine.link('RECALLS', 'event-2', 'z-first')
    await machine.link('TRIGGERS', 'plan', 'thought-2', { condition_met: true })
    const answer = JSON.stringify(await drawn())
    expect(answer).toContain('"fact"')
    for (const foreign of ['secret', '"event-2"', '"thought-2"', '"other"']) expect(answer).not.toContain(foreign)
  })

  test('of a session that holds nothing is the session and a sentence', async () => {
    expect(await drawn()).toMatchObject({ nodes: [{ session_id: 's' }], edges: [] })
    const { text } = await machine.run<{ text: string }>('memory_graph', { session: 's' })
    expect(text).toContain('Nothing is kept in this session.')
  })

  test('of an archived session is what stayed of it', async () => {
    await rememberAll()
    await machine.run('session_archive', { id: 's' })
    const graph = await drawn()
    expect(graph.nodes[0]).toMatchObject({ status: 'archived' })
    expect(ids(graph)).toEqual(['s', 'z-first', 'fact', 'how', 'how-2'])
  })

  test('of a session that is not there is session_not_found', async () => {
    await expect(machine.run('memory_graph', { session: 'other' })).rejects.toMatchObject({ code: 'session_not_found' })
  })

  test('in a format that is not there is refused by naming those there are', async () => {
    await expect(machine.run('memory_graph', { session: 's', format: 'svg' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/^format: takes .*mermaid.*json/),
    })
  })

  test('is Mermaid unless another format is asked for', async () => {
    expect(await machine.run('memory_graph', { session: 's' })).toMatchObject({
      session_id: 's',
      format: 'mermaid',
      text: expect.stringMatching(/^flowchart LR\n/),
    })
  })
})

describe('a picture in a file', () => {
  test('is the same as on standard output, and never written over another', async () => {
    const { text } = await machine.run<{ text: string }>('memory_graph', { session: 's' })
    const answer = await machine.run('memory_graph', { session: 's', file: '/picture.mmd' })
    expect(answer).toEqual({ session_id: 's', format: 'mermaid', file: '/picture.mmd', bytes: Buffer.byteLength(text) })
    expect(machine.files.text('/picture.mmd')).toBe(text)
    await expect(machine.run('memory_graph', { session: 's', file: '/picture.mmd' })).rejects.toMatchObject({
      code: 'name_taken',
    })
  })

  test('is not made of a session that is not there', async () => {
    await machine.run('memory_graph', { session: 'other', file: '/picture.mmd' }).catch(() => null)
    expect(machine.files.stat('/picture.mmd')).toBeNull()
  })
})
