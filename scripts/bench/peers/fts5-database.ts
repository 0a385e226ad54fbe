/**
 * What a careful person would build on SQLite FTS5 for the same job: both views as contentless tables with the Porter
 * stemmer, and the signature of every file, packed into one row because a row for each takes four times as long.
 */
import { Database } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs'
import type { ScannedFolder } from './scanned-folder.ts'
import { scanFolder } from './scanned-folder.ts'

// FTS5 keeps tables named after a view and an ending, so that one view's name must not begin another's.
const VIEWS = ['situations', 'wholes'] as const
// Terms waiting in memory, in bytes: enough for one segment without merges up to some 100,000 experiences.
const HASH_BYTES = 256 * 1024 * 1024

interface Experience {
  readonly 'when-to-use': string
  readonly content: string
}

/** Builds a new database beside the old and puts it in its place. */
export function buildDatabase(path: string, folder: string): void {
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  const scanned = scanFolder(folder)
  const database = new Database(draft)
  // Nobody reads the draft: a journal would protect nothing, and one sync at the end is enough.
  database.run('PRAGMA journal_mode = OFF')
  database.run('PRAGMA synchronous = OFF')
  database.run('PRAGMA cache_size = -65536')
  database.run('BEGIN')
  database.run('CREATE TABLE files (id INTEGER PRIMARY KEY, name TEXT NOT NULL)')
  database.run('CREATE TABLE signatures (names TEXT NOT NULL, sizes BLOB NOT NULL, times BLOB NOT NULL)')
  for (const view of VIEWS) {
    database.run(
      `CREATE VIRTUAL TABLE ${view} USING fts5(text, content='', contentless_delete=1, tokenize='porter unicode61')`,
    )
    database.run(`INSERT INTO ${view}(${view}, rank) VALUES ('hashsize', ${HASH_BYTES})`)
  }
  const insertFile = database.prepare('INSERT INTO files VALUES (?, ?)')
  const put = inserter(database)
  for (const [at, name] of scanned.names.entries()) {
    insertFile.run(at + 1, name)
    put(at + 1, name)
  }
  writeSignatures(database, scanned)
  database.run('COMMIT')
  database.close()
  const descriptor = openSync(draft, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(draft, path)
}

/**
 * Reads and indexes again what differs from the recorded signatures, durably. The files of the folder must be the same
 * ones in the same order: the benchmarks only change contents, and adding or removing would cost the peer more.
 */
export function bringUpToDate(path: string, folder: string): void {
  const scanned = scanFolder(folder)
  const database = new Database(path, { readwrite: true })
  database.run('PRAGMA mmap_size = 1073741824')
  const changed = changedFiles(database, scanned)
  if (changed.length > 0) {
    database.run('PRAGMA synchronous = NORMAL')
    database.run('PRAGMA cache_size = -65536')
    database.run('BEGIN IMMEDIATE')
    const removals = VIEWS.map((view) => database.prepare(`DELETE FROM ${view} WHERE rowid = ?`))
    const put = inserter(database)
    for (const at of changed) {
      for (const removal of removals) removal.run(at + 1)
      put(at + 1, scanned.names[at] ?? '')
    }
    database.run('DELETE FROM signatures')
    writeSignatures(database, scanned)
    database.run('COMMIT')
  }
  database.close()
}

/** @returns names of the files that fit best, best first, with their scores */
export function searchDatabase(path: string, query: string, limit: number): { name: string; score: number }[] {
  const database = new Database(path, { readonly: true })
  database.run('PRAGMA mmap_size = 1073741824')
  const found = database
    .prepare(`SELECT rowid, -rank FROM wholes WHERE wholes MATCH ? ORDER BY rank LIMIT ${limit}`)
    .values(matchExpression(query)) as [number, number][]
  const nameOf = database.prepare('SELECT name FROM files WHERE id = ?')
  const hits = found.map(([id, score]) => ({ name: String(nameOf.values(id)[0]?.[0]), score }))
  database.close()
  return hits
}

/** Of the words that also the product leaves out of queries, the most frequent ones. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with what which how can has have been do does from when were'.split(
    ' ',
  ),
)

function matchExpression(query: string): string {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  const telling = [...words].filter((word) => !STOP_WORDS.has(word))
  return (telling.length > 0 ? telling : [...words]).map((word) => `"${word}"`).join(' OR ')
}

/** Relative names: the folder is the current one since the scan. */
function inserter(database: Database): (id: number, name: string) => void {
  const [situations, wholes] = VIEWS.map((view) => database.prepare(`INSERT INTO ${view}(rowid, text) VALUES (?, ?)`))
  return (id, name) => {
    const experience = JSON.parse(readFileSync(name, 'utf8')) as Experience
    situations?.run(id, experience['when-to-use'])
    wholes?.run(id, `${experience['when-to-use']}\n\n${experience.content}`)
  }
}

function writeSignatures(database: Database, { names, sizes, times }: ScannedFolder): void {
  database
    .prepare('INSERT INTO signatures VALUES (?, ?, ?)')
    .run(names.join('\n'), new Uint8Array(sizes.buffer), new Uint8Array(times.buffer))
}

/** @returns positions in the folder */
function changedFiles(database: Database, { names, sizes, times }: ScannedFolder): number[] {
  const [known] = database.prepare('SELECT names, sizes, times FROM signatures').values() as [
    string,
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>,
  ][]
  if (known === undefined) throw new Error('the database has no signatures')
  const knownNames = known[0].split('\n')
  const knownSizes = new Float64Array(known[1].slice().buffer)
  const knownTimes = new Float64Array(known[2].slice().buffer)
  if (knownNames.length !== names.length) throw new Error('files were added or removed')
  const changed: number[] = []
  for (const [at, name] of names.entries()) {
    if (knownNames[at] !== name) throw new Error(`${name} is new, or the folder is in another order`)
    if (knownSizes[at] !== sizes[at] || knownTimes[at] !== times[at]) changed.push(at)
  }
  return changed
}
