/** The layout is that of `huggingface_hub`: docs/source/en/guides/manage-cache.md of its repository. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { cachedTokenizer, cacheTokenizer } from '../../src/adapters/hub-cache.ts'
import { BODY, COMMIT, ETAG, HubHome, OTHER_COMMIT } from './hub-home.ts'

const MAIN = { repository: 'acme/small-model', revision: 'main' }
const NOW_MS = Date.parse('2026-01-02T03:04:05.000Z')
const onWindows = process.platform === 'win32'

let home: HubHome
beforeEach(() => {
  home = new HubHome()
})
afterEach(() => home[Symbol.dispose]())

const at = (revision: string) => ({ ...MAIN, revision })
const find = (name = MAIN, bytesMax = 1_000) => cachedTokenizer(home.cache, name, bytesMax)
const textOf = (name = MAIN) => Buffer.from(find(name).bytes ?? '').toString()

function keep(options: {
  text?: string
  commit?: string | null
  etag?: string | null
  revision?: string
  noLinks?: boolean
}) {
  const { text = BODY, commit = COMMIT, etag = ETAG, revision = 'main', noLinks = false } = options
  const file = { bytes: Buffer.from(text), commit, etag }
  return cacheTokenizer(home.cache, at(revision), file, { wantsNoLinks: noLinks, nowMs: NOW_MS })
}

/** As `huggingface_hub` leaves it. */
function cacheOfPython(text = BODY, commit = COMMIT): void {
  home.write(`blobs/${ETAG}`, text)
  home.write('refs/main', commit)
  mkdirSync(join(home.repository, 'snapshots', commit), { recursive: true })
  symlinkSync(`../../blobs/${ETAG}`, join(home.repository, 'snapshots', commit, 'tokenizer.json'))
}

describe('a tokenizer is found', () => {
  test.skipIf(onWindows)('through the link of the commit that the branch stands for', () => {
    cacheOfPython()
    expect(textOf()).toBe(BODY)
  })

  test('as a file, where there are no links', () => {
    home.write('refs/main', COMMIT)
    home.write(`snapshots/${COMMIT}/tokenizer.json`, BODY)
    expect(textOf()).toBe(BODY)
  })

  test('by its commit, without any ref', () => {
    home.write(`snapshots/${COMMIT}/tokenizer.json`, BODY)
    expect(textOf(at(COMMIT))).toBe(BODY)
    expect(find().bytes).toBeNull()
  })

  test('by a revision with slashes, a tag, and the start of a commit that a ref knows', () => {
    home.write(`snapshots/${COMMIT}/tokenizer.json`, BODY)
    for (const revision of ['refs/pr/1', 'v1.0', '0123456']) {
      home.write(`refs/${revision}`, COMMIT)
      expect(textOf(at(revision))).toBe(BODY)
    }
  })

  test('of the revision that is named, when there are several', () => {
    home.write('refs/main', COMMIT)
    home.write('refs/old', OTHER_COMMIT)
    home.write(`snapshots/${COMMIT}/tokenizer.json`, '{"new":1}')
    home.write(`snapshots/${OTHER_COMMIT}/tokenizer.json`, '{"old":1}')
    expect([textOf(), textOf(at('old')), textOf(at(OTHER_COMMIT))]).toEqual(['{"new":1}', '{"old":1}', '{"old":1}'])
  })

  test('with a line end behind the commit, and a byte order mark and spaces around the JSON', () => {
    home.write('refs/main', `${COMMIT}\n`)
    home.write(`snapshots/${COMMIT}/tokenizer.json`, `\ufeff ${BODY}\r\n`)
    expect(textOf()).toBe(`\ufeff ${BODY}\r\n`)
  })

  test('wherever the shared store of newer libraries keeps the bytes', () => {
    if (onWindows) return
    cacheOfPython()
    const store = join(home.cache, 'blobs', 'ab')
    mkdirSync(store, { recursive: true })
    renameSync(join(home.repository, 'blobs', ETAG), join(store, 'abcdef'))
    symlinkSync('../../blobs/ab/abcdef', join(home.repository, 'blobs', ETAG))
    expect(textOf()).toBe(BODY)
  })
})

