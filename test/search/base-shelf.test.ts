import { beforeEach, describe, expect, test } from 'bun:test'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { Files } from '../../src/ports.ts'
import { INDEX, INDEX_LOCK, namesFor, SearchedWorkspace } from '../fakes/searched-workspace.ts'

/** Past what lies beside a base. */
const MANY = 65
const FIRST = 'base-00000001.knw'

let workspace: SearchedWorkspace

const generations = () => workspace.index.filter((name) => name.endsWith('.knw'))

beforeEach(() => {
  workspace = new SearchedWorkspace()
  for (let n = 0; n < MANY; n += 1) workspace.write(`many-${n}`, `alpha ${n}`)
  workspace.clock.advance(60_000)
})

describe('an index is made', () => {
  test('for more files than lie beside it, not for as many', () => {
    workspace.remove('many-0')
    expect(namesFor(workspace.open(), 'alpha')).toHaveLength(MANY - 1)
    expect(workspace.files.tree().some((path) => path.startsWith('/w/metadata'))).toBe(false)
    workspace.write('many-0', 'alpha')
    expect(namesFor(workspace.open(), 'alpha')).toHaveLength(MANY)
    expect(workspace.index.toSorted()).toEqual([FIRST])
  })

  test('never for a workspace that is missing, which stays missing', () => {
    workspace.files.rename('/w', '/elsewhere')
    const search = workspace.open(0)
    search.refresh()
    search.rebuild()
    expect(search.search({ query: 'alpha' }).hits).toEqual([])
    expect(workspace.files.stat('/w')).toBeNull()
  })

  test('in a workspace whose root is a link to a folder', () => {
    workspace.files.rename('/w', '/elsewhere')
    workspace.files.linkTo('/w', '/elsewhere')
    workspace.open().refresh()
    expect(workspace.files.names('/elsewhere/metadata/index')).toEqual([FIRST])
  })

  test.each(['/w/metadata', '/w/metadata/index'])('not through the link %s, which may lead anywhere', (link) => {
    workspace.files.makeFolder('/outside')
    workspace.files.linkTo(link, '/outside')
    expect(namesFor(workspace.open(), 'alpha')).toHaveLength(MANY)
    expect(workspace.files.names('/outside')).toEqual([])
  })
})

describe('without a way to write', () => {
  const denied = () => {
    throw new MemoryError('permission_denied', 'no')
  }
  const refusals: [string, Partial<Files>][] = [
    ['the folder cannot be made', { makeFolder: denied }],
    ['no file can be created', { create: denied, openAppend: denied }],
    ['the disk fills while it is written', { openAppend: fullDisk }],
    ['a file cannot be renamed', { rename: denied }],
    ['old generations cannot be removed', { remove: denied }],
    ['a written file cannot be opened', { openRead: denied }],
  ]

  function fullDisk(path: string) {
    const file = workspace.files.openAppend(path)
    let parts = 0
    return {
      ...file,
      append: (data: Uint8Array) => {
        parts += 1
        if (parts > 3) throw new MemoryError('disk_full', 'full')
        file.append(data)
      },
    }
  }

  test.each(refusals)('since %s, it answers from memory and nobody hears of it', (_what, faults) => {
    const search = workspace.open(64, faults)
    expect(namesFor(search, 'alpha')).toHaveLength(MANY)
    workspace.write('many-3', 'omega')
    expect(namesFor(search, 'omega')).toEqual(['many-3'])
    for (let n = 0; n < MANY; n += 1) workspace.write(`many-${n}`, `beta ${n}`)
    expect(namesFor(search, 'beta')).toHaveLength(MANY)
    expect(namesFor(search, 'alpha')).toEqual([])
    expect(namesFor(workspace.open(64, faults), 'beta')).toHaveLength(MANY)
  })

  test('a half-written file is taken away', () => {
    workspace.open(64, { openAppend: fullDisk }).refresh()
    expect(workspace.index).toEqual([])
  })

  test('while another process has the lock, it answers from memory, once for all unchanged files', () => {
    workspace.open().refresh()
    workspace.clock.advance(60_000)
    for (let n = 0; n < MANY; n += 1) workspace.write(`many-${n}`, `beta ${n}`)
    workspace.clock.advance(60_000)
    const held = workspace.lock.acquire(INDEX_LOCK)
    const search = workspace.open()
    expect(workspace.readsOf(search)).toBe(MANY)
    expect(search.facts).toMatchObject({ generation: 0, bytes: 0, documents: 0, beside: MANY })
    workspace.clock.advance(60_000)
    expect(namesFor(search, 'beta')).toHaveLength(MANY)
    // It does not go back to the older base on the disk.
    expect(search.facts.generation).toBe(0)
    expect(generations()).toEqual([FIRST])
    held?.[Symbol.dispose]()
    workspace.open().refresh()
    expect(generations()).toEqual(['base-00000002.knw'])
    expect(namesFor(search, 'beta')).toHaveLength(MANY)
    expect(search.facts.generation).toBe(2)
  })
})

test('a folder that cannot be listed keeps nobody from writing afterwards', () => {
  const names = (path: string) => {
    if (path === INDEX) throw new MemoryError('io_failed', 'no')
    return workspace.files.names(path)
  }
  workspace.open(0, { names }).refresh()
  const lock = workspace.lock.acquire(INDEX_LOCK)
  expect(lock).not.toBeNull()
  lock?.[Symbol.dispose]()
})

