/**
 * One SQLite file. Commits are synced; readers see the state of one moment and wait for nobody; writers wait for each
 * other. A write-ahead log where the file system can hold one, a rollback journal elsewhere.
 */
import { closeSync, fsyncSync, lstatSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { MemoryError } from '../model/memory-error.ts'
import type { Database, DatabaseMode, SqlParameters, SqlRow } from '../ports.ts'
import { diskVolume } from './disk-volume.ts'
import { fileFault } from './file-fault.ts'
import { primaryCode, SQLITE } from './sqlite-code.ts'

/** How long a write waits for another process's. */
const BUSY_MS = 10_000
/** The memory of a log takes 32 KiB at a time. */
const FULL_BYTES = 256 * 1024
const READING = `
PRAGMA busy_timeout = ${BUSY_MS};
PRAGMA trusted_schema = OFF;`
const WRITING = `${READING}
PRAGMA foreign_keys = ON;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;`

/** @returns null for reading what is not there */
export function openSqliteDatabase(path: string, mode: DatabaseMode): Database | null {
  if (mode !== 'scratch') {
    const isMade = isThere(path)
    if (!isMade && mode === 'read') return null
  }
  try {
    const database = openFile(path, mode)
    if (mode !== 'read' || isReadable(database)) return new SqliteDatabase(path, database)
    database.close()
    return openStill(path)
  } catch (cause) {
    throw databaseFault(path, cause)
  }
}

/** Whether it can be read as one that others may write: for that SQLite needs a file beside it. */
function isReadable(database: DatabaseSync): boolean {
  try {
    database.exec('SELECT count(*) FROM sqlite_schema')
    return true
  } catch (error) {
    const code = primaryCode(error)
    if (code === SQLITE.readOnly || code === SQLITE.cannotOpen) return false
    database.close()
    throw error
  }
}

/**
 * One in a folder that may not be written: read as a file that nobody changes, as long as nobody does. Where a log lies
 * beside it the file alone is not all there is.
 */
function openStill(path: string): Database {
  const before = stillness(path)
  if (before === null)
    throw new MemoryError(
      'read_only',
      `${path}: another process writes it, or was stopped while it did; it can be read where its folder can be written`,
      { path },
    )
  const address = pathToFileURL(path)
  address.searchParams.set('immutable', '1')
  return new SqliteDatabase(path, new DatabaseSync(address, { readOnly: true }), () => {
    if (stillness(path) !== before)
      throw new MemoryError('io_failed', `${path} was changed while it was read; run it again`, { path })
  })
}

/** Another one once somebody has changed it; null while a log lies beside it. */
function stillness(path: string): string | null {
  if ((lstatSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return null
  const { size, mtimeMs, ino } = lstatSync(path)
  return JSON.stringify([size, mtimeMs, ino])
}

function openFile(path: string, mode: DatabaseMode): DatabaseSync {
  const database = new DatabaseSync(mode === 'scratch' ? ':memory:' : path, { readOnly: mode === 'read' })
  try {
    database.exec(mode === 'read' ? READING : WRITING)
    // A file that may not be written is opened for reading without a word.
    if (mode === 'write') database.exec(`PRAGMA journal_mode = ${journalModeAt(path)}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The memory of a write-ahead log is shared between processes by mapping a file, which other machines do not see. */
function journalModeAt(path: string): 'WAL' | 'DELETE' {
  return diskVolume(dirname(path))?.network === null ? 'WAL' : 'DELETE'
}

/** SQLite follows a link, and makes the file it leads to. */
function isThere(path: string): boolean {
  let found: ReturnType<typeof lstatSync> | undefined
  try {
    found = lstatSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    throw fileFault('open', path, cause)
  }
  if (found === undefined) return false
  if (found.isFile()) return true
  if (found.isSymbolicLink())
    throw new MemoryError('path_outside', `${path} is a symbolic link, which is not followed; move it away`, { path })
  throw new MemoryError('not_a_file', `${path} is no ordinary file; move it away`, { path })
}

class SqliteDatabase implements Database {
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #requireStill: () => void
  #isInside = false

  /** @param requireStill throws when what was just read may not be of one moment */
  constructor(path: string, database: DatabaseSync, requireStill = () => {}) {
    this.#path = path
    this.#database = database
    this.#requireStill = requireStill
  }

  all(sql: string, parameters: SqlParameters = {}): readonly SqlRow[] {
    const rows = this.#told(() => this.#statement(sql).all(parameters as Record<string, SQLInputValue>))
    if (!this.#isInside) this.#requireStill()
    return rows as unknown as SqlRow[]
  }

  run(sql: string, parameters: SqlParameters = {}): number {
    return this.#told(() => Number(this.#statement(sql).run(parameters as Record<string, SQLInputValue>).changes))
  }

  script(sql: string): void {
    this.#told(() => this.#database.exec(sql))
  }

  transact<T>(work: () => T): T {
    return this.#inside('BEGIN IMMEDIATE', work)
  }

  snapshot<T>(work: () => T): T {
    return this.#inside('BEGIN', work)
  }

  copyTo(path: string): void {
    this.run('VACUUM INTO $path', { path })
    syncFile(path)
  }

  #inside<T>(begin: string, work: () => T): T {
    if (this.#isInside) return work()
    this.script(begin)
    this.#isInside = true
    try {
      const result = work()
      this.script('COMMIT')
      this.#requireStill()
      return result
    } catch (error) {
      // A commit that failed may have rolled back by itself.
      if (this.#database.isTransaction) this.script('ROLLBACK')
      throw error
    } finally {
      this.#isInside = false
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }

  #told<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      throw databaseFault(this.#path, cause)
    }
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    if (this.#database.isOpen) this.#database.close()
  }
}

/** SQLite names a full disk only where it writes the database, and not where it makes or grows the files beside it. */
function isFull(path: string): boolean {
  return (diskVolume(dirname(path))?.freeBytes ?? Number.POSITIVE_INFINITY) < FULL_BYTES
}

function syncFile(path: string): void {
  try {
    const descriptor = openSync(path, 'r+')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    throw fileFault('sync', path, cause)
  }
}

/** A table or column that the schema has: our own statements ask for no other. */
function isLacking(cause: unknown): boolean {
  return cause instanceof Error && /\bno such (?:table|column)\b/.test(cause.message)
}

/** What lies beside it belongs to it, and would be taken for a part of another one. */
function restoring(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return `move it away with the files beside it (${name}-wal, ${name}-shm, ${name}-journal), and restore it from a backup`
}

/** What is no fault of the file, its disk or another process is our own bug, and thrown as it is. */
function databaseFault(path: string, cause: unknown): unknown {
  const fault = (code: ConstructorParameters<typeof MemoryError>[0], words: string) =>
    new MemoryError(code, `${path}: ${words}`, { path, cause })
  const code = primaryCode(cause)
  switch ((code === SQLITE.io || code === SQLITE.cannotOpen) && isFull(path) ? SQLITE.full : code) {
    case SQLITE.busy:
    case SQLITE.locked:
      return fault('workspace_locked', `another process has been writing it for ${BUSY_MS / 1000} s; try again`)
    case SQLITE.readOnly:
      return fault('read_only', 'it cannot be written; check its owner and mode and those of its folder')
    case SQLITE.full:
      return fault('disk_full', 'the disk is full; make room and run it again')
    case SQLITE.cannotOpen:
      return fault('io_failed', 'it cannot be opened; check that its folder is there and can be written')
    case SQLITE.io:
      return fault('io_failed', 'it cannot be read or written; check the disk')
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return fault('memory_corrupt', `it is damaged or no database; ${restoring(path)}`)
    case SQLITE.error:
      return isLacking(cause) ? fault('memory_corrupt', `a part of it is gone; ${restoring(path)}`) : cause
    default:
      return cause
  }
}
