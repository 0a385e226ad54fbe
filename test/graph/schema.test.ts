import { describe, expect, test } from 'bun:test'
import { NODES, type Property, RELATIONS } from '../../src/graph/schema.ts'
import type { SqlValue } from '../../src/ports.ts'
import { scratchGraph } from '../fakes/scratch-graph.ts'
import { SEED_NODES, SEED_RELATIONS, type SeedColumn } from '../fakes/seed-schema.ts'

const TYPES: Readonly<Record<SeedColumn['type'], { readonly declared: Property['type']; readonly sql: string }>> = {
  STRING: { declared: 'string', sql: 'TEXT' },
  TIMESTAMP: { declared: 'timestamp', sql: 'TEXT' },
  DOUBLE: { declared: 'double', sql: 'REAL' },
  INT64: { declared: 'int64', sql: 'INTEGER' },
  BOOL: { declared: 'bool', sql: 'INTEGER' },
  'STRING[]': { declared: 'strings', sql: 'TEXT' },
}
const EMBEDDING = ['embedding', 'embedding_model', 'embedding_dimension']

const { database } = scratchGraph()

function columnsOf(table: string): readonly { readonly name: string; readonly type: string }[] {
  return database
    .all(`SELECT name, type FROM pragma_table_info('${table}') ORDER BY cid`)
    .map(({ name, type }) => ({ name: String(name), type: String(type) }))
}

function foreignKeysOf(table: string): readonly (readonly [string, string])[] {
  return database
    .all(`SELECT "from", "table" FROM pragma_foreign_key_list('${table}') ORDER BY "from"`)
    .map((row) => [String(row.from), String(row.table)] as const)
}

const shape = ({ name, type }: SeedColumn) => ({ name, type: TYPES[type].sql })

describe.each(Object.entries(SEED_NODES))('the table %s', (label, seed) => {
  test("has the seed's columns in the seed's order, and the embedding behind them", () => {
    const columns = columnsOf(label)
    expect(columns.slice(0, seed.length)).toEqual(seed.map(shape))
    const beside = columns.slice(seed.length).map(({ name }) => name)
    expect(beside).toEqual(label === 'Session' ? [] : EMBEDDING)
  })

  test('is declared as the seed says', () => {
    const [key, ...properties] = seed
    const table = NODES[label as keyof typeof NODES]
    expect(table.key).toBe(key?.name as typeof table.key)
    expect(table.properties.map(({ name, type }) => [name, type])).toEqual(
      properties.map(({ name, type }) => [name, TYPES[type].declared]),
    )
  })

  test('is strict', () => {
    expect(database.all(`SELECT strict FROM pragma_table_list WHERE name = '${label}'`)).toEqual([{ strict: 1 }])
  })
})

describe.each(Object.entries(SEED_RELATIONS))('the relation %s', (name, seed) => {
  test("has the seed's columns in the seed's order, behind its ends", () => {
    const columns = columnsOf(name).filter((column) => column.name !== 'id')
    expect(columns.slice(0, 2).map((column) => column.name)).toEqual(['from_id', 'to_id'])
    expect(columns.slice(2)).toEqual(seed.columns.map(shape))
  })

  test('leads from where to where the seed says, enforced by foreign keys', () => {
    expect(foreignKeysOf(name)).toEqual([
      ['from_id', seed.from],
      ['to_id', seed.to],
    ])
    const declared = RELATIONS[name as keyof typeof RELATIONS]
    expect([declared.from, declared.to] as string[]).toEqual([seed.from, seed.to])
    expect(declared.properties.map((property) => [property.name, property.type])).toEqual(
      seed.columns.map((column) => [column.name, TYPES[column.type].declared]),
    )
  })

  test('is strict, and keeps one between two nodes, or each', () => {
    expect(database.all(`SELECT strict FROM pragma_table_list WHERE name = '${name}'`)).toEqual([{ strict: 1 }])
    const each = ['CONTRIBUTES_TO_SEMANTIC', 'USES_PROCEDURE', 'TRIGGERS']
    expect(RELATIONS[name as keyof typeof RELATIONS].kept).toBe(each.includes(name) ? 'each' : 'one')
  })
})

const LISTED = [
  ...Object.entries(SEED_NODES).map(([table, columns]) => [table, columns] as const),
  ...Object.entries(SEED_RELATIONS).map(([table, { columns }]) => [table, columns] as const),
].flatMap(([table, columns]) => columns.map((column) => [table, column] as const))

function declaredProperty(table: string, name: string): Property | undefined {
  const found = NODES[table as keyof typeof NODES] ?? RELATIONS[table as keyof typeof RELATIONS]
  return found.properties.find((property) => property.name === name)
}

/** Whether the table's own check lets a value pass, asked without any row. */
function isLetThrough(table: string, column: string, value: SqlValue): boolean {
  const [{ sql } = { sql: '' }] = database.all('SELECT sql FROM sqlite_schema WHERE name = $table', { table })
  const check = new RegExp(`"?${column}"? (?:TEXT|REAL|INTEGER)(?: NOT NULL)? CHECK \\((.*)\\)`).exec(String(sql))?.[1]
  if (check === undefined) throw new Error(`${table}.${column} has no check`)
  return database.all(`SELECT ${check} AS passes FROM (SELECT $value AS "${column}")`, { value })[0]?.passes === 1
}

describe('values', () => {
  test.each(LISTED.filter(([, { values }]) => values !== undefined))(
    '%s.%o are those of the seed, in the declaration and in the table',
    (table, { name, values = [] }) => {
      expect(declaredProperty(table, name)?.values).toEqual(values)
      for (const value of values) expect(isLetThrough(table, name, value)).toBe(true)
      for (const value of ['', 'other', values[0]?.toUpperCase() ?? ''])
        expect(isLetThrough(table, name, value)).toBe(false)
    },
  )

  test.each(LISTED.filter(([, { range }]) => range !== undefined))(
    '%s.%o lie in the range of the seed, in the declaration and in the table',
    (table, { name, range = [0, 0] }) => {
      const [least, most] = range
      expect(declaredProperty(table, name)?.range).toEqual([least, most])
      for (const value of [least, most, (least + most) / 2]) expect(isLetThrough(table, name, value)).toBe(true)
      for (const value of [least - 0.001, most + 0.001]) expect(isLetThrough(table, name, value)).toBe(false)
    },
  )
})

test('a relation whose end is not there is refused by the table itself', () => {
  expect(() =>
    database.run('INSERT INTO "RECALLS" (from_id, to_id) VALUES ($from, $to)', { from: 'none', to: 'nor' }),
  ).toThrow(/FOREIGN KEY/)
})

test('an embedding needs its model and its dimension, and as many bytes as these say', () => {
  const insert = (embedding: Uint8Array | null, model: string | null, dimension: number | null) =>
    database.run(
      `INSERT INTO "WorkingMemory" VALUES ('e', 'x', 'goal', 0, '2026-01-01T00:00:00.000Z', 1, $embedding, $model, $dimension)`,
      { embedding, model, dimension },
    )
  expect(() => insert(new Uint8Array(8), null, 2)).toThrow(/CHECK/)
  expect(() => insert(new Uint8Array(8), 'm', null)).toThrow(/CHECK/)
  expect(() => insert(new Uint8Array(8), 'm', 3)).toThrow(/CHECK/)
  expect(() => insert(null, 'm', null)).toThrow(/CHECK/)
  insert(new Uint8Array(4 * 1536), 'm', 1536)
})
