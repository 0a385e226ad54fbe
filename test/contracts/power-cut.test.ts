/** What the fake shows after a power cut; the tests of every durable write rest on it. */
import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Files } from '../../src/ports.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'

const SEEDS = Array.from({ length: 400 }, (_, seed) => seed)
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const contentOf = (machine: Files, path: string): string | null => {
  const data = machine.read(path)
  return data === null ? null : new TextDecoder().decode(data)
}

let files: MemoryFiles
beforeEach(() => {
  files = new MemoryFiles()
  files.write('/w/old', 'old')
})

/** Everything that some seed leaves at `paths`, one string a machine, sorted. */
function outcomes(...paths: readonly string[]): readonly string[] {
  const seen = SEEDS.map((seed) => {
    const machine = files.crash({ seed })
    return paths.map((path) => JSON.stringify(contentOf(machine, path))).join(' ')
  })
  return [...new Set(seen)].sort()
}

describe('without luck', () => {
  test('a new file is gone until its folder is synced', () => {
    files.create('/w/a', bytes('x'))
    expect(files.crash().tree()).toEqual(['/w/', '/w/old'])
    files.syncFolder('/w')
    expect(contentOf(files.crash(), '/w/a')).toBe('x')
  })

  test('a new file that was not synced is empty, whatever became of its folder', () => {
    files.create('/w/a', bytes('x'), { sync: false })
    files.syncFolder('/w')
    expect(contentOf(files.crash(), '/w/a')).toBe('')
  })

  test('appended bytes are gone until the file is synced, and so is a cut', () => {
    using log = files.openAppend('/w/old')
    log.append(bytes('+1'))
    expect(contentOf(files.crash(), '/w/old')).toBe('old')
    log.sync()
    log.append(bytes('+2'))
    expect(contentOf(files.crash(), '/w/old')).toBe('old+1')
    log.truncate(1)
    expect(contentOf(files.crash(), '/w/old')).toBe('old+1')
    log.sync()
    expect(contentOf(files.crash(), '/w/old')).toBe('o')
  })

  test('a file made by appending needs both syncs', () => {
    using log = files.openAppend('/w/log')
    log.append(bytes('one'))
    log.sync()
    expect(contentOf(files.crash(), '/w/log')).toBeNull()
    files.syncFolder('/w')
    expect(contentOf(files.crash(), '/w/log')).toBe('one')
  })

  test('a rename, a link and a removal are undone until the folder is synced', () => {
    files.write('/w/b', 'b')
    files.write('/w/c', 'c')
    files.rename('/w/old', '/w/b')
    files.link('/w/c', '/w/d')
    files.remove('/w/c')
    expect(files.crash().tree()).toEqual(['/w/', '/w/b', '/w/c', '/w/old'])
    expect(contentOf(files.crash(), '/w/b')).toBe('b')
    files.syncFolder('/w')
    expect(files.crash().tree()).toEqual(['/w/', '/w/b', '/w/d'])
    expect(contentOf(files.crash(), '/w/b')).toBe('old')
  })

  test('a rename between folders is whole as soon as one of them is synced', () => {
    files.write('/v/there', 'there')
    for (const folder of ['/w', '/v']) {
      const machine = files.crash()
      machine.rename('/w/old', '/v/new')
      machine.syncFolder(folder)
      expect(machine.crash().tree()).toEqual(['/v/', '/v/new', '/v/there', '/w/'])
    }
  })

  test('a folder that was not made durable takes all that is in it', () => {
    files.makeFolder('/w/deep')
    files.create('/w/deep/a', bytes('x'))
    files.syncFolder('/w/deep')
    expect(files.crash().tree()).toEqual(['/w/', '/w/old'])
    files.syncFolder('/w')
    expect(contentOf(files.crash(), '/w/deep/a')).toBe('x')
  })

  test('what a test sets up is there, in folders that the program has just made too', () => {
    files.makeFolder('/w/deep')
    files.linkTo('/w/way', '/w/deep')
    files.linkTo('/w/circle', 'circle')
    files.write('/w/way/a', 'x')
    files.write('/w/old', 'by hand')
    files.create('/w/deep/b', bytes('b'), { sync: false })
    files.linkTo('/w/to-b', 'deep/b')
    files.write('/w/to-b', 'by hand')
    expect(files.crash().tree()).toEqual(files.tree())
    expect(contentOf(files.crash(), '/w/deep/b')).toBe('by hand')
    expect(contentOf(files.crash(), '/w/deep/a')).toBe('x')
    expect(contentOf(files.crash(), '/w/old')).toBe('by hand')
  })

  test('names of one file are still names of one file', () => {
    files.link('/w/old', '/w/same')
    files.syncFolder('/w')
    const machine = files.crash()
    using log = machine.openAppend('/w/old')
    log.append(bytes('er'))
    expect(contentOf(machine, '/w/same')).toBe('older')
  })

  test('the times of lost bytes are lost with them', () => {
    const before = files.stat('/w/old')
    using log = files.openAppend('/w/old')
    log.append(bytes('+1'))
    expect(files.crash().stat('/w/old')).toEqual(before)
  })

  test('time goes on from where it stopped', () => {
    const machine = files.crash()
    machine.create('/w/a', bytes('x'))
    expect(machine.stat('/w/a')?.mtimeMs).toBeGreaterThan(files.stat('/w/old')?.mtimeMs ?? 0)
  })
})

