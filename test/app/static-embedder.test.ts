import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { callTool, say } from '../fakes/scripted-chat.ts'
import { matrix, safetensorsOf, wordPieceJson, writeModel, writeWordModel } from '../fakes/static-model.ts'

const WORDS = ['red', 'apple', 'blue', 'whale', 'fruit', 'the', 'word', 'tall', 'tree']

let folder: string
let model: string
let machine: FakeMachine

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-static-app-'))
  model = writeWordModel(join(folder, 'words'), WORDS)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeEach(() => {
  machine = new FakeMachine()
  machine.environment = { EMBEDDING_BACKEND: 'static', EMBEDDING_MODEL_NAME: model }
  write('a', 'red apple')
  write('b', 'blue whale')
})

function write(name: string, when: string): void {
  const experience = { description: 'd', 'when-to-use': when, content: 'the tree', sources: [] }
  machine.files.write(`${ROOT}/procedures/${name}.json`, JSON.stringify(experience))
}

const search = (query: string) => machine.run('procedure_search', { query })
const reindex = () => machine.run('procedure_reindex', {})

test('a search ranks by the vectors of the model, and needs nothing but its folder', async () => {
  expect(await search('a red fruit')).toMatchObject({
    mode: 'hybrid',
    // Of red and fruit the text has one of its two words: the cosine is (1/√2) · (1/√2).
    results: [{ path: 'procedures/a.json', vector: { rank: 1, score: expect.closeTo(0.5, 6) } }, {}],
  })
  expect(await search('a red fruit')).not.toHaveProperty('notice')
})

test('it finds what shares no word with the query', async () => {
  const tokens = ['[UNK]', 'crimson', 'red', 'blue', 'whale', 'apple', 'the', 'tree']
  const rows = [
    [0, 0],
    [1, 0.1],
    [1, 0],
    [0, 1],
    [0, 1],
    [1, 1],
    [0, 0],
    [0, 0.01],
  ]
  machine.environment.EMBEDDING_MODEL_NAME = writeModel(join(folder, 'senses'), {
    tokenizer: wordPieceJson(tokens),
    safetensors: safetensorsOf({ embeddings: matrix(rows) }),
  })
  expect(await search('crimson')).toMatchObject({
    mode: 'hybrid',
    results: [{ path: 'procedures/a.json', keyword: null, vector: { rank: 1 } }, { path: 'procedures/b.json' }],
  })
})

test('reindex embeds all, once, and its vectors outlive a move of the folder', async () => {
  expect(await reindex()).toMatchObject({ experiences: 2, indexed: 2, embedded: 4, reused: 0 })
  machine.environment.EMBEDDING_MODEL_NAME = writeWordModel(join(folder, 'moved'), WORDS)
  expect(await reindex()).toMatchObject({ embedded: 0, reused: 4 })
  machine.environment.EMBEDDING_MODEL_NAME = writeWordModel(join(folder, 'changed'), [...WORDS, 'more'])
  expect(await search('red')).toMatchObject({ mode: 'keyword', notice: expect.stringContaining('reindex') })
  expect(await reindex()).toMatchObject({ embedded: 4, reused: 0 })
})

test('an import embeds what it writes', async () => {
  machine.files.write('/logs/run.log', 'one line\n'.repeat(20))
  const texts = { description: 'd', 'when-to-use': 'tall tree', content: 'the word' }
  machine.script(callTool('procedure_create', { filename: 'c.json', ...texts, operation_key: 'a' }), say('done'))
  const told: string[] = []
  await machine.run('procedure_import', { files: ['/logs/run.log'] }, (notice) => told.push(notice))
  expect(told).toEqual([])
  expect(await machine.run('index_stats', {})).toMatchObject({
    vectors: { when_to_use: { present: 3, owed: 0 }, when_to_use_content: { present: 3, owed: 0 } },
  })
})

test('a text without any word that the model knows leaves its file out of both views, as any refusal does', async () => {
  write('c', 'unheard of')
  expect(await reindex()).toMatchObject({
    indexed: 2,
    pending: [{ path: 'procedures/c.json', error: 'the embedding model knows no word of it' }],
  })
})

test('a query without any word that it knows ranks by keywords, and the search says so', async () => {
  expect(await search('unheard')).toMatchObject({
    mode: 'keyword',
    notice: 'ranked by keywords alone: the embedder refused the query (the embedding model knows no word of it)',
  })
})

