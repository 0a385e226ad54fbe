/** Prospective memory: what is due, what an event triggers, what is done, what has run out. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Database, SqlRow } from '../ports.ts'
import { isMet } from './condition.ts'
import type { Likeness } from './likeness.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { answeredNode, type NodeAnswer, nodeRow, updateNode } from './nodes.ts'
import { putRelation } from './relations.ts'
import { checkedMemory, placeMemory } from './remember.ts'
import { requireActive, requireSession } from './sessions.ts'
import type { MemoryDefaults } from './starting-values.ts'

const VISIBLE = `(scope = 'global' OR EXISTS (
  SELECT 1 FROM "CREATES_INTENTION" WHERE to_id = memory_id AND from_id = $session))`
const BY_URGENCY = `ORDER BY CASE priority WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END,
  due_date IS NULL, due_date, memory_id`

/**
 * Pending intentions whose due date has come: those of everybody, and the session's own. Throws `session_not_found`.
 * @param atMs epoch milliseconds
 */
export function dueIntentions(database: Database, atMs: number, session: string | null): readonly NodeAnswer[] {
  if (session !== null) requireSession(database, session)
  return database
    .all(
      `SELECT * FROM "ProspectiveMemory" WHERE status = 'pending' AND due_date <= $at AND ${VISIBLE} ${BY_URGENCY}`,
      { at: isoTime(atMs), session },
    )
    .map((row) => answeredNode('ProspectiveMemory', row))
}

/**
 * Triggers the pending intentions whose condition's words all stand in the event, and puts each before the session as
 * working memory. Throws `session_not_found`, `session_ended`.
 */
export function triggerIntentions(
  graph: MemoryGraph,
  event: string,
  session: string,
  defaults: ReminderDefaults,
): readonly NodeAnswer[] {
  const { database } = graph
  return database.transact(() => {
    requireActive(database, session)
    const pending = database.all(
      `SELECT * FROM "ProspectiveMemory"
       WHERE status = 'pending' AND trigger_condition IS NOT NULL AND ${VISIBLE} ${BY_URGENCY}`,
      { session },
    )
    return pending
      .filter(({ trigger_condition }) => isMet(String(trigger_condition), event))
      .map((row) => trigger(graph, row, { session, conditionMet: true }, defaults))
  })
}

interface Triggering {
  /** Null where nobody is to be reminded at once. */
  readonly session: string | null
  readonly conditionMet: boolean
}

export interface ReminderDefaults extends MemoryDefaults {
  /** Of concepts, which a reminder activates. */
  readonly likeness: Likeness
}

/** At the moment that the graph's clock tells. */
function trigger(
  graph: MemoryGraph,
  row: SqlRow,
  { session, conditionMet }: Triggering,
  { likeness, ...defaults }: ReminderDefaults,
): NodeAnswer {
  const { database, clock } = graph
  const memoryId = String(row.memory_id)
  updateNode(database, 'ProspectiveMemory', memoryId, { status: 'triggered' })
  if (session !== null) {
    const fields = {
      content: row.intention,
      memory_type: 'goal',
      priority: PRIORITY_NUMBER[String(row.priority)] ?? 0,
    }
    const reminder = checkedMemory(graph, { kind: 'working', session, fields }, defaults)
    placeMemory(graph, reminder, null, likeness)
    putRelation(
      database,
      { relation: 'TRIGGERS', from: memoryId, to: reminder.memoryId },
      { trigger_time: isoTime(clock.now()), condition_met: conditionMet ? 1 : 0 },
    )
  }
  return answeredNode('ProspectiveMemory', nodeRow(database, 'ProspectiveMemory', memoryId) ?? {})
}

/** So that what is urgent comes first where numbers order. */
const PRIORITY_NUMBER: Readonly<Record<string, number>> = { low: 1, medium: 2, high: 3, critical: 4 }

/**
 * Ends an intention. Throws `session_not_found`, `not_found`, and `invalid_argument` for one that is over.
 * @param session null for who knows the id; else one that is another session's own is not found
 */
export function completeIntention(database: Database, memoryId: string, session: string | null): NodeAnswer {
  return database.transact(() => {
    if (session !== null) requireSession(database, session)
    const [row] = database.all(
      `SELECT * FROM "ProspectiveMemory" WHERE memory_id = $memoryId AND ($session IS NULL OR ${VISIBLE})`,
      { memoryId, session },
    )
    if (row === undefined)
      throw new MemoryError(
        'not_found',
        `there is no intention ${JSON.stringify(memoryId)}; memory due lists those that are due`,
      )
    if (row.status === 'expired')
      throw new MemoryError('invalid_argument', `intention ${memoryId} is expired, and cannot be completed any more`)
    updateNode(database, 'ProspectiveMemory', memoryId, { status: 'completed' })
    return answeredNode('ProspectiveMemory', nodeRow(database, 'ProspectiveMemory', memoryId) ?? {})
  })
}

/**
 * Of the pending intentions whose due date has come: those without a condition are triggered, before their session if that
 * is active, and those whose condition was not met expire.
 */
export function sweepIntentions(graph: MemoryGraph, atMs: number, defaults: ReminderDefaults) {
  const { database } = graph
  const then = { ...graph, clock: { now: () => atMs } }
  const due = database.all(
    `SELECT "ProspectiveMemory".*, "Session".session_id AS active FROM "ProspectiveMemory"
     LEFT JOIN "CREATES_INTENTION" ON to_id = memory_id
     LEFT JOIN "Session" ON session_id = from_id AND "Session".status = 'active'
     WHERE "ProspectiveMemory".status = 'pending' AND due_date <= $at ${BY_URGENCY}`,
    { at: isoTime(atMs) },
  )
  const triggered: NodeAnswer[] = []
  const expired: NodeAnswer[] = []
  for (const row of due) {
    if (row.trigger_condition === null) {
      const session = row.active === null ? null : String(row.active)
      triggered.push(trigger(then, row, { session, conditionMet: false }, defaults))
    } else {
      updateNode(database, 'ProspectiveMemory', String(row.memory_id), { status: 'expired' })
      expired.push(answeredNode('ProspectiveMemory', { ...row, status: 'expired' }))
    }
  }
  return { triggered, expired }
}
