import { describe, expect, test } from 'bun:test'
import { VIEW_NAMES } from '../../src/model/experience.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { ReadFile } from '../../src/ports.ts'
import { Base } from '../../src/search/base.ts'
import { BASE_FORMAT_VERSION } from '../../src/search/base-format.ts'
import { FileDamage } from '../../src/search/checked-file.ts'
import { fileInMemory } from '../../src/search/derived-folder.ts'
import type { ExperienceSearch } from '../../src/search/experience-search.ts'
import { newPostingRun } from '../../src/search/posting-codec.ts'
import { keyAt } from '../../src/search/text-key.ts'
import { digest } from '../fakes/digest.ts'
import { experienceJson, INDEX, INDEX_LOCK, SearchedWorkspace, versionOf } from '../fakes/searched-workspace.ts'

const FIRST = `${INDEX}/base-00000001.knw`
const QUERIES = ['red', 'blue 数据库', 'foo_bar', 'absent', 'nothing']

/** A base of five files at rest, one of them no experience, one that names the same word in both texts. */
function workspaceWithBase(): SearchedWorkspace {
  const workspace = new SearchedWorkspace()
  workspace.write('a', 'red red blue', 'foo_bar')
  workspace.write('b', 'red', '数据库')
  workspace.write('c', 'green', 'nothing')
  workspace.write('d', 'blue', 'red')
  workspace.files.write('/w/procedures/bad.json', '[]')
  workspace.clock.advance(60_000)
  workspace.open(0).refresh()
  workspace.clock.advance(60_000)
  return workspace
}

function answers(search: ExperienceSearch): unknown {
  search.refresh()
  const found = QUERIES.map((query) => VIEW_NAMES.map((view) => search.search({ query, view }).hits))
  return [found, search.invalid, search.count, search.leftOut]
}

const bytesOf = (workspace: SearchedWorkspace, path = FIRST) => workspace.files.read(path) ?? new Uint8Array()

test('a whole base answers without reading a file, and as the files do', () => {
  const workspace = workspaceWithBase()
  workspace.reads = []
  const fromBase = answers(workspace.open())
  expect(workspace.reads).toEqual([])
  workspace.files.remove(FIRST)
  expect(answers(workspace.open())).toEqual(fromBase)
})

/** All that a base can tell of these files, the words of the queries looked up in both views. */
function toldBy(file: Uint8Array<ArrayBuffer>): unknown {
  const base = new Base(fileInMemory(file), digest)
  const documents = ['a', 'b', 'c', 'd', 'bad', 'none'].map((name) => {
    const document = base.documentOf(`${name}.json`)
    if (document === -1) return null
    const lengths = VIEW_NAMES.map((view) => base.lengths(view)[document])
    const keys = VIEW_NAMES.map((view) => [...keyAt(base.textKeys(view), document)])
    return [keys, base.fileNameOf(document), base.versionOf(document), base.isInvalid(document), lengths]
  })
  const postings = ['red', 'blue', 'foo_bar', '数据', 'absent'].map((term) =>
    VIEW_NAMES.map((view) => {
      const run = newPostingRun(0)
      base.addPostings(view, term, null, run)
      return [[...run.documents.subarray(0, run.count)], [...run.frequencies.subarray(0, run.count)]]
    }),
  )
  const { sections: _, ...facts } = base.footer
  return [documents, postings, base.listing, [...base.listed], [...base.signatures], base.faults, facts]
}

test('whichever bit of a base is damaged, it is found out or tells the same', () => {
  const whole = bytesOf(workspaceWithBase()).slice()
  const right = JSON.stringify(toldBy(whole))
  let unnoticed = 0
  let found = 0
  for (let at = 0; at < whole.length; at += 1)
    for (let bit = 1; bit < 256; bit *= 2) {
      const byte = whole[at] ?? 0
      whole[at] = byte ^ bit
      try {
        if (JSON.stringify(toldBy(whole)) !== right) unnoticed += 1
      } catch (error) {
        if (!(error instanceof FileDamage)) throw error
        found += 1
      }
      whole[at] = byte
    }
  expect(unnoticed).toBe(0)
  // Only the padding between sections can be anything.
  expect(found).toBeGreaterThan(whole.length * 8 * 0.97)
})

