import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockFault, sqliteLock } from '../../src/adapters/sqlite-lock.ts'

const LOCK_MODULE = join(import.meta.dir, '../../src/adapters/sqlite-lock.ts')

let root: string
let path: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'knowhow-'))
  path = join(root, 'lock')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A process that says "held" or "taken" and then waits to be killed. */
function holder() {
  const program = `
    const { sqliteLock } = await import(${JSON.stringify(LOCK_MODULE)})
    const lock = sqliteLock.acquire(${JSON.stringify(path)})
    console.log(lock === null ? 'taken' : 'held')
    setInterval(() => {}, 1000)`
  return Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
}

async function firstLine(child: ReturnType<typeof holder>): Promise<string> {
  const { value } = await child.stdout.getReader().read()
  return new TextDecoder().decode(value).trim()
}

test('another process is kept out, and its death frees the lock', async () => {
  const child = holder()
  expect(await firstLine(child)).toBe('held')
  expect(sqliteLock.acquire(path)).toBeNull()
  child.kill('SIGKILL')
  await child.exited
  using lock = sqliteLock.acquire(path)
  expect(lock).not.toBeNull()
})

test('garbage collection does not free a lock whose holder was forgotten', async () => {
  sqliteLock.acquire(path)
  for (let round = 0; round < 5; round++) Bun.gc(true)
  const child = holder()
  expect(await firstLine(child)).toBe('taken')
  child.kill('SIGKILL')
  await child.exited
})

test('a file that is no lock is io_failed, kept, and the message says to move it away', () => {
  writeFileSync(path, 'not a database, but long enough to look like one. '.repeat(40))
  const before = readFileSync(path)
  expect(() => sqliteLock.acquire(path)).toThrow(
    expect.objectContaining({ code: 'io_failed', message: expect.stringMatching(/lock.*move it away/) }),
  )
  expect(readFileSync(path)).toEqual(before)
})

test('a link is path_outside: nothing is made or locked where it leads', () => {
  for (const target of ['missing', 'present']) {
    const outside = join(root, target)
    if (target === 'present') writeFileSync(outside, '')
    symlinkSync(outside, `${path}-${target}`)
    expect(() => sqliteLock.acquire(`${path}-${target}`)).toThrow(
      expect.objectContaining({ code: 'path_outside', message: expect.stringContaining(`${path}-${target} is a sym`) }),
    )
    expect(existsSync(outside)).toBe(target === 'present')
  }
  using lock = sqliteLock.acquire(join(root, 'present'))
  expect(lock).not.toBeNull()
})

test('a folder is not_a_file', () => {
  mkdirSync(path)
  expect(() => sqliteLock.acquire(path)).toThrow(expect.objectContaining({ code: 'not_a_file' }))
})

test('a missing folder is io_failed, in words that speak of no database', () => {
  expect(() => sqliteLock.acquire(join(root, 'none', 'lock'))).toThrow(
    expect.objectContaining({
      code: 'io_failed',
      message: expect.stringMatching(/none\/lock: it cannot be made or opened; check that its folder is there/),
    }),
  )
})

// As Bun 1.4 and Deno 2.9 throw them; a test that runs as root is refused nothing.
test.each([
  [
    'Bun',
    { errcode: 1544 },
    'attempt to write a readonly database',
    /its folder cannot be written; check the folder's own/,
  ],
  ['Bun', { errcode: 14 }, 'unable to open database file', /it cannot be made or opened; check that its folder/],
  ['Deno', {}, 'attempt to write a readonly database', /its folder cannot be written; check the folder's owner/],
  ['Deno', {}, 'unable to open database file: /w/lock', /it cannot be made or opened; check that its folder/],
])('a folder that cannot be written is io_failed in words of our own: %s, %p, %p', (_, codes, sentence, words) => {
  const error = lockFault('/w/lock', Object.assign(new Error(sentence), { code: 'ERR_SQLITE_ERROR', ...codes }))
  expect(error.code).toBe('io_failed')
  expect(error.message).toMatch(words)
  expect(error.message).not.toContain('database')
})
