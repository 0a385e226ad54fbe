import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, posix, win32 } from 'node:path'
import { absolutePath, outsideFiles } from '../../src/adapters/outside-files.ts'

const GIGABYTE = 2 ** 30
const onWindows = process.platform === 'win32'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'knowhow-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('reads a file through a link', () => {
  writeFileSync(join(root, 'a'), 'text')
  symlinkSync(join(root, 'a'), join(root, 'link'))
  expect(new TextDecoder().decode(outsideFiles.read(join(root, 'link'), 4))).toBe('text')
})

test('a relative path is taken from the current folder', () => {
  expect(outsideFiles.absolutePath('some/run.jsonl')).toBe(`${process.cwd().replaceAll('\\', '/')}/some/run.jsonl`)
  expect(isAbsolute(outsideFiles.absolutePath('.'))).toBe(true)
})

test.each([
  ['C:\\logs\\run.jsonl', 'C:/logs/run.jsonl'],
  ['C:/logs\\..\\run.jsonl', 'C:/run.jsonl'],
  ['\\\\server\\share\\run.jsonl', '//server/share/run.jsonl'],
])('on Windows %p becomes %p, with slashes as everywhere', (path, absolute) => {
  expect(absolutePath(path, win32)).toBe(absolute)
})

test('elsewhere a backslash is a letter of the name', () => {
  expect(absolutePath('/logs/a\\b.jsonl', posix)).toBe('/logs/a\\b.jsonl')
})

test('a missing file is not_found', () => {
  for (const path of ['none', 'none/deeper'])
    expect(() => outsideFiles.read(join(root, path), 10)).toThrow(expect.objectContaining({ code: 'not_found' }))
})

test('a path with a NUL character is an invalid_argument', () => {
  const refused = expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('NUL') })
  expect(() => outsideFiles.absolutePath('a\0b')).toThrow(refused)
  expect(() => outsideFiles.read(join(root, 'a\0b'), 10)).toThrow(refused)
})

test('a folder is not_a_file', () => {
  mkdirSync(join(root, 'folder'))
  expect(() => outsideFiles.read(join(root, 'folder'), 10)).toThrow(expect.objectContaining({ code: 'not_a_file' }))
})

test.skipIf(onWindows)('a FIFO, a socket, a device and a folder are not_a_file, without waiting', () => {
  execFileSync('mkfifo', [join(root, 'pipe')])
  using _server = Bun.listen({ unix: join(root, 'socket'), socket: { data() {} } })
  for (const path of [join(root, 'pipe'), join(root, 'socket'), '/dev/zero', root])
    expect(() => outsideFiles.read(path, 10)).toThrow(
      expect.objectContaining({ code: 'not_a_file', message: expect.stringMatching(/; name a regular file$/) }),
    )
})

test.skipIf(onWindows)('links that lead in a circle are told as such', () => {
  symlinkSync(join(root, 'b'), join(root, 'a'))
  symlinkSync(join(root, 'a'), join(root, 'b'))
  const refused = { code: 'not_a_file', message: expect.stringMatching(/links lead in a circle \(ELOOP\); check/) }
  for (const path of ['a', 'a/run.log'].map((name) => join(root, name))) {
    expect(() => outsideFiles.read(path, 10)).toThrow(expect.objectContaining(refused))
    expect(() => outsideFiles.realPath(path)).toThrow(expect.objectContaining(refused))
  }
})

test.skipIf(onWindows)('a name that is too long is told without repeating it, and not to be tried again', () => {
  const refused = { code: 'invalid_name', resumable: false, message: expect.stringMatching(/^.{1,250}$/) }
  for (const name of ['n'.repeat(300), 'n/'.repeat(3_000)])
    expect(() => outsideFiles.read(join(root, name), 10)).toThrow(expect.objectContaining(refused))
})

test('- is not taken for standard input', () => {
  const refused = { code: 'invalid_argument', message: expect.stringMatching(/standard input is not read.*\.\/-/) }
  expect(() => outsideFiles.absolutePath('-')).toThrow(expect.objectContaining(refused))
  expect(outsideFiles.absolutePath('./-')).toEndWith('/-')
})

describe.skipIf(process.platform !== 'linux')('a file that states no size', () => {
  test('is read to its end', () => {
    const text = new TextDecoder().decode(outsideFiles.read('/proc/self/limits', 1_000_000))
    expect(text).toStartWith('Limit ')
    expect(text).toEndWith('\n')
    // Several reads long.
    const maps = new TextDecoder().decode(outsideFiles.read('/proc/self/smaps', 100_000_000))
    expect(maps).toContain('[stack]')
  })

  test('is too large as soon as more was read than may be', () => {
    expect(() => outsideFiles.read('/proc/self/limits', 100)).toThrow(
      expect.objectContaining({ code: 'file_too_large' }),
    )
  })
})

test('a file of the size that may be is read', () => {
  for (const text of ['', 'x', 'x'.repeat(100_000)]) {
    writeFileSync(join(root, 'a'), text)
    expect(new TextDecoder().decode(outsideFiles.read(join(root, 'a'), text.length))).toBe(text)
  }
})

test('a sparse file of 3 GB is refused by its size, before memory is taken', () => {
  writeFileSync(join(root, 'sparse'), '')
  truncateSync(join(root, 'sparse'), 3 * GIGABYTE)
  const before = process.memoryUsage().rss
  for (const bytesMax of [GIGABYTE, 10 * GIGABYTE])
    expect(() => outsideFiles.read(join(root, 'sparse'), bytesMax)).toThrow(
      expect.objectContaining({ code: 'file_too_large' }),
    )
  expect(process.memoryUsage().rss - before).toBeLessThan(GIGABYTE / 10)
})
