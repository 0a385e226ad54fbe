import { beforeEach, describe, expect, test } from 'bun:test'
import { counted } from '../../src/model/counted.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { ANALYZER_VERSION } from '../../src/search/analyzer-version.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeEmbedder } from '../fakes/fake-embedder.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

let machine: FakeMachine

beforeEach(() => {
  stop = new AbortController()
  machine = new FakeMachine()
  machine.files.write(
    `${ROOT}/procedures/a.json`,
    JSON.stringify({ description: 'd', 'when-to-use': 'stale builds', content: 'c', sources: [] }),
  )
})

let stop: AbortController

const run = (...argv: string[]) => runCaptured(argv, machine, stop.signal)

test('index export tells people where the file is and what it holds', async () => {
  const { exit, out, error } = await run('index', 'export', 'when_to_use', 'view.json')
  const bytes = machine.files.stat('/home/dev/view.json')?.bytes
  expect({ exit, out, error }).toEqual({
    exit: 0,
    out: `/home/dev/view.json  when_to_use, 1 document, ${counted(bytes ?? 0, 'byte')}\n`,
    error: '',
  })
})

test.each([
  ['an existing file', ['when_to_use', 'view.json'], 1, /exists already/],
  ['an unknown view', ['content', 'other.json'], 2, /"when_to_use" or "when_to_use_content"/],
  ['no file', ['when_to_use'], 2, /file is missing/],
  ['an empty name', ['when_to_use', ''], 2, /must not be empty/],
])('index export refuses %s', async (_, args, exit, message) => {
  machine.files.write('/home/dev/view.json', 'mine')
  expect(await run('index', 'export', ...args)).toMatchObject({
    exit,
    out: '',
    error: expect.stringMatching(message),
  })
})

test('index stats and status count files that are no experiences apart', async () => {
  machine.files.write(`${ROOT}/procedures/broken.json`, '{')
  machine.files.write(`${ROOT}/procedures/Not a Name.json`, '{}')
  await run('reindex')
  const facts = { generation: 1, documents: 1, invalid: 2, beside: 0 }
  expect(JSON.parse((await run('index', 'stats', '--json')).out)).toMatchObject(facts)
  expect(JSON.parse((await run('status', '--json')).out)).toMatchObject({ experiences: 1, invalid: 2, index: facts })
  expect((await run('index', 'stats')).out).toContain(
    '1 document, 2 invalid files (knowhow reindex names them), 3 terms',
  )
})

test('index stats shows people the index, and the vectors with an embedder', async () => {
  await run('reindex')
  const bytes = machine.files.stat(`${ROOT}/metadata/index/base-00000001.knw`)?.bytes
  const index = [
    'generation  1 (how often the base, the index file on the disk, was written)',
    `size        ${counted(bytes ?? 0, 'byte')}, 1 document, 3 terms`,
    'beside      0 files (files that differ from the base: analysed in memory, taken in at the next rebuild)',
    `analyzer    version ${ANALYZER_VERSION}`,
  ]
  expect((await run('index', 'stats')).out).toBe(`${index.join('\n')}\n`)
  machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  expect((await run('index', 'stats')).out.split('\n').slice(4, -1)).toEqual([
    'vectors     when_to_use: 0 of 1, 1 missing (knowhow reindex supplies them)',
    'vectors     when_to_use_content: 0 of 1, 1 missing (knowhow reindex supplies them)',
    'vectors     0 bytes in 0 packs, embedder fake',
  ])
})

