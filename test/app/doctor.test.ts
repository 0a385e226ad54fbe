import { beforeEach, describe, expect, test } from 'bun:test'
import type { Check } from '../../src/app/doctor/check.ts'
import type { Examination } from '../../src/app/doctor/examination.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { PlannedAgent } from '../fakes/planned-agent.ts'
import { callTool, say } from '../fakes/scripted-chat.ts'

const OPENAI = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
const NAMES = [
  ...['workspace', 'folders', 'file_system', 'lock', 'logs', 'imports', 'writes', 'originals', 'experiences', 'index'],
  'memory',
  ...['tokenizer', 'embedder', 'model', 'certificates', 'cypher', 'clock'],
]
const LOGS = `${ROOT}/metadata/procedure/default`

let machine: FakeMachine

beforeEach(async () => {
  machine = new FakeMachine()
  machine.files.write('/logs/run.log', 'one line\n'.repeat(20))
  machine.environment = { LLM_MODEL_NAME: 'planned' }
  machine.chat = new PlannedAgent([[{ action: 'created', name: 'alpha', key: 'a', text: 'First way.' }]])
  await importRun()
  machine.chat = new PlannedAgent([])
})

const importRun = (id = 'run-1') => machine.run('procedure_import', { files: ['/logs/run.log'], request_id: id })
const examine = () => machine.run<Examination>('doctor', {})

async function listedError(id: string): Promise<unknown> {
  const { imports } = await machine.run<{ imports: { request_id: string; error: unknown }[] }>('procedure_imports', {})
  return imports.find(({ request_id }) => request_id === id)?.error
}

async function faults(): Promise<readonly Check[]> {
  const { ok, checks } = await examine()
  const found = checks.filter((check) => !check.ok)
  expect(ok).toBe(found.length === 0)
  for (const { fix } of found) expect(fix).toMatch(/\w/)
  return found
}

test('of a healthy workspace every check is fine, and nothing is changed', async () => {
  const texts = () => machine.files.tree().map((path) => [path, path.endsWith('/') || machine.files.text(path)])
  const before = texts()
  const { ok, checks } = await examine()
  expect(checks.map(({ name }) => name)).toEqual(NAMES)
  expect(checks.filter((check) => !check.ok)).toEqual([])
  expect(ok).toBe(true)
  expect(texts()).toEqual(before)
})

test('a workspace that is not there yet is fine, and is not made', async () => {
  machine = new FakeMachine()
  const { ok, checks } = await examine()
  expect(ok).toBe(true)
  expect(checks[0]?.detail).toContain('does not exist yet')
  expect(machine.files.tree()).toEqual([])
})

