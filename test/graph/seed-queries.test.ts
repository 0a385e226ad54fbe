/** Each query of the seed, as SQL over its own tables: its answer, and that it needs no scan without an index. */
import { beforeAll, describe, expect, test } from 'bun:test'
import type { SqlParameters, SqlRow } from '../../src/ports.ts'
import { scratchGraph } from '../fakes/scratch-graph.ts'
import { fillForSeedQueries } from '../fakes/seed-query-graph.ts'

const graph = scratchGraph()
const { database } = graph

beforeAll(() => fillForSeedQueries(graph))

interface SeedQuery {
  readonly name: string
  readonly sql: string
  readonly parameters?: SqlParameters
  readonly rows: readonly SqlRow[]
}

const NOW = '2026-01-02T03:04:06.000Z'

const QUERIES: readonly SeedQuery[] = [
  {
    name: 'how knowledge evolved from events',
    sql: `SELECT s.session_id, e.content AS event, m.version, m.content FROM "SemanticMemory" AS m
      JOIN "DERIVES_FROM" AS d ON d.from_id = m.memory_id
      JOIN "EpisodicMemory" AS e ON e.memory_id = d.to_id
      JOIN "CONTAINS_EPISODIC" AS c ON c.to_id = e.memory_id
      JOIN "Session" AS s ON s.session_id = c.from_id
      WHERE m.concept = $concept ORDER BY m.version`,
    parameters: { concept: 'user_preference_verbosity' },
    rows: [
      { session_id: 's', event: 'content of e3', version: 1, content: 'brief' },
      { session_id: 's', event: 'content of e3', version: 2, content: 'briefer' },
    ],
  },
  {
    name: 'intentions that should trigger',
    sql: `SELECT memory_id FROM "ProspectiveMemory"
      WHERE status = 'pending' AND due_date <= $now AND scope = 'global'`,
    parameters: { now: NOW },
    rows: [{ memory_id: 'i1' }],
  },
  {
    name: 'successful procedures for a task',
    sql: `SELECT memory_id FROM "ProceduralMemory" WHERE instr(procedure_name, $name) > 0 AND success_rate > 0.8
      ORDER BY usage_count DESC LIMIT 5`,
    parameters: { name: 'git_workflow' },
    rows: [{ memory_id: 'p2' }],
  },
  {
    name: 'what was learned in a session',
    sql: `SELECT m.concept, m.content, m.confidence_score FROM "CONTRIBUTES_TO_SEMANTIC" AS c
      JOIN "SemanticMemory" AS m ON m.memory_id = c.to_id WHERE c.from_id = $session`,
    parameters: { session: 's' },
    rows: [
      { concept: 'user_preference_verbosity', content: 'brief', confidence_score: 0.5 },
      { concept: 'user_preference_verbosity', content: 'briefer', confidence_score: 0.75 },
    ],
  },
  {
    name: "a session's narrative",
    sql: `SELECT e.content FROM "CONTAINS_EPISODIC" AS c JOIN "EpisodicMemory" AS e ON e.memory_id = c.to_id
      WHERE c.from_id = $session ORDER BY c.sequence_number`,
    parameters: { session: 's' },
    rows: ['e1', 'e2', 'e3', 'e4', 'e5'].map((id) => ({ content: `content of ${id}` })),
  },
  {
    name: 'query 1: related memories across types',
    sql: `SELECT m.content, p.procedure_name, e.content AS similar_experience FROM "WorkingMemory" AS w
      JOIN "ACTIVATES" AS a ON a.from_id = w.memory_id
      JOIN "SemanticMemory" AS m ON m.memory_id = a.to_id
      JOIN "REFERENCES" AS r ON r.to_id = m.memory_id
      JOIN "ProceduralMemory" AS p ON p.memory_id = r.from_id
      LEFT JOIN "DERIVES_FROM" AS d ON d.from_id = m.memory_id
      LEFT JOIN "EpisodicMemory" AS e ON e.memory_id = d.to_id
      WHERE w.content = $task ORDER BY m.confidence_score DESC`,
    parameters: { task: 'tidy the history' },
    rows: [{ content: 'briefer', procedure_name: 'git_workflow_rebase', similar_experience: 'content of e3' }],
  },
  {
    name: 'query 2: memory consolidation',
    sql: `SELECT c.from_id AS session_id, e.memory_id, e.importance_score FROM "EpisodicMemory" AS e
      JOIN "CONTAINS_EPISODIC" AS c ON c.to_id = e.memory_id
      WHERE e.importance_score > 0.7 AND e."timestamp" < $before
        AND NOT EXISTS (SELECT 1 FROM "DERIVES_FROM" AS d WHERE d.to_id = e.memory_id)
      ORDER BY e.importance_score DESC`,
    parameters: { before: '2026-01-01T03:04:06.000Z' },
    rows: [
      { session_id: 's', memory_id: 'e1', importance_score: 0.9 },
      { session_id: 's', memory_id: 'e5', importance_score: 0.8 },
    ],
  },
  {
    name: 'query 3: the knowledge graph of a session',
    sql: `SELECT 'CONTAINS_EPISODIC' AS relation, to_id FROM "CONTAINS_EPISODIC" WHERE from_id = $session
      UNION ALL SELECT 'CONTRIBUTES_TO_SEMANTIC', to_id FROM "CONTRIBUTES_TO_SEMANTIC" WHERE from_id = $session
      UNION ALL SELECT 'USES_PROCEDURE', to_id FROM "USES_PROCEDURE" WHERE from_id = $session`,
    parameters: { session: 't' },
    rows: [{ relation: 'USES_PROCEDURE', to_id: 'p1' }],
  },
  {
    name: 'query 4: procedural memory learning',
    sql: `SELECT s.session_id, u.success FROM "ProceduralMemory" AS p
      JOIN "USES_PROCEDURE" AS u ON u.to_id = p.memory_id JOIN "Session" AS s ON s.session_id = u.from_id
      WHERE p.procedure_name = $name ORDER BY s.start_time`,
    parameters: { name: 'git_workflow_rebase' },
    rows: [
      { session_id: 's', success: 1 },
      { session_id: 't', success: 0 },
    ],
  },
  {
    name: 'phase 3: memories by type',
    sql: `SELECT 'Episodic' AS type, count(*) AS count FROM "EpisodicMemory"
      UNION ALL SELECT 'Semantic', count(*) FROM "SemanticMemory"
      UNION ALL SELECT 'Procedural', count(*) FROM "ProceduralMemory"
      UNION ALL SELECT 'Prospective', count(*) FROM "ProspectiveMemory"
      UNION ALL SELECT 'Working', count(*) FROM "WorkingMemory"`,
    rows: [
      { type: 'Episodic', count: 5 },
      { type: 'Semantic', count: 2 },
      { type: 'Procedural', count: 4 },
      { type: 'Prospective', count: 3 },
      { type: 'Working', count: 1 },
    ],
  },
  {
    name: 'phase 3: what is linked to each session',
    sql: `SELECT s.session_id,
        (SELECT count(*) FROM "CONTAINS_EPISODIC" WHERE from_id = s.session_id) AS episodic_count,
        (SELECT count(*) FROM "CONTAINS_WORKING" WHERE from_id = s.session_id) AS working_count
      FROM "Session" AS s ORDER BY s.session_id`,
    rows: [
      { session_id: 's', episodic_count: 5, working_count: 0 },
      { session_id: 't', episodic_count: 0, working_count: 1 },
    ],
  },
]

describe.each(QUERIES)('$name', ({ sql, parameters, rows }) => {
  test('has the answer of the seed', () => {
    expect(database.all(sql, parameters)).toEqual(rows as SqlRow[])
  })

  test('reads tables by an index only', () => {
    const plan = database.all(`EXPLAIN QUERY PLAN ${sql}`, parameters).map(({ detail }) => String(detail))
    const reads = plan.filter((step) => /^(?:SCAN|SEARCH) /.test(step) && !/^SCAN (?:CONSTANT|\d)/.test(step))
    expect(reads.length).toBeGreaterThan(0)
    for (const step of reads)
      expect(step).toMatch(/ USING (?:COVERING )?INDEX | USING PRIMARY KEY | USING INTEGER PRIMARY KEY /)
  })
})
