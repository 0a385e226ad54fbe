import { beforeEach, describe, expect, test } from 'bun:test'
import { VIEW_NAMES, type ViewName } from '../../src/model/experience.ts'
import type { ExperienceSearch } from '../../src/search/experience-search.ts'
import type { ExcludedVersions } from '../../src/search/indexed-contents.ts'
import { experienceJson, namesFor, SearchedWorkspace, versionOf } from '../fakes/searched-workspace.ts'

let workspace: SearchedWorkspace
let search: ExperienceSearch
/** Without an embedder nobody asks for them. */
const NO_TEXTS = () => ({ description: '', 'when-to-use': '', content: '' })
const ONCE = { asksAgain: false }

const pathsFor = (query: string, view?: ViewName) => search.search({ query, view }).hits.map(({ path }) => path)

beforeEach(() => {
  workspace = new SearchedWorkspace()
  workspace.write('red', 'when red appears', 'paint it over')
  workspace.write('blue', 'when blue appears', 'leave it alone')
  search = workspace.open()
  search.refresh()
})

describe('a search', () => {
  test('finds by when-to-use alone in the one view, and by the content too in the other', () => {
    expect(pathsFor('paint')).toEqual([])
    expect(pathsFor('paint', 'when_to_use_content')).toEqual(['procedures/red.json'])
    expect(pathsFor('red')).toEqual(['procedures/red.json'])
  })

  test('answers with path, version, ranks and fit, scored (1-w)/(60+rank) without vectors', () => {
    const { hits, ...rest } = search.search({ query: 'red', vectorWeight: 0.7 })
    expect(hits).toEqual([
      {
        path: 'procedures/red.json',
        version: versionOf(experienceJson('when red appears', 'paint it over')),
        score: (1 - 0.7) / 61,
        fit: 1,
        vector: null,
        keyword: { rank: 1, score: expect.any(Number) },
      },
    ])
    expect(rest).toMatchObject({ view: 'when_to_use', mode: 'keyword', fusion: 'rrf' })
  })

  test('fused by score answers the share of the most that BM25 could give', () => {
    const [hit] = search.search({ query: 'red', fusion: 'score' }).hits
    // N = 2, df 1, length 3 of 3 on average: score = idf * 2.2 / 2.2, upper = idf * 2.2.
    expect(hit?.score).toBeCloseTo(1 / 2.2, 12)
  })

  test('gives no more hits than the limit, 5 unless told', () => {
    for (let n = 0; n < 9; n += 1) workspace.write(`many-${n}`, 'many of them')
    search.refresh()
    expect(pathsFor('many')).toHaveLength(5)
    expect(search.search({ query: 'many', limit: 7 }).hits).toHaveLength(7)
  })

  test('drops what fits less than asked', () => {
    expect(search.search({ query: 'red whale', minFit: 0 }).hits).toHaveLength(1)
    expect(search.search({ query: 'red whale', minFit: 0.9 }).hits).toEqual([])
    expect(search.search({ query: 'red appears', minFit: 1 }).hits).toHaveLength(1)
  })

  test('finds nothing for a query of punctuation alone', () => {
    expect(search.search({ query: '?!' }).hits).toEqual([])
  })

  test('of an empty folder finds nothing', () => {
    workspace.remove('red')
    workspace.remove('blue')
    search.refresh()
    expect(pathsFor('red')).toEqual([])
    expect(search.count).toBe(0)
  })
})

describe('a search is refused as invalid_argument', () => {
  test.each([
    ['for an empty query', { query: '' }, 'empty'],
    ['for a blank query', { query: ' \n' }, 'empty'],
    ['for a limit of 0', { query: 'red', limit: 0 }, 'limit is 0'],
    ['for a limit of 201', { query: 'red', limit: 201 }, 'limit is 201'],
    ['for a limit of 1.5', { query: 'red', limit: 1.5 }, 'limit is 1.5'],
    ['for a limit of Number.NaN', { query: 'red', limit: Number.NaN }, 'limit is NaN'],
    ['for a vectorWeight of -0.1', { query: 'red', vectorWeight: -0.1 }, 'weight is -0.1'],
    ['for a vectorWeight of 1.1', { query: 'red', vectorWeight: 1.1 }, 'weight is 1.1'],
    ['for a vectorWeight of Number.NaN', { query: 'red', vectorWeight: Number.NaN }, 'weight is NaN'],
    ['for a minFit of 2', { query: 'red', minFit: 2 }, 'fit is 2'],
  ])('%s', (_what, request, message) => {
    expect(() => search.search(request)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(message) }),
    )
  })
})

