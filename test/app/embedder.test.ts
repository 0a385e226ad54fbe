import { beforeEach, describe, expect, test } from 'bun:test'
import type { ViewName } from '../../src/model/experience.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { retrievalSet } from '../fakes/retrieval-set.ts'

interface Answer {
  readonly mode: string
  readonly notice?: string
  readonly results: readonly { readonly path: string; readonly vector: unknown }[]
}

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
  for (const [name, when] of [
    ['a', 'red apple'],
    ['b', 'blue whale'],
  ] as const)
    write(name, when)
})

function write(name: string, when: string): void {
  machine.files.write(
    `${ROOT}/procedures/${name}.json`,
    JSON.stringify({ description: 'd', 'when-to-use': when, content: 'c', sources: [] }),
  )
}

const search = (query: string, index: ViewName = 'when_to_use') =>
  machine.run<Answer>('procedure_search', { query, index })

test('without an embedder a search says that keywords alone rank', async () => {
  const { mode, notice } = await search('apple')
  expect({ mode, notice }).toEqual({
    mode: 'keyword',
    notice: 'no embedder is configured: ranked by keywords alone',
  })
})

test.each([{ EMBEDDING_MODEL_NAME: 'small' }, { EMBEDDING_BASE_URL: 'http://mine/v1' }])(
  'without a backend %j is answered with what to set',
  async (environment) => {
    machine.environment = environment
    expect((await search('apple')).notice).toContain('no backend; set EMBEDDING_BACKEND=openai')
    expect(machine.opened).toEqual([])
    machine.environment = { ...environment, EMBEDDING_BACKEND: 'none' }
    expect((await search('apple')).notice).toBe('no embedder is configured: ranked by keywords alone')
  },
)

describe('with an embedder', () => {
  beforeEach(() => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
  })

  test('a search ranks by both legs and needs no notice', async () => {
    const answer = await search('apple pie')
    expect(answer).toMatchObject({ mode: 'hybrid', results: [{ path: 'procedures/a.json', vector: { rank: 1 } }, {}] })
    expect(answer).not.toHaveProperty('notice')
  })

  test('reindex tells what it embedded and what was there', async () => {
    await search('apple')
    write('c', 'green tree')
    expect(await machine.run('procedure_reindex', {})).toMatchObject({ experiences: 3, embedded: 2, reused: 4 })
    expect(await machine.run('procedure_reindex', {})).toMatchObject({ experiences: 3, embedded: 0, reused: 6 })
  })

  test('texts that are longer than it takes are told by reindex and by a search, and no others', async () => {
    machine.embedder.parts = (text) => (text.includes('tree') ? 2 : 1)
    write('c', 'green tree')
    const told = "2 texts were over the model's limit: embedded in parts and averaged"
    expect(await search('apple')).toMatchObject({ mode: 'hybrid', notice: told })
    expect(await search('apple')).not.toHaveProperty('notice')
    expect(await search('the tree')).toMatchObject({
      mode: 'hybrid',
      notice: expect.stringContaining('the query was over'),
    })
    expect(await machine.run('procedure_reindex', {})).not.toHaveProperty('divided')
    write('c', 'tall tree')
    expect(await runCaptured(['reindex'], machine)).toMatchObject({
      out: expect.stringContaining("2 texts over the model's limit: embedded in parts and averaged"),
    })
  })

  test('is sent no secret, whoever wrote it', async () => {
    const [written, asked] = ['a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8', 'z9Y8x7W6v5U4t3S2r1Q0p9O8n7M6l5K4j3I2'].map(
      (text) => `ghp_${text}`,
    )
    write('c', `push with ${written}`)
    await search(`who knows ${asked}`)
    await machine.run('procedure_reindex', {})
    expect(machine.embedder.texts).toContain('push with [secret:github-token:1]')
    expect(machine.embedder.texts).toContain('who knows [secret:github-token:1]')
    for (const text of machine.embedder.texts) expect(text).not.toMatch(/ghp_/)
  })

  /** Edits the best file each time a search has ranked it and is about to read it. */
  function editWhenFound(times: number): void {
    const read = machine.files.read.bind(machine.files)
    let left = times
    machine.files.read = (path, options) => {
      if (left > 0 && path.endsWith('/procedures/a.json') && machine.embedder.texts.includes('apple')) {
        left -= 1
        machine.clock.advance(5_000)
        write('a', `green apple ${left}`)
      }
      return read(path, options)
    }
  }

  test('a file edited after it was ranked has its vector all the same', async () => {
    await machine.run('procedure_reindex', {})
    editWhenFound(1)
    const answer = await search('apple')
    expect(answer.results[0]).toMatchObject({ path: 'procedures/a.json', vector: { rank: 1 } })
    expect(answer).not.toHaveProperty('notice')
  })

  test('and if it cannot have it, the search says so', async () => {
    await machine.run('procedure_reindex', {})
    machine.embedder.outage = (texts) => (texts.some((text) => text.startsWith('green')) ? 'the server is away' : null)
    editWhenFound(1)
    expect((await search('apple')).notice).toContain('1 experience has no vector yet')
  })

  test('one edited over and over ranks by what it had, or the search says so', async () => {
    await machine.run('procedure_reindex', {})
    editWhenFound(100)
    const { results, notice } = await search('apple')
    const edited = (results as readonly { path: string; vector: unknown }[]).find(({ path }) =>
      path.endsWith('/a.json'),
    )
    if (edited?.vector === null) expect(notice).toContain('1 experience has no vector yet')
  })

  test('that the query was divided is told also when a file is edited meanwhile', async () => {
    await machine.run('procedure_reindex', {})
    machine.embedder.parts = (text) => (text === 'apple' ? 2 : 1)
    editWhenFound(1)
    expect((await search('apple')).notice).toContain('the query was over')
  })

  test('a text that may take many requests is left to reindex, and keeps no search waiting', async () => {
    const long = 'very long '.repeat(4_000)
    write('c', long)
    const answer = await search('apple')
    expect(answer).toMatchObject({ mode: 'hybrid', notice: expect.stringContaining('1 experience has no vector yet') })
    expect(machine.embedder.texts).not.toContain(long)
    await machine.run('procedure_reindex', {})
    expect(machine.embedder.calls.map(({ texts }) => texts)).toContainEqual([long])
    expect(await search('apple')).not.toHaveProperty('notice')
  })

  test('an outage is told by the search, and stops a reindex that owes vectors', async () => {
    machine.embedder.outage = () => 'the server is away'
    expect(await search('apple')).toMatchObject({
      mode: 'keyword',
      notice: 'ranked by keywords alone: the server is away',
    })
    await expect(machine.run('procedure_reindex', {})).rejects.toMatchObject({ code: 'embedder_unavailable' })
  })
})

