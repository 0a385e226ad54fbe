/** Counts of relations, the most or the fewest first: the engine's are those of SQL, for each relation and direction. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { checkedRow, insertNode } from '../../src/graph/nodes.ts'
import { insertRelation } from '../../src/graph/relations.ts'
import { NODE_LABELS, NODES, type NodeLabel, RELATION_NAMES, RELATIONS } from '../../src/graph/schema.ts'
import { withStartingValues } from '../../src/graph/starting-values.ts'
import { AskedGraph } from '../fakes/cypher-graph.ts'
import { SEED_NODES } from '../fakes/seed-schema.ts'

const AT = '2026-01-02T03:04:05.000Z'
const NODE_COUNT = 6

let asked: AskedGraph

beforeAll(() => {
  asked = new AskedGraph()
  const { database } = asked.graph
  for (const label of NODE_LABELS)
    for (let n = 0; n < NODE_COUNT; n += 1) insertNode(database, label, idOf(label, n), rowOf(label, n))
  for (const relation of RELATION_NAMES) {
    const { from, to, isExclusive } = RELATIONS[relation]
    let number = 0
    // The first of each label has one relation, the second two, and so on; while there are others that no one has.
    for (let n = 0; n < NODE_COUNT; n += 1)
      for (let other = 0; other <= n; other += 1) {
        const end = isExclusive === true ? number : other
        number += 1
        if (end >= NODE_COUNT) break
        const link = { relation, from: idOf(from, n), to: idOf(to, end) }
        insertRelation(database, link, propertiesOf(relation, number))
      }
  }
})

afterAll(() => asked[Symbol.dispose]())

/** Longer than what the engine keeps inside its own cells. */
const idOf = (label: NodeLabel, n: number) => `${label} that is number ${n}`

function rowOf(label: NodeLabel, n: number) {
  const texts = (SEED_NODES[label] ?? [])
    .filter(({ type, values }) => type === 'STRING' && values === undefined)
    .map(({ name }) => [name, `${name} ${n}`])
  const { kind, key } = NODES[label]
  const given: Record<string, unknown> = Object.fromEntries(texts.filter(([name]) => name !== key))
  for (const { name, isRequired, type } of NODES[label].properties)
    if (isRequired === true && type === 'timestamp') given[name] = AT
  if (label === 'Session') given.status = 'active'
  if (label === 'SemanticMemory') given.concept = `concept ${n}`
  return checkedRow(
    label,
    kind === null ? given : withStartingValues(kind, given, { session: 's', workingTtlSeconds: 2 ** 40 }),
  )
}

function propertiesOf(relation: (typeof RELATION_NAMES)[number], number: number): Record<string, string | number> {
  const row: Record<string, string | number> = {}
  for (const { name, type, isRequired, values } of RELATIONS[relation].properties)
    if (isRequired === true)
      row[name] = type === 'timestamp' ? AT : type === 'string' ? (values?.[0] ?? 'x') : type === 'int64' ? number : 1
  return row
}

describe.each(RELATION_NAMES)('%s', (relation) => {
  const { from, to } = RELATIONS[relation]
  test.each([
    ['out', 'DESC', 2],
    ['out', 'ASC', 3],
    ['in', 'DESC', 2],
    ['in', 'ASC', 3],
  ] as const)('going %s, %s, %i of them', async (way, order, limit) => {
    const [label, end] = way === 'out' ? [from, 'from_id'] : [to, 'to_id']
    const pattern = way === 'out' ? `(n:${from})-[:${relation}]->(m)` : `(n:${to})<-[:${relation}]-(m)`
    const rows = await asked.rows(
      `MATCH ${pattern} RETURN n.${NODES[label].key}, count(m) AS c ORDER BY c ${order} LIMIT ${limit}`,
    )
    const counts = asked.graph.database
      .all(`SELECT ${end} AS id, count(*) AS c FROM "${relation}" GROUP BY ${end} ORDER BY c ${order}`)
      .map(({ id, c }) => [String(id), Number(c)] as const)
    expect(rows.map(([, c]) => Number(c))).toEqual(counts.slice(0, limit).map(([, c]) => c))
    // Which of those that have as many is the engine's choice.
    expect(rows.filter(([id, c]) => !counts.some(([known, count]) => known === id && count === c))).toEqual([])
  })
})
