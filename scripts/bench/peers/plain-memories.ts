/** What a plain program would do with memories in SQLite: texts in FTS5, rows inserted, counted, looked at and written out. */
import { Database } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const TABLES = [
  ['EpisodicMemory', 'content'],
  ['SemanticMemory', "concept || ' ' || content"],
  ['ProceduralMemory', "procedure_name || ' ' || description || ' ' || preconditions"],
  ['ProspectiveMemory', 'intention'],
  ['WorkingMemory', 'content'],
] as const
const RELATIONS = [
  'CONTAINS_EPISODIC',
  'CONTAINS_WORKING',
  'CREATES_INTENTION',
  'DERIVES_FROM',
  'REFERENCES',
  'ACTIVATES',
  'RECALLS',
  'BUILDS_ON',
] as const
const HITS = 10
const VECTOR_BYTES = 1024

export interface PlainStore extends Disposable {
  /** Durable. */
  readonly insert: (text: string) => void
  readonly search: (query: string) => number
  readonly countTables: () => number
  readonly scanWorking: () => number
  readonly writeRows: (path: string) => void
}

/** @param root of a workspace, whose graph is read; what is inserted goes into a file beside it */
export function openPlainStore(root: string): PlainStore {
  const graph = join(root, 'memory', 'memory.db')
  const own = new Database(join(root, 'plain.db'))
  own.run('PRAGMA journal_mode = WAL')
  own.run('PRAGMA synchronous = FULL')
  own.run('CREATE TABLE memories (id INTEGER PRIMARY KEY, text TEXT NOT NULL, vector BLOB NOT NULL)')
  own.run("CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='porter unicode61')")
  own.run('ATTACH ? AS graph', [graph])
  own.run('BEGIN')
  for (const [table, text] of TABLES) own.run(`INSERT INTO texts (text) SELECT ${text} FROM graph."${table}"`)
  own.run('COMMIT')
  own.run('DETACH graph')
  const insert = own.prepare('INSERT INTO memories (text, vector) VALUES (?, ?)')
  const search = own.prepare(`SELECT rowid, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ${HITS}`)
  const reading = new Database(graph, { readonly: true })
  const vector = new Uint8Array(VECTOR_BYTES)
  return {
    insert: (text) => void insert.run(text, vector),
    search: (query) => {
      const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      return search.all([...words].map((word) => `"${word}"`).join(' OR ')).length
    },
    countTables: () => {
      const opened = new Database(graph, { readonly: true })
      const count = [...TABLES.map(([table]) => table), ...RELATIONS].reduce(
        (sum, table) => sum + Number(opened.query(`SELECT count(*) FROM "${table}"`).values()[0]?.[0]),
        0,
      )
      opened.close()
      return count
    },
    scanWorking: () =>
      Number(
        reading
          .query(`SELECT count(*) FROM "WorkingMemory" WHERE unixepoch(created_at) + ttl_seconds < unixepoch()`)
          .values()[0]?.[0],
      ),
    writeRows: (path) => {
      const descriptor = openSync(path, 'w')
      for (const table of [...TABLES.map(([name]) => name), ...RELATIONS]) {
        const rows = reading.query(`SELECT * FROM "${table}"`).all() as Record<string, unknown>[]
        writeSync(descriptor, rows.map((row) => `${JSON.stringify(row, asBase64)}\n`).join(''))
      }
      fsyncSync(descriptor)
      closeSync(descriptor)
    },
    [Symbol.dispose]: () => {
      reading.close()
      own.close()
    },
  }
}

function asBase64(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
