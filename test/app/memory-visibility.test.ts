/**
 * Who sees what: each way to read the graph, each type of memory, asked in its own session, in another one while the owner
 * goes on or has ended, and in no session. An operation that is added is added here.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { OPERATIONS } from '../../src/app/operation-table.ts'
import { FakeEmbedder } from '../fakes/fake-embedder.ts'
import { RememberingMachine } from '../fakes/remembering.ts'

/** Sessions by what they are to the one that asks, which is `own`. */
const OWNERS = ['own', 'other', 'ended'] as const
type Owner = (typeof OWNERS)[number]
/** `plan` is an intention of its session, `global` one of everybody. */
const KINDS = ['working', 'episodic', 'plan', 'global', 'semantic', 'procedural'] as const
type Kind = (typeof KINDS)[number]

/** Of a session that has ended what is important, and not consolidated, is left; and what is everybody's. */
const LEFT: readonly Kind[] = ['episodic', 'global', 'semantic', 'procedural']
const idOf = (kind: Kind, owner: Owner) => `${kind}-of-${owner}`

const WITH_EMBEDDER = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }

interface Recalled {
  readonly hits: readonly { readonly reasons: readonly string[]; readonly via: readonly unknown[] }[]
}

let machine: RememberingMachine
/** Before knowledge derives from the events. */
let consolidation: unknown

beforeAll(async () => {
  machine = new RememberingMachine()
  machine.environment = WITH_EMBEDDER
  machine.embedder = nearEmbedder()
  await machine.remember('semantic', { memory_id: 'anchor', concept: 'anchor', content: 'anchor' })
  for (const session of OWNERS) {
    await machine.begin(session)
    const id = (kind: Kind) => idOf(kind, session)
    const intended = { session, intention: 'stale cache', due_date: '2020-01-01' }
    await machine.remember('working', { session, memory_id: id('working'), content: 'stale cache' })
    await machine.remember('episodic', {
      session,
      memory_id: id('episodic'),
      content: 'stale cache',
      importance_score: 0.9,
    })
    await machine.remember('prospective', { ...intended, memory_id: id('plan'), scope: 'session' })
    await machine.remember('prospective', { ...intended, memory_id: id('global'), scope: 'global' })
    await machine.remember('semantic', { session, memory_id: id('semantic'), concept: session, content: 'stale cache' })
    await machine.remember('procedural', { memory_id: id('procedural'), procedure_name: 'stale cache' })
    await machine.run('memory_used', { procedure: id('procedural'), session, success: true })
    await machine.link('REFERENCES', id('procedural'), 'anchor')
    await machine.link('ACTIVATES', id('working'), 'anchor', { activation_strength: 1 })
    await machine.link('REFERENCES', id('procedural'), id('semantic'))
    await machine.link('TRIGGERS', id('plan'), id('working'))
    await machine.link('TRIGGERS', id('global'), id('working'))
  }
  // Links by hand may lead from what is one session's to what is another's.
  for (const [from, to] of [
    ['own', 'other'],
    ['other', 'ended'],
    ['own', 'ended'],
  ] as const)
    await machine.link('RECALLS', idOf('episodic', from), idOf('episodic', to), { similarity_score: 1 })
  await machine.run('session_end', { id: 'ended' })
  machine.clock.advance(120_000)
  consolidation = await machine.run<unknown>('memory_consolidate', { older_than: '1m' })
  await machine.link('DERIVES_FROM', 'anchor', idOf('episodic', 'own'), { confidence: 1 })
  await machine.link('DERIVES_FROM', 'anchor', idOf('episodic', 'other'), { confidence: 1 })
  await machine.link('DERIVES_FROM', 'anchor', idOf('episodic', 'ended'), { confidence: 1 })
})

/** Whatever is said means the same. */
function nearEmbedder(): FakeEmbedder {
  const embedder = new FakeEmbedder()
  embedder.embed = async (texts) => texts.map(() => ({ vector: Float32Array.of(1, 0), parts: 1 }))
  return embedder
}

type Asker = 'own' | null
type Seen = Readonly<Record<Kind, string>>

/** By kind in which of these it is seen: of whom it is, for who asks in `own`; `none` for who asks in no session. */
const everybodys = {
  global: 'own other ended none',
  semantic: 'own other ended none',
  procedural: 'own other ended none',
}
const nothing: Seen = { working: '', episodic: '', plan: '', global: '', semantic: '', procedural: '' }
const RECALLED: Seen = { ...everybodys, working: 'own', episodic: 'own', plan: 'own' }
const ALL: Seen = { ...everybodys, working: 'own other none', episodic: 'own other ended none', plan: 'own other none' }

interface Reading {
  readonly way: string
  /** Of the operation that it is a way to use. */
  readonly operation: string
  readonly read: (asker: Asker) => Promise<unknown>
  readonly seen: Seen
}