describe('it finds', () => {
  test('a damaged log, by file and line', async () => {
    const log = `${LOGS}/imports/run-1.jsonl`
    machine.files.write(log, machine.files.text(log).replace('"copied"', '"copies"'))
    expect(await faults()).toMatchObject([
      { name: 'logs', detail: expect.stringMatching(/imports\/run-1.jsonl.* line 2/) },
    ])
  })

  test('a folder of logs that cannot be read, and goes on', async () => {
    machine.watcher = ({ name, path }) => {
      if (name === 'list' && path.endsWith('/imports')) throw new MemoryError('permission_denied', 'it may not be read')
    }
    expect((await faults()).map(({ name }) => name)).toEqual(['logs', 'originals', 'clock'])
  })

  test('an original that was changed, and one that is gone', async () => {
    const copy = `${ROOT}/session/trajectories/run.log`
    machine.files.write(copy, 'another text')
    expect(await faults()).toMatchObject([
      { name: 'originals', detail: expect.stringContaining('run.log has the checksum') },
    ])
    machine.files.remove(copy)
    expect(await faults()).toMatchObject([{ name: 'originals', detail: expect.stringContaining('run.log is gone') }])
  })

  test('a file that is no experience', async () => {
    machine.files.write(`${ROOT}/procedures/broken.json`, '{')
    expect(await faults()).toMatchObject([{ name: 'experiences', detail: expect.stringContaining('broken.json') }])
  })

  test('what no view takes, and how to go on', async () => {
    machine.environment = { ...OPENAI }
    machine.script(
      callTool('procedure_create', {
        filename: 'bad.json',
        description: 'd',
        'when-to-use': 'poison',
        content: 'c',
        operation_key: 'k',
      }),
      say('done'),
    )
    machine.embedder.refusal = (text) => (text.includes('poison') ? 'it is poison' : null)
    await importRun('run-2')
    machine.chat = new PlannedAgent([])
    const found = await faults()
    expect(found.map(({ name }) => name)).toEqual(['index'])
    expect(found[0]?.detail).toContain('procedures/bad.json')
    const imports = (await examine()).checks.find(({ name }) => name === 'imports')
    expect(imports?.detail).toContain('run-2 (index_pending); knowhow imports says how each goes on')
    expect(await listedError('run-2')).toMatchObject({ code: 'index_pending' })
    // A hand has corrected it: neither says what is no longer true.
    const bad = `${ROOT}/procedures/bad.json`
    machine.files.write(bad, machine.files.text(bad).replace('poison', 'honey'))
    expect(await faults()).toEqual([])
    expect(await listedError('run-2')).toBeNull()
  })

  for (const [how, damage] of [
    ['cut', (bytes: Uint8Array) => bytes.slice(0, 300)],
    ['changed at one place', (bytes: Uint8Array) => bytes.map((byte, at) => (at === 200 ? byte ^ 1 : byte))],
  ] as const)
    test(`an index that is ${how}, and leaves it so`, async () => {
      await machine.run('procedure_reindex', {})
      const base = machine.files.tree().find((path) => /\/base-\d+\.knw$/.test(path)) ?? ''
      const bytes = damage(machine.files.read(base) ?? new Uint8Array())
      machine.files.write(base, bytes)
      const before = machine.files.tree()
      expect(await faults()).toMatchObject([
        { name: 'index', detail: expect.stringContaining('damaged: metadata/index/') },
      ])
      expect(machine.files.tree()).toEqual(before)
      expect(machine.files.read(base)).toEqual(bytes)
      await machine.run('procedure_reindex', {})
      expect(await faults()).toEqual([])
    })

  for (const kind of ['imports', 'processing', 'operations'])
    for (const how of ['gone', 'empty'])
      test(`a log of ${kind} that is ${how}, of an import that others tell of`, async () => {
        const log = `${LOGS}/${kind}/run-1.jsonl`
        if (how === 'gone') machine.files.remove(log)
        else machine.files.write(log, '')
        expect(await faults()).toMatchObject([
          { name: 'logs', detail: expect.stringContaining(`${kind}/run-1.jsonl: it is gone`) },
        ])
      })

  test('no base of so few files, and promises none of the next search', async () => {
    await machine.run('procedure_search', { query: 'first way' })
    const index = (await examine()).checks.find(({ name }) => name === 'index')
    expect(index).toMatchObject({
      ok: true,
      detail: 'none on the disk yet, which a search writes once there are many files, 1 file beside it',
    })
  })

  test('damaged vectors', async () => {
    machine.environment = { ...OPENAI }
    await machine.run('procedure_reindex', {})
    expect(await faults()).toEqual([])
    const pack = machine.files.tree().find((path) => /\/vectors-.*\.knw$/.test(path)) ?? ''
    const bytes = machine.files.read(pack) ?? new Uint8Array()
    machine.files.write(pack, bytes.with(bytes.length - 200, (bytes.at(-200) ?? 0) ^ 1))
    expect(await faults()).toMatchObject([
      { name: 'index', detail: expect.stringContaining('damaged: metadata/index/vec') },
    ])
  })

  test('a write that was begun and not ended, which the next writer finishes', async () => {
    machine.watcher = ({ name, path }) => {
      if (name === 'link' && path.includes('/procedures/')) throw new Error('killed')
    }
    machine.chat = new PlannedAgent([[{ action: 'created', name: 'beta', key: 'b', text: 'Second way.' }]])
    await expect(importRun('run-2')).rejects.toThrow('killed')
    machine.watcher = null
    const { ok, checks } = await examine()
    expect(ok).toBe(true)
    expect(checks.find(({ name }) => name === 'writes')?.detail).toMatch(
      /begun and not ended: procedures\/beta\.json; the next import or knowhow reindex finishes/,
    )
  })

  test('a disk that cannot be written, and one that is nearly full', async () => {
    machine.volume = { freeBytes: 10 * 2 ** 20, network: null }
    expect(await faults()).toMatchObject([{ name: 'file_system', detail: expect.stringContaining('10 MiB free') }])
    machine.watcher = ({ name }) => {
      if (name === 'create') throw new MemoryError('read_only', 'the file system is read-only')
    }
    expect((await faults()).map(({ name }) => name)).toEqual(['file_system'])
  })

  test('a folder in which nothing can be written, each by its name', async () => {
    machine.files.mayWrite = (folder) => !/\/(procedures|operations)$/.test(folder)
    const [found, ...others] = await faults()
    expect(found).toMatchObject({ name: 'file_system', detail: expect.stringMatching(/operations; .*procedures$/) })
    expect(others).toEqual([])
  })

  test('a lock that cannot be taken, and says who may have it', async () => {
    const path = `${ROOT}/metadata/lock`
    const detail = async () => (await examine()).checks.find(({ name }) => name === 'lock')?.detail
    machine.files.write(path, '')
    machine.files.write(`${path}.json`, '{"pid":42,"command":"import"}')
    expect(await detail()).toBe('nobody is known to write')
    machine.running.add(42)
    expect(await detail()).toBe('process 42 (knowhow import) may be writing')
    machine.files.mayWrite = (asked) => asked !== path
    expect(await faults()).toMatchObject([{ name: 'lock', detail: expect.stringContaining('cannot be written') }])
    machine.files.write(path, 'garbage')
    expect(await faults()).toMatchObject([{ name: 'lock', detail: expect.stringContaining('is not a lock') }])
    machine.files.remove(path)
    machine.files.makeFolder(path)
    expect(await faults()).toMatchObject([{ name: 'lock', detail: expect.stringContaining('no ordinary file') }])
  })

  test.each([
    ['metadata/procedure', 'no folder'],
    ['metadata/index', 'a symbolic link'],
    ['metadata/lock.json', 'no ordinary file'],
    ['metadata/index/lock', 'no ordinary file'],
  ])('%s that is %s', async (path, what) => {
    const place = `${ROOT}/${path}`
    for (const found of machine.files.tree().toReversed())
      if (found === place || found.startsWith(`${place}/`))
        machine.files[found.endsWith('/') ? 'removeFolder' : 'remove'](found.replace(/\/$/, ''))
    if (what === 'no folder') machine.files.write(place, '')
    else if (what === 'no ordinary file') machine.files.makeFolder(place)
    else machine.files.linkTo(place, '/logs')
    expect((await faults()).find(({ name }) => name === 'folders')?.detail).toBe(`${path} is ${what}`)
  })

  test('a journal that lacks what a checkpoint has counted, also of an import that goes on', async () => {
    machine.configure({ token_limits: { segment: 30 } })
    machine.files.write('/logs/run.log', 'one line\n'.repeat(40))
    const writes = [{ action: 'created', name: 'gamma', key: 'g', text: 'A way.' }] as const
    machine.chat = new PlannedAgent([writes, []])
    const ask = machine.chat.reply.bind(machine.chat)
    let asked = 0
    machine.chat.reply = (...args) => {
      asked += 1
      if (asked > 2) throw new MemoryError('llm_unavailable', 'it is away')
      return ask(...args)
    }
    await importRun('run-2')
    const journal = `${LOGS}/operations/run-2.jsonl`
    const text = machine.files.text(journal)
    machine.files.write(journal, `${text.split('\n')[0]}\n`)
    machine.chat = new PlannedAgent([writes, []])
    expect(await faults()).toMatchObject([{ name: 'logs', detail: expect.stringContaining('lacks its end') }])
    machine.files.remove(journal)
    expect(await faults()).toMatchObject([{ name: 'logs', detail: expect.stringContaining('run-2.jsonl: it is gone') }])
    await expect(importRun('run-2')).rejects.toMatchObject({ code: 'log_corrupt' })
    machine.files.write(journal, text)
    const cut = `${LOGS}/processing/run-2.jsonl`
    const records = machine.files.text(cut)
    machine.files.remove(cut)
    await expect(importRun('run-2')).rejects.toMatchObject({ code: 'log_corrupt' })
    machine.files.write(cut, records)
    expect(await importRun('run-2')).toMatchObject({ status: 'complete' })
  })

  test('half a record at the end of a log, which is no fault', async () => {
    const log = `${LOGS}/operations/run-1.jsonl`
    machine.files.write(log, `${machine.files.text(log)}{"kind":"in`)
    const { ok, checks } = await examine()
    expect(ok).toBe(true)
    expect(checks.find(({ name }) => name === 'logs')?.detail).toMatch(
      /^3 logs; half a record at the end of .*operations\/run-1\.jsonl.* takes it off/,
    )
    expect(machine.files.text(log)).toEndWith('{"kind":"in')
    machine.files.write(`${LOGS}/processing/run-1.jsonl`, 'no log\n')
    expect(await faults()).toMatchObject([
      {
        name: 'logs',
        detail: expect.stringMatching(/cannot be read or lack something: .*; half a record at the end of/),
      },
    ])
  })

  test('experiences that imports wrote and that are gone: a fault when their folder is', async () => {
    const detail = async () => (await examine()).checks.find(({ name }) => name === 'experiences')?.detail
    machine.files.write(`${ROOT}/procedures/mine.json`, machine.files.text(`${ROOT}/procedures/alpha.json`))
    machine.files.remove(`${ROOT}/procedures/alpha.json`)
    expect(await detail()).toBe('1 experience; of those that imports wrote 1 is gone: procedures/alpha.json')
    machine.files.remove(`${ROOT}/procedures/mine.json`)
    expect(await faults()).toEqual([])
    machine.files.removeFolder(`${ROOT}/procedures`)
    expect(await faults()).toMatchObject([{ name: 'experiences', detail: expect.stringContaining('alpha.json') }])
  })

  test('experiences and originals in folders that are no longer the configured ones', async () => {
    machine.configure({ procedure_dir: 'elsewhere', session_dir: 'runs' })
    expect(await faults()).toMatchObject([{ name: 'experiences', detail: expect.stringContaining('into procedures') }])
    machine.files.write(`${ROOT}/session/trajectories/run.log`, 'spoilt')
    expect((await faults()).map(({ name }) => name)).toEqual(['originals', 'experiences'])
  })

  test('logs that contradict each other, as after a restore of one of them', async () => {
    const log = `${LOGS}/processing/run-1.jsonl`
    machine.files.write(log, `${machine.files.text(log).split('\n')[0]}\n`)
    expect(await faults()).toMatchObject([
      { name: 'logs', detail: expect.stringContaining('processing/run-1.jsonl: it lacks its end') },
    ])
    expect(await machine.run('procedure_imports', {})).toMatchObject({
      damaged: [{ path: expect.stringContaining('run-1') }],
    })
  })

  test('originals of which no log tells', async () => {
    for (const path of machine.files.tree())
      if (path.startsWith(`${LOGS}/`) && path.endsWith('.jsonl')) machine.files.remove(path)
    expect(await faults()).toMatchObject([{ name: 'originals', detail: expect.stringContaining('run.log') }])
  })

  test('a tokenizer, an embedder and a model that cannot be had', async () => {
    machine.environment = { LLM_MODEL_NAME: 'm', ...OPENAI }
    machine.tokenizer = {
      ...machine.tokenizer,
      count: () => {
        throw new MemoryError('tokenizer_unavailable', 'there is no such tokenizer')
      },
    }
    machine.embedder.outage = () => 'the embedder is away'
    machine.chat = {
      model: 'm',
      reply: async () => {
        throw new MemoryError('llm_unavailable', 'the key is refused')
      },
    }
    expect(await faults()).toMatchObject([
      { name: 'tokenizer', detail: 'there is no such tokenizer' },
      { name: 'embedder', detail: 'the embedder is away' },
      { name: 'model', detail: 'the key is refused' },
    ])
  })

  test('an engine of Cypher that cannot be loaded; that none is built in is no fault', async () => {
    machine.openCypherEngine = async () => {
      throw new MemoryError('engine_unavailable', 'libssl.so.3 is not there')
    }
    expect(await faults()).toMatchObject([{ name: 'cypher', detail: expect.stringContaining('libssl.so.3') }])
  })

  test('settings of servers that cannot be used', async () => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', LLM_MODEL_NAME: 'm', LLM_BASE_URL: 'nowhere' }
    expect((await faults()).map(({ name }) => name)).toEqual(['embedder', 'model'])
  })

  test('missing certificates', async () => {
    machine.certificates = { builtIn: 100, ofSystem: 0, missingFiles: [] }
    expect(await faults()).toEqual([])
    const missing = { variable: 'SSL_CERT_FILE', path: '/none.pem' }
    machine.certificates = { builtIn: 100, ofSystem: 100, missingFiles: [missing] }
    expect(await faults()).toMatchObject([{ name: 'certificates', detail: expect.stringContaining('/none.pem') }])
  })

  test('a clock that is behind what imports have recorded', async () => {
    machine.clock.advance(-3_600_000)
    expect(await faults()).toMatchObject([{ name: 'clock' }])
  })
})

