/** The vectors of memories: made once for a text, supplied where they are missing, never mixed, and gone with their session. */
import { beforeEach, describe, expect, test } from 'bun:test'
import type { Machine } from '../../src/app/machine.ts'
import { OpenedWorkspace } from '../../src/app/opened-workspace.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { DatabaseMode } from '../../src/ports.ts'
import { runIn } from '../fakes/disk-machine.ts'
import { FakeEmbedder } from '../fakes/fake-embedder.ts'
import { ROOT } from '../fakes/fake-machine.ts'
import { RememberingMachine } from '../fakes/remembering.ts'

interface Stored {
  readonly table: string
  readonly memory_id: string
  readonly embedding: { readonly model: string; readonly dimension: number } | null
}
interface Answer {
  readonly mode: string
  readonly hits: readonly { readonly memory: { readonly memory_id: string }; readonly reasons: readonly string[] }[]
}

let machine: RememberingMachine

beforeEach(async () => {
  machine = new RememberingMachine()
  machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  await machine.begin('s')
})

/** A server's other model, or another width of the same. */
function change(model: string, dimensions: number | null = null): FakeEmbedder {
  machine.embedder = new FakeEmbedder({ key: { model, dimensions } })
  return machine.embedder
}

const event = (memory_id: string, content: string, session = 's') =>
  machine.remember('episodic', { session, memory_id, content })
const reindex = (say?: (notice: string) => void) => machine.run<{ embedded: number }>('procedure_reindex', {}, say)
const recall = (query: string, session = 's') => machine.run<Answer>('memory_recall', { query, session })

async function stored(): Promise<ReadonlyMap<string, Stored['embedding']>> {
  const { records } = await machine.run<{ records: readonly Stored[] }>('memory_export', {})
  const memories = records.filter(({ memory_id }) => memory_id !== undefined)
  return new Map(memories.map(({ memory_id, embedding }) => [memory_id, embedding ?? null]))
}

/** Names of the packs of vectors. */
function packs(): readonly string[] {
  return (machine.files.names(`${ROOT}/metadata/index`) ?? []).filter((name) => name.startsWith('vectors-'))
}

test('equal texts are embedded once, in whichever process and whatever has them', async () => {
  await event('one', 'stale cache')
  await event('two', 'stale cache')
  await machine.remember('working', { session: 's', memory_id: 'three', content: 'stale cache' })
  expect(machine.embedder.texts).toEqual(['stale cache'])
  expect([...(await stored()).values()].map((embedding) => embedding?.dimension)).toEqual([64, 64, 64])
})