const inSession = (asker: Asker) => (asker === null ? {} : { session: asker })
const run = (operation: string, input: (asker: Asker) => unknown = () => ({})) => ({
  operation,
  read: (asker: Asker) => machine.run<unknown>(operation, input(asker)),
})
const recall = (query: string, environment: Record<string, string>) => ({
  operation: 'memory_recall',
  read: (asker: Asker) => {
    machine.environment = environment
    return machine.run<Recalled>('memory_recall', { query, limit: 50, ...inSession(asker) })
  },
})

const READINGS: readonly Reading[] = [
  { way: 'recall by words', ...recall('stale', {}), seen: RECALLED },
  // No text has the word.
  { way: 'recall by meaning', ...recall('zzz', WITH_EMBEDDER), seen: RECALLED },
  {
    way: 'recall by links',
    ...recall('anchor', {}),
    // Behind one link events, thoughts and procedures, behind two the rest. What is hidden leads nowhere.
    seen: {
      working: 'own',
      episodic: 'own',
      plan: 'own',
      global: 'own',
      semantic: 'own other ended none',
      procedural: 'own other ended none',
    },
  },
  {
    way: 'session show',
    operation: 'session_show',
    read: async (asker) => (asker === null ? null : machine.run<unknown>('session_show', { id: asker })),
    seen: { working: 'own', episodic: 'own', plan: 'own', global: 'own', semantic: 'own', procedural: 'own' },
  },
  {
    way: 'graph',
    operation: 'memory_graph',
    // Every format is drawn from this one.
    read: async (asker) =>
      asker === null ? null : machine.run<unknown>('memory_graph', { session: asker, format: 'json' }),
    seen: { working: 'own', episodic: 'own', plan: 'own', global: 'own', semantic: 'own', procedural: 'own' },
  },
  { way: 'session list', ...run('session_list'), seen: nothing },
  {
    way: 'due',
    ...run('memory_due', inSession),
    seen: { ...nothing, plan: 'own', global: 'own other ended none' },
  },
  {
    way: 'history',
    operation: 'memory_history',
    read: () => Promise.all(OWNERS.map((concept) => machine.run<unknown>('memory_history', { concept }))),
    seen: { ...nothing, semantic: 'own other ended none' },
  },
  { way: 'stats', ...run('memory_stats'), seen: nothing },
  { way: 'status', ...run('status'), seen: nothing },
  { way: 'validate', ...run('memory_validate'), seen: nothing },
  {
    way: 'consolidate',
    operation: 'memory_consolidate',
    read: async () => consolidation,
    // By the operator, over all sessions.
    seen: { ...nothing, episodic: 'own other ended none' },
  },
  // The operator's copy of all there is.
  { way: 'export', ...run('memory_export'), seen: ALL },
]

/** Asks the engine of another process what is there, over all sessions: see cypher-projection.test.ts. */
const PROJECTED = ['memory_cypher']

test('each operation of the graph is one that writes, or stands in the table', () => {
  const ofGraph = OPERATIONS.filter(({ name }) => /^(memory|session)_/.test(name))
  // Those that write tell of what they wrote themselves.
  const reading = ofGraph.filter(({ writes }) => !writes).map(({ name }) => name)
  const told = new Set([...PROJECTED, ...READINGS.map(({ operation }) => operation)])
  expect(reading.filter((name) => !told.has(name))).toEqual([])
})

describe.each(READINGS)('$way', ({ read, seen }) => {
  const isSeen = (text: string, kind: Kind, owner: Owner) => text.includes(`"${idOf(kind, owner)}"`)

  test.each(KINDS)('shows of %s what the session that asks may see, and nothing else', async (kind) => {
    const text = JSON.stringify(await read('own'))
    const expected = seen[kind].split(' ').filter((owner) => owner !== 'none' && owner !== '')
    expect(OWNERS.filter((owner) => isSeen(text, kind, owner))).toEqual(expected as Owner[])
  })

  test.each(KINDS)('shows of %s without a session what is everybody’s', async (kind) => {
    const text = JSON.stringify(await read(null))
    const living = OWNERS.filter((owner) => owner !== 'ended' || LEFT.includes(kind))
    const expected = seen[kind].includes('none') ? living : []
    expect(OWNERS.filter((owner) => isSeen(text, kind, owner))).toEqual(expected)
  })
})

test('recall finds by words, by meaning, and by one and two links', async () => {
  const reasonsOf = async ({ read }: ReturnType<typeof recall>) => (await read('own')).hits[0]?.reasons.join()
  expect(await reasonsOf(recall('stale', {}))).toContain('words match')
  expect(await reasonsOf(recall('zzz', WITH_EMBEDDER))).toStartWith('meaning is near')
  const { hits } = await recall('anchor', {}).read('own')
  expect(new Set(hits.map(({ via }) => via.length))).toEqual(new Set([0, 1, 2]))
})
