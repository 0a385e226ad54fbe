/**
 * What does a question in Cypher cost, once and again, in graphs of some thousands of memories?
 * `bun scripts/bench/cypher.ts`
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openIds, systemClock } from '../../src/adapters/clock-and-ids.ts'
import { openCypherEngine } from '../../src/adapters/cypher-engine.ts'
import { openSqliteDatabase } from '../../src/adapters/sqlite-database.ts'
import { CypherGraph } from '../../src/graph/cypher-graph.ts'
import { bringToPresentSchema } from '../../src/graph/memory-graph.ts'
import type { Database } from '../../src/ports.ts'
import { answer, type BenchReport, milliseconds } from './bench-report.ts'
import { measuredBinary } from './compiled-programs.ts'
import { questionOptions } from './question-options.ts'
import { median } from './statistics.ts'

const options = questionOptions()
const ROUNDS = Math.min(5, options.rounds)
const LIMITS = { timeLimitMs: 600_000, limitMs: 600_000 }
const VECTOR_BYTES = 4 * 256
const EVENTS_OF_SESSION = 50

const QUESTIONS: readonly (readonly [name: string, query: string])[] = [
  ['count all nodes', 'MATCH (n) RETURN count(*) AS nodes'],
  [
    'narrative of a session',
    `MATCH (s:Session)-[r:CONTAINS_EPISODIC]->(e:EpisodicMemory) WHERE s.session_id = 's7'
    RETURN e.content ORDER BY r.sequence_number`,
  ],
  [
    'query 1: related memories',
    `MATCH (w:WorkingMemory {content: 'task 7'})-[:ACTIVATES]->(m:SemanticMemory)<-[:REFERENCES]-(p:ProceduralMemory)
    OPTIONAL MATCH (m)-[:DERIVES_FROM]->(e:EpisodicMemory) RETURN m.concept, p.procedure_name, e.content`,
  ],
  [
    'query 2: consolidation, first 100',
    `MATCH (s:Session)-[:CONTAINS_EPISODIC]->(e:EpisodicMemory)
    WHERE e.importance_score > 0.7 AND NOT EXISTS { MATCH (e)<-[:DERIVES_FROM]-(:SemanticMemory) }
    RETURN s.session_id, e.memory_id, e.importance_score ORDER BY e.importance_score DESC, e.memory_id LIMIT 100`,
  ],
  [
    'query 3: graph of a session',
    `MATCH path = (s:Session {session_id: 's7'})
    -[:CONTAINS_EPISODIC|CONTRIBUTES_TO_SEMANTIC|USES_PROCEDURE*1..2]->(memory) RETURN path`,
  ],
]

const TIME = "'2026-01-01T00:00:00.000Z'"
/** Some ninety letters that differ from row to row. */
const TEXT = `'the build of module ' || i || ' failed with code ' || (i * 7919 % 1000) || ', as the cache of step ' || (i % 97) || ' was stale and "quoted", line ' || (i % 13)`

/** Of hundred memories sixty are events, twenty knowledge, ten procedures, five intentions and five in mind. */
function fill(database: Database, count: number): void {
  const rows = (share: number) =>
    `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.round(count * share)})`
  const vector = `randomblob(${VECTOR_BYTES}), 'bench', ${VECTOR_BYTES / 4}`
  const ofSession = `'s' || (i / ${EVENTS_OF_SESSION})`
  const facts = Math.round(count * 0.2)
  const procedures = Math.round(count * 0.1)
  database.transact(() =>
    database.script(`
    ${rows(0.6 / EVENTS_OF_SESSION + 1 / count)} INSERT INTO "Session" (session_id, start_time, status) SELECT 's' || (i - 1), ${TIME}, 'active' FROM n;
    ${rows(0.6)} INSERT INTO "EpisodicMemory" (memory_id, "timestamp", content, importance_score, embedding, embedding_model, embedding_dimension) SELECT 'e' || i, ${TIME}, ${TEXT}, (i % 100) / 100.0, ${vector} FROM n;
    ${rows(0.2)} INSERT INTO "SemanticMemory" (memory_id, concept, content, confidence_score, last_updated, version, embedding, embedding_model, embedding_dimension) SELECT 'm' || i, 'concept ' || i, ${TEXT}, 0.5, ${TIME}, 1, ${vector} FROM n;
    ${rows(0.1)} INSERT INTO "ProceduralMemory" (memory_id, procedure_name, description, steps, preconditions, postconditions, usage_count) SELECT 'p' || i, 'procedure ' || i, ${TEXT}, '["look","change","check"]', '[]', '[]', 0 FROM n;
    ${rows(0.05)} INSERT INTO "ProspectiveMemory" (memory_id, intention, priority, status, scope) SELECT 'i' || i, ${TEXT}, 'low', 'pending', 'global' FROM n;
    ${rows(0.05)} INSERT INTO "WorkingMemory" (memory_id, content, memory_type, priority, created_at, ttl_seconds) SELECT 'w' || i, 'task ' || i, 'goal', 0, ${TIME}, 1000000000 FROM n;
    ${rows(0.6)} INSERT INTO "CONTAINS_EPISODIC" (from_id, to_id, sequence_number) SELECT ${ofSession}, 'e' || i, i FROM n;
    ${rows(0.6)} INSERT INTO "RECALLS" (from_id, to_id, similarity_score) SELECT 'e' || i, 'e' || (i / 2 + 1), 0.5 FROM n;
    ${rows(0.2)} INSERT INTO "DERIVES_FROM" (from_id, to_id) SELECT 'm' || i, 'e' || i FROM n;
    ${rows(0.2)} INSERT INTO "CONTRIBUTES_TO_SEMANTIC" (from_id, to_id, contribution_type, "timestamp") SELECT ${ofSession}, 'm' || i, 'created', ${TIME} FROM n;
    ${rows(0.1)} INSERT INTO "REFERENCES" (from_id, to_id) SELECT 'p' || i, 'm' || (i % ${facts} + 1) FROM n;
    ${rows(0.1)} INSERT INTO "USES_PROCEDURE" (from_id, to_id, "timestamp", success) SELECT ${ofSession}, 'p' || (i % ${procedures} + 1), ${TIME}, 1 FROM n;
    ${rows(0.05)} INSERT INTO "ACTIVATES" (from_id, to_id, "timestamp") SELECT 'w' || i, 'm' || (i + 1), ${TIME} FROM n;
    ${rows(0.05)} INSERT INTO "CONTAINS_WORKING" (from_id, to_id, activation_level) SELECT ${ofSession}, 'w' || i, 1 FROM n;
  `),
  )
}

