import { beforeEach, expect, test } from 'bun:test'
import { MemoryError } from '../../src/model/memory-error.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { retrievalSet } from '../fakes/retrieval-set.ts'
import { callTool, say } from '../fakes/scripted-chat.ts'

const TEXTS = { description: 'd', 'when-to-use': 'red apple', content: 'c' }
const FAULT = 'the model is gone; find it'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
  machine.files.write(`${ROOT}/procedures/a.json`, JSON.stringify({ ...TEXTS, sources: [] }))
  machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  machine.openingFault = new MemoryError('embedder_unavailable', FAULT)
})

test('an embedder that cannot be opened costs a search its vectors and not its answer', async () => {
  expect(await machine.run('procedure_search', { query: 'apple' })).toMatchObject({
    mode: 'keyword',
    notice: `ranked by keywords alone: ${FAULT}`,
    results: [{ path: 'procedures/a.json' }],
  })
})

test.each(['reindex', 'eval set.jsonl'])('and stops knowhow %s, which is there for vectors', async (command) => {
  machine.files.write('/home/dev/set.jsonl', retrievalSet())
  const { exit, out, error } = await runCaptured(command.split(' '), machine)
  expect({ exit, out, error }).toEqual({ exit: 1, out: '', error: `knowhow: ${FAULT}\n` })
})

test('nor does a reindex that is stopped by it touch the vectors that are there', async () => {
  machine.openingFault = null
  await machine.run('procedure_reindex', {})
  const before = machine.files.tree()
  machine.openingFault = new MemoryError('embedder_unavailable', FAULT)
  await expect(machine.run('procedure_reindex', {})).rejects.toMatchObject({ code: 'embedder_unavailable' })
  expect(machine.files.tree()).toEqual(before)
})

test('an import keeps what it wrote, and says once that it has no vectors', async () => {
  machine.files.write('/logs/run.log', 'one line\n'.repeat(20))
  machine.script(callTool('procedure_create', { filename: 'b.json', ...TEXTS, operation_key: 'a' }), say('done'))
  const told: string[] = []
  const run = machine.run('procedure_import', { files: ['/logs/run.log'] }, (notice) => told.push(notice))
  expect(await run).toMatchObject({ status: 'complete', experiences: [{ path: 'procedures/b.json' }] })
  expect(told).toEqual([`${FAULT}; until then search ranks by keywords alone`])
  machine.openingFault = null
  // Two texts of the experiences, two procedures and the event of the import in the memory graph.
  expect(await machine.run('procedure_reindex', {})).toMatchObject({ experiences: 2, embedded: 5 })
})

test('status tells of the index without its vectors', async () => {
  expect(await machine.run('status', {})).toMatchObject({ experiences: 1, index: { when_to_use: 1 } })
})

test('doctor names the fault, at the embedder alone', async () => {
  const { checks } = await machine.run<{ checks: { name: string; ok: boolean; detail: string }[] }>('doctor', {})
  expect(checks.filter(({ ok }) => !ok)).toMatchObject([{ name: 'embedder', detail: FAULT }])
})
