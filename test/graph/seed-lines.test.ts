/** What the seed says of the memory graph, line by line, and the test that holds us to it. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TESTS = join(import.meta.dir, '..')

/** The seed's words, the file, and the title of the test or of its row. Types, values and ranges: `seed-schema.ts`; queries: `seed-queries.test.ts`. */
const LINES: readonly (readonly [line: string, file: string, name: string])[] = [
  [
    'node tables and their properties',
    'graph/schema.test.ts',
    "has the seed's columns in the seed's order, and the embedding behind them",
  ],
  [
    'relationship tables and their properties',
    'graph/schema.test.ts',
    "has the seed's columns in the seed's order, behind its ends",
  ],
  ['FROM … TO …', 'graph/schema.test.ts', 'leads from where to where the seed says, enforced by foreign keys'],
  ['values in comments', 'graph/schema.test.ts', '%s.%o are those of the seed, in the declaration and in the table'],
  [
    'ranges in comments',
    'graph/schema.test.ts',
    '%s.%o lie in the range of the seed, in the declaration and in the table',
  ],
  ['episodic: always tied to a specific session', 'app/memory-values.test.ts', '%s %j is refused for its %s'],
  [
    'episodic: time-stamped events',
    'app/memory-kinds.test.ts',
    'are numbered in the order in which they are remembered, by session',
  ],
  ['episodic: can have emotional context', 'app/memory-values.test.ts', '%s takes what the seed allows as %s'],
  [
    'semantic: not tied to a single session, updated across sessions',
    'app/memory-kinds.test.ts',
    'tells who contributed what to which version',
  ],
  [
    'semantic: versioned for tracking changes',
    'app/memory-kinds.test.ts',
    'gets a new version each time, and the old ones stay',
  ],
  ['semantic: confidence scores for fact checking', 'graph/recall-score.test.ts', 'of %s memory with %j is %p'],
  ['procedural: usage patterns for ranking', 'graph/recall-score.test.ts', 'of %s memory with %j is %p'],
  ['episodic: rich contextual detail', 'app/memory-values.test.ts', '%s takes what the seed allows as %s'],
  [
    'procedural: global, not session-specific',
    'app/memory-sessions.test.ts',
    'destroys what is its own, but for what knowledge derives from and what is important',
  ],
  [
    'procedural: tracks effectiveness',
    'app/memory-kinds.test.ts',
    'are not rated before they are used, and then by every use',
  ],
  [
    'procedural: ordered steps',
    'app/memory-kinds.test.ts',
    'are the experience files, with their steps, conditions and checks',
  ],
  [
    'prospective: session-scoped or global',
    'app/memory-visibility.test.ts',
    'shows of %s what the session that asks may see, and nothing else',
  ],
  ['prospective: trigger conditions for activation', 'app/memory-time.test.ts', 'meets the condition %j or not: %j'],
  [
    'prospective: status tracking',
    'app/memory-time.test.ts',
    'triggers what is due without a condition, and lets expire what waited for one',
  ],
  [
    'prospective: priority levels',
    'app/memory-time.test.ts',
    'is pending and its date has come, the most urgent first',
  ],
  [
    'working: short-lived (TTL)',
    'app/memory-time.test.ts',
    'is gone to the millisecond when its time is over, before anybody sweeps',
  ],
  [
    'working: session-specific',
    'app/memory-visibility.test.ts',
    'shows of %s what the session that asks may see, and nothing else',
  ],
  [
    'working: temporary context',
    'app/memory-recall.test.ts',
    'forgets working memory when it is dead, and lets it fade before',
  ],
  [
    'working: processing priority',
    'app/memory-time.test.ts',
    'is shown with what matters most first, and of that the newest',
  ],
  ['sequence_number: order within session', 'app/memory-values.test.ts', 'a number stands once in a session'],
  ['activation_level: decay over time', 'app/memory-time.test.ts', 'halves its activation every %d seconds'],
  ['delta: what changed', 'app/memory-kinds.test.ts', 'tells who contributed what to which version'],
  [
    'prospective memories TRIGGER working memory updates',
    'app/memory-time.test.ts',
    'triggers once, and comes to mind in its session',
  ],
  [
    'working memories ACTIVATE semantic memories',
    'app/memory-time.test.ts',
    'activates the concepts that it is most like, in their current version',
  ],
  [
    'episodic memories RECALL other episodic memories',
    'app/memory-kinds.test.ts',
    'recall the three earlier ones that they are most like, and none they share no word with',
  ],
  [
    'session-scoped: destroyed when the session ends',
    'app/memory-sessions.test.ts',
    'destroys what is its own, but for what knowledge derives from and what is important',
  ],
  [
    'global: persist across sessions',
    'app/memory-sessions.test.ts',
    'destroys all but what knowledge derives from (ended before: %p)',
  ],
  [
    'clear session boundaries: what is everybody’s',
    'app/memory-visibility.test.ts',
    'shows of %s without a session what is everybody’s',
  ],
  ['knowledge evolution tracking', 'graph/seed-queries.test.ts', 'how knowledge evolved from events'],
  ['active prospective memories that should trigger', 'graph/seed-queries.test.ts', 'intentions that should trigger'],
  ['successful procedures for a task', 'graph/seed-queries.test.ts', 'successful procedures for a task'],
  ['what was learned in a session', 'graph/seed-queries.test.ts', 'what was learned in a session'],
  ['reconstruct session narrative', 'graph/seed-queries.test.ts', "a session's narrative"],
  ['query 1', 'graph/seed-queries.test.ts', 'query 1: related memories across types'],
  [
    'query 1, as recall answers it',
    'app/memory-recall.test.ts',
    'follows relations from what the query finds: the current task leads to knowledge, procedures and events',
  ],
  ['query 2', 'graph/seed-queries.test.ts', 'query 2: memory consolidation'],
  ['query 3', 'graph/seed-queries.test.ts', 'query 3: the knowledge graph of a session'],
  ['query 4', 'graph/seed-queries.test.ts', 'query 4: procedural memory learning'],
  ['phase 3: count memories by type', 'graph/seed-queries.test.ts', 'phase 3: memories by type'],
  ['phase 3: verify session linkages', 'graph/seed-queries.test.ts', 'phase 3: what is linked to each session'],
  [
    'procedural memories BUILD_ON other procedures',
    'app/memory-values.test.ts',
    'are valid, and come out of an export as they went in',
  ],
  [
    'phase 4: query patterns leverage relationships',
    'app/memory-recall.test.ts',
    'follows relations from what the query finds: the current task leads to knowledge, procedures and events',
  ],
  [
    'embedding: vector for similarity search',
    'app/memory-vectors.test.ts',
    'equal texts are embedded once, in whichever process and whatever has them',
  ],
  [
    'phase 1: schema creation',
    'app/memory-on-disk.test.ts',
    'a reading command makes nothing, the first writing one the folder, the file and the git files',
  ],
  ['phase 2, 1: create sessions', 'app/memory-migration.test.ts', '1: sessions are made as they are described'],
  [
    'phase 2, 2: episodic',
    'app/memory-migration.test.ts',
    '2: events are linked to their session and numbered by time',
  ],
  [
    'phase 2, 2: semantic',
    'app/memory-migration.test.ts',
    '2: concepts are linked to the sessions that contributed to them',
  ],
  ['phase 2, 2: procedural', 'app/memory-migration.test.ts', '2: procedures are linked to the sessions that used them'],
  ['phase 2, 2: prospective', 'app/memory-migration.test.ts', '2: intentions are linked to their session'],
  ['phase 2, 2: working', 'app/memory-migration.test.ts', '2: working memory is linked to its session, which goes on'],
  [
    'phase 2, 3: reconstruct relationships',
    'app/memory-migration.test.ts',
    '3: what derives from, references and activates what is linked again, whatever the order of lines',
  ],
  ['phase 3: validation', 'surfaces/memory-commands.test.ts', 'validate ends with 1 when something is wrong'],
  ['phase 4: specific node types', 'app/memory-values.test.ts', '%s takes what the seed allows as %s'],
  ['phase 4: session lifecycle management', 'app/memory-sessions.test.ts', 'cannot end what has ended'],
  [
    'phase 4: working memory TTL cleanup',
    'app/memory-time.test.ts',
    'is gone to the millisecond when its time is over, before anybody sweeps',
  ],
  ['benefit 1: type safety', 'app/memory-values.test.ts', 'refuses what belongs to another kind'],
  ['benefit 2: semantic clarity', 'app/memory-values.test.ts', 'refuses ends that are not there, or of another type'],
  ['benefit 3: query performance', 'graph/seed-queries.test.ts', 'reads tables by an index only'],
  [
    'benefit 4: session lifecycle',
    'laws/memory-graph.test.ts',
    'an ended session holds nothing but what knowledge derives from and what is important',
  ],
  ['benefit 5: knowledge evolution', 'app/memory-kinds.test.ts', 'tells what each version derives from'],
  [
    'benefit 6: procedural learning',
    'app/memory-kinds.test.ts',
    'are not rated before they are used, and then by every use',
  ],
  [
    'benefit 7: future intent management',
    'app/memory-time.test.ts',
    'puts what it triggers before the session that made it, while that is active',
  ],
]

test.each(LINES)('%s: %s, "%s"', (_line, file, title) => {
  expect(titlesIn(file)).toContain(title)
})

/** Of a file that runs all its tests. As the transpiler prints it there are no comments, and one way to write a call. */
function titlesIn(file: string): readonly string[] {
  const code = new Bun.Transpiler({ loader: 'ts' }).transformSync(readFileSync(join(TESTS, file), 'utf8'))
  expect(code).not.toMatch(/\b(?:test|describe)\.(?:todo|skip|only|failing)\b/)
  const titles = [...code.matchAll(/(?:\btest|\))\(\s*("(?:[^"\\]|\\.)*"),/g)]
  const rows = code.includes('("$name"') ? [...code.matchAll(/\bname: ("(?:[^"\\]|\\.)*")/g)] : []
  return [...titles, ...rows].map(([, quoted = '']) => JSON.parse(quoted) as string)
}
