import { beforeEach, describe, expect, test } from 'bun:test'
import { type ViewName, viewText } from '../../src/model/experience.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { dotProduct } from '../../src/model/unit-vector.ts'
import type { ReadFile } from '../../src/ports.ts'
import type { ExperienceSearch } from '../../src/search/experience-search.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { FakeEmbedder, wordVector } from '../fakes/fake-embedder.ts'
import { SearchedWorkspace } from '../fakes/searched-workspace.ts'

let workspace: SearchedWorkspace
let embedder: FakeEmbedder

beforeEach(() => {
  workspace = new SearchedWorkspace()
  embedder = new FakeEmbedder()
  workspace.write('a', 'red apple', 'peel it')
  workspace.write('b', 'blue whale', 'swim along')
  workspace.write('c', 'red wine', 'drink it')
})

/** What the next process would open. @param besideMax 0: a base is made at the first refresh */
function open(besideMax?: number): ExperienceSearch {
  const search = workspace.open(besideMax)
  search.useVectors({ embedder, kernel: plainKernel, batchSize: 8 })
  return search
}

async function find(search: ExperienceSearch, query: string, options: { view?: ViewName; minFit?: number } = {}) {
  search.refresh()
  const request = { query, ...options }
  const { vector, notice } = await search.prepare(request)
  const { mode, hits } = search.search(request, vector)
  return { mode, notice, hits, names: hits.map(({ path }) => path.slice('procedures/'.length, -'.json'.length)) }
}

describe.each([
  ['beside the base', undefined],
  ['in the base', 0],
])('experiences %s', (_, besideMax) => {
  test('rank by both legs, each with its place', async () => {
    const { mode, notice, hits } = await find(open(besideMax), 'red apple')
    expect({ mode, notice }).toEqual({ mode: 'hybrid', notice: null })
    expect(hits.map(({ path, vector, keyword }) => [path, vector?.rank ?? null, keyword?.rank ?? null])).toEqual([
      ['procedures/a.json', 1, 1],
      ['procedures/c.json', 2, 2],
      ['procedures/b.json', 3, null],
    ])
    expect(hits[0]?.score).toBeCloseTo(0.7 / 61 + 0.3 / 61, 12)
    expect(hits[2]?.score).toBeCloseTo(0.7 / 63, 12)
  })

  test.each(['when_to_use', 'when_to_use_content'] as const)('have the exact cosine in %s', async (view) => {
    const { hits } = await find(open(besideMax), 'swim with a whale', { view })
    const texts = { description: '', 'when-to-use': 'blue whale', content: 'swim along' }
    const whale = hits.find(({ path }) => path === 'procedures/b.json')
    expect(whale?.vector?.score).toBe(dotProduct(wordVector('swim with a whale'), wordVector(viewText(view, texts))))
  })

  test('are embedded once, whatever process asks', async () => {
    await find(open(besideMax), 'first')
    await find(open(besideMax), 'second')
    expect(embedder.texts.toSorted()).toEqual([
      'blue whale',
      'blue whale\n\nswim along',
      'first',
      'red apple',
      'red apple\n\npeel it',
      'red wine',
      'red wine\n\ndrink it',
      'second',
    ])
  })

  test('changed, added and removed by hand rank at once', async () => {
    const search = open(besideMax)
    await find(search, 'red apple')
    workspace.clock.advance(5_000)
    workspace.write('a', 'green pear')
    workspace.write('d', 'apple pie')
    workspace.remove('c')
    const { names, mode } = await find(search, 'green pear')
    expect({ mode, first: names[0], all: names.toSorted() }).toEqual({
      mode: 'hybrid',
      first: 'a',
      all: ['a', 'b', 'd'],
    })
  })
})

test('fit is the larger of cosine and keyword share, and bounds what is given', async () => {
  const search = open()
  const { hits } = await find(search, 'red apple')
  expect(hits[0]?.fit).toBe(1)
  expect((await find(search, 'apple red zebra', { minFit: 0.5 })).names).toEqual(['a'])
  expect((await find(search, 'zebra', { minFit: 0.9 })).names).toEqual([])
})

