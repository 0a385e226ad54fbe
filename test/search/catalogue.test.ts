import { beforeEach, describe, expect, test } from 'bun:test'
import { EXPERIENCE_FILE_BYTES_MAX } from '../../src/model/experience.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { Files } from '../../src/ports.ts'
import { Catalogue } from '../../src/search/catalogue.ts'
import { digest } from '../fakes/digest.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'

const FOLDER = '/w/procedures'
const LONG_AGO_NS = 1_000_000_000n

const experienceJson = (word: string) =>
  JSON.stringify({ description: word, 'when-to-use': `When ${word}`, content: `Do ${word}`, sources: [] })

let files: MemoryFiles
let clock: FixedClock
let timeNs: bigint
let reads: string[]

/** The fake tree, counting what is read; `timeNs` is what it stamps on every change. */
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

const catalogueOf = (port: Files = countedFiles()) =>
  new Catalogue({ files: port, digest, clock, folder: FOLDER, name: 'procedures' })

beforeEach(() => {
  timeNs = LONG_AGO_NS
  files = new MemoryFiles({ tick: () => timeNs })
  clock = new FixedClock()
  reads = []
  files.write(`${FOLDER}/alpha.json`, experienceJson('alpha'))
  files.write(`${FOLDER}/beta.json`, experienceJson('beta'))
})

describe('a refresh', () => {
  test('lists the valid experiences with the SHA-256 of their bytes', () => {
    const catalogue = catalogueOf()
    expect(catalogue.refresh()).toEqual({
      added: ['procedures/alpha.json', 'procedures/beta.json'],
      changed: [],
      removed: [],
    })
    expect(catalogue.entry('procedures/alpha.json')).toMatchObject({
      version: digest.sha256(new TextEncoder().encode(experienceJson('alpha'))),
      experience: { description: 'alpha' },
    })
    expect(catalogue.entries.map(({ path }) => path)).toEqual(['procedures/alpha.json', 'procedures/beta.json'])
  })

  test('of a missing folder finds nothing, and later what was put there', () => {
    files = new MemoryFiles({ tick: () => timeNs })
    const catalogue = catalogueOf()
    expect(catalogue.refresh()).toEqual({ added: [], changed: [], removed: [] })
    files.write(`${FOLDER}/gamma.json`, experienceJson('gamma'))
    expect(catalogue.refresh().added).toEqual(['procedures/gamma.json'])
  })

  test('reads no file again whose signature is the same', () => {
    const catalogue = catalogueOf()
    catalogue.refresh()
    reads = []
    expect(catalogue.refresh()).toEqual({ added: [], changed: [], removed: [] })
    expect(reads).toEqual([])
  })

  test('tells what was added, changed and removed, and reads only that', () => {
    const catalogue = catalogueOf()
    catalogue.refresh()
    reads = []
    timeNs += 1n
    files.write(`${FOLDER}/alpha.json`, experienceJson('omega'))
    files.write(`${FOLDER}/gamma.json`, experienceJson('gamma'))
    files.remove(`${FOLDER}/beta.json`)
    expect(catalogue.refresh()).toEqual({
      added: ['procedures/gamma.json'],
      changed: ['procedures/alpha.json'],
      removed: ['procedures/beta.json'],
    })
    expect(reads).toEqual(['alpha.json', 'gamma.json'])
    expect(catalogue.entry('procedures/beta.json')).toBeNull()
  })

  test('is silent about a file that was touched but has the same bytes', () => {
    const catalogue = catalogueOf()
    catalogue.refresh()
    timeNs += 1n
    files.write(`${FOLDER}/alpha.json`, experienceJson('alpha'))
    expect(catalogue.refresh()).toEqual({ added: [], changed: [], removed: [] })
  })

  test('counts a file that became invalid as removed, and as added once it is mended', () => {
    const catalogue = catalogueOf()
    catalogue.refresh()
    timeNs += 1n
    files.write(`${FOLDER}/alpha.json`, '{')
    expect(catalogue.refresh().removed).toEqual(['procedures/alpha.json'])
    expect(catalogue.invalid.map(({ path }) => path)).toEqual(['procedures/alpha.json'])
    timeNs += 1n
    files.write(`${FOLDER}/alpha.json`, experienceJson('alpha'))
    expect(catalogue.refresh().added).toEqual(['procedures/alpha.json'])
    expect(catalogue.invalid).toEqual([])
  })
})

