/** Queries of somebody who wants more than to read the graph: the table of docs/cypher.md, tried. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCypherEngine } from '../../src/adapters/cypher-engine.ts'
import type { CypherRow } from '../../src/model/cypher-value.ts'
import { RememberingMachine } from '../fakes/remembering.ts'

const machine = new RememberingMachine()
machine.openCypherEngine = async () => openCypherEngine()
const folder = mkdtempSync(join(tmpdir(), 'knowhow-hostile-'))
const SECRET = 'a-line-that-nobody-may-read'
const secretFile = join(folder, 'secret.csv')

interface Asked {
  readonly param?: unknown
  readonly timeout?: number
}

interface Answer {
  readonly rows: readonly CypherRow[]
  readonly notice?: string
}

const cypher = (query: string, asked: Asked = {}) => machine.run<Answer>('memory_cypher', { query, ...asked })

beforeAll(async () => {
  writeFileSync(secretFile, `${SECRET}\n`)
  await machine.begin('s')
  for (let at = 0; at < 20; at++)
    await machine.remember('episodic', { session: 's', memory_id: `e${at}`, content: `event ${at}` })
  for (let from = 0; from < 20; from++)
    for (let to = 0; to < 20; to++) if (from !== to) await machine.link('RECALLS', `e${from}`, `e${to}`)
})

afterAll(() => rmSync(folder, { recursive: true }))

const READINGS = [
  `LOAD FROM '${secretFile}' RETURN *`,
  `lOaD /* of */ FrOm '${secretFile}' (file_format='csv') RETURN *`,
  `MATCH (s:Session) WITH s LOAD FROM '${secretFile}' RETURN *`,
  `MATCH (s:Session)//\nLOAD FROM '${secretFile}' RETURN *`,
  `CALL read_csv_serial('${secretFile}') RETURN *`,
  `CALL \`read_csv_parallel\`('${secretFile}') RETURN *`,
  `RETURN read_csv_serial('${secretFile}') AS x`,
  `RETURN 1 AS x; LOAD FROM '${secretFile}' RETURN *`,
  `RETURN 1 AS x UNION LOAD FROM '${secretFile}' RETURN column0 AS x`,
  `COPY EpisodicMemory FROM '${secretFile}'`,
  `IMPORT DATABASE '${folder}'`,
  `ATTACH '${secretFile}' AS x (dbtype csv)`,
]

const target = join(folder, 'written')
const WRITINGS = [
  `COPY (MATCH (n:Session) RETURN n.session_id) TO '${target}.csv'`,
  `COPY (MATCH (n:Session) RETURN n.session_id) TO '${target}.parquet'`,
  `EXPORT DATABASE '${target}'`,
  `ATTACH '${target}' AS x (dbtype lbug)`,
  'INSTALL httpfs',
  `LOAD EXTENSION '${target}'`,
  `CALL home_directory = '${target}' RETURN 1`,
]

describe('files', () => {
  test.each(READINGS.map((query, at) => [at + 1, query] as const))('are not read: way %i', async (_, query) => {
    await expect(cypher(query)).rejects.toMatchObject({ code: 'cypher_refused' })
  })

  test.each(WRITINGS.map((query, at) => [at + 1, query] as const))('are not written: way %i', async (_, query) => {
    await expect(cypher(query)).rejects.toMatchObject({ code: 'cypher_refused' })
    expect(readdirSync(folder)).toEqual(['secret.csv'])
    expect(readFileSync(secretFile, 'utf8')).toBe(`${SECRET}\n`)
  })

  test('named as labels, texts, names and parameters are only that', async () => {
    await expect(cypher(`MATCH (n:\`${secretFile}\`) RETURN n`)).rejects.toMatchObject({ code: 'invalid_argument' })
    const p = `x' LOAD FROM '${secretFile}`
    const { rows } = await cypher(`RETURN '${secretFile}' AS a, $p AS b, 1 AS \`LOAD FROM '${secretFile}'\``, {
      param: { p },
    })
    expect(JSON.stringify(rows)).not.toContain(SECRET)
    expect(Object.values(rows[0] ?? {})).toEqual([secretFile, p, 1])
  })
})

