/** What a query in Cypher may be made of. The engine itself is asked in test/adapters and test/app. */
import { describe, expect, test } from 'bun:test'
import { guardedQuery } from '../../src/graph/cypher-guard.ts'
import { renamingFor } from '../../src/graph/cypher-names.ts'
import { QUERY_UNITS_MAX } from '../../src/graph/cypher-tokens.ts'
import { NODE_LABELS, NODES, RELATION_NAMES, RELATIONS } from '../../src/graph/schema.ts'

function refusalOf(query: string): string {
  try {
    guardedQuery(query)
  } catch (error) {
    expect(error).toMatchObject({ code: 'cypher_refused' })
    return (error as Error).message
  }
  throw new Error(`let through: ${query}`)
}

const READING = [
  'MATCH (n) RETURN n',
  'match (n) return n;',
  'OPTIONAL MATCH (n:Session) WHERE n.session_id = $id RETURN n.*',
  'MATCH (a)-[r:RECALLS*1..3]->(b) RETURN a, r, b ORDER BY a.timestamp DESC, b.memory_id SKIP 1 LIMIT 2',
  'MATCH p = (a)-[:RECALLS* SHORTEST 1..3]->(b) RETURN nodes(p)',
  'MATCH p = (a)-[:RECALLS* ALL SHORTEST 1..3]->(b) RETURN length(p)',
  'MATCH (a)-[:RECALLS*1..2 (r, n | WHERE r.similarity_score > 0.5)]->(b) RETURN b',
  'UNWIND range(1, 3) AS x WITH x WHERE x > 1 RETURN x UNION ALL RETURN 4 AS x UNION RETURN 5 AS x',
  'WITH *, 1 AS one RETURN *',
  'MATCH (n) WHERE NOT EXISTS { MATCH (n)-[]->() } AND COUNT { MATCH (n)<-[]-(m) WHERE m.x > 1 } = 0 RETURN n',
  'MATCH (n) WHERE (n.a IN [1, 2] OR n.b IS NOT NULL) XOR n.c STARTS WITH "x" RETURN count(DISTINCT n) AS c',
  "RETURN CASE WHEN 1 = 2 THEN 'a' ELSE 'b' END AS x, CASE 1 WHEN 1 THEN 2 END AS y",
  'RETURN list_distinct([1, 2]) AS l, 1 IN [1] AS a, CAST(1 AS DECIMAL(18, 2)) AS d',
  "MATCH (n) WHERE n.timestamp < current_timestamp() - INTERVAL('1 day') RETURN n",
  'CALL show_tables() RETURN *',
  "CALL table_info('Session') WHERE name = 'status' RETURN type",
  'MATCH (n) RETURN n /* COPY */ // LOAD FROM',
  "RETURN 'CREATE; DROP' AS `set`, \"it\\'s \\\\ COPY\" AS x",
  'MATCH (n) RETURN n.set, n.load, n.use',
  'MATCH (`create`:Session) RETURN `create`',
]

test.each(READING)('reads: %s', (query) => {
  expect(() => guardedQuery(query)).not.toThrow()
})