describe('a text that the embedder refuses makes its file pending', () => {
  const views: readonly ViewName[] = ['when_to_use', 'when_to_use_content']
  const pending = [{ path: 'procedures/b.json', version: expect.any(String), error: 'no whales' }]
  beforeEach(async () => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
    machine.embedder.refusal = (text) => (text === 'blue whale' ? 'no whales' : null)
    await search('apple')
  })

  test.each(views)('and takes it out of both views at once, when it is found by a search in %s', async (view) => {
    machine.embedder.refusal = (text) => (text.includes('whale') && text.includes('\n') ? 'no whales' : null)
    write('b', 'grey whale')
    expect(await search('a whale', view)).toMatchObject({ index_complete: false, pending_indexes: pending })
    for (const index of views)
      expect(await search('a whale', index)).toMatchObject({ index_complete: false, pending_indexes: pending })
  })

  test('for search, status and reindex alike, in every process', async () => {
    for (const index of views)
      expect(await search('a blue whale', index)).toMatchObject({
        results: [{ path: 'procedures/a.json' }],
        index_complete: false,
        pending_indexes: pending,
      })
    expect(await machine.run('procedure_reindex', {})).toMatchObject({ experiences: 2, indexed: 1, pending })
    expect(await machine.run('index_export', { view: 'when_to_use', file: 'export.json' })).toMatchObject({
      documents: 1,
      pending,
    })
    machine.embedder.outage = () => 'the server is away'
    const asked = machine.embedder.calls.length
    expect(await machine.run('status', {})).toMatchObject({ pending: 1, index: { when_to_use: 1 } })
    expect(machine.embedder.calls).toHaveLength(asked)
  })

  test('until reindex finds that it is refused no more', async () => {
    machine.embedder.refusal = () => null
    expect(await search('whale')).toMatchObject({ index_complete: false })
    expect(await machine.run('procedure_reindex', {})).toMatchObject({ indexed: 2, pending: [] })
    expect(await search('whale')).toMatchObject({ index_complete: true, pending_indexes: [] })
  })

  test('and not without that embedder', async () => {
    machine.environment = { EMBEDDING_BACKEND: 'none' }
    expect(await search('whale')).toMatchObject({ index_complete: true, results: [{ path: 'procedures/b.json' }] })
    expect(await machine.run('status', {})).toMatchObject({ pending: 0 })
  })
})

