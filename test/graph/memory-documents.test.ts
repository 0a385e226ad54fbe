/** Which documents there are is counted again where anything has changed, whoever changed it. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteDatabase } from '../../src/adapters/sqlite-database.ts'
import { MemoryDocuments } from '../../src/graph/memory-documents.ts'
import { bringToPresentSchema } from '../../src/graph/memory-graph.ts'
import type { Database } from '../../src/ports.ts'

let folder: string
let own: Database
let others: Database
let documents: MemoryDocuments
let counted: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-documents-'))
  own = opened()
  bringToPresentSchema(own)
  others = opened()
  counted = 0
  documents = new MemoryDocuments({
    ...own,
    all: (sql, parameters) => {
      if (sql.includes('count(*)')) counted += 1
      return own.all(sql, parameters)
    },
  })
})

afterEach(() => {
  own[Symbol.dispose]()
  others[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})

function opened(): Database {
  const database = openSqliteDatabase(join(folder, 'memory.db'), 'write')
  if (database === null) throw new Error('who writes makes what is missing')
  return database
}

function place(database: Database, ...ids: string[]): void {
  for (const id of ids)
    database.run('INSERT INTO memory_document (label, memory_id) VALUES ($label, $id)', { label: 'SemanticMemory', id })
}

const remove = (database: Database, id: string) =>
  database.run('DELETE FROM memory_document WHERE memory_id = $id', { id })

test('what nobody changed is counted once', () => {
  place(own, 'a', 'b')
  const numbers = documents.numbers()
  expect([...numbers]).toEqual([1, 2])
  expect(documents.numbers()).toBe(numbers)
  expect([...documents.visible(null, ['semantic'])]).toEqual([1, 2])
  expect(counted).toBe(1)
})

test.each([
  ['by itself', () => own],
  ['by another process', () => others],
])('what changed %s is seen', (_, by) => {
  place(own, 'a', 'b')
  documents.numbers()
  place(by(), 'c')
  expect([...documents.numbers()]).toEqual([1, 2, 3])
  remove(by(), 'a')
  expect([...documents.numbers()]).toEqual([2, 3])
  by().transact(() => {
    remove(by(), 'b')
    place(by(), 'd')
  })
  expect([...documents.numbers()]).toEqual([3, 4])
})

test('what was undone is not', () => {
  place(own, 'a')
  documents.numbers()
  const undone = () =>
    own.transact(() => {
      place(own, 'b')
      throw new Error('undone')
    })
  expect(undone).toThrow('undone')
  expect([...documents.numbers()]).toEqual([1])
})

test('texts and vectors are looked for by their numbers, not among all memories', () => {
  const asked: string[] = []
  const watched = new MemoryDocuments({
    ...own,
    all: (sql, parameters) => {
      asked.push(...own.all(`EXPLAIN QUERY PLAN ${sql}`, parameters).map(({ detail }) => String(detail)))
      return []
    },
  })
  watched.textsOf([1])
  watched.keptVectors('fake:words')([1])
  const ways = asked.filter((detail) => detail.includes('memory_document'))
  expect(ways).toHaveLength(10)
  expect(new Set(ways)).toEqual(new Set(['SEARCH memory_document USING INTEGER PRIMARY KEY (rowid=?)']))
})
