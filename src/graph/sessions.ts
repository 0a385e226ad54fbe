/** Sessions: begun, ended, archived. What lies in a session goes with it; what is everybody's stays. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Database } from '../ports.ts'
import { forgetDocuments } from './documents.ts'
import { IMPORTANCE_KEPT_ABOVE } from './importance.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { answeredNode, checkedRow, insertNode, type NodeAnswer, nodeRow, requireId, updateNode } from './nodes.ts'

export interface NewSession {
  readonly id?: string | undefined
  readonly user?: string | undefined
  readonly context?: string | undefined
}

/** Throws `session_exists`, `invalid_argument`. */
export function startSession({ database, clock, ids }: MemoryGraph, { id, user, context }: NewSession): NodeAnswer {
  const sessionId = id === undefined ? ids.next() : requireId('id', id)
  const row = checkedRow('Session', {
    start_time: isoTime(clock.now()),
    user_id: user,
    context,
    status: 'active',
  })
  return database.transact(() => {
    if (nodeRow(database, 'Session', sessionId) !== null)
      throw new MemoryError(
        'session_exists',
        `there is a session ${sessionId} already; choose another --id, or go on with it`,
      )
    insertNode(database, 'Session', sessionId, row)
    return requireSession(database, sessionId)
  })
}

/**
 * Destroys what is the session's own: working memory, its intentions, and its events but for those that a semantic memory
 * derives from and important ones that none derives from yet. Throws `session_not_found`, `session_ended`.
 */
export function endSession({ database, clock }: MemoryGraph, sessionId: string): NodeAnswer {
  return database.transact(() => {
    requireActive(database, sessionId)
    updateNode(database, 'Session', sessionId, { end_time: isoTime(clock.now()), status: 'completed' })
    destroyOwn(database, sessionId, { keepsImportant: true })
    return requireSession(database, sessionId)
  })
}

/** Destroys the important events too, unless a semantic memory derives from them. Throws `session_not_found`, `session_ended` for an archived one. */
export function archiveSession({ database, clock }: MemoryGraph, sessionId: string): NodeAnswer {
  return database.transact(() => {
    const { status, end_time } = requireSession(database, sessionId)
    if (status === 'archived') throw new MemoryError('session_ended', `session ${sessionId} is archived already`)
    updateNode(database, 'Session', sessionId, {
      end_time: typeof end_time === 'string' ? end_time : isoTime(clock.now()),
      status: 'archived',
    })
    destroyOwn(database, sessionId, { keepsImportant: false })
    return requireSession(database, sessionId)
  })
}

/** Throws `session_not_found`. */
export function requireSession(database: Database, sessionId: string): NodeAnswer {
  const row = nodeRow(database, 'Session', sessionId)
  if (row !== null) return answeredNode('Session', row)
  throw new MemoryError(
    'session_not_found',
    `there is no session ${JSON.stringify(sessionId)}; knowhow session list names all, session start begins one`,
  )
}

/** Throws `session_not_found`, `session_ended`. */
export function requireActive(database: Database, sessionId: string): void {
  const { status, end_time } = requireSession(database, sessionId)
  if (status !== 'active')
    throw new MemoryError(
      'session_ended',
      `session ${sessionId} is ${String(status)} since ${String(end_time)}; start another one`,
    )
}

const EVENTS_OF = `
SELECT to_id FROM "CONTAINS_EPISODIC" JOIN "EpisodicMemory" ON memory_id = to_id
WHERE from_id = $session AND NOT EXISTS (SELECT 1 FROM "DERIVES_FROM" AS derived WHERE derived.to_id = memory_id)
  AND ($important IS NULL OR importance_score IS NULL OR importance_score <= $important)`
const WORKING_OF = 'SELECT to_id FROM "CONTAINS_WORKING" WHERE from_id = $session'
const INTENTIONS_OF = `
SELECT to_id FROM "CREATES_INTENTION" JOIN "ProspectiveMemory" ON memory_id = to_id
WHERE from_id = $session AND scope = 'session'`

function destroyOwn(
  database: Database,
  session: string,
  { keepsImportant }: { readonly keepsImportant: boolean },
): void {
  const important = keepsImportant ? IMPORTANCE_KEPT_ABOVE : null
  const own = [
    ['EpisodicMemory', EVENTS_OF, { session, important }],
    ['WorkingMemory', WORKING_OF, { session }],
    ['ProspectiveMemory', INTENTIONS_OF, { session }],
  ] as const
  for (const [label, selection, parameters] of own) {
    forgetDocuments(database, label, selection, parameters)
    database.run(`DELETE FROM "${label}" WHERE memory_id IN (${selection})`, parameters)
  }
}

/** By their start, the latest first. */
export function listSessions(database: Database): readonly NodeAnswer[] {
  return database
    .all('SELECT * FROM "Session" ORDER BY start_time DESC, session_id')
    .map((row) => answeredNode('Session', row))
}
