import { beforeEach, describe, expect, test } from 'bun:test'
import type { Files } from '../../src/ports.ts'
import { experienceJson, namesFor, SearchedWorkspace } from '../fakes/searched-workspace.ts'

const HOUR_MS = 3_600_000
const PROCEDURES = '/w/procedures'
/** Past what lies beside a base. */
const MANY = 70

function crowd(workspace: SearchedWorkspace, word: string): void {
  for (let n = 0; n < MANY; n += 1) workspace.write(`many-${n}`, `${word} ${n}`)
}

describe.each([
  ['that agree', 0],
  ['of which the file system’s is an hour ahead', HOUR_MS],
  ['of which the file system’s is an hour behind', -HOUR_MS],
])('with clocks %s', (_which, skewMs) => {
  let workspace: SearchedWorkspace

  beforeEach(() => {
    workspace = new SearchedWorkspace(skewMs)
    crowd(workspace, 'alpha')
  })

  test('a same-size rewrite in the moment in which the base was built is seen by the next process', () => {
    workspace.open().refresh()
    workspace.write('many-3', 'omega 3')
    expect(namesFor(workspace.open(), 'omega')).toEqual(['many-3'])
    workspace.clock.advance(60_000)
    expect(namesFor(workspace.open(), 'omega')).toEqual(['many-3'])
  })

  test('a same-size rewrite in the moment in which the base was built is seen through the handle that built it', () => {
    const search = workspace.open()
    search.refresh()
    workspace.write('many-3', 'omega 3')
    expect(namesFor(search, 'omega')).toEqual(['many-3'])
    workspace.write('many-3', 'gamma 3')
    workspace.clock.advance(60_000)
    expect(namesFor(search, 'gamma')).toEqual(['many-3'])
  })

  test('a same-size rewrite of a file beside the base is seen at whatever moment the handle looked', () => {
    const search = workspace.open()
    search.refresh()
    for (const word of ['aaaaa', 'bbbbb', 'ccccc', 'ddddd']) {
      workspace.write('new', word)
      expect(namesFor(search, word)).toEqual(['new'])
      workspace.clock.advance(word === 'bbbbb' ? 1_999 : 0)
    }
  })

  test('a same-size rewrite is seen where nothing can be written', () => {
    workspace.lock.acquire('/w/metadata/index/lock')
    const search = workspace.open()
    search.refresh()
    workspace.write('many-3', 'omega 3')
    expect(namesFor(search, 'omega')).toEqual(['many-3'])
    workspace.write('many-3', 'gamma 3')
    workspace.clock.advance(60_000)
    expect(namesFor(search, 'gamma')).toEqual(['many-3'])
  })

  test('what has been at rest is read once, then neither by the handle nor by another process', () => {
    workspace.clock.advance(60_000)
    const search = workspace.open()
    expect(workspace.readsOf(search)).toBe(MANY)
    expect(workspace.readsOf(search)).toBe(0)
    expect(workspace.readsOf(workspace.open())).toBe(0)
  })
})

describe('what every process must read again', () => {
  test('is not built anew while a new base would have to distrust it as well', () => {
    const workspace = new SearchedWorkspace()
    for (let n = 0; n < 300; n += 1) workspace.write(`many-${n}`, `alpha ${n}`)
    workspace.open().refresh()
    const second = workspace.open()
    expect([workspace.readsOf(second), second.facts.generation]).toEqual([300, 1])
    workspace.clock.advance(10_000)
    const third = workspace.open()
    expect([workspace.readsOf(third), third.facts.generation]).toEqual([300, 2])
    const fourth = workspace.open()
    expect([workspace.readsOf(fourth), fourth.facts.generation]).toEqual([0, 2])
  })

  test('is remembered in memory where nothing can be written', () => {
    const workspace = new SearchedWorkspace()
    for (let n = 0; n < 300; n += 1) workspace.write(`many-${n}`, `alpha ${n}`)
    workspace.open().refresh()
    workspace.clock.advance(10_000)
    workspace.lock.acquire('/w/metadata/index/lock')
    const search = workspace.open()
    expect(workspace.readsOf(search)).toBe(300)
    workspace.clock.advance(2_000)
    expect(workspace.readsOf(search)).toBe(300)
    expect(workspace.readsOf(search)).toBe(0)
    expect(search.facts.generation).toBe(1)
  })
})