test('an address or a key that cannot be plays no role', async () => {
  Object.assign(machine.environment, { EMBEDDING_BASE_URL: 'nonsense', EMBEDDING_API_KEY: 'line\nbreak' })
  expect(await runCaptured(['search', 'red'], machine)).toMatchObject({ exit: 0, error: '' })
  expect(await search('red')).toMatchObject({ mode: 'hybrid' })
})

describe('a model that is not there', () => {
  const GONE = /static embedding model: .*nowhere does not exist .*; set EMBEDDING_MODEL_NAME to the folder/
  beforeEach(() => {
    machine.environment.EMBEDDING_MODEL_NAME = join(folder, 'nowhere')
  })

  test('leaves search to keywords, with a notice', async () => {
    expect(await search('red')).toMatchObject({
      mode: 'keyword',
      notice: expect.stringMatching(GONE),
      results: [{ path: 'procedures/a.json' }],
    })
    expect(await runCaptured(['search', 'red'], machine)).toMatchObject({ exit: 0 })
  })

  test('stops reindex', async () => {
    await expect(reindex()).rejects.toMatchObject({
      code: 'embedder_unavailable',
      message: expect.stringMatching(GONE),
    })
  })
})

test('a model whose fault shows with the first text leaves search to keywords too, and stops reindex', async () => {
  const torn = writeWordModel(join(folder, 'torn'), WORDS)
  writeFileSync(join(torn, 'tokenizer.json'), '{"model":')
  machine.environment.EMBEDDING_MODEL_NAME = torn
  const notice = expect.stringMatching(/tokenizer\.json is not valid JSON; set EMBEDDING_MODEL_NAME/)
  expect(await search('red')).toMatchObject({ results: [{ path: 'procedures/a.json' }], notice })
  await expect(reindex()).rejects.toMatchObject({ code: 'embedder_unavailable', message: notice })
})

test('without a model the settings say what is missing', async () => {
  machine.environment = { EMBEDDING_BACKEND: 'static' }
  expect(await search('red')).toMatchObject({
    mode: 'keyword',
    notice: expect.stringContaining('embedding.backend static needs a model; set EMBEDDING_MODEL_NAME'),
  })
  await expect(reindex()).rejects.toMatchObject({ code: 'invalid_config' })
})

describe('doctor', () => {
  const embedder = async () => {
    const { checks } = await machine.run<{ checks: { name: string }[] }>('doctor', {})
    return checks.find(({ name }) => name === 'embedder')
  }

  test('loads the model and embeds a word', async () => {
    expect(await embedder()).toMatchObject({
      ok: true,
      detail: `${model} gives vectors of ${WORDS.length + 1} dimensions`,
    })
  })

  test('says what is wrong with dimensions that it does not have', async () => {
    machine.configure({ embedding: { dimensions: 4 } })
    expect(await embedder()).toMatchObject({
      ok: false,
      detail: expect.stringContaining(`has vectors of ${WORDS.length + 1} dimensions, and they are not cut to 4`),
    })
  })

  test('says that a program without a model inside has none', async () => {
    machine.environment.EMBEDDING_MODEL_NAME = 'builtin'
    expect(await embedder()).toMatchObject({
      ok: false,
      detail: expect.stringContaining('built without a static model'),
    })
  })
})

describe('a model that the workspace alone names', () => {
  beforeEach(() => {
    machine.environment = {}
    machine.configure({ embedding: { backend: 'static', model } })
  })
  const unread = 'only the workspace names the folder of the embedding model, so it is not read'

  test.each(['search red', 'reindex', 'status'])(
    'is not read by knowhow %s, which goes on and says so',
    async (line) => {
      expect(await runCaptured(line.split(' '), machine)).toMatchObject({
        exit: 0,
        error: expect.stringContaining(unread),
      })
      expect(machine.opened).toEqual([])
    },
  )

  test('is not read because somebody chose the backend', async () => {
    machine.environment = { EMBEDDING_BACKEND: 'static' }
    expect(await search('red')).toMatchObject({ mode: 'keyword', notice: expect.stringContaining(unread) })
    expect(machine.opened).toEqual([])
  })

  test('is read once the person names it too', async () => {
    machine.environment = { EMBEDDING_MODEL_NAME: model }
    expect(await search('red')).toMatchObject({ mode: 'hybrid' })
  })

  test('is asked for without a word of the person when it is the one inside the program', async () => {
    machine.configure({ embedding: { backend: 'static', model: 'builtin' } })
    expect(await search('red')).toMatchObject({ notice: expect.stringContaining('built without a static model') })
    expect(machine.opened).toMatchObject([{ backend: 'static', model: 'builtin' }])
  })
})