describe('by chance', () => {
  test('unsynced bytes are there or not, cut off or full of NULs at any byte', () => {
    using log = files.openAppend('/w/old')
    log.append(bytes('1'))
    log.append(bytes('2'))
    expect(outcomes('/w/old')).toEqual(
      ['old', 'old1', 'old\0', 'old12', 'old1\0', 'old\0\0'].map((text) => JSON.stringify(text)).sort(),
    )
  })

  test('a cut and what follows it happen in their order', () => {
    using log = files.openAppend('/w/old')
    log.truncate(1)
    log.append(bytes('K'))
    expect(outcomes('/w/old')).toEqual(['old', 'o', 'oK', 'o\0'].map((text) => JSON.stringify(text)).sort())
  })

  test('an unsynced file that was made durable by name is empty, torn or whole', () => {
    files.create('/w/a', bytes('x'), { sync: false })
    expect(outcomes('/w/a')).toEqual(['""', '"\\u0000"', '"x"', 'null'])
    files.syncFolder('/w')
    expect(outcomes('/w/a')).toEqual(['""', '"\\u0000"', '"x"'])
  })

  test('a rename is whole or not at all', () => {
    files.write('/w/new', 'new')
    files.rename('/w/new', '/w/old')
    expect(outcomes('/w/new', '/w/old')).toEqual(['"new" "old"', 'null "new"'])
  })

  test('a new name and the removal of another come in any order', () => {
    files.link('/w/old', '/w/new')
    files.remove('/w/old')
    expect(outcomes('/w/old', '/w/new')).toEqual(['"old" "old"', '"old" null', 'null "old"', 'null null'])
  })

  test('changes of one name keep their order', () => {
    files.rename('/w/old', '/w/kept')
    files.create('/w/old', bytes('new'))
    expect(outcomes('/w/old', '/w/kept')).toEqual(['"new" "old"', '"old" null', 'null "old"'])
  })

  test('a name that settles takes along what was done to it before, in other folders too', () => {
    files.write('/v/there', 'there')
    files.create('/v/x', bytes('x'))
    files.rename('/v/x', '/w/x')
    files.syncFolder('/w')
    expect(outcomes('/v/x', '/w/x')).toEqual(['null "x"'])
  })

  test('a seed stands for one outcome, asked as often as one likes, and changes nothing here', () => {
    using log = files.openAppend('/w/log')
    log.append(bytes('some bytes'))
    for (const name of ['a', 'b', 'c']) files.create(`/w/${name}`, bytes(name), { sync: false })
    const paths = ['/w/log', '/w/a', '/w/b', '/w/c']
    const shown = (machine: MemoryFiles) => paths.map((path) => contentOf(machine, path))
    const before = files.tree()
    for (const seed of [0, 1, -1, 2 ** 40, 0.5]) {
      const first = shown(files.crash({ seed }))
      expect(shown(files.crash({ seed }))).toEqual(first)
    }
    expect(files.tree()).toEqual(before)
  })

  test('what a machine shows after a power cut is all on its disk', () => {
    using log = files.openAppend('/w/log')
    log.append(bytes('some bytes'))
    files.rename('/w/old', '/w/new')
    for (const seed of SEEDS) {
      const machine = files.crash({ seed })
      for (const again of [machine.crash(), machine.crash({ seed: seed + 1 })]) {
        expect(again.tree()).toEqual(machine.tree())
        expect(contentOf(again, '/w/log')).toBe(contentOf(machine, '/w/log'))
      }
    }
  })

  test('nothing is left to chance once everything is synced, whatever was done before', () => {
    const name = fc.constantFrom('a', 'b', 'c').map((last) => `/w/${last}`)
    const step = fc.tuple(fc.constantFrom('create', 'append', 'rename', 'link', 'remove', 'syncFolder'), name, name)
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.integer(), (steps, seed) => {
        files = new MemoryFiles()
        files.makeFolder('/w')
        for (const [kind, path, other] of steps) perform(kind, path, other)
        for (const { name: last } of files.list('/w') ?? []) files.openAppend(`/w/${last}`).sync()
        files.syncFolder('/w')
        files.syncFolder('/')
        for (const machine of [files.crash(), files.crash({ seed })]) {
          expect(machine.tree()).toEqual(files.tree())
          for (const path of ['/w/a', '/w/b', '/w/c']) expect(contentOf(machine, path)).toBe(contentOf(files, path))
        }
      }),
    )
  })

  function perform(kind: string, path: string, other: string): void {
    const exists = files.stat(path) !== null
    if (kind === 'create' && !exists) files.create(path, bytes(path), { sync: false })
    if (kind === 'append') files.openAppend(path).append(bytes('+'))
    if (kind === 'rename' && exists) files.rename(path, other)
    if (kind === 'link' && exists) files.link(path, other)
    if (kind === 'remove') files.remove(path)
    if (kind === 'syncFolder') files.syncFolder('/w')
  }
})

describe('a file published in steps', () => {
  const steps: readonly ((machine: Files, options: { readonly sync: boolean }) => void)[] = [
    (machine, options) => machine.create('/w/tmp', bytes('new'), options),
    (machine) => machine.rename('/w/tmp', '/w/old'),
    (machine) => machine.syncFolder('/w'),
  ]
  /** The contents that some power cut leaves before, between and behind the first `count` steps. */
  const left = (count: number, options = { sync: true }) => {
    const seen = new Set(outcomes('/w/old'))
    for (const step of steps.slice(0, count)) {
      step(files, options)
      for (const outcome of outcomes('/w/old')) seen.add(outcome)
    }
    return { ever: [...seen].sort(), atLast: outcomes('/w/old') }
  }

  test('is old or new at every moment, and new at the end', () => {
    expect(left(3)).toEqual({ ever: ['"new"', '"old"'], atLast: ['"new"'] })
  })

  test('may be old for ever when the folder is not synced', () => {
    expect(left(2).atLast).toEqual(['"new"', '"old"'])
  })

  test('may be torn when its bytes were not synced', () => {
    expect(left(3, { sync: false }).atLast).toContain('"n\\u0000"')
  })
})