describe('reindex', () => {
  test('supplies what was remembered while the server was away, and asks for no text twice', async () => {
    machine.embedder.outage = () => 'the server is away'
    await event('one', 'stale cache')
    machine.embedder.outage = () => null
    await event('two', 'red light')
    machine.embedder.calls.length = 0
    expect((await reindex()).embedded).toBe(1)
    expect(machine.embedder.texts.filter((text) => text.includes(' '))).toEqual(['stale cache'])
    expect((await stored()).get('one')).toMatchObject({ model: 'fake:words', dimension: 64 })
    expect((await reindex()).embedded).toBe(0)
    expect(machine.embedder.texts.filter((text) => text.includes(' '))).toEqual(['stale cache'])
  })

  test('supplies procedures, and reminders that nobody embedded', async () => {
    const experience = { description: 'd', 'when-to-use': 'w', content: 'c', sources: [] }
    machine.files.write(`${ROOT}/procedures/how.json`, JSON.stringify(experience))
    await machine.remember('prospective', { memory_id: 'plan', intention: 'ask again', trigger_condition: 'rain' })
    await machine.run('memory_trigger', { session: 's', event: 'rain' })
    await reindex()
    expect([...(await stored()).values()]).not.toContain(null)
  })

  test('keeps the vectors that memories still have, and drops those of none', async () => {
    await event('one', 'stale cache')
    await recall('stale')
    await reindex()
    machine.embedder.calls.length = 0
    await event('again', 'stale cache')
    expect(machine.embedder.texts).toEqual([])
  })

  test('embeds all anew for another embedder, and then recalls by its vectors alone', async () => {
    await event('one', 'stale cache')
    await recall('cache')
    const other = change('other')
    expect(await recall('cache')).toMatchObject({ mode: 'keyword' })
    await reindex()
    expect(other.texts).toContain('stale cache')
    expect((await stored()).get('one')).toMatchObject({ model: 'fake:other' })
    expect(await recall('cache')).toMatchObject({ mode: 'hybrid' })
  })

  test('embeds all anew for another width of the same model', async () => {
    await event('one', 'stale cache')
    await recall('cache')
    change('words', 32)
    await reindex()
    expect((await stored()).get('one')).toMatchObject({ model: 'fake:words', dimension: 32 })
    const { mode, hits } = await recall('cache')
    expect(mode).toBe('hybrid')
    expect(hits[0]?.reasons.join()).toContain('meaning is near')
  })

  test('asks again for what was refused', async () => {
    machine.embedder.refusal = () => 'too odd'
    await event('one', 'stale cache')
    machine.embedder.refusal = () => null
    await reindex()
    expect((await stored()).get('one')).toMatchObject({ model: 'fake:words' })
  })

  test('leaves a graph that cannot be read as it is, and says so', async () => {
    Object.assign(machine, {
      loadDatabase: async () => () => {
        throw new MemoryError('memory_corrupt', 'memory.db is damaged')
      },
    })
    const told: string[] = []
    expect(await reindex((notice) => told.push(notice))).toMatchObject({ embedded: 0 })
    expect(told.join()).toContain('memories are left out')
  })

  test('says what is owed when the server is away, and keeps what came', async () => {
    machine.embedder.outage = () => 'the server is away'
    await event('one', 'stale cache')
    await expect(reindex()).rejects.toMatchObject({ code: 'embedder_unavailable' })
    expect((await stored()).get('one')).toBeNull()
  })
})

describe('another embedder before a reindex', () => {
  test('compares its vectors with none of the former one', async () => {
    await event('one', 'stale cache')
    change('other')
    await event('two', 'fresh start')
    expect(await recall('stale cache')).toMatchObject({ mode: 'keyword', hits: [{ memory: { memory_id: 'one' } }] })
  })

  test('that gives another width takes no vector of the former width for its own', async () => {
    await event('one', 'stale cache')
    change('words', 32)
    const { hits } = await recall('stale cache')
    expect(hits.map(({ memory }) => memory.memory_id)).toEqual(['one'])
    await reindex()
    expect([...(await stored()).values()].map((embedding) => embedding?.dimension)).toEqual([32])
  })
})

