/** What of the graph the engine gets, and when it gets it anew. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { projectGraph } from '../../src/graph/cypher-projection.ts'
import { ITEM_FUNCTIONS } from '../../src/graph/cypher-words.ts'
import type { EmbeddedText } from '../../src/graph/embedding.ts'
import { linkMemories } from '../../src/graph/linking.ts'
import { checkedMemory, type NewMemory, writeMemory } from '../../src/graph/remember.ts'
import { NODE_LABELS, NODES, RELATION_NAMES, RELATIONS } from '../../src/graph/schema.ts'
import { startSession } from '../../src/graph/sessions.ts'
import { AskedGraph } from '../fakes/cypher-graph.ts'

let asked = new AskedGraph()

beforeEach(() => {
  asked = new AskedGraph()
  startSession(asked.graph, { id: 's' })
})

afterEach(() => asked[Symbol.dispose]())

function remember(memory: NewMemory, vector: readonly number[] | null = null): void {
  const { graph } = asked
  const embedded: EmbeddedText | null = vector === null ? null : { vector: Float32Array.from(vector), model: 'm' }
  const checked = checkedMemory(graph, memory, { workingTtlSeconds: 3600 })
  writeMemory(graph, checked, embedded, { events: () => [], concepts: () => [] })
}

const event = (memoryId: string, content: string, vector: readonly number[] | null = null) =>
  remember({ kind: 'episodic', memoryId, session: 's', fields: { content } }, vector)
const thought = (memoryId: string, ttl_seconds: number, priority = 0) =>
  remember({ kind: 'working', memoryId, session: 's', fields: { content: memoryId, ttl_seconds, priority } })
const count = async (label: string) => (await asked.rows(`MATCH (n:${label}) RETURN count(*) AS c`))[0]?.[0]

const TYPES = {
  string: 'STRING',
  timestamp: 'TIMESTAMP',
  double: 'DOUBLE',
  int64: 'INT64',
  bool: 'BOOL',
  strings: 'STRING[]',
}

describe('the tables', () => {
  test('are those of the seed, with its properties and types', async () => {
    const found = await asked.rows('CALL show_tables() RETURN name, type ORDER BY name')
    const wanted = [...NODE_LABELS.map((name) => [name, 'NODE']), ...RELATION_NAMES.map((name) => [name, 'REL'])]
    expect(found).toEqual(wanted.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)))
    for (const label of NODE_LABELS) {
      const { key, properties, kind } = NODES[label]
      const columns = await asked.rows(`CALL table_info('${label}') RETURN name, type`)
      const own = properties.map(({ name, type }) => [name === 'priority' ? `priority_${type}` : name, TYPES[type]])
      expect(columns).toEqual([[key, 'STRING'], ...own, ...(kind === null ? [] : [['embedding', 'FLOAT[]']])])
    }
    for (const name of RELATION_NAMES) {
      const columns = await asked.rows(`CALL table_info('${name}') RETURN name, type`)
      expect(columns).toEqual(RELATIONS[name].properties.map(({ name: own, type }) => [own, TYPES[type]]))
    }
  })

  test('hold no working memory that is dead and no procedure whose file is gone, nor what leads to them', async () => {
    thought('short', 10)
    thought('long', 1000)
    remember({ kind: 'procedural', memoryId: 'p', fields: { procedure_name: 'p' } })
    remember({ kind: 'procedural', memoryId: 'gone', fields: { procedure_name: 'gone' } })
    linkMemories(asked.graph, { relation: 'BUILDS_ON', from: 'p', to: 'gone' }, {})
    asked.graph.database.run("INSERT INTO procedure_file (memory_id, version) VALUES ('gone', NULL)")
    asked.graph.clock.advance(10_000)
    expect(await asked.rows('MATCH (n:WorkingMemory) RETURN n.memory_id AS id')).toEqual([['long']])
    expect(await asked.rows('MATCH (n:ProceduralMemory) RETURN n.memory_id AS id')).toEqual([['p']])
    expect(await asked.rows('MATCH ()-[r:CONTAINS_WORKING|BUILDS_ON]->() RETURN count(*) AS c')).toEqual([[1]])
  })

  test('tell how active working memory is now', async () => {
    thought('w', 100_000)
    asked.graph.clock.advance(3_600_000)
    const query = 'MATCH ()-[r:CONTAINS_WORKING]->() RETURN r.activation_level AS level'
    expect(await asked.rows(query)).toEqual([[0.5]])
  })
})

/** What a sheet of comma-separated values, a list in one, or a reader of either could take for something else. */
const ODD_TEXTS: readonly string[] = [
  ...['"', '""', "'", "it's", 'a,b', 'a;b', 'a|b', '\\', '\\"', '\\n', '\\N', 'NULL', 'null', 'nan', '.', '..'],
  ...[
    '\n',
    'a\nb',
    'a\r\nb',
    'a\rb',
    '\ttab',
    ' led',
    'trailed ',
    '[x]',
    '[1, 2]',
    '{a: 1}',
    '$a',
    '`',
    '-- x',
    '// x',
  ],
  ...['\0', 'a\0b', '\u0001', '\u001f', '\u0085', '\u00a0', 'a\u2028b\u2029c', 'a\ufeffb', '\uffff', '€', '日本語'],
  ...['😀', 'e\u0301', '"; COPY EpisodicMemory TO \'x', "') RETURN 1 //", '0', '1e5', 'true', '2026-01-02'],
  'x'.repeat(200_000),
]