describe('nothing is found', () => {
  const nothing = { bytes: null, fault: null }

  test('without a cache, a repository, a ref, a snapshot or the file in it', () => {
    expect(find()).toEqual(nothing)
    mkdirSync(home.repository, { recursive: true })
    expect(find()).toEqual(nothing)
    home.write('refs/main', COMMIT)
    expect(find()).toEqual(nothing)
    home.write(`snapshots/${COMMIT}/config.json`, '{}')
    expect(find()).toEqual(nothing)
  })

  test('of another repository, another organisation or a longer name', () => {
    home.write('refs/main', COMMIT)
    home.write(`snapshots/${COMMIT}/tokenizer.json`, BODY)
    for (const repository of ['acme/small', 'acme/small-model-2', 'other/small-model'])
      expect(find({ repository, revision: 'main' })).toEqual(nothing)
  })

  test('when only the temporary file of a broken download is there', () => {
    home.write('refs/main', COMMIT)
    home.write(`blobs/${ETAG}.incomplete`, BODY)
    expect(find()).toEqual(nothing)
  })

  test.skipIf(onWindows)('behind a link whose blob is gone', () => {
    cacheOfPython()
    rmSync(join(home.repository, 'blobs', ETAG))
    expect(find()).toEqual(nothing)
  })

  test('when the ref holds no commit, whatever path it may hold', () => {
    home.write('elsewhere/tokenizer.json', BODY)
    mkdirSync(join(home.repository, 'snapshots'))
    for (const text of ['', '../elsewhere', 'main', COMMIT.slice(1), `${COMMIT}0`]) {
      home.write('refs/main', text)
      expect(find()).toEqual(nothing)
    }
  })
})

