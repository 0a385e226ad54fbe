/** A model server that is set up wrongly stops what needs it, and nothing else. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { retrievalSet } from '../fakes/retrieval-set.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
  machine.files.write(
    `${ROOT}/procedures/a.json`,
    JSON.stringify({ description: 'd', 'when-to-use': 'stale builds', content: 'c', sources: [] }),
  )
  machine.files.write('/home/dev/set.jsonl', retrievalSet())
  machine.files.write('/home/dev/run.log', 'text')
})

const run = (...argv: string[]) => runCaptured(argv, machine)

const OPENAI = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
const SECRET = 'sk-hidden\u00e9key'

const EMBEDDING_FAULTS: readonly [string, Record<string, string>, RegExp][] = [
  ['without a model', { EMBEDDING_BACKEND: 'openai' }, /set EMBEDDING_MODEL_NAME/],
  ['with a blank model', { ...OPENAI, EMBEDDING_MODEL_NAME: ' ' }, /EMBEDDING_MODEL_NAME\): must not be empty/],
  [
    'of a kind there is not',
    { EMBEDDING_BACKEND: 'opnai' },
    /EMBEDDING_BACKEND\): must be "builtin" or "none" or "openai" or "static"/,
  ],
  ['computed here, without a model', { EMBEDDING_BACKEND: 'static' }, /static needs a model; set EMBEDDING_MODEL_NAME/],
  [
    'computed here, with a blank model',
    { EMBEDDING_BACKEND: 'static', EMBEDDING_MODEL_NAME: ' ' },
    /EMBEDDING_MODEL_NAME\): must not be empty/,
  ],
  ['at no address', { ...OPENAI, EMBEDDING_BASE_URL: 'nowhere' }, /EMBEDDING_BASE_URL\): must be an http/],
  ['at no web address', { ...OPENAI, EMBEDDING_BASE_URL: 'ftp://h/v1' }, /EMBEDDING_BASE_URL\): must be an http/],
  ['with a key no header can carry', { ...OPENAI, EMBEDDING_API_KEY: SECRET }, /EMBEDDING_API_KEY holds/],
]

const LLM_FAULTS: readonly [string, Record<string, string>, RegExp][] = [
  ['at no address', { LLM_MODEL_NAME: 'm', LLM_BASE_URL: 'localhost:80/v1' }, /LLM_BASE_URL\): must be an http/],
  ['with a blank name', { LLM_MODEL_NAME: ' ' }, /LLM_MODEL_NAME\): must not be empty/],
  ['with a key no header can carry', { LLM_MODEL_NAME: 'm', LLM_API_KEY: SECRET }, /LLM_API_KEY holds/],
]

const COMMANDS = [
  'index stats',
  'status',
  'imports',
  'read procedures/a.json',
  'config',
  'schema config',
  'search stale',
  'import run.log --extractor offline',
]

describe.each([...EMBEDDING_FAULTS, ...LLM_FAULTS])('a model server %s', (_, environment, words) => {
  test.each(COMMANDS)('does not stop "%s", which says so on stderr alone', async (command) => {
    machine.environment = environment
    const { exit, out, error } = await run(...command.split(' '), '--json')
    expect(exit).toBe(0)
    expect(error).toMatch(words)
    expect(error).not.toContain(SECRET)
    expect(() => JSON.parse(out)).not.toThrow()
  })

  test('is not spoken of with --quiet', async () => {
    machine.environment = environment
    expect(await run('status', '--quiet')).toMatchObject({ exit: 0, error: '' })
  })
})

describe.each(EMBEDDING_FAULTS)('an embedder %s', (_, environment, words) => {
  beforeEach(() => {
    machine.environment = environment
  })

  test('leaves a search to keywords, whose notice says what to set', async () => {
    const answer = JSON.parse((await run('search', 'stale', '--json')).out)
    expect(answer).toMatchObject({ mode: 'keyword', results: [{ path: 'procedures/a.json' }] })
    expect(answer.notice).toStartWith('ranked by keywords alone: ')
    expect(answer.notice).toMatch(words)
  })

  test('stops a reindex, of which vectors are expected, before anything is written', async () => {
    const before = machine.files.tree()
    const { exit, out } = await run('reindex', '--json')
    expect(exit).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      error: { code: 'invalid_config', message: expect.stringMatching(words), resumable: false },
    })
    expect(machine.files.tree()).toEqual(before)
  })

  test.each(['reindex', 'eval set.jsonl'])('is told once by "%s", which it stops', async (command) => {
    const { error } = await run(...command.split(' '))
    expect(error).toMatch(words)
    expect(error.trimEnd().split('\n')).toHaveLength(1)
  })

  test('stops an eval, which would measure something else', async () => {
    const { exit, out } = await run('eval', 'set.jsonl', '--json')
    expect(exit).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'invalid_config', message: expect.stringMatching(words) } })
  })
})

describe.each(LLM_FAULTS)('a chat model %s', (_, environment, words) => {
  test('stops an import that would ask it, before anything is stored', async () => {
    machine.environment = environment
    const before = machine.files.tree()
    const { exit, out } = await run('import', 'run.log', '--json')
    expect(exit).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'invalid_config', message: expect.stringMatching(words) } })
    expect(machine.files.tree()).toEqual(before)
  })

  test('does not stop a reindex', async () => {
    machine.environment = environment
    expect(await run('reindex')).toMatchObject({ exit: 0 })
  })
})

test('an embedder named by a workspace that leaves its model to the environment is told of alike', async () => {
  machine.configure({ embedding: { backend: 'openai' } })
  machine.environment = { EMBEDDING_BASE_URL: 'http://here/v1' }
  expect(await run('status')).toMatchObject({ exit: 0, error: expect.stringContaining('set EMBEDDING_MODEL_NAME') })
})

test('an address that nobody asks stops nothing, not even a reindex', async () => {
  machine.environment = { LLM_BASE_URL: 'nowhere', EMBEDDING_BASE_URL: 'nowhere', LLM_API_KEY: SECRET }
  const { exit, error } = await run('reindex')
  expect(exit).toBe(0)
  expect(error.split('\n')).toEqual([
    expect.stringContaining('LLM_BASE_URL): must be'),
    expect.stringContaining('EMBEDDING_BASE_URL): must be'),
    '',
  ])
  expect(JSON.parse((await run('import', 'run.log', '--json')).out)).toMatchObject({ extractor: 'offline' })
})

test("a workspace's model whose address in the environment is broken is not passed over in silence", async () => {
  machine.configure({ llm: { model: 'm' } })
  machine.environment = { LLM_BASE_URL: 'nowhere' }
  expect(await run('import', 'run.log')).toMatchObject({ exit: 1, error: expect.stringContaining('LLM_BASE_URL') })
})

test('a wrong value in a file is refused by every command as before: whoever wrote it is there to mend it', async () => {
  machine.configure({ embedding: { batch_size: 0 } })
  expect(await run('status')).toMatchObject({ exit: 1, error: expect.stringContaining('embedding.batch_size') })
})