describe.each([
  ['beside the base', 64],
  ['in the base', 0],
])('with its files %s', (_where, besideMax) => {
  let excluded: ExcludedVersions

  beforeEach(() => {
    excluded = new Map()
    search = workspace.open(besideMax, {}, () => excluded)
    search.refresh()
  })

  test('a file that is no experience is reported with the reason, and counts in no score', () => {
    const before = search.search({ query: 'red' }).hits
    workspace.files.write('/w/procedures/bad.json', '[]')
    workspace.files.write('/w/procedures/Upper.json', experienceJson('red'))
    search.refresh()
    expect(search.invalid.map(({ path }) => path)).toEqual(['procedures/Upper.json', 'procedures/bad.json'])
    expect(search.search({ query: 'red' }).hits).toEqual(before)
    expect(search.count).toBe(2)
    workspace.write('bad', 'when it is mended')
    expect(namesFor(search, 'mended')).toEqual(['bad'])
    expect(search.invalid.map(({ path }) => path)).toEqual(['procedures/Upper.json'])
  })

  test('a hand edit is found by its new words and not by its old ones', () => {
    workspace.write('red', 'when green appears')
    search.refresh()
    expect(pathsFor('red')).toEqual([])
    expect(search.search({ query: 'green' }).hits).toMatchObject([
      { path: 'procedures/red.json', version: versionOf(experienceJson('when green appears')) },
    ])
  })

  test('a removed file and one that became invalid are in neither view', () => {
    workspace.remove('red')
    workspace.files.write('/w/procedures/blue.json', '{}')
    search.refresh()
    expect(pathsFor('red blue appears')).toEqual([])
    expect(pathsFor('paint leave', 'when_to_use_content')).toEqual([])
  })

  const red = versionOf(experienceJson('when red appears', 'paint it over'))
  const pendingRed = new Map([['procedures/red.json', [{ version: red, error: 'refused' }]]])

  function refreshExcluding(versions: ExcludedVersions): void {
    excluded = versions
    search.refresh()
  }

  test('an excluded version is in neither view, is reported, and counts in no score', () => {
    refreshExcluding(pendingRed)
    expect(pathsFor('red appears')).toEqual(['procedures/blue.json'])
    expect(pathsFor('paint', 'when_to_use_content')).toEqual([])
    expect(search.leftOut).toEqual([{ path: 'procedures/red.json', version: red, error: 'refused' }])
    expect(search.count).toBe(2)
    const alone = new SearchedWorkspace()
    alone.write('blue', 'when blue appears', 'leave it alone')
    const twin = alone.open()
    twin.refresh()
    expect(search.search({ query: 'appears' }).hits).toEqual(twin.search({ query: 'appears' }).hits)
  })

  test('an excluded version stays out until the file changes, and is back when nothing excludes it', () => {
    refreshExcluding(pendingRed)
    search.refresh()
    expect(pathsFor('red')).toEqual([])
    refreshExcluding(new Map())
    expect(pathsFor('red')).toEqual(['procedures/red.json'])
    refreshExcluding(pendingRed)
    workspace.write('red', 'when red is corrected')
    expect(namesFor(search, 'red corrected')).toEqual(['red'])
    expect(search.leftOut).toEqual([])
  })

  test('an excluded path that is no file is not reported', () => {
    refreshExcluding(new Map([['procedures/none.json', [{ version: red, error: 'refused' }]]]))
    expect(search.leftOut).toEqual([])
  })
})

/** More than lie beside a base, so that one is built. */
const CROWD = 70

