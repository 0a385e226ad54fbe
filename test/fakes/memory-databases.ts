/**
 * Databases of disks in memory: real SQLite. A file holds the number of its database, so that whatever becomes of the disk,
 * copied by a crash or renamed, leads to it. The latest are kept: many tests make one and forget it.
 */
import { openSqliteDatabase } from '../../src/adapters/sqlite-database.ts'
import type { Database, OpenDatabase } from '../../src/ports.ts'
import type { MemoryFiles } from './memory-files.ts'

const KEPT_MAX = 64
/** The latest used last. */
const kept = new Map<string, Database>()
let made = 0

/** What the next process on the same disk opens too. */
export function databasesBeside(files: MemoryFiles): OpenDatabase {
  return (path, mode) => {
    if (mode === 'scratch') return scratch()
    const bytes = files.read(path)
    const number = bytes === null ? '' : new TextDecoder().decode(bytes)
    const found = kept.get(number)
    if (found === undefined) return mode === 'read' ? null : keep(files, path, scratch())
    kept.delete(number)
    kept.set(number, found)
    return shared(files, found)
  }
}

function keep(files: MemoryFiles, path: string, database: Database): Database {
  made += 1
  const number = `database ${made}`
  kept.set(number, database)
  const [oldest] = kept.keys()
  if (kept.size > KEPT_MAX && oldest !== undefined) {
    kept.get(oldest)?.[Symbol.dispose]()
    kept.delete(oldest)
  }
  files.remove(path)
  files.create(path, new TextEncoder().encode(number))
  return shared(files, database)
}

function shared(files: MemoryFiles, database: Database): Database {
  return {
    all: (sql, parameters) => database.all(sql, parameters),
    run: (sql, parameters) => database.run(sql, parameters),
    script: (sql) => database.script(sql),
    transact: (work) => database.transact(work),
    snapshot: (work) => database.snapshot(work),
    copyTo: (path) => void keep(files, path, copied(database)),
    // The next process finds it.
    [Symbol.dispose]: () => {},
  }
}

function scratch(): Database {
  const database = openSqliteDatabase('memory.db', 'scratch')
  if (database === null) throw new Error('a scratch database can always be had')
  return database
}

function copied(from: Database): Database {
  const to = scratch()
  to.script('PRAGMA foreign_keys = OFF')
  const made = from.all("SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
  for (const { sql } of made) to.script(String(sql))
  for (const { name } of made.filter(({ type }) => type === 'table'))
    for (const row of from.all(`SELECT * FROM "${String(name)}"`)) {
      const columns = Object.keys(row)
      const values = columns.map((column) => `$${column}`)
      to.run(`INSERT INTO "${String(name)}" ("${columns.join('", "')}") VALUES (${values.join(', ')})`, row)
    }
  for (const pragma of ['user_version', 'application_id'])
    to.script(`PRAGMA ${pragma} = ${Number(from.all(`PRAGMA ${pragma}`)[0]?.[pragma])}`)
  to.script('PRAGMA foreign_keys = ON')
  return to
}