describe('a stored vector that is damaged', () => {
  const FOLDER = `${ROOT}/metadata/index`
  const VECTOR_BYTES = 64 * 4
  const VIEW = 'when_to_use_content'
  const DAMAGED = 'blue whale\n\nc'

  beforeEach(async () => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
    await search('apple')
    for (const name of (machine.files.names(FOLDER) ?? []).filter((name) => name.startsWith('vectors-'))) {
      const bytes = (machine.files.read(`${FOLDER}/${name}`) ?? new Uint8Array()).slice()
      // Of the last row, before a footer of under 120 bytes.
      const at = bytes.length - 120
      bytes[at] = (bytes[at] ?? 0) ^ 1
      machine.files.write(`${FOLDER}/${name}`, bytes)
    }
  })

  test('is made anew for the search that finds it, and kept', async () => {
    const before = machine.embedder.texts.length
    const answer = await search('red', VIEW)
    expect(machine.embedder.texts.slice(before)).toEqual(['red', DAMAGED])
    expect(answer.results.map(({ vector }) => vector)).toMatchObject([{ rank: 1 }, { rank: 2 }])
    expect(answer).not.toHaveProperty('notice')
    await search('red', VIEW)
    expect(machine.embedder.texts.slice(before)).toEqual(['red', DAMAGED, 'red'])
  })

  test('and cannot be had is told by the search, which ranks by keywords what has none', async () => {
    machine.embedder.outage = (texts) => (texts.includes(DAMAGED) ? 'the server is away' : null)
    expect(await search('whale', VIEW)).toMatchObject({
      mode: 'hybrid',
      notice:
        '1 experience has no vector yet and ranks by keywords alone (the server is away); knowhow reindex supplies what is missing',
      results: expect.arrayContaining([expect.objectContaining({ path: 'procedures/b.json', vector: null })]),
    })
  })

  test('each time it is read is told too', async () => {
    const { files } = machine
    const openRead = files.openRead.bind(files)
    files.openRead = (path) => {
      const file = openRead(path)
      if (file === null) return null
      const readInto = (position: number, target: Uint8Array) => {
        file.readInto(position, target)
        if (target.length === VECTOR_BYTES) target.fill(0)
      }
      return { ...file, readInto }
    }
    expect(await search('whale')).toMatchObject({ notice: expect.stringContaining('stored vectors are damaged') })
  })
})

describe('an embedder that only the workspace asks for', () => {
  const here = (embedding: unknown) => machine.configure({ embedding })
  const NAMED = { backend: 'openai', model: 'small' }
  const unasked =
    'only the workspace asks for an embedder, so your texts and key are sent nowhere; set EMBEDDING_BASE_URL'

  beforeEach(() => {
    machine.environment = { EMBEDDING_API_KEY: 'my-own-key' }
    machine.files.write('/home/dev/set.jsonl', retrievalSet())
    machine.files.write('/logs/run.log', 'text')
  })

  test.each([NAMED, { ...NAMED, base_url: 'http://elsewhere/v1' }, { backend: 'openai' }])(
    'is asked by no command, which goes on and says what to set: %j',
    async (embedding) => {
      here(embedding)
      for (const argv of ['search apple', 'reindex', 'eval set.jsonl', 'import /logs/run.log', 'status', 'index stats'])
        expect(await runCaptured(argv.split(' '), machine)).toMatchObject({
          exit: 0,
          error: expect.stringContaining(unasked),
        })
      expect(machine.opened).toEqual([])
    },
  )

  test('is named by the notice of a search, which ranks by keywords', async () => {
    here(NAMED)
    expect(await search('apple')).toMatchObject({
      mode: 'keyword',
      notice: expect.stringContaining(`ranked by keywords alone: ${unasked}`),
    })
  })

  test.each<Record<string, string>>([
    { EMBEDDING_BASE_URL: 'http://mine/v1' },
    { EMBEDDING_BACKEND: 'openai' },
    { EMBEDDING_MODEL_NAME: 'mine' },
  ])('is asked when the person set %j', async (environment) => {
    here(NAMED)
    machine.environment = environment
    expect(await search('apple')).toMatchObject({ mode: 'hybrid' })
    expect(machine.opened).toMatchObject([
      { baseUrl: environment.EMBEDDING_BASE_URL, model: environment.EMBEDDING_MODEL_NAME ?? 'small' },
    ])
  })

  test('is asked when --config names it too', async () => {
    here(NAMED)
    machine.files.write('/home/dev/mine.json', JSON.stringify({ embedding: { base_url: 'http://mine/v1' } }))
    const { out } = await runCaptured(['search', 'apple', '--json', '--config', 'mine.json'], machine)
    expect(JSON.parse(out)).toMatchObject({ mode: 'hybrid' })
  })

  test('is not spoken of once the person said none', async () => {
    here(NAMED)
    machine.environment = { EMBEDDING_BACKEND: 'none' }
    expect(await runCaptured(['status'], machine)).toMatchObject({ exit: 0, error: '' })
  })
})
