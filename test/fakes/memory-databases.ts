/** Databases of a disk in memory: real SQLite, each kept as long as its file lies there. */
import { openSqliteDatabase } from '../../src/adapters/sqlite-database.ts'
import type { Database, OpenDatabase } from '../../src/ports.ts'
import type { MemoryFiles } from './memory-files.ts'

interface Kept {
  readonly inode: number | undefined
  readonly database: Database
}

const kept = new WeakMap<MemoryFiles, Map<string, Kept>>()

/** What the next process on the same disk opens too. */
export function databasesBeside(files: MemoryFiles): OpenDatabase {
  const databases = kept.get(files) ?? new Map<string, Kept>()
  kept.set(files, databases)
  return (path, mode) => {
    if (mode === 'scratch') return fresh()
    const found = databases.get(path)
    const inode = files.stat(path)?.inode
    if (found !== undefined && inode !== undefined && found.inode === inode) return found.database
    if (mode === 'read') return null
    files.write(path, '')
    const database = neverClosed(fresh())
    databases.set(path, { inode: files.stat(path)?.inode, database })
    return database
  }
}

function fresh(): Database {
  const database = openSqliteDatabase('memory.db', 'scratch')
  if (database === null) throw new Error('a scratch database can always be had')
  return database
}

function neverClosed(database: Database): Database {
  return {
    all: (sql, parameters) => database.all(sql, parameters),
    run: (sql, parameters) => database.run(sql, parameters),
    script: (sql) => database.script(sql),
    transact: (work) => database.transact(work),
    snapshot: (work) => database.snapshot(work),
    [Symbol.dispose]: () => {},
  }
}
