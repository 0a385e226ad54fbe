/** A small graph in which each query of the seed finds something, and passes over something else. */
import { linkMemories } from '../../src/graph/linking.ts'
import { recordUse } from '../../src/graph/procedures.ts'
import type { Link } from '../../src/graph/relations.ts'
import { checkedMemory, type NewMemory, writeMemory } from '../../src/graph/remember.ts'
import { startSession } from '../../src/graph/sessions.ts'
import type { ScratchGraph } from './scratch-graph.ts'

export const LONG_AGO = '2025-12-01T00:00:00.000Z'
/** Of the engine's own clock, whenever this runs. */
export const NEVER = '2990-01-01T00:00:00.000Z'

const NOTHING_LIKE = { events: () => [], concepts: () => [] }

export function fillForSeedQueries(graph: ScratchGraph): void {
  const remember = (memory: NewMemory) =>
    writeMemory(graph, checkedMemory(graph, memory, { workingTtlSeconds: 3600 }), null, NOTHING_LIKE)
  const link = (relation: Link['relation'], from: string, to: string) => linkMemories(graph, { relation, from, to }, {})
  startSession(graph, { id: 's' })
  graph.clock.advance(1000)
  startSession(graph, { id: 't' })
  const events = [
    ['e1', 0.9, LONG_AGO, 'error'],
    ['e2', 0.9, NEVER, null],
    ['e3', 0.95, LONG_AGO, 'decision'],
    ['e4', 0.5, LONG_AGO, null],
    ['e5', 0.8, LONG_AGO, null],
  ] as const
  for (const [memoryId, importance_score, timestamp, event_type] of events)
    remember({
      kind: 'episodic',
      memoryId,
      session: 's',
      fields: { content: `content of ${memoryId}`, importance_score, timestamp, event_type },
    })
  for (const [memoryId, content, confidence_score] of [
    ['v1', 'brief', 0.5],
    ['v2', 'briefer', 0.75],
  ] as const)
    remember({
      kind: 'semantic',
      memoryId,
      session: 's',
      fields: { concept: 'user_preference_verbosity', content, confidence_score },
    })
  link('DERIVES_FROM', 'v1', 'e3')
  link('DERIVES_FROM', 'v2', 'e3')
  for (const [memoryId, procedure_name, usage_count, success_rate] of [
    ['p1', 'git_workflow_rebase', 3, 0.9],
    ['p2', 'git_workflow_merge', 9, 0.85],
    ['p3', 'git_workflow_bad', 99, 0.8],
    ['p4', 'other', 50, 1],
  ] as const)
    remember({ kind: 'procedural', memoryId, fields: { procedure_name, usage_count, success_rate } })
  link('REFERENCES', 'p1', 'v2')
  remember({ kind: 'working', memoryId: 'w', session: 't', fields: { content: 'tidy the history' } })
  link('ACTIVATES', 'w', 'v2')
  for (const [memoryId, due_date, scope] of [
    ['i1', LONG_AGO, 'global'],
    ['i2', NEVER, 'global'],
    ['i3', LONG_AGO, 'session'],
  ] as const)
    remember({ kind: 'prospective', memoryId, session: 's', fields: { intention: memoryId, due_date, scope } })
  recordUse(graph, { procedure: 'p1', session: 's', success: true })
  recordUse(graph, { procedure: 'p1', session: 't', success: false })
}