describe('a session that ends', () => {
  test.each(['session_end', 'session_archive'])('by %s takes the vectors of its texts with it', async (ending) => {
    await machine.begin('other')
    await machine.remember('working', { session: 's', memory_id: 'own', content: 'secret plan' })
    await machine.remember('working', { session: 'other', memory_id: 'theirs', content: 'stale cache' })
    await recall('plan')
    const before = packs()
    await machine.run(ending, { id: 's' })
    expect(packs()).not.toEqual(before)
    machine.embedder.calls.length = 0
    await machine.remember('working', { session: 'other', memory_id: 'same', content: 'stale cache' })
    expect(machine.embedder.texts).toEqual([])
    await machine.remember('working', { session: 'other', memory_id: 'new', content: 'secret plan' })
    expect(machine.embedder.texts).toEqual(['secret plan'])
  })

  test('that is stopped while its vectors go has not ended', async () => {
    await machine.remember('working', { session: 's', memory_id: 'own', content: 'secret plan' })
    machine.watcher = ({ name, path }) => {
      if (name === 'remove' && path.includes('/vectors-')) throw new Error('killed')
    }
    await expect(machine.run('session_end', { id: 's' })).rejects.toThrow('killed')
    machine.watcher = null
    expect(await machine.show('s')).toMatchObject({ status: 'active', working: [{ memory_id: 'own' }] })
    await machine.run('session_end', { id: 's' })
    expect(packs()).toEqual([])
  })

  test('says so where they cannot be taken, and reindex takes them', async () => {
    await machine.remember('working', { session: 's', content: 'secret plan' })
    const told: string[] = []
    {
      using _ = machine.lock.acquire(`${ROOT}/metadata/index/lock`)
      await machine.run('session_end', { id: 's' }, (notice) => told.push(notice))
    }
    expect(told).toEqual([
      'vectors of what was destroyed stay in metadata/index until knowhow reindex: another process is writing there',
    ])
    expect(packs()).toHaveLength(1)
    await reindex()
    expect(packs()).toEqual([])
  })

  test('leaves the vectors of what outlives it', async () => {
    await machine.remember('episodic', { session: 's', content: 'kept', importance_score: 0.9 })
    await machine.remember('semantic', { session: 's', concept: 'c', content: 'known' })
    await machine.run('session_end', { id: 's' })
    await machine.begin('other')
    machine.embedder.calls.length = 0
    await event('again', 'kept', 'other')
    expect(machine.embedder.texts).toEqual([])
  })

  test('takes them also when they are of a former embedder', async () => {
    await machine.remember('working', { session: 's', content: 'secret plan' })
    const former = machine.embedder
    change('other')
    await machine.run('session_end', { id: 's' })
    machine.embedder = former
    former.calls.length = 0
    await machine.begin('other')
    await machine.remember('working', { session: 'other', content: 'secret plan' })
    expect(former.texts).toEqual(['secret plan'])
  })
})

test('a process that stays goes through many concepts one by one no more than once, and finds the same', async () => {
  machine.environment = { EMBEDDING_BACKEND: 'builtin' }
  machine.hasBuiltinEmbedder = true
  machine.embedder = Object.assign(new FakeEmbedder({ key: { backend: 'builtin' } }), { isInProcess: true })
  const concepts = Array.from({ length: 1_100 }, (_, n) => ({
    memory_type: 'semantic',
    memory_id: `f${n}`,
    concept: `number ${n}`,
    content: n % 500 === 7 ? 'the mirror is stale' : 'the gateway is slow',
    last_updated: '2026-01-01',
  }))
  machine.files.write('/old.jsonl', concepts.map((concept) => JSON.stringify(concept)).join('\n'))
  await machine.run('memory_migrate', { file: '/old.jsonl' })
  await reindex()
  let looks = 0
  const loadDatabase = async () => {
    const openDatabase = await machine.loadDatabase()
    return (path: string, mode: DatabaseMode) => {
      const database = openDatabase(path, mode)
      if (database === null) return null
      const all = database.all.bind(database)
      return Object.assign(database, {
        all: (...[sql, parameters]: Parameters<typeof all>) => {
          if (sql.endsWith(`JOIN "SemanticMemory" USING (memory_id) WHERE label = 'SemanticMemory'`)) looks += 1
          return all(sql, parameters)
        },
      })
    }
  }
  const watched: Machine = Object.create(machine, { loadDatabase: { value: loadDatabase } })
  using workspace = new OpenedWorkspace(watched, { root: ROOT, configPath: null, command: 'test' })
  for (const memory_id of ['one', 'two', 'three'])
    await runIn(workspace, 'memory_remember', { kind: 'working', session: 's', memory_id, content: 'a stale mirror' })
  expect(looks).toBe(1)
  const { records } = await machine.run<{ records: readonly Record<string, string>[] }>('memory_export', {})
  const activated = records.filter(({ relation }) => relation === 'ACTIVATES')
  expect(activated.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(
    ['one', 'three', 'two'].flatMap((from) => ['f1007', 'f507', 'f7'].map((to) => `${from} ${to}`)),
  )
})
