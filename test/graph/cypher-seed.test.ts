/** The queries of docs/cypher.md by the real engine: their known answers, and those of SQL. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { conceptHistory } from '../../src/graph/history.ts'
import { sessionView } from '../../src/graph/session-view.ts'
import { validateGraph } from '../../src/graph/validation.ts'
import type { CypherValue } from '../../src/model/cypher-value.ts'
import { AskedGraph } from '../fakes/cypher-graph.ts'
import { fillForSeedQueries, LONG_AGO, NEVER } from '../fakes/seed-query-graph.ts'

const asked = new AskedGraph()
const { graph } = asked
const { database } = graph
const DOCUMENT = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'cypher.md'), 'utf8')

beforeAll(() => fillForSeedQueries(graph))

afterAll(() => asked[Symbol.dispose]())

type Rows = readonly (readonly CypherValue[])[]

interface SeedQuery {
  /** Of its section in the document. */
  readonly name: string
  readonly parameters?: Readonly<Record<string, CypherValue>>
  /** By hand, from what is remembered above. */
  readonly rows: Rows
  /** The same out of SQLite, as the product reads it, or by plain SQL where it has no such reading. */
  readonly truth: () => Rows
  readonly isOrdered: boolean
  /** What becomes of it as the seed prints it. */
  readonly misprint?: Rows | RegExp
}

/** Columns of plain SQL, in its order. */
function sql(text: string, parameters: Readonly<Record<string, string>> = {}): Rows {
  return database.all(text, parameters).map((row) => Object.values(row) as readonly CypherValue[])
}

function view(session: string) {
  return sessionView(database, session, { atMs: graph.clock.now(), halfLifeSeconds: 3600 }).view
}

const values = (...found: unknown[]) => found as readonly CypherValue[]
const kinds = () => Object.entries(validateGraph(graph).counts)

const QUERIES: readonly SeedQuery[] = [
  {
    name: 'How knowledge evolved',
    rows: [
      ['s', 'content of e3', 1, 'brief'],
      ['s', 'content of e3', 2, 'briefer'],
    ],
    truth: () =>
      conceptHistory(database, 'user_preference_verbosity').flatMap(({ memory, derived_from }) =>
        derived_from.map((event) =>
          values('s', `content of ${event}`, memory.version as number, memory.content as string),
        ),
      ),
    isOrdered: true,
  },
  {
    name: 'Intentions that should trigger',
    rows: [
      [
        {
          _label: 'ProspectiveMemory',
          memory_id: 'i1',
          intention: 'i1',
          trigger_condition: null,
          priority: 'medium',
          due_date: LONG_AGO,
          status: 'pending',
          scope: 'global',
          completion_criteria: null,
        },
      ],
    ],
    truth: () =>
      database
        .all(
          `SELECT memory_id, intention, trigger_condition, priority, due_date, status, scope, completion_criteria
          FROM "ProspectiveMemory" WHERE status = 'pending' AND due_date <= '2026-01-01' AND scope = 'global'`,
        )
        .map((row) => values({ _label: 'ProspectiveMemory', ...row })),
    isOrdered: false,
  },
  {
    name: 'Successful procedures for a task',
    rows: [['git_workflow_merge', 0.85, 9]],
    truth: () =>
      sql(`SELECT procedure_name, success_rate, usage_count FROM "ProceduralMemory"
        WHERE instr(procedure_name, 'git_workflow') > 0 AND success_rate > 0.8 ORDER BY usage_count DESC LIMIT 5`),
    isOrdered: true,
    misprint: /Parser exception/,
  },
  {
    name: 'What was learned in a session',
    parameters: { session_id: 's' },
    rows: [
      ['user_preference_verbosity', 'brief', 0.5],
      ['user_preference_verbosity', 'briefer', 0.75],
    ],
    truth: () => view('s').semantic.map((one) => values(one.concept, one.content, one.confidence_score)),
    isOrdered: false,
  },
  {
    name: "A session's narrative",
    parameters: { session_id: 's' },
    rows: [
      ['content of e1', LONG_AGO, 'error'],
      ['content of e2', NEVER, null],
      ['content of e3', LONG_AGO, 'decision'],
      ['content of e4', LONG_AGO, null],
      ['content of e5', LONG_AGO, null],
    ],
    truth: () => view('s').episodic.map((one) => values(one.content, one.timestamp, one.event_type)),
    isOrdered: true,
    misprint: /sequence_number/,
  },
  {
    name: 'Query 1: related memories across types',
    parameters: { current_task: 'tidy the history' },
    rows: [['user_preference_verbosity', 'git_workflow_rebase', 'content of e3']],
    truth: () =>
      sql(
        `SELECT m.concept, p.procedure_name, e.content AS similar FROM "WorkingMemory" AS w
        JOIN "ACTIVATES" AS a ON a.from_id = w.memory_id JOIN "SemanticMemory" AS m ON m.memory_id = a.to_id
        JOIN "REFERENCES" AS r ON r.to_id = m.memory_id JOIN "ProceduralMemory" AS p ON p.memory_id = r.from_id
        LEFT JOIN "DERIVES_FROM" AS d ON d.from_id = m.memory_id
        LEFT JOIN "EpisodicMemory" AS e ON e.memory_id = d.to_id
        WHERE w.content = $task ORDER BY m.confidence_score DESC`,
        { task: 'tidy the history' },
      ),
    isOrdered: true,
    misprint: [['user_preference_verbosity', 'git_workflow_rebase', null]],
  },
  {
    name: 'Query 2: memory consolidation',
    rows: [
      ['s', 'e1', 'content of e1', 0.9],
      ['s', 'e5', 'content of e5', 0.8],
    ],
    truth: () =>
      sql(`SELECT c.from_id, e.memory_id, e.content, e.importance_score FROM "EpisodicMemory" AS e
        JOIN "CONTAINS_EPISODIC" AS c ON c.to_id = e.memory_id
        WHERE e.importance_score > 0.7 AND e."timestamp" < '2026-01-01'
          AND NOT EXISTS (SELECT 1 FROM "DERIVES_FROM" AS d WHERE d.to_id = e.memory_id)
        ORDER BY e.importance_score DESC`),
    isOrdered: true,
    misprint: /INTERVAL/,
  },
  {
    name: 'Query 4: procedural memory learning',
    parameters: { procedure_name: 'git_workflow_rebase' },
    rows: [
      ['2026-01-02T03:04:05.000Z', true, 0.74],
      ['2026-01-02T03:04:06.000Z', false, 0.74],
    ],
    truth: () =>
      sql(`SELECT s.start_time, u.success, p.success_rate FROM "ProceduralMemory" AS p
        JOIN "USES_PROCEDURE" AS u ON u.to_id = p.memory_id JOIN "Session" AS s ON s.session_id = u.from_id
        WHERE p.procedure_name = 'git_workflow_rebase' ORDER BY s.start_time`).map(([start, success, rate]) =>
        values(start, success === 1, rate),
      ),
    isOrdered: true,
  },
  {
    name: 'Phase 3: memories by type',
    rows: [
      ['Episodic', 5],
      ['Semantic', 2],
      ['Procedural', 4],
      ['Prospective', 3],
      ['Working', 1],
    ],
    truth: () => kinds().map(([kind, count]) => values(kind.charAt(0).toUpperCase() + kind.slice(1), count)),
    isOrdered: false,
  },
  {
    name: 'Phase 3: what is linked to each session',
    rows: [
      ['s', 5, 0],
      ['t', 0, 1],
    ],
    truth: () =>
      validateGraph(graph).sessions.map((one) => values(one.session_id, one.episodic_count, one.working_count)),
    isOrdered: false,
  },
]

