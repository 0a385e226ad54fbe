import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { privateLines } from '../../src/adapters/private-lines.ts'

const ADAPTER = resolve(import.meta.dir, '../../src/adapters/private-lines.ts')
const onWindows = process.platform === 'win32'

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-lines-'))
  path = join(folder, 'state', 'knowhow', 'history')
})

afterEach(() => rmSync(folder, { recursive: true }))

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)
const own = () => join(folder, 'state', 'knowhow')

describe('private lines', () => {
  test('are none where there is no file, and none is made by reading', () => {
    expect(privateLines.read(path, 10)).toEqual([])
    expect(existsSync(own())).toBe(false)
  })

  test('are read as they were added, the last of them', () => {
    for (const line of ['one', 'zwei 中', 'three']) privateLines.append(path, line, 10)
    expect(privateLines.read(path, 10)).toEqual(['one', 'zwei 中', 'three'])
    expect(privateLines.read(path, 2)).toEqual(['zwei 中', 'three'])
  })

  test('are no more in the file than are wanted', () => {
    for (let line = 1; line <= 7; line += 1) privateLines.append(path, String(line), 5)
    expect(readFileSync(path, 'utf8')).toBe('3\n4\n5\n6\n7\n')
  })

  test.skipIf(onWindows)('are for nobody else, whatever the umask was and the file had', () => {
    privateLines.append(path, 'one', 10)
    expect([modeOf(own()), modeOf(path)]).toEqual(['700', '600'])
    chmodSync(own(), 0o755)
    chmodSync(path, 0o644)
    privateLines.append(path, 'two', 1)
    expect([modeOf(own()), modeOf(path)]).toEqual(['700', '600'])
  })

  test.skipIf(onWindows)('are neither read nor written through a link', () => {
    mkdirSync(own(), { recursive: true })
    writeFileSync(join(folder, 'other'), 'theirs\n')
    symlinkSync(join(folder, 'other'), path)
    const refused = expect.objectContaining({ code: 'not_a_file' })
    expect(() => privateLines.read(path, 10)).toThrow(refused)
    expect(() => privateLines.append(path, 'mine', 10)).toThrow(refused)
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('theirs\n')
  })

  test('are not written where a file is in the place of their folder', () => {
    mkdirSync(join(folder, 'state'))
    writeFileSync(own(), 'a file')
    expect(() => privateLines.append(path, 'mine', 10)).toThrow(
      expect.objectContaining({ code: 'not_a_file', message: expect.stringContaining('must be a folder') }),
    )
  })

  test.skipIf(onWindows)('are not written into a folder that is a link', () => {
    mkdirSync(join(folder, 'state'))
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), own())
    expect(() => privateLines.append(path, 'mine', 10)).toThrow(expect.objectContaining({ code: 'not_a_file' }))
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
  })

  test('go on where a process was killed while it made the file shorter', () => {
    privateLines.append(path, 'one', 1)
    writeFileSync(`${path}.new`, 'half')
    privateLines.append(path, 'two', 1)
    expect(privateLines.read(path, 10)).toEqual(['two'])
  })

  test('of several processes at once are all kept', async () => {
    const program = `import { privateLines } from ${JSON.stringify(ADAPTER)}
      for (let line = 0; line < 40; line += 1) privateLines.append(process.argv[1], process.argv[2] + line, 100)`
    const writers = ['a', 'b'].map(
      (name) =>
        new Promise((ended) =>
          spawn(process.execPath, ['-e', program, path, name], { stdio: 'inherit' }).on('close', ended),
        ),
    )
    expect(await Promise.all(writers)).toEqual([0, 0])
    const lines = privateLines.read(path, 100)
    for (const name of ['a', 'b'])
      expect(lines.filter((line) => line.startsWith(name))).toEqual(
        Array.from({ length: 40 }, (_, at) => `${name}${at}`),
      )
  })
})