describe.each([
  ['one-shot, a new process each time', true],
  ['through one long-lived handle', false],
])('save, search, edit by hand, search, delete, search, other branch, search: %s', (_how, reopens) => {
  test.each([...VIEW_NAMES])('in the view %s', (view) => {
    const crowded = new SearchedWorkspace()
    for (let n = 0; n < CROWD; n += 1) crowded.write(`crowd-${n}`, `noise ${n}`, 'filler')
    let current = crowded.open()
    const find = (query: string) => {
      if (reopens) {
        current[Symbol.dispose]()
        current = crowded.open()
      }
      return namesFor(current, query, view)
    }
    expect(find('noise')).toHaveLength(CROWD)
    expect(current.facts).toMatchObject({ generation: 1, documents: CROWD, beside: 0 })

    crowded.write('saved', 'saved words')
    expect(find('saved')).toEqual(['saved'])
    crowded.write('saved', 'edited words')
    expect([find('saved'), find('edited')]).toEqual([[], ['saved']])
    crowded.write('crowd-7', 'edited inside')
    expect(find('edited').toSorted()).toEqual(['crowd-7', 'saved'])
    crowded.remove('saved')
    crowded.remove('crowd-8')
    expect([find('edited'), find('8')]).toEqual([['crowd-7'], []])

    // A checkout rewrites what differs, removes what the other branch lacks, adds what it has.
    for (let n = 0; n < CROWD; n += 1) crowded.remove(`crowd-${n}`)
    for (let n = 0; n < CROWD; n += 1) crowded.write(`branch-${n}`, `signal ${n}`, 'filler')
    expect(find('noise edited')).toEqual([])
    expect(find('signal')).toHaveLength(CROWD)
    expect(find('69')).toEqual(['branch-69'])
    expect(current.facts).toMatchObject({ documents: CROWD, beside: 0 })
    expect(crowded.index.filter((name) => name.endsWith('.knw'))).toHaveLength(1)
  })
})

describe('one file that was just written is taken in', () => {
  let workspace: SearchedWorkspace
  let looks: string[]
  const counted = () => {
    const { files } = workspace
    return workspace.open(64, {
      stat: (path) => {
        looks.push(path)
        return files.stat(path)
      },
      names: (path) => {
        looks.push(path)
        return files.names(path)
      },
    })
  }
  const inFolder = () => looks.filter((path) => path.startsWith('/w/procedures'))

  beforeEach(() => {
    workspace = new SearchedWorkspace()
    looks = []
    for (let n = 0; n < 70; n += 1) workspace.write(`many-${n}`, `alpha ${n}`)
    workspace.clock.advance(60_000)
    workspace.open().refresh()
    workspace.clock.advance(60_000)
  })

  test.each([
    ['a new one', 'new'],
    ['one that the base holds otherwise', 'many-3'],
  ])('%s, without a look at any other, and is in the next answer', async (_which, name) => {
    const search = counted()
    search.refresh()
    looks = []
    workspace.write(name, 'omega')
    await search.takeIn(`procedures/${name}.json`, NO_TEXTS, ONCE)
    expect(new Set(inFolder())).toEqual(new Set(['/w/procedures', `/w/procedures/${name}.json`]))
    expect(namesFor(search, 'omega')).toEqual([name])
    expect(search.indexedVersions()).toEqual(seenAnew())
  })

  function seenAnew() {
    const search = workspace.open()
    search.refresh()
    return search.indexedVersions()
  }

  test('and counted, also when it is gone again, back as it was, or no experience', async () => {
    const search = counted()
    search.refresh()
    const before = workspace.files.text('/w/procedures/many-3.json')
    for (const [change, count, invalid] of [
      [() => workspace.remove('many-3'), 69, 0],
      [() => workspace.files.write('/w/procedures/many-3.json', '[]'), 69, 1],
      [() => workspace.files.write('/w/procedures/many-3.json', before), 70, 0],
    ] as const) {
      change()
      await search.takeIn('procedures/many-3.json', NO_TEXTS, ONCE)
      expect([search.count, search.invalid.length]).toEqual([count, invalid])
    }
  })

  test('one after another: past what lies beside a base all are in the next', async () => {
    const search = counted()
    search.refresh()
    for (let n = 0; n < 70; n += 1) {
      workspace.write(`new-${n}`, `omega ${n}`)
      await search.takeIn(`procedures/new-${n}.json`, NO_TEXTS, ONCE)
    }
    expect(namesFor(search, 'omega')).toHaveLength(70)
    expect(search.facts.generation).toBe(2)
    expect(search.indexedVersions()).toEqual(seenAnew())
  })

  test('by a search that has looked at nothing yet', async () => {
    const search = counted()
    workspace.write('new', 'omega')
    await search.takeIn('procedures/new.json', NO_TEXTS, ONCE)
    expect(search.count).toBe(71)
  })
})
