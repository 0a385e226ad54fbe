import { beforeEach, describe, expect, test } from 'bun:test'
import { InProcessEmbedder } from '../../src/adapters/in-process-embedder.ts'
import { builtinEmbedding } from '../../src/search/builtin-embedding.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { callTool, say } from '../fakes/scripted-chat.ts'
import { readsOf, wordFileOf } from '../fakes/word-file.ts'

/** `disk` and `space` point one way, `branch` and `merg` another. */
const ROWS = {
  disk: [90, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  space: [80, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  branch: [0, 0, 0, 90, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  merg: [0, 0, 0, 80, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}

let machine: FakeMachine

beforeEach(async () => {
  machine = new FakeMachine()
  machine.hasBuiltinEmbedder = true
  const { key, makeReady } = await builtinEmbedding(readsOf(wordFileOf(ROWS, { unknownLength: 1 })).read)
  machine.openBuiltin = async () => new InProcessEmbedder(key, machine.clock, makeReady)
  write('full', 'disk')
  write('merge', 'branch')
})

function write(name: string, when: string, content = 'x'): void {
  const experience = { description: 'd', 'when-to-use': when, content, sources: [] }
  machine.files.write(`${ROOT}/procedures/${name}.json`, JSON.stringify(experience))
}

const search = (query: string) => machine.run('procedure_search', { query })

test('is what a program searches with that is told nothing, and fuses by score', async () => {
  const answer = await search('space')
  expect(answer).toMatchObject({
    mode: 'hybrid',
    fusion: 'score',
    results: [{ path: 'procedures/full.json', keyword: null, vector: { rank: 1 } }],
  })
  expect(answer).not.toHaveProperty('notice')
  expect(machine.opened).toEqual([{ backend: 'builtin', batchSize: 1_024 }])
})

test('its cosine counts 0.75 beside the share of what keywords could give', async () => {
  const { results } = await machine.run<{ results: { score: number; vector: { score: number } }[] }>(
    'procedure_search',
    { query: 'space' },
  )
  for (const { score, vector } of results) expect(score).toBeCloseTo(0.75 * vector.score, 12)
})

test('is switched off by none, and the fusion is then by ranks', async () => {
  machine.environment.EMBEDDING_BACKEND = 'none'
  expect(await search('space')).toMatchObject({ mode: 'keyword', fusion: 'rrf', results: [] })
  expect(machine.opened).toEqual([])
})

test.each(['rrf', 'score'] as const)('search.fusion %s holds for it too', async (fusion) => {
  machine.configure({ search: { fusion } })
  expect(await search('space')).toMatchObject({ mode: 'hybrid', fusion })
})

test('another embedder fuses by ranks', async () => {
  machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  expect(await search('space')).toMatchObject({ mode: 'hybrid', fusion: 'rrf' })
})

test('the workspace may choose it: nothing leaves the machine', async () => {
  machine.configure({ embedding: { backend: 'builtin' } })
  expect(await search('space')).toMatchObject({ mode: 'hybrid' })
})

describe('a query of words that it does not know', () => {
  beforeEach(() => {
    write('chinese', '数据库连接失败')
    write('japanese', 'データベースに接続できません')
    write('russian', 'ошибка подключения к базе данных')
    write('mixed', 'disk 数据库')
  })

  test.each(['数据库连接', 'データベース', 'базе данных', 'zqxwvk', '数据库 disk', 'the of', '!!!'])(
    'ranks as without an embedder, and says so: %s',
    async (query) => {
      const answer = await search(query)
      expect(answer).toMatchObject({
        mode: 'keyword',
        notice: expect.stringContaining('knows too few words of the query'),
      })
      const { results } = answer as { results: { path: string; keyword: unknown }[] }
      machine.environment.EMBEDDING_BACKEND = 'none'
      const alone = await machine.run<typeof answer & { results: unknown[] }>('procedure_search', { query })
      expect(results.map(({ path, keyword }) => [path, keyword])).toEqual(
        (alone.results as typeof results).map(({ path, keyword }) => [path, keyword]),
      )
    },
  )

  test('leaves such experiences in both views', async () => {
    expect(await machine.run('procedure_reindex', {})).toMatchObject({ indexed: 6, pending: [] })
    expect(await search('数据库')).toMatchObject({ pending_indexes: [], index_complete: true })
  })
})

describe('an embedding model or address without a backend', () => {
  const passedOver = 'so the built-in embedder is used; set EMBEDDING_BACKEND=openai'

  test.each([{ EMBEDDING_BASE_URL: 'http://mine/v1' }, { EMBEDDING_MODEL_NAME: 'small' }])(
    'is passed over, with a word: %p',
    async (environment) => {
      machine.environment = environment
      expect(await runCaptured(['search', 'space'], machine)).toMatchObject({
        exit: 0,
        error: expect.stringContaining(passedOver),
      })
      expect(machine.opened).toMatchObject([{ backend: 'builtin' }])
    },
  )

  test('is silent once the backend is chosen', async () => {
    machine.environment = { EMBEDDING_MODEL_NAME: 'small', EMBEDDING_BACKEND: 'builtin' }
    expect(await runCaptured(['search', 'space'], machine)).toMatchObject({ exit: 0, error: '' })
  })

  test('may be at fault without harm', async () => {
    machine.environment = { EMBEDDING_BASE_URL: 'nowhere', EMBEDDING_BACKEND: 'builtin' }
    expect(await search('space')).toMatchObject({ mode: 'hybrid' })
    expect(await runCaptured(['search', 'space'], machine)).toMatchObject({ exit: 0, error: '' })
  })
})

describe('a program without vectors inside', () => {
  beforeEach(() => {
    machine.hasBuiltinEmbedder = false
  })

  test('searches by keywords, without a word', async () => {
    expect(await search('disk')).toMatchObject({ mode: 'keyword' })
    expect(await runCaptured(['search', 'disk'], machine)).toMatchObject({ exit: 0, error: '' })
  })

  test('says so to whoever asks for them', async () => {
    machine.environment.EMBEDDING_BACKEND = 'builtin'
    const notice = 'this program was built without word vectors; set EMBEDDING_BACKEND=none'
    expect(await search('disk')).toMatchObject({ mode: 'keyword', notice: expect.stringContaining(notice) })
    await expect(machine.run('procedure_reindex', {})).rejects.toMatchObject({ code: 'invalid_config' })
  })
})

test('doctor tells of it', async () => {
  const { checks } = await machine.run<{ checks: { name: string; ok: boolean; detail: string }[] }>('doctor', {})
  expect(checks.find(({ name }) => name === 'embedder')).toMatchObject({
    ok: true,
    detail: 'the built-in embedder gives vectors of 16 dimensions',
  })
})

test('an empty workspace tells of it what one tells that was emptied', async () => {
  const told = async () => {
    const { index } = await machine.run<{ index: { vectors: unknown } }>('status', {})
    return index.vectors
  }
  await machine.run('procedure_reindex', {})
  for (const name of ['full', 'merge']) machine.files.remove(`${ROOT}/procedures/${name}.json`)
  await machine.run('procedure_reindex', {})
  const emptied = await told()
  const fresh = new FakeMachine()
  fresh.hasBuiltinEmbedder = true
  machine = fresh
  expect(await told()).toEqual(emptied)
  expect(fresh.opened).toEqual([])
})

test('an import makes the vectors of what it writes, without a sync of its own', async () => {
  machine.files.write('/logs/run.log', 'one line\n'.repeat(20))
  const texts = { description: 'd', 'when-to-use': 'space', content: 'free some' }
  const create = () => callTool('procedure_create', { filename: 'free.json', ...texts, operation_key: 'a' })
  const syncsOf = async () => {
    let syncs = 0
    machine.watcher = ({ name }) => {
      if (String(name).startsWith('sync')) syncs += 1
    }
    machine.script(create(), say('done'))
    expect(await machine.run('procedure_import', { files: ['/logs/run.log'] })).toMatchObject({ status: 'complete' })
    machine.watcher = null
    return syncs
  }
  const withEmbedder = await syncsOf()
  expect(await search('disk')).toMatchObject({
    results: [{}, { path: 'procedures/free.json', vector: { rank: 2 } }],
  })
  machine = new FakeMachine()
  machine.files.write('/logs/run.log', 'one line\n'.repeat(20))
  write('full', 'disk')
  expect(await syncsOf()).toBe(withEmbedder)
})

describe('the fusion by score', () => {
  type Hit = {
    path: string
    score: number
    vector: { rank: number; score: number } | null
    keyword: { rank: number } | null
  }
  const found = async (query: string, options = {}) => {
    const answer = await machine.run<{ results: Hit[] }>('procedure_search', { query, ...options })
    return answer.results
  }

  test('gives a file the same score whatever the limit, up to ten', async () => {
    for (let number = 0; number < 40; number += 1) write(`short-${number}`, 'disk')
    write('named', `space ${'branch '.repeat(3)}zqxw`)
    const scoreAt = async (limit: number) =>
      (await found('space zqxw', { limit })).map(({ path, score }) => [path, score] as const)
    const all = new Map(await scoreAt(10))
    for (const limit of [1, 2, 5])
      for (const [path, score] of await scoreAt(limit)) expect(score).toBe(all.get(path) ?? 0)
  })

  test('keeps a place for what keywords put first and holds all that is asked for', async () => {
    for (let number = 0; number < 6; number += 1) write(`short-${number}`, 'disk')
    write('named', `disk exdev ${Array.from({ length: 80 }, (_, index) => `filler${index}`).join(' ')}`)
    const paths = (await found('disk exdev')).map(({ path }) => path)
    expect(paths).toHaveLength(5)
    expect(paths).toContain('procedures/named.json')
    const scores = (await found('disk exdev')).map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  test('takes what no leg speaks for for no hit', async () => {
    write('away', 'opposite')
    const results = await found('space')
    expect(results.every(({ score }) => score > 0)).toBe(true)
    expect(results.length).toBeLessThan(3)
  })
})

test('a long text is embedded by a search too', async () => {
  write('long', 'space', 'disk '.repeat(20_000))
  const answer = await machine.run('procedure_search', { query: 'space', index: 'when_to_use_content' })
  expect(answer).not.toHaveProperty('notice')
})

test('a weight that has no effect is said to have none', async () => {
  expect(await runCaptured(['search', 'space', '--vector-weight', '0.5'], machine)).toMatchObject({
    exit: 0,
    error: expect.stringContaining('the vector weight means nothing'),
  })
})
