/** The memory graph, opened: its one SQLite file, brought to the present schema. Knows no life cycle. */
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Database, Ids } from '../ports.ts'
import { MIGRATIONS } from './schema-migrations.ts'

/** "know" in ASCII: what tells this file from other databases. */
const APPLICATION_ID = 0x6b6e6f77

/** What every operation of the graph works with. */
export interface MemoryGraph {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
}

/** Makes what is missing. Throws `format_too_new`, `memory_corrupt` for a database of something else, and what the database throws. */
export function bringToPresentSchema(database: Database): void {
  if (schemaVersion(database) === MIGRATIONS.length) return
  database.transact(() => {
    // Another process may have done it meanwhile.
    for (let version = schemaVersion(database); version < MIGRATIONS.length; version++) {
      database.script(MIGRATIONS[version] ?? '')
      database.script(`PRAGMA user_version = ${version + 1}`)
    }
    database.script(`PRAGMA application_id = ${APPLICATION_ID}`)
  })
}

/** Number of the present schema's version; 0 for a file without tables. Throws as `bringToPresentSchema`. */
export function schemaVersion(database: Database): number {
  const { version, application, tables } = database.snapshot(() => ({
    version: pragma(database, 'user_version'),
    application: pragma(database, 'application_id'),
    tables: Number(database.all('SELECT count(*) AS tables FROM sqlite_schema')[0]?.tables),
  }))
  if (application !== APPLICATION_ID && tables > 0)
    throw new MemoryError('memory_corrupt', 'memory.db is the database of another program; move it away')
  if (version > MIGRATIONS.length)
    throw new MemoryError(
      'format_too_new',
      `memory.db has schema ${version}, this program knows ${MIGRATIONS.length}; use a newer version of the program`,
    )
  return version
}

function pragma(database: Database, name: string): number {
  return Number(database.all(`PRAGMA ${name}`)[0]?.[name])
}
