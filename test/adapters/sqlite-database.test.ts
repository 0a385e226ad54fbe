import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteDatabase } from '../../src/adapters/sqlite-database.ts'
import type { Database } from '../../src/ports.ts'

const MODULE = join(import.meta.dir, '../../src/adapters/sqlite-database.ts')

let root: string
let path: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'knowhow-'))
  path = join(root, 'memory.db')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function opened(at = path): Database {
  const database = openSqliteDatabase(at, 'write')
  if (database === null) throw new Error('writing makes what is missing')
  return database
}

function filled(): void {
  using database = opened()
  database.script('CREATE TABLE one (value)')
  database.run('INSERT INTO one VALUES ($value)', { value: 'first' })
}

test('what was written is there for the next to open', () => {
  filled()
  using database = openSqliteDatabase(path, 'read')
  expect(database?.all('SELECT value FROM one')).toEqual([{ value: 'first' }])
})

test('reading what is not there is null, and makes nothing', () => {
  expect(openSqliteDatabase(path, 'read')).toBeNull()
  expect(existsSync(path)).toBe(false)
})

test('who reads cannot write', () => {
  filled()
  using database = openSqliteDatabase(path, 'read')
  expect(() => database?.run('DELETE FROM one')).toThrow(expect.objectContaining({ code: 'read_only' }))
})

test('a scratch database is empty whatever lies there, and leaves it alone', () => {
  writeFileSync(path, 'text')
  using database = openSqliteDatabase(path, 'scratch')
  expect(database?.all('SELECT * FROM sqlite_schema')).toEqual([])
  expect(readFileSync(path, 'utf8')).toBe('text')
})

test('a log ahead of the file, full syncs and foreign keys are in force', () => {
  using database = opened()
  const pragma = (name: string) => Object.values(database.all(`PRAGMA ${name}`)[0] ?? {})[0]
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1])
})

describe('a transaction', () => {
  test('that throws leaves nothing, also of one inside it', () => {
    filled()
    using database = opened()
    const insert = (value: string) => database.run('INSERT INTO one VALUES ($value)', { value })
    expect(() =>
      database.transact(() => {
        insert('second')
        database.transact(() => insert('third'))
        throw new Error('stop')
      }),
    ).toThrow('stop')
    expect(database.all('SELECT value FROM one')).toEqual([{ value: 'first' }])
    database.transact(() => insert('fourth'))
    expect(database.all('SELECT value FROM one')).toHaveLength(2)
  })

  test('is invisible to others until it ends, and they need not wait', () => {
    filled()
    using writer = opened()
    using reader = openSqliteDatabase(path, 'read')
    const seen = () => reader?.all('SELECT count(*) AS count FROM one')[0]?.count
    writer.transact(() => {
      writer.run("INSERT INTO one VALUES ('second')")
      expect(seen()).toBe(1)
    })
    expect(seen()).toBe(2)
  })

  test('of another process is waited for', async () => {
    filled()
    const program = `
      const { openSqliteDatabase } = await import(${JSON.stringify(MODULE)})
      const database = openSqliteDatabase(${JSON.stringify(path)}, 'write')
      database.transact(() => {
        database.run("INSERT INTO one VALUES ('theirs')")
        console.log('inside')
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
      })`
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
    await child.stdout.getReader().read()
    using database = opened()
    database.transact(() => database.run("INSERT INTO one VALUES ('ours')"))
    await child.exited
    expect(database.all('SELECT value FROM one ORDER BY rowid').map(({ value }) => value)).toEqual([
      'first',
      'theirs',
      'ours',
    ])
  })
})

test('a snapshot shows one moment, whatever others write meanwhile', () => {
  filled()
  using reader = openSqliteDatabase(path, 'read')
  using writer = opened()
  const count = () => reader?.all('SELECT count(*) AS count FROM one')[0]?.count
  reader?.snapshot(() => {
    expect(count()).toBe(1)
    writer.run("INSERT INTO one VALUES ('second')")
    expect(count()).toBe(1)
  })
  expect(count()).toBe(2)
})

test('a copy is whole, and made while others write', () => {
  filled()
  using writer = opened()
  writer.run("INSERT INTO one VALUES ('second')")
  using reader = openSqliteDatabase(path, 'read')
  reader?.copyTo(join(root, 'copy.db'))
  writer.run("INSERT INTO one VALUES ('third')")
  using copy = openSqliteDatabase(join(root, 'copy.db'), 'read')
  expect(copy?.all('SELECT value FROM one')).toEqual([{ value: 'first' }, { value: 'second' }])
})

test.each([
  'text that is long enough to be taken for a database. '.repeat(30),
  'SQLite format 3\0'.padEnd(4096, '\x07'),
])('what is damaged or no database is memory_corrupt, and left as it is', (text) => {
  writeFileSync(path, text)
  expect(() => {
    using database = opened()
    database.all('SELECT * FROM sqlite_schema')
  }).toThrow(expect.objectContaining({ code: 'memory_corrupt', message: expect.stringContaining(path) }))
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('a database that lacks a table is memory_corrupt, which says what lies beside it', () => {
  filled()
  using database = opened()
  for (const query of ['SELECT * FROM two', 'SELECT other FROM one'])
    expect(() => database.all(query)).toThrow(
      expect.objectContaining({ code: 'memory_corrupt', message: expect.stringMatching(/memory\.db-wal.*backup/) }),
    )
})

test.each(['read', 'write'] as const)(
  'a link is path_outside to who would %s: nothing is made where it leads',
  (mode) => {
    symlinkSync(join(root, 'elsewhere'), path)
    expect(() => openSqliteDatabase(path, mode)).toThrow(expect.objectContaining({ code: 'path_outside' }))
    expect(existsSync(join(root, 'elsewhere'))).toBe(false)
  },
)

test('a folder is not_a_file, and a folder that is missing io_failed', () => {
  mkdirSync(path)
  expect(() => openSqliteDatabase(path, 'read')).toThrow(expect.objectContaining({ code: 'not_a_file' }))
  const inNone = join(root, 'none', 'memory.db')
  expect(() => openSqliteDatabase(inNone, 'write')).toThrow(expect.objectContaining({ code: 'io_failed' }))
})

test('what was deleted does not stay in the file', () => {
  {
    using database = opened()
    database.script('CREATE TABLE one (value)')
    database.run('INSERT INTO one VALUES ($value)', { value: 'a-secret-thought '.repeat(100) })
  }
  {
    using database = opened()
    database.run('DELETE FROM one')
  }
  expect(statSync(path).size).toBeGreaterThan(0)
  expect(readFileSync(path, 'latin1')).not.toContain('secret')
  expect(existsSync(`${path}-wal`)).toBe(false)
})
