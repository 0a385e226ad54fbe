import { beforeEach, expect, spyOn, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { FakeEmbedder } from '../fakes/fake-embedder.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { type ChatStep, callTool, say } from '../fakes/scripted-chat.ts'

const OPENAI = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
const TEXTS = { description: 'Rebuild', 'when-to-use': 'stale results', content: 'rebuild the index' }
const BOTH = ['stale results', 'stale results\n\nrebuild the index']

let machine: FakeMachine
let told: string[]

beforeEach(() => {
  machine = new FakeMachine()
  machine.files.write('/logs/run.log', 'one line\n'.repeat(20))
  told = []
})

/** A run whose model writes one experience, and then ends as it is told to. */
function importRun(...end: readonly ChatStep[]): Promise<ImportResult> {
  const create = callTool('procedure_create', { filename: 'rebuild.json', ...TEXTS, operation_key: 'a' })
  machine.script(create, ...end)
  machine.environment = { ...machine.environment, ...OPENAI }
  return repeated()
}

function repeated(): Promise<ImportResult> {
  const input = { files: ['/logs/run.log'], request_id: 'run-1' }
  return machine.run<ImportResult>('procedure_import', input, (notice) => told.push(notice))
}

const search = (query: string) => machine.run('procedure_search', { query })

test('an import makes the vectors of what it wrote, and says nothing', async () => {
  expect(await importRun(say('done'))).toMatchObject({ status: 'complete' })
  expect(machine.embedder.texts).toEqual(BOTH)
  expect(told).toEqual([])
  await search('stale')
  expect(machine.embedder.texts).toEqual([...BOTH, 'stale'])
})

test('so does one that stays incomplete', async () => {
  const away = () => {
    throw new MemoryError('llm_unavailable', 'the model is away')
  }
  expect(await importRun(away)).toMatchObject({ status: 'incomplete', error: { code: 'llm_unavailable' } })
  expect(machine.embedder.texts).toEqual(BOTH)
})

test('an outage of the embedder is a notice, and its vectors are owed', async () => {
  machine.embedder.outage = () => 'the server is away'
  expect(await importRun(say('done'))).toMatchObject({ status: 'complete' })
  expect(told).toEqual([
    '1 experience has no vector yet and ranks by keywords alone (the server is away); knowhow reindex supplies what is missing',
  ])
  expect(machine.embedder.calls).toMatchObject([{ isUrgent: true, timeLimitMs: 10_000 }])
  machine.embedder.outage = () => null
  expect(await search('stale')).toMatchObject({ mode: 'hybrid', results: [{ vector: { rank: 1 } }] })
})

test('vectors that cannot be written are told', async () => {
  using _ = machine.lock.acquire(`${ROOT}/metadata/index/lock`)
  expect(await importRun(say('done'))).toMatchObject({ status: 'complete' })
  expect(told).toEqual(['the vectors could not be written to metadata/index'])
})

test('no import waits for more than a minute at its end, and no write for more than ten seconds', async () => {
  for (let number = 0; number < 10; number += 1)
    machine.files.write(
      `${ROOT}/procedures/other-${number}.json`,
      JSON.stringify({ ...TEXTS, 'when-to-use': `number ${number}`, sources: [] }),
    )
  machine.configure({ embedding: { batch_size: 1 } })
  machine.embedder.outage = () => {
    machine.clock.advance(9_000)
    return null
  }
  expect(await importRun(say('done'))).toMatchObject({ status: 'complete' })
  expect(machine.embedder.calls.map(({ timeLimitMs }) => timeLimitMs)).toEqual([
    ...[10_000, 1_000],
    ...[60_000, 51_000, 42_000, 33_000, 24_000, 15_000, 6_000],
  ])
  expect(told).toEqual([expect.stringMatching(/^10 experiences have no vector yet .*the time for embedding was up/)])
})

test('a text that is refused makes its file and its import pending; called again it asks again', async () => {
  machine.embedder.refusal = (text) => (text === BOTH[1] ? 'no rebuilding' : null)
  expect(await importRun(say('done'))).toMatchObject({
    status: 'incomplete',
    segments: { done: 0 },
    experiences: [{ path: 'procedures/rebuild.json', action: 'created' }],
    error: { code: 'index_pending', resumable: true, message: expect.stringContaining('no rebuilding') },
  })
  expect(await search('stale')).toMatchObject({
    index_complete: false,
    pending_indexes: [{ path: 'procedures/rebuild.json', error: 'no rebuilding' }],
  })
  machine.embedder.refusal = () => null
  machine.script(say('done'))
  expect(await repeated()).toMatchObject({ status: 'complete' })
  expect(await machine.run('status', {})).toMatchObject({ pending: 0 })
})

test('of all that the embedder refuses an import tells what it wrote, with its path and the reason', async () => {
  machine.files.write(`${ROOT}/procedures/other.json`, JSON.stringify({ ...TEXTS, 'when-to-use': 'x', sources: [] }))
  machine.embedder.refusal = (text) => (text === 'x' || text === BOTH[0] ? 'no results' : null)
  await importRun(say('done'))
  expect(told).toEqual([
    'procedures/rebuild.json is found by no search (no results); change its text, or have it asked again by knowhow reindex, which takes it in without an embedder (EMBEDDING_BACKEND=none)',
  ])
})

test('several imports of one command wait for a hanging embedder once, with all that they wrote', async () => {
  const files = ['a', 'b', 'c'].map((name) => `/logs/${name}.log`)
  for (const file of files) machine.files.write(file, `the log ${file}`)
  const steps = files.flatMap((file, at) => {
    const texts = { ...TEXTS, 'when-to-use': file, content: file }
    return [callTool('procedure_create', { filename: `made-${at}.json`, ...texts, operation_key: 'a' }), say('done')]
  })
  machine.script(...steps)
  machine.environment = { ...machine.environment, ...OPENAI }
  machine.embedder.outage = () => {
    machine.clock.advance(60_000)
    return 'it hangs'
  }
  await machine.run('procedure_import', { files }, (notice) => told.push(notice))
  expect(machine.embedder.calls).toHaveLength(1)
  expect(machine.embedder.texts).toHaveLength(2)
  expect(told).toEqual([expect.stringMatching(/^3 experiences have no vector yet .*it hangs/)])
})

test('without an embedder an import that has nothing to do does not look through the experiences', async () => {
  await importRun(say('done'))
  machine.environment = { LLM_MODEL_NAME: 'scripted' }
  const names = spyOn(machine.files, 'names')
  await repeated()
  expect(names.mock.calls.flat()).not.toContain(`${ROOT}/procedures`)
})

test('an embedder that changed since is not asked for everything anew', async () => {
  machine.files.write(`${ROOT}/procedures/other.json`, JSON.stringify({ ...TEXTS, sources: [] }))
  machine.environment = { ...OPENAI }
  await machine.run('procedure_reindex', {})
  machine.embedder = new FakeEmbedder({ key: { model: 'other' } })
  await importRun(say('done'))
  expect(machine.embedder.calls).toEqual([])
  expect(told).toEqual(['searches rank by keywords alone until knowhow reindex: the embedder was changed'])
})

test('an embedder of another width is asked once, for nothing it gives would count', async () => {
  machine.files.write(`${ROOT}/procedures/other.json`, JSON.stringify({ ...TEXTS, 'when-to-use': 'x', sources: [] }))
  machine.environment = { ...OPENAI }
  await machine.run('procedure_reindex', {})
  machine.embedder = new FakeEmbedder({ width: 16 })
  await importRun(say('done'))
  expect(machine.embedder.calls).toHaveLength(1)
  expect(told).toEqual([expect.stringContaining('the embedder now gives 16 dimensions instead of 64')])
})

test('an import that was finished before asks no embedder when it is called again', async () => {
  await importRun(say('done'))
  for (const path of machine.files.tree())
    if (path.includes('/metadata/index/') && !path.endsWith('/')) machine.files.remove(path)
  const { length } = machine.embedder.calls
  expect(await repeated()).toMatchObject({ status: 'complete' })
  expect(machine.embedder.calls).toHaveLength(length)
})