/** What the graph takes as an id: no control characters, no blanks at its ends. */
const isId = (text: string) => /^[^\p{Cc}\p{Zl}\p{Zp}]{1,500}$/u.test(text) && text.trim() === text

describe('texts arrive as they are', () => {
  test('without what the engine computes item by item, at which it corrupts its memory', () => {
    remember({ kind: 'procedural', memoryId: 'p', fields: { procedure_name: 'n', steps: ['a', '', 'b'] } })
    const moment = { atMs: 0, halfLifeSeconds: 3600, hasVectors: true, mark: '|' }
    const { statements } = projectGraph(asked.graph.database, { write: () => {}, pathOf: (sheet) => sheet }, moment)
    const called = statements.flatMap((statement) => statement.match(/\w+(?=\()/g) ?? [])
    expect(called).toContain('string_split')
    expect(called.filter((name) => ITEM_FUNCTIONS.has(name.toUpperCase()))).toEqual([])
  })

  test('of events, whatever they hold', async () => {
    const random = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), { numRuns: 300, seed: 20_260_102 })
    const texts = [...ODD_TEXTS, ...random.map((text) => text.toWellFormed())].filter((text) => text.trim() !== '')
    for (const [at, text] of texts.entries()) event(`e${at}`, text)
    const rows = await asked.rows('MATCH (e:EpisodicMemory) RETURN e.memory_id AS id, e.content AS content')
    const found = new Map(rows.map(([id, content]) => [id, content]))
    expect(texts.map((_, at) => found.get(`e${at}`) ?? null)).toEqual(texts)
  })

  test('of ids, of lists, of what is empty and of what is null', async () => {
    const ids = ODD_TEXTS.filter(isId)
    for (const id of ids)
      remember({ kind: 'procedural', memoryId: id, fields: { procedure_name: 'n', description: '' } })
    const steps = ['', ...ODD_TEXTS, '']
    remember({ kind: 'procedural', memoryId: 'listed', fields: { procedure_name: 'n', steps } })
    const full = ODD_TEXTS.filter((text) => text !== '')
    remember({ kind: 'procedural', memoryId: 'full', fields: { procedure_name: 'n', steps: full } })
    remember({ kind: 'procedural', memoryId: 'empty', fields: { procedure_name: 'n', steps: [''] } })
    const query = 'MATCH (p:ProceduralMemory) RETURN p.memory_id AS id, p.description AS d, p.steps AS s'
    const byId = new Map((await asked.rows(query)).map(([id, ...rest]) => [id, rest]))
    expect(byId.size).toBe(ids.length + 3)
    expect(byId.get('full')).toEqual([null, full])
    expect(byId.get('empty')).toEqual([null, ['']])
    for (const id of ids) expect(byId.get(id)).toEqual(['', []])
    expect(byId.get('listed')).toEqual([null, steps])
  })

  test('of relations, from their beginning to their end', async () => {
    const [from, to] = ['a "quoted", id', "b '; id \\"]
    for (const memoryId of [from, to]) event(memoryId, 'x')
    linkMemories(asked.graph, { relation: 'RECALLS', from, to }, { similarity_score: -0.25 })
    const query = 'MATCH (a)-[r:RECALLS]->(b) RETURN a.memory_id AS a, b.memory_id AS b, r.similarity_score AS s'
    expect(await asked.rows(query)).toEqual([[from, to, -0.25]])
  })

  test('of more rows than are read at a time, each once', async () => {
    const { database } = asked.graph
    database.script(`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
      INSERT INTO "EpisodicMemory" (memory_id, "timestamp", content)
      SELECT 'm' || i, '2026-01-01T00:00:00.000Z', 'c' || i FROM n`)
    database.script(`INSERT INTO "RECALLS" (from_id, to_id) SELECT memory_id, 'm1' FROM "EpisodicMemory"`)
    const query = 'MATCH (e:EpisodicMemory) RETURN count(*) AS c, count(DISTINCT e.content) AS d'
    expect(await asked.rows(query)).toEqual([[10_001, 10_001]])
    expect(await asked.rows('MATCH ()-[r:RECALLS]->() RETURN count(*) AS c')).toEqual([[10_001]])
  })
})