/** @returns the folder of a workspace, made the first time */
function workspaceOf(count: number): string {
  const root = join(options.data, `cypher-${count}`)
  const path = databasePath(root)
  if (existsSync(path)) return root
  mkdirSync(dirname(path), { recursive: true })
  const beginning = `${path}.begun`
  rmSync(beginning, { force: true })
  using database = openSqliteDatabase(beginning, 'write')
  if (database === null) throw new Error('no database')
  bringToPresentSchema(database)
  fill(database, count)
  database.copyTo(`${path}.whole`)
  renameSync(`${path}.whole`, path)
  return root
}

function databasePath(root: string): string {
  return join(root, 'memory', 'memory.db')
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function oneShot(binary: string, root: string, query: string): number {
  const start = performance.now()
  const argv = [binary, 'memory', 'cypher', query, '--json', '--workspace', root]
  const child = Bun.spawnSync(argv, { env: { ...process.env, EMBEDDING_BACKEND: 'none' } })
  if (child.exitCode !== 0) throw new Error(`${query}: ${child.stdout.toString()}${child.stderr.toString()}`)
  return performance.now() - start
}

interface Measured {
  readonly filling: readonly string[]
  readonly asking: readonly (readonly string[])[]
}

async function measureGraph(binary: string, count: number): Promise<Measured> {
  const root = workspaceOf(count)
  using database = openSqliteDatabase(databasePath(root), 'read')
  if (database === null) throw new Error('no database')
  const setup = {
    openEngine: async () => openCypherEngine(),
    clock: systemClock,
    ids: openIds(systemClock),
    halfLifeSeconds: 3600,
  }
  const open = async () => ({ database })
  const ask = (cypher: CypherGraph, query: string) => cypher.ask(open, { query, parameters: {} }, LIMITS)
  const fills: number[] = []
  const fillsOfVectors: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    using plain = new CypherGraph(setup)
    fills.push(await timed(() => plain.refresh(open, LIMITS)))
    using withVectors = new CypherGraph(setup)
    const query = 'MATCH (e:EpisodicMemory) WHERE e.embedding IS NOT NULL RETURN count(*) AS c'
    fillsOfVectors.push(await timed(() => ask(withVectors, query)))
  }
  using cypher = new CypherGraph(setup)
  await cypher.refresh(open, LIMITS)
  const label = count.toLocaleString('en')
  const asking: string[][] = []
  for (const [name, query] of QUESTIONS) {
    const warm: number[] = []
    for (let round = 0; round < 2 * ROUNDS; round++) warm.push(await timed(() => ask(cypher, query)))
    const cold = Array.from({ length: ROUNDS }, () => oneShot(binary, root, query))
    asking.push([label, name, milliseconds(median(cold)), milliseconds(median(warm))])
  }
  return { filling: [label, milliseconds(median(fills)), milliseconds(median(fillsOfVectors))], asking }
}

async function measure(): Promise<BenchReport> {
  const binary = measuredBinary(options)
  const measured: Measured[] = []
  for (const count of options.counts) measured.push(await measureGraph(binary, count))
  return {
    question: 'Cypher',
    method: `A graph of so many memories, six in ten of them events with vectors of ${VECTOR_BYTES / 4} dimensions, and about twice as many relations. Filled: from the start of the engine's process to the end of the last sheet, under Bun. Once: start to exit of the compiled program, which fills an engine for the one question. Again: the same question of an engine that is kept, graph unchanged. Medians of ${ROUNDS} rounds (again: ${2 * ROUNDS}).`,
    tables: [
      {
        title: 'Filling the engine',
        columns: ['memories', 'filled ms', 'filled with vectors, and one question, ms'],
        rows: measured.map(({ filling }) => filling),
      },
      {
        title: 'A question',
        columns: ['memories', 'question', 'once ms', 'again ms'],
        rows: measured.flatMap(({ asking }) => asking),
      },
    ],
    verdicts: [],
    plot: null,
    notes: [],
  }
}

await answer(options, measure)
