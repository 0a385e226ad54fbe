import { beforeEach, describe, expect, test } from 'bun:test'
import { EXPERIENCE_FILE_BYTES_MAX } from '../../src/model/experience.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { Files } from '../../src/ports.ts'
import { Catalogue, type TextSink } from '../../src/search/catalogue.ts'
import { digest } from '../fakes/digest.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { experienceJson, versionOf } from '../fakes/searched-workspace.ts'

const FOLDER = '/w/procedures'
const DAY_MS = 24 * 60 * 60 * 1000

let files: MemoryFiles
let clock: FixedClock
let timeMs: number
let reads: string[]

/** The tree in memory, counting what is read; `timeMs` is what it stamps on every change. */
function countedFiles(): Files {
  return new Proxy<Files>(files, {
    get: (target, name) => {
      if (name === 'read')
        return (path: string, options?: { bytesMax: number }) => {
          reads.push(path.slice(FOLDER.length + 1))
          return target.read(path, options)
        }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const catalogueOf = (port: Files = countedFiles(), textsMax = 64) =>
  new Catalogue({ files: port, digest, clock, folder: FOLDER, name: 'procedures', textsMax })

class Handed implements TextSink {
  readonly texts: string[] = []

  add(whenToUse: string, content: string): void {
    this.texts.push(`${whenToUse}|${content}`)
  }
}

const openSink = () => new Handed()

function invalidIn(catalogue: Catalogue): readonly { path: string; error: string }[] {
  return [...catalogue.beside.values()].flatMap(({ path, outcome }) =>
    'fault' in outcome ? [{ path, error: outcome.fault }] : [],
  )
}

const validIn = (catalogue: Catalogue) =>
  [...catalogue.beside.values()].filter(({ outcome }) => 'texts' in outcome).map(({ path }) => path)

beforeEach(() => {
  clock = new FixedClock()
  timeMs = clock.now() - 7 * DAY_MS
  files = new MemoryFiles({ tick: () => timeMs })
  reads = []
  files.write(`${FOLDER}/alpha.json`, experienceJson('alpha'))
  files.write(`${FOLDER}/beta.json`, experienceJson('beta'))
})

describe('a scan', () => {
  test('lists the valid experiences with the SHA-256 of their bytes', () => {
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    expect(validIn(catalogue)).toEqual(['procedures/alpha.json', 'procedures/beta.json'])
    expect(catalogue.beside.get('procedures/alpha.json')).toMatchObject({
      version: versionOf(experienceJson('alpha')),
      outcome: { texts: { description: 'D', 'when-to-use': 'alpha', content: 'Nothing.' } },
    })
  })

  test('of a missing folder finds nothing, and later what was put there', () => {
    files = new MemoryFiles({ tick: () => timeMs })
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    expect(catalogue.beside.size).toBe(0)
    files.write(`${FOLDER}/gamma.json`, experienceJson('gamma'))
    catalogue.scan(openSink)
    expect(validIn(catalogue)).toEqual(['procedures/gamma.json'])
  })

  test('reads no file again whose signature is the same', () => {
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    reads = []
    catalogue.scan(openSink)
    expect(reads).toEqual([])
  })

  test('reads only what was added or changed', () => {
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    reads = []
    timeMs += 1
    files.write(`${FOLDER}/alpha.json`, experienceJson('omega'))
    files.write(`${FOLDER}/gamma.json`, experienceJson('gamma'))
    files.remove(`${FOLDER}/beta.json`)
    catalogue.scan(openSink)
    expect(reads).toEqual(['alpha.json', 'gamma.json'])
    expect(validIn(catalogue)).toEqual(['procedures/alpha.json', 'procedures/gamma.json'])
  })

  test('hands all texts on, in their order and those of invalid files as empty ones, when they are too many', () => {
    files.write(`${FOLDER}/bad.json`, '{')
    files.write(`${FOLDER}/gamma.json`, experienceJson('gamma'))
    expect(catalogueOf(files, 4).scan(openSink)).toBeNull()
    const catalogue = catalogueOf(files, 3)
    expect(catalogue.scan(openSink)?.texts).toEqual(['alpha|Nothing.', '|', 'beta|Nothing.', 'gamma|Nothing.'])
    const { listing, added } = catalogue.change(null)
    expect(listing.names).toEqual(['alpha.json', 'bad.json', 'beta.json', 'gamma.json'])
    expect([...listing.slots]).toEqual([0, 1, 2, 3])
    expect(added.map(({ fault }) => fault === null)).toEqual([true, false, true, true])
    // What was handed on and not taken is read again.
    expect(catalogue.scan(openSink)?.texts).toEqual(['alpha|Nothing.', '|', 'beta|Nothing.', 'gamma|Nothing.'])
  })
})

describe('a rewrite that leaves size and times as they were', () => {
  test.each([0, 1_999, -1_999])('is seen when the file was last read %d ms after being written', (ageMs) => {
    timeMs = clock.now() - ageMs
    files.write(`${FOLDER}/alpha.json`, experienceJson('alpha'))
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    files.write(`${FOLDER}/alpha.json`, experienceJson('omega'))
    clock.advance(60_000)
    catalogue.scan(openSink)
    expect(catalogue.beside.get('procedures/alpha.json')?.version).toBe(versionOf(experienceJson('omega')))
  })

  test('costs one more reading, then none', () => {
    timeMs = clock.now()
    files.write(`${FOLDER}/alpha.json`, experienceJson('alpha'))
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    clock.advance(2_000)
    reads = []
    catalogue.scan(openSink)
    catalogue.scan(openSink)
    expect(reads).toEqual(['alpha.json'])
  })

  test('is seen although a scan takes longer than the steps of the file system’s time', () => {
    timeMs = clock.now() + 60_000
    files.write(`${FOLDER}/beta.json`, experienceJson('beta'))
    let statMs = 30_000
    const slow: Files = Object.create(files, {
      names: { value: (path: string) => files.names(path) },
      read: { value: (path: string) => files.read(path) },
      stat: {
        value: (path: string) => {
          clock.advance(statMs)
          return files.stat(path)
        },
      },
    })
    const catalogue = catalogueOf(slow)
    catalogue.scan(openSink)
    statMs = 0
    catalogue.scan(openSink)
    files.write(`${FOLDER}/beta.json`, experienceJson('zeta'))
    catalogue.scan(openSink)
    expect(catalogue.beside.get('procedures/beta.json')?.version).toBe(versionOf(experienceJson('zeta')))
  })
})

describe('a file is invalid', () => {
  test.each([
    ['Upper.json', experienceJson('x'), /lower-case/],
    ['two--hyphens.json', experienceJson('x'), /hyphens/],
    ['under_score.json', experienceJson('x'), /hyphens/],
    [`${'a'.repeat(101)}.json`, experienceJson('x'), /longer than 100 bytes/],
    ['case.JSON', experienceJson('x'), /\.json in lower case/],
    ['.json', experienceJson('x'), /lower-case/],
    ['broken.json', '{"description"', /not valid JSON/],
    ['latin1.json', new Uint8Array([0x22, 0xe9, 0x22]), /not valid UTF-8/],
    ['empty.json', '', /not valid JSON/],
    ['missing-field.json', '{"description":"x"}', /when-to-use/],
    ['extra.json', experienceJson('x').replace('{', '{"id":"1",'), /id/],
    ['large.json', new Uint8Array(EXPERIENCE_FILE_BYTES_MAX + 1), /4194305 bytes/],
  ])('when it is %s', (name, content, error) => {
    files.write(`${FOLDER}/${name}`, content)
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    expect(invalidIn(catalogue)).toEqual([{ path: `procedures/${name}`, error: expect.stringMatching(error) }])
  })

  test('not when it has the most bytes or the longest name that are allowed', () => {
    const text = experienceJson('x')
    files.write(`${FOLDER}/large.json`, text + ' '.repeat(EXPERIENCE_FILE_BYTES_MAX - text.length))
    files.write(`${FOLDER}/${'a'.repeat(100)}.json`, text)
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    expect(invalidIn(catalogue)).toEqual([])
    expect(validIn(catalogue)).toHaveLength(4)
  })

  test('when it is a link, which is not followed', () => {
    files.write('/outside.json', experienceJson('outside'))
    files.linkTo(`${FOLDER}/link.json`, '/outside.json')
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    expect(invalidIn(catalogue)).toEqual([
      { path: 'procedures/link.json', error: expect.stringMatching(/symbolic link/) },
    ])
    expect(reads).not.toContain('link.json')
  })

  test('when it is a folder named like one', () => {
    files.makeFolder(`${FOLDER}/folder.json`)
    const catalogue = catalogueOf()
    catalogue.scan(openSink)
    expect(invalidIn(catalogue)).toEqual([{ path: 'procedures/folder.json', error: expect.stringMatching(/folder/) }])
  })

  test('while it cannot be read, and valid again as soon as it can', () => {
    let isLocked = true
    const port: Files = Object.create(files, {
      read: {
        value: (path: string) => {
          if (isLocked && path.endsWith('alpha.json')) throw new MemoryError('permission_denied', 'may not read alpha')
          return files.read(path)
        },
      },
      names: { value: (path: string) => files.names(path) },
      stat: { value: (path: string) => files.stat(path) },
    })
    const catalogue = catalogueOf(port)
    catalogue.scan(openSink)
    expect(invalidIn(catalogue)).toEqual([{ path: 'procedures/alpha.json', error: 'may not read alpha' }])
    isLocked = false
    catalogue.scan(openSink)
    expect(invalidIn(catalogue)).toEqual([])
  })
})

test('other files and folders are ignored in silence', () => {
  files.write(`${FOLDER}/README.md`, '# notes')
  files.write(`${FOLDER}/.gitkeep`, '')
  files.write(`${FOLDER}/drafts/one.json`, experienceJson('draft'))
  const catalogue = catalogueOf()
  catalogue.scan(openSink)
  expect([...catalogue.beside.keys()]).toEqual(['procedures/alpha.json', 'procedures/beta.json'])
})

test('a file that vanishes between being listed and being read is simply gone', () => {
  const vanishing: Files = Object.create(files, {
    names: { value: (path: string) => files.names(path) },
    stat: { value: (path: string) => files.stat(path) },
    read: {
      value: (path: string) => {
        if (path.endsWith('alpha.json')) files.remove(path)
        return files.read(path)
      },
    },
  })
  const catalogue = catalogueOf(vanishing)
  catalogue.scan(openSink)
  expect([...catalogue.beside.keys()]).toEqual(['procedures/beta.json'])
})