test('wherever a base is damaged, no answer is wrong and none fails', () => {
  const workspace = workspaceWithBase()
  const whole = bytesOf(workspace)
  const right = JSON.stringify(answers(workspace.open()))
  let wrong = 0
  for (let at = 0; at < whole.length; at += 23) {
    const damaged = whole.slice()
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8))
    for (const name of workspace.index) if (name.endsWith('.knw')) workspace.files.remove(`${INDEX}/${name}`)
    workspace.files.write(FIRST, damaged)
    if (JSON.stringify(answers(workspace.open())) !== right) wrong += 1
  }
  expect(wrong).toBe(0)
})

test('wherever a base is damaged, what is told without a search is right', () => {
  const workspace = workspaceWithBase()
  const whole = bytesOf(workspace)
  const told = () => {
    const search = workspace.open()
    search.refresh()
    const { documents, invalid } = search.facts
    return JSON.stringify([search.count, search.invalid, documents, invalid, search.indexedVersions()])
  }
  const right = told()
  let wrong = 0
  for (let at = 0; at < whole.length; at += 7) {
    const damaged = whole.slice()
    damaged[at] = (damaged[at] ?? 0) ^ 1
    for (const name of workspace.index) if (name.endsWith('.knw')) workspace.files.remove(`${INDEX}/${name}`)
    workspace.files.write(FIRST, damaged)
    if (told() !== right) wrong += 1
  }
  expect(wrong).toBe(0)
})

const garbage = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 167) & 0xff)
const withTail = (text: string) => {
  const footer = new TextEncoder().encode(text)
  const file = new Uint8Array(footer.length + 16)
  file.set(footer)
  const numbers = new DataView(file.buffer, footer.length)
  numbers.setUint32(0, footer.length, true)
  numbers.setUint32(4, Bun.hash.crc32(footer), true)
  file.set(new TextEncoder().encode('KNOWHOWB'), footer.length + 8)
  return file
}

/** The same file with another footer, whose checksum is right. */
function withFooter(file: Uint8Array, change: (footer: Record<string, unknown>) => void): Uint8Array {
  const length = new DataView(file.buffer, file.length - 16).getUint32(0, true)
  const footer = JSON.parse(new TextDecoder().decode(file.subarray(file.length - 16 - length, file.length - 16)))
  change(footer)
  return new Uint8Array(Buffer.concat([file.subarray(0, file.length - 16 - length), withTail(JSON.stringify(footer))]))
}

describe('a base is built anew as the next generation', () => {
  test.each<[string, (whole: Uint8Array) => Uint8Array]>([
    ['when it is empty', () => new Uint8Array()],
    ['when it is one byte', () => new Uint8Array(1)],
    ['when it is garbage', () => garbage(5_000)],
    ['when a power cut left NULs', (whole) => new Uint8Array(whole.length)],
    ['when its end is cut off', (whole) => whole.slice(0, -1)],
    ['when its half is cut off', (whole) => whole.slice(0, whole.length / 2)],
    ['when its beginning is cut off', (whole) => whole.slice(8)],
    ['when something was appended', (whole) => new Uint8Array(Buffer.concat([whole, garbage(3)]))],
    ['when it is a footer of nothing', () => withTail('')],
    ['when its footer is no JSON', () => withTail('{')],
    ['when its footer is not an object', () => withTail('null')],
    ['when its footer has no sections', () => withTail('{"format":1}')],
    [
      'when it is of another format',
      (whole) =>
        withFooter(whole, (footer) => {
          footer.format = BASE_FORMAT_VERSION + 1
        }),
    ],
    [
      'when another analyzer made it',
      (whole) =>
        withFooter(whole, (footer) => {
          footer.analyzer = 0
        }),
    ],
    [
      'when its sections lie outside',
      (whole) =>
        withFooter(whole, (footer) => {
          footer.sections = Object.fromEntries(
            Object.entries(footer.sections as object).map(([name, place]) => [name, { ...place, offset: 1 << 30 }]),
          )
        }),
    ],
  ])('%s', (_what, damage) => {
    const workspace = workspaceWithBase()
    const right = answers(workspace.open())
    workspace.files.write(FIRST, damage(bytesOf(workspace)))
    const search = workspace.open()
    expect(answers(search)).toEqual(right)
    expect(search.facts.generation).toBe(2)
    expect(workspace.index.filter((name) => name.endsWith('.knw'))).toEqual(['base-00000002.knw'])
    workspace.reads = []
    expect(answers(workspace.open())).toEqual(right)
    expect(workspace.reads).toEqual([])
  })
})