describe('what is there and of no use is told', () => {
  test.each([
    ['an empty file', '', /tokenizer\.json is damaged$/],
    ['zeros', '\0'.repeat(50), /is damaged$/],
    ['one that ends early', BODY.slice(0, 20), /is damaged$/],
    ['no JSON object', '[1]', /is damaged$/],
    ['one that is too large', `{${' '.repeat(1_000)}}`, /cannot be read \(.*1002 bytes, more than the 1000/],
  ])('%s', (_, text, fault) => {
    home.write('refs/main', COMMIT)
    home.write(`snapshots/${COMMIT}/tokenizer.json`, text)
    expect(find()).toEqual({ bytes: null, fault: expect.stringMatching(fault) })
  })

  test('a folder in its place', () => {
    home.write('refs/main', COMMIT)
    mkdirSync(join(home.repository, 'snapshots', COMMIT, 'tokenizer.json'), { recursive: true })
    expect(find()).toEqual({ bytes: null, fault: expect.stringMatching(/tokenizer\.json cannot be read/) })
  })
})

describe('a download is kept', () => {
  test.skipIf(onWindows)(
    'as huggingface_hub would: a blob by its etag, a relative link, the commit of the branch',
    () => {
      expect(keep({})).toBe(true)
      expect(home.files).toEqual([`blobs/${ETAG}`, 'refs/main', `snapshots/${COMMIT}/tokenizer.json`])
      expect(readFileSync(join(home.repository, 'blobs', ETAG), 'utf8')).toBe(BODY)
      expect(readFileSync(join(home.repository, 'refs/main'), 'utf8')).toBe(COMMIT)
      const link = join(home.repository, 'snapshots', COMMIT, 'tokenizer.json')
      expect(readlinkSync(link)).toBe(`../../blobs/${ETAG}`)
      expect(textOf()).toBe(BODY)
    },
  )

  test('as a file in the snapshot, and no second time as a blob, where links are not wanted', () => {
    expect(keep({ noLinks: true })).toBe(true)
    expect(home.files).toEqual(['refs/main', `snapshots/${COMMIT}/tokenizer.json`])
    expect(lstatSync(join(home.repository, 'snapshots', COMMIT, 'tokenizer.json')).isFile()).toBe(true)
    expect(textOf()).toBe(BODY)
  })

  test('without a ref, when a commit was asked for', () => {
    keep({ revision: COMMIT })
    expect(home.files.filter((path) => path.startsWith('refs/'))).toEqual([])
    expect(textOf(at(COMMIT))).toBe(BODY)
  })

  test('under a revision with slashes', () => {
    keep({ revision: 'refs/pr/1' })
    expect(home.files).toContain('refs/refs/pr/1')
    expect(textOf(at('refs/pr/1'))).toBe(BODY)
  })

  test('beside an older commit, whose snapshot stays', () => {
    keep({ text: '{"old":1}', commit: OTHER_COMMIT, etag: 'a'.repeat(40) })
    keep({})
    expect(textOf()).toBe(BODY)
    expect(textOf(at(OTHER_COMMIT))).toBe('{"old":1}')
  })

  test('in the place of a file that is damaged', () => {
    keep({ noLinks: true })
    truncateSync(join(home.repository, 'snapshots', COMMIT, 'tokenizer.json'), 0)
    keep({ noLinks: true })
    expect(textOf()).toBe(BODY)
  })

  test.skipIf(onWindows)('in the place of a link to a damaged blob, which stays as it is', () => {
    cacheOfPython('')
    keep({})
    expect(textOf()).toBe(BODY)
    expect(lstatSync(join(home.repository, 'blobs', ETAG)).size).toBe(0)
  })

  test('without touching a blob of the same etag and another content', () => {
    const blob = home.write(`blobs/${ETAG}`, 'weights')
    keep({})
    expect(readFileSync(blob, 'utf8')).toBe('weights')
    expect(home.files).toEqual([`blobs/${ETAG}`, 'refs/main', `snapshots/${COMMIT}/tokenizer.json`])
    expect(textOf()).toBe(BODY)
  })

  test('without writing a ref anew that says the same', () => {
    const ref = home.write('refs/main', COMMIT)
    utimesSync(ref, 1_000, 1_000)
    keep({})
    expect(lstatSync(ref).mtimeMs).toBe(1_000_000)
  })

  test.skipIf(onWindows)('with a blob that is there already, which is not written again', () => {
    const blob = home.write(`blobs/${ETAG}`, BODY)
    utimesSync(blob, 1_000, 1_000)
    keep({})
    expect(lstatSync(blob).mtimeMs).toBe(1_000_000)
    expect(lstatSync(join(home.repository, 'snapshots', COMMIT, 'tokenizer.json')).isSymbolicLink()).toBe(true)
  })

  test.each([['../../../escaped'], ['a/b'], ['..'], ['.hidden'], ['x'.repeat(200)], ['{SHA1{abc}}'], [null]])(
    'as a file in the snapshot when the etag %p is no name of a file',
    (etag) => {
      expect(keep({ etag })).toBe(true)
      expect(home.files).toEqual(['refs/main', `snapshots/${COMMIT}/tokenizer.json`])
      expect(textOf()).toBe(BODY)
      expect(existsSync(join(home.folder, 'escaped'))).toBe(false)
    },
  )

  test.each([[null], [''], ['../../escaped'], ['main'], [COMMIT.toUpperCase()]])(
    'nowhere when the commit is %p',
    (commit) => {
      expect(keep({ commit })).toBe(false)
      expect(existsSync(home.repository)).toBe(false)
    },
  )

  test('leaves no temporary file, and takes those of killed processes away, but not younger ones', () => {
    const old = home.write('blobs/knowhow-00000000-0000-4000-8000-000000000000.incomplete', 'part')
    const young = home.write('blobs/knowhow-00000000-0000-4000-8000-000000000001.incomplete', 'part')
    const foreign = home.write('blobs/abc.incomplete', 'part')
    utimesSync(old, NOW_MS / 1000 - 3_601, NOW_MS / 1000 - 3_601)
    utimesSync(foreign, 1_000, 1_000)
    utimesSync(young, NOW_MS / 1000 - 3_599, NOW_MS / 1000 - 3_599)
    keep({})
    expect([old, young, foreign].map((path) => existsSync(path))).toEqual([false, true, true])
    expect(home.files.filter((path) => path.endsWith('.incomplete'))).toHaveLength(2)
  })

  test('not at all in a cache that cannot be written, and what was made of it does not count', () => {
    home.write('refs', 'a file in the place of the folder')
    expect(() => keep({})).toThrow()
    expect(find()).toEqual({ bytes: null, fault: null })
    writeFileSync(join(home.folder, 'file'), '')
    const nowhere = () =>
      cacheTokenizer(
        join(home.folder, 'file', 'hub'),
        MAIN,
        { bytes: Buffer.from(BODY), commit: COMMIT, etag: ETAG },
        {
          wantsNoLinks: false,
          nowMs: NOW_MS,
        },
      )
    expect(nowhere).toThrow()
  })

  test.skipIf(onWindows)('leaves no temporary file where a folder is in the way', () => {
    mkdirSync(join(home.repository, 'snapshots', COMMIT, 'tokenizer.json'), { recursive: true })
    expect(() => keep({})).toThrow()
    expect(() => keep({ noLinks: true })).toThrow()
    expect(home.files).toEqual([`blobs/${ETAG}`])
  })
})