test('an outage leaves the keywords and says why', async () => {
  embedder.outage = () => 'no answer from the server'
  const { mode, notice, names } = await find(open(), 'red')
  expect({ mode, names }).toEqual({ mode: 'keyword', names: ['a', 'c'] })
  expect(notice).toBe('ranked by keywords alone: no answer from the server')
})

test('after a change of embedder keywords rank, until all is embedded anew', async () => {
  await find(open(), 'red')
  embedder = new FakeEmbedder({ key: { model: 'other' } })
  const search = open()
  expect(await find(search, 'red')).toMatchObject({
    mode: 'keyword',
    notice: 'ranked by keywords alone until knowhow reindex: the embedder was changed',
  })
  search.rebuild()
  expect(await search.supply()).toMatchObject({ embedded: 6, reused: 0 })
  expect(await find(search, 'red')).toMatchObject({ mode: 'hybrid', notice: null })
})

test('a supply embeds what is owed in both views and keeps what is there', async () => {
  const search = open()
  search.refresh()
  expect(await search.supply()).toMatchObject({ embedded: 6, reused: 0 })
  const next = open()
  next.refresh()
  expect(await next.supply()).toMatchObject({ embedded: 0, reused: 6 })
})

test.each(['read', 'stat'] as const)('a supply keeps the vectors of a file that it cannot %s', async (way) => {
  const search = open()
  search.refresh()
  await search.supply()
  workspace.clock.advance(5_000)
  workspace.write('b', 'blue whale', 'swim along ')
  const untold = (path: string): never => {
    throw new MemoryError('io_failed', `cannot ${way} ${path}`)
  }
  const { files } = workspace
  const blind = workspace.open(undefined, {
    [way]: (path: string, options?: { bytesMax: number }) =>
      path.endsWith('/b.json') ? untold(path) : files[way](path, options),
  })
  blind.useVectors({ embedder, kernel: plainKernel, batchSize: 8 })
  blind.refresh()
  expect(blind.invalid).toMatchObject([{ path: 'procedures/b.json' }])
  expect(await blind.supply()).toMatchObject({ embedded: 0, reused: 4 })
  workspace.write('b', 'blue whale', 'swim along')
  const next = open()
  next.refresh()
  expect(await next.supply()).toMatchObject({ embedded: 0, reused: 6 })
})

test('an experience that the embedder refuses is in neither view, and told, until it is changed', async () => {
  embedder.refusal = (text) => (text.startsWith('blue') ? 'it is too blue' : null)
  const search = open()
  expect((await find(search, 'a whale')).names).not.toContain('b')
  expect((await find(search, 'swim', { view: 'when_to_use_content' })).names).not.toContain('b')
  expect(search.leftOut).toMatchObject([{ path: 'procedures/b.json', error: 'it is too blue' }])
  workspace.clock.advance(5_000)
  workspace.write('b', 'grey whale')
  expect((await find(search, 'whale')).names[0]).toBe('b')
  expect(search.leftOut).toEqual([])
})