test('the graph is as it was after queries that would change it', async () => {
  const stats = () => machine.run('memory_stats', {})
  const before = await stats()
  const changes = [
    "CREATE (:Session {session_id: 'x'})",
    "MERGE (:Session {session_id: 'x'})",
    'MATCH (n:EpisodicMemory) SET n.content = null',
    'MATCH (n) DETACH DELETE n',
    'DROP TABLE RECALLS',
    'MATCH (n:Session) WITH * DELETE n RETURN 1',
  ]
  for (const query of changes) await expect(cypher(query)).rejects.toMatchObject({ code: 'cypher_refused' })
  expect(await stats()).toEqual(before)
})

const LETTERS = 'a b c d e f g h i j k l'.split(' ')
const ENDLESS = [
  [
    'a pattern without bound over a graph in circles',
    'MATCH p = (a:EpisodicMemory)-[:RECALLS*]->(b) RETURN count(*) AS c',
  ],
  ['paths of up to thirty steps', 'MATCH p = (a:EpisodicMemory)-[:RECALLS*1..30]->(b) RETURN p'],
  [
    'patterns that have nothing to do with each other',
    `MATCH ${LETTERS.map((name) => `(${name}:EpisodicMemory)`).join(', ')}
    RETURN sum(${LETTERS.map((name) => `size(${name}.content)`).join(' * ')}) AS s`,
  ],
  ['lists by lists', 'UNWIND range(1, 10000000) AS a UNWIND range(1, 10000000) AS b RETURN sum(a * b) AS s'],
] as const

describe('a query without end is ended, by its time limit or its memory', () => {
  test.each(ENDLESS)('%s', async (_, query) => {
    await expect(cypher(query, { timeout: 1 })).rejects.toMatchObject({
      code: expect.stringMatching(/^cypher_(?:timeout|failed)$/),
    })
  })
})

describe('sizes', () => {
  test('a megabyte of query is refused', async () => {
    await expect(cypher(`RETURN '${'x'.repeat(2 ** 20)}' AS x`)).rejects.toMatchObject({ code: 'cypher_refused' })
  })

  test('a megabyte of parameter is a value', async () => {
    const { rows } = await cypher('RETURN size($p) AS s', { param: { p: 'x'.repeat(2 ** 20) } })
    expect(rows).toEqual([{ s: 2 ** 20 }])
  })

  test('more rows than an answer has are left out, and that is told', async () => {
    const { rows, notice } = await cypher('UNWIND range(1, 1000000) AS x RETURN x')
    expect(rows).toHaveLength(10_000)
    expect(notice).toContain('10000')
  })

  test('a text of gigabytes fails, and the next query is answered', async () => {
    await expect(cypher("RETURN repeat('x', 10000000000) AS x")).rejects.toMatchObject({ code: 'cypher_failed' })
    expect((await cypher('RETURN 1 AS x')).rows).toEqual([{ x: 1 }])
  })
})

describe('parameters', () => {
  test.each([
    [['no equals sign'], 'name=value'],
    [['a=1', 'a=2'], 'twice'],
    [['a b=1'], 'no name'],
    [['a={"b":'], 'JSON'],
    [['a=9007199254740993'], '2^53'],
  ])('that cannot be meant are refused: %j', async (param, words) => {
    await expect(cypher('RETURN $a AS a', { param })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(words),
    })
  })

  test('are JSON, or a text as it stands', async () => {
    const param = ['a=[1,2]', 'b=plain text', 'c="1"', 'd={"x":{"y":true}}', 'e=x=y', 'f=null']
    const { rows } = await cypher('RETURN $a AS a, $b AS b, $c AS c, $d AS d, $e AS e, $f AS f', { param })
    expect(rows).toEqual([{ a: [1, 2], b: 'plain text', c: '1', d: { x: { y: true } }, e: 'x=y', f: null }])
  })
})