describe('vectors', () => {
  test('are there when a query speaks of them, of the length that all have', async () => {
    event('a', 'x', [1, 0])
    event('b', 'y', [0.6, 0.8])
    const query = `MATCH (e:EpisodicMemory) RETURN e.memory_id AS id,
      array_cosine_similarity(e.embedding, CAST($v AS FLOAT[2])) AS likeness ORDER BY id`
    const rows = await asked.rows(query, { v: [1, 0] })
    expect(rows.map(([id, likeness]) => [id, Math.round(Number(likeness) * 100)])).toEqual([
      ['a', 100],
      ['b', 60],
    ])
  })

  test.each([
    'MATCH (e:EpisodicMemory) RETURN e.*',
    "MATCH (e:EpisodicMemory) RETURN struct_extract(e, 'embedding') AS v",
    "MATCH (e:EpisodicMemory) RETURN STRUCT_EXTRACT(e, 'Embeddin\\u0067') AS v",
  ])('are there however a query speaks of them: %s', async (query) => {
    event('a', 'x', [1, 0])
    expect((await asked.rows(query)).flat()).toContainEqual([1, 0])
  })

  test('are there when a query speaks of them by text, all along a path', async () => {
    event('a', 'x', [1, 0])
    const query = "MATCH p = (:Session)-[:CONTAINS_EPISODIC*1..2]->() RETURN properties(nodes(p), 'embedding') AS v"
    expect(await asked.rows(query)).toEqual([[[null, [1, 0]]]])
  })

  test('are bit by bit what they were', async () => {
    const vector = [0.1, -1 / 3, 3.4028234663852886e38, 1e-45, 16777215, 1.00000012].map(Math.fround)
    event('a', 'x', vector)
    expect(await asked.rows('MATCH (e:EpisodicMemory) RETURN e.embedding AS v')).toEqual([[vector]])
  })

  test('of several lengths are lists', async () => {
    event('a', 'x', [1, 0])
    event('b', 'y', [0, 0, 1])
    const query = 'MATCH (e:EpisodicMemory) RETURN e.memory_id AS id, size(e.embedding) AS width ORDER BY id'
    expect(await asked.rows(query)).toEqual([
      ['a', 2],
      ['b', 3],
    ])
  })

  test('are left out of whole memories', async () => {
    event('a', 'x', [1, 0])
    const [[whole] = []] = await asked.rows('MATCH (e:EpisodicMemory) RETURN e')
    expect(whole).toEqual({
      _label: 'EpisodicMemory',
      memory_id: 'a',
      timestamp: '2026-01-02T03:04:05.000Z',
      content: 'x',
      event_type: null,
      emotional_valence: null,
      importance_score: null,
    })
  })

  test('are left out of whole memories also where an earlier query has spoken of them', async () => {
    event('a', 'x', [1, 0])
    const before = await asked.rows('MATCH (e:EpisodicMemory) RETURN e')
    expect(await asked.rows('MATCH (e:EpisodicMemory) RETURN e.embedding AS v')).toEqual([[[1, 0]]])
    expect(await asked.rows('MATCH (e:EpisodicMemory) RETURN e')).toEqual(before)
  })

  test('are part of whole memories for a query that speaks of them', async () => {
    event('a', 'x', [1, 0])
    const query = 'MATCH (e:EpisodicMemory) WHERE e.embedding IS NOT NULL RETURN e'
    expect(await asked.rows(query)).toMatchObject([[{ memory_id: 'a', embedding: [1, 0] }]])
  })
})