describe.each([
  ['beside the base', undefined],
  ['in the base', 0],
])('an experience %s that the embedder refuses in one view', (_, besideMax) => {
  const refused = [{ path: 'procedures/b.json', error: 'it swims' }]

  beforeEach(async () => {
    embedder.refusal = (text) => (text.includes('swim') ? 'it swims' : null)
    await find(open(besideMax), 'a whale', { view: 'when_to_use_content' })
  })

  test('is in neither view of any later process, which asks for it no more', async () => {
    const asked = embedder.texts.length
    const search = open(besideMax)
    for (const view of ['when_to_use', 'when_to_use_content'] as const)
      expect((await find(search, 'whale', { view })).names.toSorted()).toEqual(['a', 'c'])
    expect(search.leftOut).toMatchObject(refused)
    expect(embedder.texts.slice(asked).filter((text) => text.includes('swim'))).toEqual([])
  })

  test('is told to a process that was there before, at its next look', async () => {
    const search = open(besideMax)
    search.refresh()
    embedder.refusal = (text) => (text.includes('drink') ? 'it drinks' : null)
    workspace.write('d', 'thirst', 'drink')
    await find(open(besideMax), 'thirst', { view: 'when_to_use_content' })
    search.refresh()
    expect(search.leftOut.map(({ path }) => path)).toEqual(['procedures/b.json', 'procedures/d.json'])
  })

  test('is asked for again by a supply, and refused again or taken', async () => {
    const search = open(besideMax)
    search.refresh()
    const asked = embedder.texts.length
    expect(await search.supply()).toMatchObject({ embedded: 0, reused: 5 })
    expect(embedder.texts.slice(asked)).toContain('blue whale\n\nswim along')
    expect(search.leftOut).toMatchObject(refused)
    embedder.refusal = () => null
    const next = open(besideMax)
    next.refresh()
    expect(next.leftOut).toMatchObject(refused)
    expect(await next.supply()).toMatchObject({ embedded: 1, reused: 5 })
    expect(next.leftOut).toEqual([])
    expect((await find(open(besideMax), 'whale')).names[0]).toBe('b')
  })

  test('stays refused when a supply could not ask', async () => {
    embedder.outage = () => 'away'
    const search = open(besideMax)
    search.refresh()
    await expect(search.supply()).rejects.toMatchObject({ code: 'embedder_unavailable' })
    expect(search.leftOut).toMatchObject(refused)
  })

  test('is there again once its text is another, and its refusal goes with the next supply', async () => {
    workspace.clock.advance(5_000)
    workspace.write('b', 'blue whale', 'dive')
    const search = open(besideMax)
    expect((await find(search, 'blue whale')).names[0]).toBe('b')
    await search.supply()
    workspace.clock.advance(5_000)
    workspace.write('b', 'blue whale', 'swim along')
    search.refresh()
    expect(search.leftOut).toEqual([])
  })

  test('counts without that embedder, and with another', () => {
    const without = workspace.open(besideMax)
    without.refresh()
    embedder = new FakeEmbedder({ key: { model: 'other' } })
    const other = open(besideMax)
    other.refresh()
    expect([without.leftOut, other.leftOut]).toEqual([[], []])
  })
})

test('a text that takes all the time costs no other its vector', async () => {
  workspace.write('long', 'long '.repeat(10_000), 'c')
  embedder.outage = (texts) => (texts.some((text) => text.length > 40_000) ? 'it took too long' : null)
  const search = open()
  search.refresh()
  await expect(search.supply()).rejects.toMatchObject({ code: 'embedder_unavailable' })
  expect(search.vectorFacts?.when_to_use).toEqual({ documents: 4, present: 3, owed: 1 })
})

test('no more than one batch is embedded for a search', async () => {
  for (let at = 0; at < 20; at += 1) workspace.write(`n${at}`, `number ${at}`)
  const search = open()
  const { notice } = await find(search, 'number')
  expect(embedder.texts).toHaveLength(8 + 1)
  expect(notice).toBe(
    '15 experiences have no vector yet and rank by keywords alone; knowhow reindex supplies what is missing',
  )
})

test('a base whose texts’ keys are damaged after it was opened is built anew for whoever asks for them', async () => {
  await find(open(0), 'red')
  let isBroken = false
  const openRead = (path: string): ReadFile | null => {
    const file = workspace.files.openRead(path)
    if (file === null || !path.includes('base-00000001')) return file
    const read = (position: number, length: number) => {
      const bytes = file.read(position, length)
      return isBroken ? bytes.fill(0) : bytes
    }
    return { ...file, read }
  }
  const search = workspace.open(0, { openRead })
  search.useVectors({ embedder, kernel: plainKernel, batchSize: 8 })
  search.refresh()
  isBroken = true
  expect(search.vectorFacts).toMatchObject({ when_to_use: { present: 3, owed: 0 } })
  expect(search.facts.generation).toBe(2)
})

test('a damaged index costs a rebuild, never an answer', async () => {
  await find(open(0), 'red')
  for (const name of workspace.index) {
    if (!name.startsWith('base-')) continue
    const path = `/w/metadata/index/${name}`
    const bytes = (workspace.files.read(path) ?? new Uint8Array()).slice()
    for (let at = 0; at < bytes.length - 600; at += 97) bytes[at] = (bytes[at] ?? 0) ^ 0x55
    workspace.files.write(path, bytes)
  }
  expect(await find(open(0), 'red apple')).toMatchObject({ mode: 'hybrid', names: ['a', 'c', 'b'] })
})