/** Each clause and statement of the engine's grammar that reads files, writes, or sets something, and the word told. */
const REFUSED: readonly (readonly [query: string, word: string])[] = [
  ["COPY Session FROM '/etc/passwd'", 'COPY'],
  ["COPY (MATCH (n) RETURN n) TO '/tmp/x.csv'", 'COPY'],
  ["LOAD FROM '/etc/hostname' RETURN *", 'LOAD'],
  ["load/**/from '/etc/hostname' RETURN *", 'LOAD'],
  ["LoAd\n// x\nFROM '/etc/hostname' RETURN *", 'LOAD'],
  ["MATCH (n) WITH n LOAD FROM '/etc/hostname' RETURN *", 'LOAD'],
  ["LOAD WITH HEADERS (a STRING) FROM '/etc/hostname' RETURN *", 'LOAD'],
  ['LOAD EXTENSION json', 'LOAD'],
  ['INSTALL httpfs', 'INSTALL'],
  ['UNINSTALL httpfs', 'UNINSTALL'],
  ['UPDATE json', 'UPDATE'],
  ["ATTACH 'x.db' AS x (dbtype sqlite)", 'ATTACH'],
  ['DETACH x', 'DETACH'],
  ["EXPORT DATABASE '/tmp/x'", 'EXPORT'],
  ["IMPORT DATABASE '/tmp/x'", 'IMPORT'],
  ['USE x', 'USE'],
  ['USE GRAPH x', 'USE'],
  ['CREATE (:Session {session_id: "x"})', 'CREATE'],
  ['MATCH (n)CREATE (:Session {session_id: "x"})', 'CREATE'],
  ['RETURN 1 AS x UNION CREATE (:Session)', 'CREATE'],
  ['CREATE NODE TABLE T(id STRING PRIMARY KEY)', 'CREATE'],
  ['CREATE REL TABLE T(FROM Session TO Session)', 'CREATE'],
  ['CREATE MACRO f(x) AS x + 1', 'CREATE'],
  ['CREATE SEQUENCE s', 'CREATE'],
  ['CREATE TYPE t AS INT64', 'CREATE'],
  ['CREATE USER u', 'CREATE'],
  ['CREATE GRAPH g', 'CREATE'],
  ['MERGE (:Session {session_id: "x"})', 'MERGE'],
  ['MATCH (n) SET n.status = "x"', 'SET'],
  ['WITH * SET n.status = "x"', 'SET'],
  ['MATCH (n) DELETE n', 'DELETE'],
  ['MATCH (n) DETACH DELETE n', 'DETACH'],
  ['MATCH (n) REMOVE n.status', 'REMOVE'],
  ['DROP TABLE Session', 'DROP'],
  ['ALTER TABLE Session DROP status', 'ALTER'],
  ['ANALYZE', 'ANALYZE'],
  ['BEGIN TRANSACTION', 'BEGIN'],
  ['COMMIT', 'COMMIT'],
  ['ROLLBACK', 'ROLLBACK'],
  ['CHECKPOINT', 'CHECKPOINT'],
  ["COMMENT ON TABLE Session IS 'x'", 'COMMENT'],
  ['EXPLAIN MATCH (n) RETURN n', 'EXPLAIN'],
  ['PROFILE MATCH (n) RETURN n', 'PROFILE'],
  ['PRAGMA x', 'PRAGMA'],
  ['FOREACH (x IN [1] | CREATE (:Session))', 'FOREACH'],
  ['MATCH (a)-[]->(b) HINT (a JOIN b) RETURN a', 'HINT'],
  ['CALL threads = 4', 'CALL threads'],
  ["CALL home_directory = '/tmp' RETURN 1", 'CALL home_directory'],
  ["CALL read_csv_serial('/etc/hostname') RETURN *", 'CALL read_csv_serial'],
  ["CALL `read_parquet`('/etc/hostname') RETURN *", 'CALL `read_parquet`'],
  ["CALL project_graph('g', ['Session'], []) RETURN *", 'CALL project_graph'],
  ["CALL current_setting('threads') RETURN *", 'CALL current_setting'],
  ['CALL clear_warnings()', 'CALL clear_warnings'],
  ["MATCH (n) CALL read_npy('/etc/hostname') RETURN *", 'CALL read_npy'],
  ["RETURN read_csv_parallel('/etc/hostname') AS x", 'read_csv_parallel'],
  ["RETURN parquet_scan('/etc/hostname') AS x", 'parquet_scan'],
  ["RETURN `read_csv_serial`('/etc/hostname') AS x", 'read_csv_serial'],
  ["RETURN glob('/etc/*') AS x", 'GLOB'],
  ["RETURN getenv('HOME') AS x", 'getenv'],
  ["RETURN nextval('s') AS x", 'nextval'],
  ['RETURN setseed(0.5) AS x', 'setseed'],
  ["RETURN error('x') AS x", 'error'],
  ['RETURN list_transform([1], x -> x + 1) AS x', 'list_transform'],
  ['RETURN `list_filter`([1], x -> x > 1) AS x', 'list_filter'],
  ['RETURN list_reduce([1], (x, y) -> x + y) AS x', 'list_reduce'],
  ['MATCH (p:ProceduralMemory) WHERE any (x IN p.steps WHERE x = "a") RETURN p', 'UNWIND'],
  ['MATCH (p:ProceduralMemory) WHERE ALL(x IN p.steps WHERE x = "a") RETURN p', 'UNWIND'],
  ['RETURN none(x IN [1] WHERE x = 1) AS x', 'UNWIND'],
  ['RETURN single(x IN [1] WHERE x = 1) AS x', 'UNWIND'],
  ['SHOW TABLES', 'SHOW'],
  ['RETURN 1 AS x VACUUM', 'VACUUM'],
]

test.each(REFUSED)('refuses, and names the clause: %s', (query, word) => {
  expect(refusalOf(query)).toContain(word)
})