test('an older whole base serves when the newest is damaged, and the next is built from it', () => {
  const workspace = workspaceWithBase()
  const right = answers(workspace.open())
  workspace.files.write(`${INDEX}/base-00000007.knw`, garbage(100))
  workspace.reads = []
  const search = workspace.open()
  expect(answers(search)).toEqual(right)
  expect([workspace.reads, search.facts.generation]).toEqual([[], 8])
  expect(workspace.index.filter((name) => name.endsWith('.knw'))).toEqual(['base-00000008.knw'])
})

describe('where nothing can be written', () => {
  test('every damaged byte is answered from memory, through one handle and again', () => {
    const workspace = workspaceWithBase()
    const whole = bytesOf(workspace)
    const right = JSON.stringify(answers(workspace.open()))
    workspace.lock.acquire(INDEX_LOCK)
    let wrong = 0
    for (let at = 0; at < whole.length; at += 61) {
      const damaged = whole.slice()
      damaged[at] = (damaged[at] ?? 0) ^ 0x10
      workspace.files.write(FIRST, damaged)
      const search = workspace.open()
      for (let round = 0; round < 2; round += 1) if (JSON.stringify(answers(search)) !== right) wrong += 1
    }
    expect(wrong).toBe(0)
    expect(workspace.index.filter((name) => name.endsWith('.knw'))).toEqual(['base-00000001.knw'])
  })
})

test('a disk that spoils what was just written is answered from memory', () => {
  const workspace = workspaceWithBase()
  const version = versionOf(experienceJson('red', '数据库'))
  const excluded = new Map([['procedures/b.json', [{ version, error: 'refused' }]]])
  const sound = workspace.open(64, {}, () => excluded)
  sound.refresh()
  const right = answers(sound)
  expect(sound.leftOut).toHaveLength(1)
  const faults = {
    openRead: (path: string): ReadFile | null => {
      const file = workspace.files.openRead(path)
      if (file === null) return null
      let reads = 0
      return {
        ...file,
        read: (position, length) => {
          reads += 1
          // Whole when it is opened, broken later.
          if (reads > 8) throw new MemoryError('io_failed', 'the disk is broken')
          return file.read(position, length)
        },
      }
    },
  }
  const search = workspace.open(64, faults, () => excluded)
  search.refresh()
  expect(answers(search)).toEqual(right)
  expect(answers(search)).toEqual(right)
  expect(search.facts.generation).toBe(0)
})

test('a base whose words are damaged after it was opened is built anew in the middle of a search', () => {
  const workspace = workspaceWithBase()
  let isBroken = false
  const search = workspace.open(64, {
    openRead: (path: string): ReadFile | null => {
      const file = workspace.files.openRead(path)
      if (file === null) return null
      return {
        ...file,
        read: (position, length) => {
          const bytes = file.read(position, length)
          return isBroken && path === FIRST ? bytes.fill(0) : bytes
        },
      }
    },
  })
  search.refresh()
  const right = search.search({ query: 'red', view: 'when_to_use_content' })
  isBroken = true
  expect(search.search({ query: 'red', view: 'when_to_use_content' })).toEqual(right)
  expect(search.facts.generation).toBe(2)
})