describe('a rewrite that leaves size and times as they were', () => {
  test.each([0, 1_999, -1_999])('is seen when the file was last read %d ms after being written', (ageMs) => {
    timeNs = BigInt(clock.now() - ageMs) * 1_000_000n
    files.write(`${FOLDER}/alpha.json`, experienceJson('alpha'))
    const catalogue = catalogueOf()
    catalogue.refresh()
    files.write(`${FOLDER}/alpha.json`, experienceJson('omega'))
    clock.advance(60_000)
    expect(catalogue.refresh().changed).toEqual(['procedures/alpha.json'])
  })

  test('costs one more reading, then none', () => {
    timeNs = BigInt(clock.now()) * 1_000_000n
    files.write(`${FOLDER}/alpha.json`, experienceJson('alpha'))
    const catalogue = catalogueOf()
    catalogue.refresh()
    clock.advance(2_000)
    reads = []
    catalogue.refresh()
    catalogue.refresh()
    expect(reads).toEqual(['alpha.json'])
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
    catalogue.refresh()
    expect(catalogue.invalid).toEqual([{ path: `procedures/${name}`, error: expect.stringMatching(error) }])
    expect(catalogue.entry(`procedures/${name}`)).toBeNull()
  })

  test('when it is a link, which is not followed', () => {
    files.write('/outside.json', experienceJson('outside'))
    files.linkTo(`${FOLDER}/link.json`, '/outside.json')
    const catalogue = catalogueOf()
    catalogue.refresh()
    expect(catalogue.invalid).toEqual([{ path: 'procedures/link.json', error: expect.stringMatching(/symbolic link/) }])
    expect(reads).not.toContain('link.json')
  })

  test('when it is a folder named like one', () => {
    files.makeFolder(`${FOLDER}/folder.json`)
    const catalogue = catalogueOf()
    catalogue.refresh()
    expect(catalogue.invalid).toEqual([{ path: 'procedures/folder.json', error: expect.stringMatching(/folder/) }])
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
      list: { value: (path: string) => files.list(path) },
      stat: { value: (path: string) => files.stat(path) },
    })
    const catalogue = catalogueOf(port)
    catalogue.refresh()
    expect(catalogue.invalid).toEqual([{ path: 'procedures/alpha.json', error: 'may not read alpha' }])
    isLocked = false
    expect(catalogue.refresh().added).toEqual(['procedures/alpha.json'])
  })
})

test('other files and folders are ignored in silence', () => {
  files.write(`${FOLDER}/README.md`, '# notes')
  files.write(`${FOLDER}/.gitkeep`, '')
  files.write(`${FOLDER}/drafts/one.json`, experienceJson('draft'))
  const catalogue = catalogueOf()
  catalogue.refresh()
  expect(catalogue.invalid).toEqual([])
  expect(catalogue.entries).toHaveLength(2)
})

test('a file that vanishes between being listed and being read is simply gone', () => {
  const vanishing: Files = Object.create(files, {
    list: { value: (path: string) => files.list(path) },
    stat: { value: (path: string) => files.stat(path) },
    read: {
      value: (path: string) => {
        if (path.endsWith('alpha.json')) files.remove(path)
        return files.read(path)
      },
    },
  })
  const catalogue = catalogueOf(vanishing)
  catalogue.refresh()
  expect(catalogue.entries.map(({ path }) => path)).toEqual(['procedures/beta.json'])
  expect(catalogue.invalid).toEqual([])
})
