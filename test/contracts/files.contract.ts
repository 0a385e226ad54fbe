/**
 * What every `Files` promises; run on the fake and on the real disk.
 *
 * Not here: what survives a power cut, for no process sees that of its own disk. The promise is that bytes survive once
 * their file is synced (by `create` unless told otherwise, by `AppendFile.sync`), and names once their folder is
 * (`syncFolder`); a rename is atomic all the same. The fake keeps both apart: power-cut.test.ts.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Files } from '../../src/ports.ts'

export interface FilesHarness {
  readonly files: Files
  /** An existing empty folder, absolute, with its links resolved. */
  readonly root: string
  linkTo(path: string, target: string): void
  cleanUp(): void
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (data: Uint8Array | null): string | null => (data === null ? null : new TextDecoder().decode(data))

export function filesContract(name: string, open: () => FilesHarness): void {
  describe(`Files: ${name}`, () => {
    let harness: FilesHarness
    let files: Files
    let at: (path: string) => string
    beforeEach(() => {
      harness = open()
      files = harness.files
      at = (path) => `${harness.root}/${path}`
    })
    afterEach(() => harness.cleanUp())

    describe('missing things are values', () => {
      test('stat, list and read give null', () => {
        for (const path of [at('none'), at('none/deeper')]) {
          expect(files.stat(path)).toBeNull()
          expect(files.list(path)).toBeNull()
          expect(files.read(path)).toBeNull()
        }
      })

      test('a path below a file is missing too', () => {
        files.create(at('a'), bytes('x'))
        expect(files.stat(at('a/b'))).toBeNull()
        expect(files.list(at('a'))).toBeNull()
        expect(files.read(at('a/b'))).toBeNull()
      })

      test('removing nothing is fine', () => {
        files.remove(at('none'))
        files.remove(at('none/deeper'))
      })
    })

    describe('create and read', () => {
      test('gives back the bytes', () => {
        const data = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251)
        files.create(at('a.bin'), data)
        expect(files.read(at('a.bin'))).toEqual(data)
        expect(files.stat(at('a.bin'))).toMatchObject({ kind: 'file', bytes: 70_000 })
      })

      test('an open file gives back any part of its bytes, and puts it where it is wanted', () => {
        const data = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251)
        files.create(at('a.bin'), data)
        using file = files.openRead(at('a.bin'))
        expect(file?.bytes).toBe(70_000)
        expect(file?.read(60_001, 9_000)).toEqual(data.slice(60_001, 69_001))
        const target = new Uint8Array(20_000).fill(255)
        file?.readInto(60_001, target.subarray(100, 9_100))
        expect(target.subarray(100, 9_100)).toEqual(data.subarray(60_001, 69_001))
        expect(
          [target.subarray(0, 100), target.subarray(9_100)].every((rest) => rest.every((byte) => byte === 255)),
        ).toBe(true)
        const memory = new WebAssembly.Memory({ initial: 1 })
        file?.readInto(1, new Uint8Array(memory.buffer, 8, 65_000))
        expect(new Uint8Array(memory.buffer, 8, 65_000)).toEqual(data.subarray(1, 65_001))
      })

      test('an open file that ends before what is asked of it is a fault', () => {
        files.create(at('a'), bytes('12345'))
        using file = files.openRead(at('a'))
        expect(() => file?.read(2, 4)).toThrow(expect.objectContaining({ code: 'io_failed' }))
        expect(() => file?.readInto(2, new Uint8Array(4))).toThrow(expect.objectContaining({ code: 'io_failed' }))
      })

      test('an empty file has no bytes', () => {
        files.create(at('empty'), new Uint8Array())
        expect(files.read(at('empty'))).toHaveLength(0)
      })

      test('unsynced files read the same, and are refused the same', () => {
        files.create(at('a'), bytes('x'), { sync: false })
        expect(textOf(files.read(at('a')))).toBe('x')
        expect(() => files.create(at('a'), bytes('y'), { sync: false })).toThrow(
          expect.objectContaining({ code: 'io_failed' }),
        )
      })

      test('refuses an existing file and leaves it as it was', () => {
        files.create(at('a'), bytes('old'))
        expect(() => files.create(at('a'), bytes('new'))).toThrow(expect.objectContaining({ code: 'io_failed' }))
        expect(textOf(files.read(at('a')))).toBe('old')
      })

      test('refuses a name that is a link, wherever it leads', () => {
        harness.linkTo(at('dangling'), at('elsewhere'))
        expect(() => files.create(at('dangling'), bytes('x'))).toThrow(expect.objectContaining({ code: 'io_failed' }))
        expect(files.stat(at('elsewhere'))).toBeNull()
      })

      test('a missing folder is io_failed', () => {
        expect(() => files.create(at('none/a'), bytes('x'))).toThrow(expect.objectContaining({ code: 'io_failed' }))
      })

      test('a folder is not_a_file', () => {
        files.makeFolder(at('folder'))
        expect(() => files.read(at('folder'))).toThrow(expect.objectContaining({ code: 'not_a_file' }))
      })

      test('reading never follows a link', () => {
        files.create(at('a'), bytes('x'))
        harness.linkTo(at('link'), at('a'))
        expect(() => files.read(at('link'))).toThrow(expect.objectContaining({ code: 'not_a_file' }))
      })

      test('a file over bytesMax is file_too_large, one of exactly that size is read', () => {
        files.create(at('a'), bytes('12345'))
        expect(() => files.read(at('a'), { bytesMax: 4 })).toThrow(expect.objectContaining({ code: 'file_too_large' }))
        expect(textOf(files.read(at('a'), { bytesMax: 5 }))).toBe('12345')
      })
    })

    describe('stat and list', () => {
      test('a link is reported, not followed', () => {
        files.makeFolder(at('folder'))
        harness.linkTo(at('link'), at('folder'))
        expect(files.stat(at('link'))?.kind).toBe('link')
        expect(files.stat(at('folder'))?.kind).toBe('folder')
      })

      test('changed names all but the regular files whose four numbers are those of stat', () => {
        for (const name of ['a', 'b', 'c', 'd', 'e']) files.create(at(name), bytes(name.repeat(3)))
        files.makeFolder(at('folder'))
        harness.linkTo(at('link'), at('a'))
        const names = ['b', 'folder', 'link', 'gone', 'a', 'c', 'd', 'e']
        const signatures = Float64Array.from(
          names.flatMap((name) => {
            const stat = files.stat(at(name))
            return stat === null ? [0, 0, 0, 0] : [stat.bytes, stat.mtimeMs, stat.ctimeMs, stat.inode]
          }),
        )
        const changed = () => files.changed(harness.root, names, signatures)
        expect(changed()).toEqual([1, 2, 3].map((place) => ({ place, stat: null })))
        for (const [n, place] of [0, 4, 5, 6].entries())
          signatures[place * 4 + n] = (signatures[place * 4 + n] ?? 0) + 1
        expect(changed().map(({ place }) => place)).toEqual([0, 1, 2, 3, 4, 5, 6])
        expect(changed()[5]?.stat).toEqual(files.stat(at('c')))
        signatures.fill(Number.NaN)
        expect(changed().map(({ place }) => place)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
        expect(files.changed(at('nowhere'), [], new Float64Array())).toEqual([])
      })

      test('entries come in code unit order with their kinds', () => {
        for (const name of ['b', 'a', 'Z', 'é', 'a.b', '\u{1f600}', '\uff5e']) files.create(at(name), bytes(''))
        files.makeFolder(at('aa'))
        harness.linkTo(at('l'), at('nowhere'))
        expect(files.list(harness.root)).toEqual([
          { name: 'Z', kind: 'file' },
          { name: 'a', kind: 'file' },
          { name: 'a.b', kind: 'file' },
          { name: 'aa', kind: 'folder' },
          { name: 'b', kind: 'file' },
          { name: 'l', kind: 'link' },
          { name: 'é', kind: 'file' },
          { name: '\u{1f600}', kind: 'file' },
          { name: '\uff5e', kind: 'file' },
        ])
      })

      test('a replaced file is another inode', () => {
        files.create(at('a'), bytes('1'))
        files.create(at('b'), bytes('1'))
        const before = files.stat(at('a'))
        files.rename(at('b'), at('a'))
        expect(files.stat(at('a'))?.inode).not.toBe(before?.inode)
      })
    })

    describe('append', () => {
      test('makes the file, counts its bytes and goes on at its end', () => {
        {
          using log = files.openAppend(at('log'))
          expect(log.bytes).toBe(0)
          log.append(bytes('one\n'))
          log.sync()
          expect(log.bytes).toBe(4)
        }
        using again = files.openAppend(at('log'))
        expect(again.bytes).toBe(4)
        again.append(bytes('two\n'))
        expect(again.bytes).toBe(8)
        expect(textOf(files.read(at('log')))).toBe('one\ntwo\n')
      })

      test('truncate cuts, and the next append follows the cut', () => {
        files.create(at('log'), bytes('one\ntwo\nthr'))
        using log = files.openAppend(at('log'))
        log.truncate(8)
        expect(log.bytes).toBe(8)
        log.append(bytes('three\n'))
        expect(textOf(files.read(at('log')))).toBe('one\ntwo\nthree\n')
      })

      test('a closed file refuses and may be closed twice', () => {
        const log = files.openAppend(at('log'))
        log[Symbol.dispose]()
        log[Symbol.dispose]()
        expect(() => log.append(bytes('x'))).toThrow(expect.objectContaining({ code: 'io_failed' }))
        expect(() => log.sync()).toThrow(expect.objectContaining({ code: 'io_failed' }))
        expect(() => log.truncate(0)).toThrow(expect.objectContaining({ code: 'io_failed' }))
      })

      test('a link or a folder is not_a_file', () => {
        files.create(at('a'), bytes('x'))
        harness.linkTo(at('link'), at('a'))
        files.makeFolder(at('folder'))
        for (const path of [at('link'), at('folder')])
          expect(() => files.openAppend(path)).toThrow(expect.objectContaining({ code: 'not_a_file' }))
        expect(textOf(files.read(at('a')))).toBe('x')
      })
    })

    describe('rename, link, remove', () => {
      test('rename replaces the target', () => {
        files.create(at('a'), bytes('new'))
        files.create(at('b'), bytes('old'))
        files.rename(at('a'), at('b'))
        expect(files.stat(at('a'))).toBeNull()
        expect(textOf(files.read(at('b')))).toBe('new')
      })

      test('renaming a missing file is io_failed, onto a folder not_a_file', () => {
        files.create(at('a'), bytes('x'))
        files.makeFolder(at('folder'))
        expect(() => files.rename(at('none'), at('b'))).toThrow(expect.objectContaining({ code: 'io_failed' }))
        expect(() => files.rename(at('a'), at('folder'))).toThrow(expect.objectContaining({ code: 'not_a_file' }))
        expect(textOf(files.read(at('a')))).toBe('x')
      })

      test('a folder with its files can be renamed', () => {
        files.makeFolder(at('old'))
        files.create(at('old/a'), bytes('x'))
        files.rename(at('old'), at('new'))
        expect(textOf(files.read(at('new/a')))).toBe('x')
      })

      test('link gives the file a second name', () => {
        files.create(at('a'), bytes('x'))
        expect(files.link(at('a'), at('b'))).toBe(true)
        files.remove(at('a'))
        expect(textOf(files.read(at('b')))).toBe('x')
      })

      test('link is false where the name is taken, by a file, a folder or a dangling link', () => {
        files.create(at('a'), bytes('new'))
        files.create(at('b'), bytes('old'))
        files.makeFolder(at('c'))
        harness.linkTo(at('d'), at('nowhere'))
        for (const taken of ['b', 'c', 'd']) expect(files.link(at('a'), at(taken))).toBe(false)
        expect(textOf(files.read(at('b')))).toBe('old')
      })

      test('remove takes a link, not what it leads to', () => {
        files.create(at('a'), bytes('x'))
        harness.linkTo(at('link'), at('a'))
        files.remove(at('link'))
        expect(files.stat(at('link'))).toBeNull()
        expect(textOf(files.read(at('a')))).toBe('x')
      })

      test('removing a folder is not_a_file', () => {
        files.makeFolder(at('folder'))
        expect(() => files.remove(at('folder'))).toThrow(expect.objectContaining({ code: 'not_a_file' }))
        expect(files.stat(at('folder'))?.kind).toBe('folder')
      })
    })

    describe('folders', () => {
      test('an existing folder is fine, and keeps its files', () => {
        files.makeFolder(at('folder'))
        files.create(at('folder/a'), bytes('x'))
        files.makeFolder(at('folder'))
        files.syncFolder(at('folder'))
        expect(files.list(at('folder'))).toEqual([{ name: 'a', kind: 'file' }])
      })

      test('one level only: a missing parent is io_failed', () => {
        expect(() => files.makeFolder(at('none/deeper'))).toThrow(expect.objectContaining({ code: 'io_failed' }))
      })

      test('a file in the way is not_a_file', () => {
        files.create(at('a'), bytes('x'))
        expect(() => files.makeFolder(at('a'))).toThrow(expect.objectContaining({ code: 'not_a_file' }))
        expect(() => files.makeFolder(at('a/b'))).toThrow(expect.objectContaining({ code: 'not_a_file' }))
      })

      test('a file reached through a linked folder is read', () => {
        files.makeFolder(at('real'))
        files.create(at('real/a'), bytes('x'))
        harness.linkTo(at('way'), 'real')
        expect(textOf(files.read(at('way/a')))).toBe('x')
        expect(files.list(at('way'))).toEqual([{ name: 'a', kind: 'file' }])
      })
    })

    test('a fault names the operation, the path and what to do', () => {
      files.create(at('a'), bytes('x'))
      expect(() => files.create(at('a'), bytes('x'))).toThrow(
        new RegExp(`cannot create ${at('a')}: it exists already.*; run it again`),
      )
    })
  })
}