describe('the memory graph', () => {
  test('that cannot be read is a fault, and says what to do', async () => {
    const damaged = async () => () => {
      throw new MemoryError('memory_corrupt', 'memory.db is damaged')
    }
    Object.assign(machine, { loadDatabase: damaged })
    expect(await faults()).toEqual([
      { name: 'memory', ok: false, detail: 'memory.db is damaged', fix: expect.stringContaining('from a backup') },
    ])
    const { memory, damaged: named } = await machine.run<{ memory: unknown; damaged: unknown }>('status', {})
    expect({ memory, named }).toEqual({
      memory: null,
      named: [{ path: 'memory/memory.db', error: 'memory.db is damaged' }],
    })
  })

  test('that holds what its schema forbids is a fault', async () => {
    const open = await machine.loadDatabase()
    open(`${ROOT}/memory/memory.db`, 'write')?.run('DELETE FROM "CONTAINS_EPISODIC"')
    expect(await faults()).toMatchObject([{ name: 'memory', detail: expect.stringContaining('it lies in no session') }])
  })

  test('is whole on a network too, where readers may have to wait', async () => {
    const detail = async () => (await examine()).checks.find(({ name }) => name === 'memory')?.detail
    expect(await detail()).toBe('the memory graph is whole')
    machine.volume = { freeBytes: 10 ** 10, network: 'NFS' }
    expect(await detail()).toMatch(/whole; on NFS .*readers may have to wait/)
  })

  test('is counted by status as a reader sees it', async () => {
    expect(await machine.run<object>('status', {})).toMatchObject({
      memory: { sessions: 1, episodic: 1, semantic: 0, procedural: 1, prospective: 0, working: 0 },
    })
  })
})

test('a chat model that only the workspace chooses is sent nothing, and told', async () => {
  machine.environment = { LLM_API_KEY: 'key-of-somebody' }
  machine.configure({ llm: { model: 'theirs' } })
  const neverAsked = () => Promise.reject(new Error('it is asked'))
  machine.chat = { model: 'theirs', reply: neverAsked }
  expect(await faults()).toMatchObject([
    { name: 'model', detail: expect.stringContaining('your logs and key are sent nowhere') },
  ])
})