describe('against the base of an earlier process', () => {
  let workspace: SearchedWorkspace

  beforeEach(() => {
    workspace = new SearchedWorkspace()
    crowd(workspace, 'alpha')
    workspace.clock.advance(60_000)
    workspace.open().refresh()
    workspace.clock.advance(60_000)
    workspace.reads = []
  })

  test('a file that was touched is read, found, and no other document', () => {
    workspace.write('many-3', 'alpha 3')
    const search = workspace.open()
    expect(namesFor(search, 'alpha')).toHaveLength(MANY)
    expect(workspace.reads).toEqual(['many-3.json'])
    expect(search.facts.beside).toBe(0)
  })

  test('a file that was put in the place of another of the same size and times is seen', () => {
    workspace.clock.advance(-120_000)
    workspace.files.write('/w/procedures/new.tmp', experienceJson('omega 3'))
    workspace.files.rename('/w/procedures/new.tmp', '/w/procedures/many-3.json')
    expect(namesFor(workspace.open(), 'omega')).toEqual(['many-3'])
  })

  test('a file in whose place a link or a folder was put is no more, and is reported', () => {
    workspace.files.remove('/w/procedures/many-3.json')
    workspace.files.linkTo('/w/procedures/many-3.json', '/w/procedures/many-4.json')
    workspace.files.remove('/w/procedures/many-5.json')
    workspace.files.makeFolder('/w/procedures/many-5.json')
    const search = workspace.open()
    expect(namesFor(search, 'alpha')).toHaveLength(MANY - 2)
    expect(search.invalid.map(({ path }) => path)).toEqual(['procedures/many-3.json', 'procedures/many-5.json'])
  })

  test('a second name of a file that differs in its suffix’s case alone is reported, and its file stays', () => {
    workspace.files.link('/w/procedures/many-3.json', '/w/procedures/many-3.JSON')
    const search = workspace.open()
    expect(namesFor(search, 'alpha')).toHaveLength(MANY)
    expect(search.invalid.map(({ path }) => path)).toEqual(['procedures/many-3.JSON'])
    // Also when the base knows the signature that both have.
    for (let n = 0; n < MANY; n += 1) workspace.write(`more-${n}`, 'more')
    workspace.clock.advance(60_000)
    workspace.open().refresh()
    const later = workspace.open()
    later.refresh()
    expect(later.invalid.map(({ path }) => path)).toEqual(['procedures/many-3.JSON'])
    expect(later.count).toBe(2 * MANY)
  })

  test('many removed at once are in no answer, and no gap is left of most', () => {
    for (let n = 1; n < MANY; n += 1) workspace.remove(`many-${n}`)
    const search = workspace.open()
    expect(namesFor(search, 'alpha')).toEqual(['many-0'])
    expect(search.facts).toMatchObject({ generation: 2, documents: 1 })
    expect(namesFor(workspace.open(), 'alpha')).toEqual(['many-0'])
  })

  test('all exchanged against other files of the same names and sizes are found by their words alone', () => {
    crowd(workspace, 'omega')
    const search = workspace.open()
    expect(namesFor(search, 'omega')).toHaveLength(MANY)
    expect(namesFor(search, 'alpha')).toEqual([])
    expect(search.facts).toMatchObject({ generation: 2, documents: MANY, beside: 0 })
  })
})

describe('the folder', () => {
  let workspace: SearchedWorkspace
  let listings: number

  /** A search over a base that is at rest, which counts how often it lists the experiences. */
  function opened(faults: Partial<Files> = {}) {
    const names = (path: string) => {
      if (path === PROCEDURES) listings += 1
      return workspace.files.names(path)
    }
    return workspace.open(64, { ...faults, names })
  }

  /** @param idleMs how long nothing was changed before the base was made */
  function makeBase(idleMs: number, faults: Partial<Files> = {}): void {
    crowd(workspace, 'alpha')
    workspace.open(64, faults).refresh()
    workspace.clock.advance(60_000)
    workspace.write('last', 'alpha last')
    workspace.clock.advance(idleMs)
    workspace.open(64, faults).rebuild()
    workspace.clock.advance(60_000)
  }

  beforeEach(() => {
    workspace = new SearchedWorkspace()
    listings = 0
  })

  test('is not listed while it is as it was, and each of its files is looked at all the same', () => {
    makeBase(60_000)
    const search = opened()
    expect(namesFor(search, 'alpha')).toHaveLength(MANY + 1)
    workspace.write('many-3', 'omega 3')
    expect(namesFor(search, 'omega')).toEqual(['many-3'])
    expect(namesFor(opened(), 'omega')).toEqual(['many-3'])
    expect(listings).toBe(0)
  })

  test.each<[string, (files: SearchedWorkspace['files']) => void, number]>([
    ['a file was added', (files) => files.write(`${PROCEDURES}/new.json`, experienceJson('omega')), 1],
    ['one was removed', (files) => files.remove(`${PROCEDURES}/many-3.json`), 0],
    ['one was renamed', (files) => files.rename(`${PROCEDURES}/many-3.json`, `${PROCEDURES}/omega.json`), 0],
    [
      'it was replaced as a whole',
      (files) => {
        files.rename(PROCEDURES, '/w/other')
        files.write(`${PROCEDURES}/new.json`, experienceJson('omega'))
      },
      1,
    ],
  ])('is listed as soon as %s', (_what, change, found) => {
    makeBase(60_000)
    const before = opened()
    before.refresh()
    change(workspace.files)
    for (const search of [before, opened()]) {
      expect(namesFor(search, 'omega')).toHaveLength(found)
      expect(search.indexedVersions()).toEqual(fresh().indexedVersions())
    }
    expect(listings).toBe(2)
  })

  /** One that never saw a base. */
  function fresh() {
    const search = workspace.open(64, { openRead: () => null })
    search.refresh()
    return search
  }

  test('is listed by all when it had changed in the two seconds before the base was made', () => {
    makeBase(2_000)
    opened().refresh()
    expect(listings).toBe(1)
  })

  test('is listed by all where a file system does not stamp folders', () => {
    const stat = (path: string) => {
      const found = workspace.files.stat(path)
      return found?.kind === 'folder' ? { ...found, mtimeMs: 0, ctimeMs: 0 } : found
    }
    makeBase(60_000, { stat })
    workspace.write('new', 'omega')
    expect(namesFor(opened({ stat }), 'omega')).toEqual(['new'])
    expect(listings).toBe(1)
  })

  test('is listed by all where it lies on another file system than the index', () => {
    const stat = (path: string) => {
      const found = workspace.files.stat(path)
      return found === null || !path.startsWith(PROCEDURES) ? found : { ...found, device: 2 }
    }
    makeBase(60_000, { stat })
    opened({ stat }).refresh()
    expect(listings).toBe(1)
  })
})