describe('the same words in disguise', () => {
  test.each([
    ['two statements', 'RETURN 1; COPY x', 'more than one statement'],
    ['a second statement behind a comment', "RETURN 1 /* ; */ ; LOAD FROM 'x'", 'more than one statement'],
    ['a subquery that writes', 'CALL { CREATE (:Session) } RETURN 1', 'CALL'],
    ['a subquery that only reads', 'CALL { MATCH (n) RETURN n } RETURN n', 'CALL'],
    ['an escape outside of texts', '\\u004cOAD FROM "x" RETURN *', 'outside of texts'],
    ['letters that look alike', 'ＬＯＡＤ FROM "x"', 'outside of texts'],
    ['a letter that folds into ASCII', 'MATCH (n) ſET n.x = 1', 'outside of texts'],
    ['a space that is none', 'RETURN\u00a01', 'outside of texts'],
    ['a text that does not end', "RETURN 'a", 'not closed'],
    ['an escape that is none', "RETURN 'a\\q' AS x", 'not closed'],
    ['texts that meet', "RETURN 'a''b' AS x", 'need a space'],
    ['a number that meets a word', 'RETURN 1CREATE', 'need a space'],
    ['a comment that does not end', 'RETURN 1 /* x', 'comment'],
    ['a NUL', 'RETURN 1\0', 'NUL'],
    ['half of a surrogate pair', "RETURN '\ud800' AS x", 'surrogate'],
    ['nothing', ' // nothing', 'empty'],
  ])('%s is refused', (_, query, words) => {
    expect(refusalOf(query)).toContain(words)
  })

  test('a megabyte of query is refused by its length', () => {
    expect(refusalOf(`RETURN '${'x'.repeat(2 ** 20)}' AS x`)).toContain(String(QUERY_UNITS_MAX))
  })

  test('brackets that would take the stack of a parser are refused', () => {
    expect(refusalOf(`RETURN ${'('.repeat(1000)}1${')'.repeat(1000)} AS x`)).toContain('nested')
  })
})

test('comments are not handed to the engine, texts and names as they are', () => {
  const { text } = guardedQuery("MATCH/***/(n) // a ' quote\nRETURN 'a /* b' AS `x // y`, n.\tid ;")
  expect(text).toBe("MATCH (n) RETURN 'a /* b' AS `x // y`, n. id")
})

describe('a name that two labels have with different types', () => {
  const renamed = (query: string) => renamingFor(guardedQuery(query)).before

  test('is the priority of intentions and of working memory, and no other', () => {
    const types = new Map<string, Set<string>>()
    for (const tables of [NODE_LABELS.map((label) => NODES[label]), RELATION_NAMES.map((name) => RELATIONS[name])])
      for (const { name, type } of tables.flatMap(({ properties }) => properties))
        types.set(name, (types.get(name) ?? new Set()).add(type))
    expect([...types].filter(([, found]) => found.size > 1).map(([name]) => name)).toEqual(['priority'])
  })

  test('belongs to nobody in a query that does not speak of it', () => {
    expect(renamed('MATCH p = (a)-[*]->(b) RETURN p')).toEqual([])
  })

  test('belongs to the label that the query names', () => {
    expect(renamed('MATCH p = (w:WorkingMemory)-[*]->(b) WHERE w.priority > 1 RETURN p')).toEqual([
      'ALTER TABLE `WorkingMemory` RENAME `priority_int64` TO `priority`',
    ])
  })

  test('is refused on a path where it could be either', () => {
    const query = 'MATCH p = (a)-[*1..2]->(b) WHERE b.priority IS NOT NULL RETURN p'
    expect(() => renamed(query)).toThrow('mixes them up')
    expect(renamed('MATCH (a) RETURN a.priority')).toHaveLength(2)
  })
})

describe('aggregates behind one over distinct values, which the engine makes 0 or null', () => {
  test.each([
    'MATCH (n) RETURN n.a, count(DISTINCT n.b), count(*)',
    'MATCH (n) RETURN n.a, sum( distinct n.b) AS x, avg(n.c) AS y',
    'MATCH (n) RETURN n.a, collect(DISTINCT n.b), `max`(n.c)',
    'MATCH (n) WITH n.a AS a, count(DISTINCT n.b) AS x, max(n.c) AS y WHERE y = 2 RETURN a',
    'MATCH (n) RETURN n.a, count(DISTINCT n.b) AS x ORDER BY count(*)',
  ])('are refused: %s', (query) => {
    expect(() => guardedQuery(query)).toThrow('write those with DISTINCT last')
  })

  test.each([
    'MATCH (n) RETURN n.a, count(*), avg(n.c), count(DISTINCT n.b)',
    'MATCH (n) RETURN n.a, count(DISTINCT n.b), sum(DISTINCT n.c)',
    'MATCH (n) WITH n.a AS a, count(DISTINCT n.b) AS x RETURN x, count(*)',
    'MATCH (n) RETURN DISTINCT n.count, count(*)',
  ])('are taken in another order: %s', (query) => {
    expect(() => guardedQuery(query)).not.toThrow()
  })
})