describe('status', () => {
  const OPENAI = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  const lines = async () =>
    (await run('status', '--quiet')).out.split('\n').filter((line) => /^(?:index|vectors)/.test(line))

  test('shows people the index', async () => {
    expect(await lines()).toEqual(['index         none on the disk yet, 1 file analysed by each search'])
    await run('reindex')
    expect(await lines()).toEqual(['index         generation 1, 1 document, 0 files analysed by each search'])
  })

  test('with an embedder tells how many texts wait for it, as index stats does', async () => {
    machine.environment = OPENAI
    const owed = '1 text of when_to_use and 1 text of when_to_use_content without a vector'
    expect((await lines())[1]).toBe(`vectors       ${owed} (knowhow reindex supplies them)`)
    const [status, stats] = [await run('status', '--json'), await run('index', 'stats', '--json')]
    expect(JSON.parse(status.out).index.vectors).toEqual(JSON.parse(stats.out).vectors)
    await run('reindex')
    expect((await lines())[1]).toBe('vectors       of all experiences (embedder fake)')
    machine.embedder = new FakeEmbedder({ key: { model: 'other' } })
    const changed = 'the embedder was changed: searches rank by keywords alone until knowhow reindex'
    expect((await lines())[1]).toBe(`vectors       ${owed} (${changed})`)
    expect((await run('index', 'stats')).out).toContain(`vectors     ${changed}\n`)
    expect(machine.embedder.calls).toEqual([])
  })

  test('and index stats count the experiences that the embedder refuses', async () => {
    machine.environment = OPENAI
    machine.embedder.refusal = () => 'no builds'
    await run('reindex', '--quiet')
    expect((await run('status')).out).toContain('\n1 experience found by no search (knowhow reindex names them)\n')
    expect((await run('index', 'stats')).out).toContain('\npending     1 experience found by no search')
    expect(JSON.parse((await run('index', 'stats', '--json')).out)).toMatchObject({ pending: 1, documents: 1 })
  })
})

describe('reindex with an embedder', () => {
  beforeEach(() => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  })

  test('tells how far it is on stderr', async () => {
    expect(await run('reindex')).toEqual({
      exit: 0,
      out: '1 of 1 experiences indexed; 2 texts embedded, 0 had their vectors\n',
      error: 'knowhow: embedding: 0 of 2 texts\nknowhow: embedding: 2 of 2 texts\n',
    })
  })

  test('names what it refuses with the reason, as a search does, and what can be done', async () => {
    machine.embedder.refusal = () => 'no builds'
    const told = [
      'found by no search: procedures/a.json: no builds',
      '  (change its text, or have it asked again by knowhow reindex, which takes it in without an embedder (EMBEDDING_BACKEND=none))',
      '',
    ].join('\n')
    expect((await run('reindex', '--quiet')).out).toBe(`0 of 1 experiences indexed\n${told}`)
    machine.embedder.refusal = (text) => (text === 'stale' ? null : 'no builds')
    expect((await run('search', 'stale')).out).toContain(told)
  })

  test('that cannot be reached says to run reindex again', async () => {
    machine.embedder.outage = () => 'no vectors; check that the server runs'
    expect(await run('reindex', '--quiet')).toEqual({
      exit: 1,
      out: '',
      error: 'knowhow: no vectors; check that the server runs, then run knowhow reindex again to embed the rest\n',
    })
  })

  test('and Ctrl-C ends with 130 and the same advice', async () => {
    machine.configure({ embedding: { batch_size: 1 } })
    machine.embedder.outage = () => {
      stop.abort()
      return null
    }
    expect(await run('reindex', '--quiet')).toMatchObject({
      exit: 130,
      error: 'knowhow: interrupted while embedding; run knowhow reindex again to embed the rest\n',
    })
  })

  test('fails when what it made ends with it', async () => {
    using _ = machine.lock.acquire(`${ROOT}/metadata/index/lock`)
    expect(await run('reindex')).toMatchObject({
      exit: 1,
      error: expect.stringContaining('not all vectors could be written to metadata/index'),
    })
  })

  test('says that it was the disk when only the vectors had no room', async () => {
    const rename = machine.files.rename.bind(machine.files)
    machine.files.rename = (from, to) => {
      if (machine.embedder.calls.length > 0) throw new MemoryError('disk_full', 'there is no room')
      rename(from, to)
    }
    expect(JSON.parse((await run('reindex', '--json')).out)).toMatchObject({
      error: { code: 'disk_full', message: expect.stringContaining('(there is no room)') },
    })
  })
})