describe('generations', () => {
  test('follow one another, and the superseded are removed', () => {
    workspace.open().refresh()
    expect(generations()).toEqual([FIRST])
    for (let n = 0; n < MANY; n += 1) workspace.write(`more-${n}`, `beta ${n}`)
    workspace.open().refresh()
    expect(generations()).toEqual(['base-00000002.knw'])
  })

  test('with gaps are not written anew for their gaps', () => {
    for (let n = MANY; n < 10 * MANY; n += 1) workspace.write(`many-${n}`, `alpha ${n}`)
    workspace.clock.advance(60_000)
    workspace.open().refresh()
    workspace.clock.advance(60_000)
    for (let n = 0; n <= MANY; n += 1) workspace.remove(`many-${n}`)
    const second = workspace.open()
    second.refresh()
    expect(second.facts).toMatchObject({ generation: 2, documents: 9 * MANY - 1 })
    const third = workspace.open()
    expect(workspace.readsOf(third)).toBe(0)
    expect(third.facts.generation).toBe(2)
    expect(namesFor(third, `alpha ${MANY}`)).not.toContain(`many-${MANY}`)
  })

  test('one that was opened goes on to answer while others are written', () => {
    workspace.open().refresh()
    const reader = workspace.open()
    reader.refresh()
    for (let n = 0; n < MANY; n += 1) workspace.write(`many-${n}`, `beta ${n}`)
    workspace.open().refresh()
    expect(generations()).toEqual(['base-00000002.knw'])
    expect(reader.search({ query: 'alpha', limit: 200 }).hits).toHaveLength(MANY)
    expect(namesFor(reader, 'beta')).toHaveLength(MANY)
  })

  test('that another process wrote while this one looked is taken, not written twice', () => {
    let isFirst = true
    const late = workspace.open(64, {
      stat: (path) => {
        if (isFirst && path.endsWith('many-64.json')) {
          isFirst = false
          workspace.open().refresh()
        }
        return workspace.files.stat(path)
      },
    })
    expect(namesFor(late, 'alpha')).toHaveLength(MANY)
    expect([late.facts.generation, generations()]).toEqual([1, [FIRST]])
  })

  test('that was removed between being listed and being opened leads to the one in its place', () => {
    workspace.open().refresh()
    let isFirst = true
    const late = workspace.open(64, {
      openRead: (path) => {
        if (isFirst) {
          isFirst = false
          workspace.open().rebuild()
        }
        return workspace.files.openRead(path)
      },
    })
    workspace.reads = []
    late.refresh()
    expect(workspace.reads).toHaveLength(MANY)
    expect([late.facts.generation, generations()]).toEqual([2, ['base-00000002.knw']])
  })

  test('what killed runs left half-done is removed by the next that writes, and nothing else', () => {
    workspace.files.write(`${INDEX}/.knowhow-id123.tmp`, 'half')
    workspace.files.write(`${INDEX}/vectors-0.knw`, 'another')
    workspace.files.write(`${INDEX}/notes.txt`, 'mine')
    workspace.open().refresh()
    expect(workspace.index.toSorted()).toEqual([FIRST, 'notes.txt', 'vectors-0.knw'])
  })

  describe('are closed', () => {
    let open: number

    const countedOpenRead = (path: string) => {
      const file = workspace.files.openRead(path)
      if (file === null) return null
      open += 1
      let isOpen = true
      return {
        ...file,
        [Symbol.dispose]: () => {
          if (isOpen) open -= 1
          isOpen = false
        },
      }
    }

    beforeEach(() => {
      open = 0
    })

    test('when they are damaged, superseded, or the search is', () => {
      const search = workspace.open(64, { openRead: countedOpenRead })
      search.refresh()
      for (let round = 0; round < 3; round += 1) {
        for (let n = 0; n < MANY; n += 1) workspace.write(`many-${n}`, `round ${round} ${n}`)
        ;(round === 1 ? workspace.open() : search).refresh()
        workspace.files.write(`${INDEX}/base-0000009${round}.knw`, 'garbage')
        search.refresh()
        search.rebuild()
      }
      expect(open).toBe(1)
      search[Symbol.dispose]()
      expect(open).toBe(0)
    })

    test('when another process writes the next while this one looks', () => {
      workspace.open().refresh()
      for (let n = 0; n < MANY; n += 1) workspace.write(`many-${n}`, `beta ${n}`)
      let isFirst = true
      const late = workspace.open(64, {
        openRead: countedOpenRead,
        stat: (path) => {
          if (isFirst && path.endsWith('many-64.json')) {
            isFirst = false
            workspace.open().refresh()
          }
          return workspace.files.stat(path)
        },
      })
      expect(namesFor(late, 'beta')).toHaveLength(MANY)
      expect([late.facts.generation, open]).toEqual([2, 1])
    })
  })
})

test('a rebuild takes nothing from the base before', () => {
  workspace.open().refresh()
  const search = workspace.open()
  search.refresh()
  workspace.reads = []
  search.rebuild()
  expect(workspace.reads).toHaveLength(MANY)
  expect(search.facts).toMatchObject({ generation: 2, documents: MANY, beside: 0 })
})
