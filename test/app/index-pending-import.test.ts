/** Imports whose experiences the embedder refuses: what the model, the person and every search are told. */
import { beforeEach, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import type { ChatMessage } from '../../src/ports.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { callTool, say } from '../fakes/scripted-chat.ts'

const OPENAI = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
const PATH = 'procedures/rebuild.json'
const TEXTS = { description: 'Rebuild', 'when-to-use': 'stale results', content: 'the poison way' }
const create = callTool('procedure_create', { filename: 'rebuild.json', ...TEXTS, operation_key: 'a' })
const PENDING = { path: PATH, version: expect.any(String), error: 'it is poison' }

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
  machine.files.write('/logs/run.log', 'one line\n'.repeat(20))
  machine.embedder.refusal = (text) => (text.includes('poison') ? 'it is poison' : null)
  machine.environment = { ...OPENAI }
})

const importRun = () => machine.run<ImportResult>('procedure_import', { files: ['/logs/run.log'], request_id: 'run-1' })
const search = (index = 'when_to_use') => machine.run('procedure_search', { query: 'stale results', index })

function lastResult(messages: readonly ChatMessage[]): Record<string, unknown> {
  return JSON.parse(messages.findLast(({ role }) => role === 'tool')?.content ?? 'null')
}

test('the write tool answers index_pending, and the segment does not advance', async () => {
  machine.script(create, (messages) => {
    expect(lastResult(messages)).toEqual({ status: 'index_pending', ...PENDING })
    return say('done')
  })
  const result = await importRun()
  expect(result).toMatchObject({
    status: 'incomplete',
    segments: { done: 0 },
    reply: '',
    error: { code: 'index_pending', resumable: true },
  })
  expect((await machine.run('procedure_imports', {})).imports).toMatchObject([{ error: { code: 'index_pending' } }])
  expect(await machine.run('status', {})).toMatchObject({ experiences: 1, pending: 1 })
})

test.each([
  ['by the embedder that refused it', OPENAI],
  ['by keywords alone', {}],
  ['by another embedder', { ...OPENAI, EMBEDDING_MODEL_NAME: 'large' }],
])('it is left out of both views %s, and every search says so', async (_how, environment) => {
  machine.files.write(
    `${ROOT}/procedures/other.json`,
    JSON.stringify({ ...TEXTS, content: 'another way', sources: [] }),
  )
  machine.script(create, say('done'))
  await importRun()
  machine.environment = environment
  for (const derived of ['kept', 'deleted']) {
    if (derived === 'deleted')
      for (const name of machine.files.names(`${ROOT}/metadata/index`) ?? [])
        machine.files.remove(`${ROOT}/metadata/index/${name}`)
    for (const index of ['when_to_use', 'when_to_use_content'])
      expect(await search(index)).toMatchObject({
        results: [{ path: 'procedures/other.json' }],
        index_complete: false,
        pending_indexes: [PENDING],
      })
  }
})

test('a resumed import shows the model what is pending, and its correction ends it', async () => {
  machine.script(create, say('done'))
  await importRun()
  const chat = machine.script(
    (messages) => {
      const opening = messages.find(({ role }) => role === 'user')?.content
      expect(opening).toMatch(/created procedures\/rebuild\.json .*no search finds it: it is poison/)
      return callTool('procedure_read', { path: PATH })
    },
    (messages) => {
      const { version } = lastResult(messages)
      return callTool('procedure_update', {
        path: PATH,
        expected_version: version,
        content: 'the good way',
        operation_key: 'b',
      })
    },
    (messages) => {
      expect(lastResult(messages)).toMatchObject({ status: 'committed', path: PATH })
      return say('corrected')
    },
  )
  const result = await importRun()
  expect(chat.stepsLeft).toBe(0)
  expect(result).toMatchObject({ status: 'complete', reply: 'corrected' })
  expect(result.experiences).toMatchObject([{ path: PATH, action: 'created' }])
  expect(await search()).toMatchObject({ results: [{ path: PATH }], index_complete: true, pending_indexes: [] })
})

test('an import that a person has mended goes on without another write', async () => {
  machine.script(create, say('done'))
  await importRun()
  machine.files.write(`${ROOT}/${PATH}`, JSON.stringify({ ...TEXTS, content: 'by hand', sources: [] }))
  expect(await search()).toMatchObject({ results: [{ path: PATH }], index_complete: true, pending_indexes: [] })
  machine.script(say('done'))
  expect(await importRun()).toMatchObject({ status: 'complete' })
})

test('a model that repeats a refused write over and over is stopped', async () => {
  machine.script(create, create, create)
  expect(await importRun()).toMatchObject({ status: 'incomplete', error: { code: 'identical_failures' } })
})

test('reindex takes what the embedder takes by now, and the import can go on', async () => {
  machine.script(create, say('done'))
  await importRun()
  expect(await machine.run('procedure_reindex', {})).toMatchObject({ experiences: 1, indexed: 0, pending: [PENDING] })
  machine.embedder.refusal = () => null
  expect(await machine.run('procedure_reindex', {})).toMatchObject({ experiences: 1, indexed: 1, pending: [] })
  expect(await search()).toMatchObject({ results: [{ path: PATH }], pending_indexes: [] })
  machine.script(say('done'))
  expect(await importRun()).toMatchObject({ status: 'complete' })
})

test('an import without a model is held up as well, until its file is mended', async () => {
  const log = ['$ cargo test', 'error[E0308]: mismatched types', "$ sed -i 's/u32/u64/' src/cart.rs", '$ cargo test']
  log.push('test result: ok. 3 passed; 0 failed;', '$ exit', '')
  machine.embedder.refusal = (text) => (text.includes('cargo') ? 'it is cargo' : null)
  machine.files.write('/logs/run.log', log.join('\n'))
  machine.environment = { ...OPENAI }
  const result = await importRun()
  expect(result).toMatchObject({ status: 'incomplete', extractor: 'offline', error: { code: 'index_pending' } })
  expect(await importRun()).toMatchObject({ status: 'incomplete', error: { code: 'index_pending' } })
  machine.embedder.refusal = () => null
  expect(await importRun()).toMatchObject({ status: 'complete', experiences: [{ action: 'created' }] })
})