describe('whole nodes', () => {
  test('of paths over several labels have their own properties, with their own types', async () => {
    thought('w', 1000, 4_000_000_000)
    remember({ kind: 'prospective', memoryId: 'i', session: 's', fields: { intention: 'i', priority: 'critical' } })
    const query = 'MATCH p = (:Session)-[:CONTAINS_WORKING|CREATES_INTENTION*1..2]->(n) RETURN p'
    const ends = (await asked.rows(query)).map(([path]) => (path as { nodes: readonly object[] }).nodes[1] ?? {})
    expect(ends).toContainEqual(
      expect.objectContaining({ _label: 'WorkingMemory', memory_id: 'w', priority: 4_000_000_000 }),
    )
    expect(ends).toContainEqual(
      expect.objectContaining({ _label: 'ProspectiveMemory', memory_id: 'i', priority: 'critical' }),
    )
    for (const end of ends) expect(Object.keys(end)).not.toContain('user_id')
  })

  test('keep a name that has two types when a query speaks of it', async () => {
    thought('w', 1000, 7)
    remember({ kind: 'prospective', memoryId: 'i', session: 's', fields: { intention: 'i', priority: 'low' } })
    expect(await asked.rows('MATCH (w:WorkingMemory) WHERE w.priority > 5 RETURN w.priority AS p')).toEqual([[7]])
    const lows = "MATCH (i:ProspectiveMemory) WHERE i.priority = 'low' RETURN i.priority AS p"
    expect(await asked.rows(lows)).toEqual([['low']])
    const both = await asked.rows('MATCH (n) WHERE n.priority IS NOT NULL RETURN n ORDER BY label(n)')
    expect(both).toMatchObject([[{ priority: 'low' }], [{ priority: 7 }]])
  })
})

test('a name that has two types is not asked by text along a path, where the engine mixes them up', async () => {
  const query = "MATCH p = (:Session)-[*1..2]->() RETURN properties(nodes(p), 'priority') AS v"
  await expect(asked.ask(query)).rejects.toMatchObject({
    code: 'cypher_refused',
    message: expect.stringContaining('priority'),
  })
})

describe('an engine that is kept', () => {
  test('answers again without being filled again', async () => {
    event('a', 'x')
    for (const _ of [1, 2, 3]) expect(await count('EpisodicMemory')).toBe(1)
    expect(asked.engineCount).toBe(1)
    expect(await asked.refresh()).toBe(false)
  })

  test('is filled beforehand by refresh, and anew once the graph has changed', async () => {
    expect(await asked.refresh()).toBe(true)
    event('a', 'x')
    expect(await asked.refresh()).toBe(true)
    expect(await count('EpisodicMemory')).toBe(1)
    event('b', 'y')
    expect(await count('EpisodicMemory')).toBe(2)
    expect(asked.engineCount).toBe(3)
  })

  test('is filled anew when working memory in it has died meanwhile', async () => {
    thought('w', 10)
    expect(await count('WorkingMemory')).toBe(1)
    asked.graph.clock.advance(10_000)
    expect(await count('WorkingMemory')).toBe(0)
  })

  test('is filled anew for the first query that speaks of vectors', async () => {
    event('a', 'x', [1, 0])
    const query = 'MATCH (e:EpisodicMemory) WHERE e.embedding IS NOT NULL RETURN count(*) AS c'
    expect(await count('EpisodicMemory')).toBe(1)
    expect(await asked.rows(query)).toEqual([[1]])
    expect(await count('EpisodicMemory')).toBe(1)
    expect(asked.engineCount).toBe(2)
  })

  test('is kept after a query that it did not take, and another opened after one that it died of', async () => {
    await expect(asked.ask('MATCH (n:Nobody) RETURN n')).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(asked.engineCount).toBe(1)
    await expect(asked.ask("RETURN repeat('a', 4000000000) AS a")).rejects.toMatchObject({ code: 'cypher_failed' })
    expect(await count('Session')).toBe(1)
    expect(asked.engineCount).toBe(2)
  })

  test('is not started for a query that is refused', async () => {
    await expect(asked.ask('CREATE (:Session)')).rejects.toMatchObject({ code: 'cypher_refused' })
    expect(asked.engineCount).toBe(0)
  })
})

test('columns of one name would hide each other, and are refused', async () => {
  await expect(asked.rows('RETURN 1 AS a, 2 AS a')).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('two columns are called a'),
  })
})