/** The queries of a section: as it works, and as the seed prints it where that is another. */
function documented(name: string): readonly [query: string, misprint: string | null] {
  const section = DOCUMENT.split('\n### ').find((text) => text.startsWith(`${name}\n`)) ?? ''
  const block = (kind: string) => section.match(new RegExp(`\`\`\`${kind}\n([^\`]*)\`\`\``))?.[1]
  const query = block('cypher')
  if (query === undefined) throw new Error(`docs/cypher.md has no query for ${name}`)
  return [query, block('cypher-misprint') ?? null]
}

function arranged(rows: Rows, isOrdered: boolean): Rows {
  const key = (row: readonly CypherValue[]) => JSON.stringify(row)
  return isOrdered ? rows : rows.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
}

describe.each(QUERIES)('$name', ({ name, parameters, rows, truth, isOrdered, misprint }) => {
  const [query, printed] = documented(name)

  test('has the answer that was worked out by hand', async () => {
    expect(arranged(await asked.rows(query, parameters), isOrdered)).toEqual(arranged(rows, isOrdered))
  })

  test('has the answer that SQL gives', async () => {
    expect(arranged(await asked.rows(query, parameters), isOrdered)).toEqual(arranged(truth(), isOrdered))
  })

  test('is printed beside in the form of the seed where that is another', async () => {
    expect(printed !== null).toBe(misprint !== undefined)
    if (printed === null || misprint === undefined) return
    if (misprint instanceof RegExp) await expect(asked.ask(printed, parameters)).rejects.toThrow(misprint)
    else expect(await asked.rows(printed, parameters)).toEqual(misprint)
  })
})

describe('Query 3: the knowledge graph of a session', () => {
  test('is told as paths of nodes and relations, the same as SQL finds', async () => {
    const [query] = documented('Query 3: the knowledge graph of a session')
    const paths = (await asked.rows(query, { session_id: 's' })) as readonly (readonly [
      { readonly nodes: readonly Record<string, unknown>[]; readonly relations: readonly Record<string, unknown>[] },
    ])[]
    const found = paths.map(([{ nodes, relations }]) => {
      expect(nodes).toHaveLength(2)
      expect(relations).toHaveLength(1)
      const [relation] = relations
      expect(relation?._to).toBe(nodes[1]?.memory_id)
      return [relation?._from, relation?._label, relation?._to].join(' ')
    })
    const ends = ['CONTAINS_EPISODIC', 'CONTRIBUTES_TO_SEMANTIC', 'USES_PROCEDURE'].flatMap((relation) =>
      sql(`SELECT concat_ws(' ', from_id, '${relation}', to_id) AS ends FROM "${relation}" WHERE from_id = 's'`).map(
        ([ends]) => ends as string,
      ),
    )
    expect(found.toSorted()).toEqual(ends.toSorted())
    expect(found).toHaveLength(8)
  })
})
